// Names of several objects from one line. gfortran 12 compiles "allocate(a(n), b(n), c(m))" to
// three calls of malloc with the same line. Their offsets were recorded.
#include "recording/objects/object_names.hpp"

#include <gtest/gtest.h>

#include "profile_support.hpp"

namespace Atoll::profile {
namespace {

struct Allocation {
  std::uint64_t offset;  ///< offset of the call's return address
  std::uint64_t bytes;
  std::uint64_t created_ns;
  int caller = 20;  ///< line of the call of the subroutine
};

/// Returns a recording with a separate site for each allocation.
recording::Recording recording_of(const std::vector<Allocation>& allocations, int line = 7) {
  recording::Recording run = SyntheticRun(1).recording;
  run.processes[0].executable = "/home/user/app";
  for (const Allocation& from : allocations) {
    run.objects.push_back({.id = static_cast<std::uint32_t>(run.objects.size()),
                           .kind = recording::ObjectKind::heap,
                           .site = static_cast<std::uint32_t>(run.sites.size()),
                           .bytes = from.bytes,
                           .created_ns = from.created_ns});
    const recording::Frame frame{.function = "setup_",
                                 .file = "/home/user/app.f90",
                                 .line = line,
                                 .module = "/home/user/app",
                                 .offset = from.offset};
    recording::Frame caller = frame;
    caller.function = "MAIN__";
    caller.line = from.caller;
    caller.offset = 0x2000;
    run.sites.push_back({{frame, caller}});
  }
  return run;
}

std::vector<std::string> names_of(const recording::Recording& run) {
  const recording::SameLine same_line(run);
  std::vector<std::string> names;
  for (const recording::Object& object : run.objects)
    names.push_back(name_of(run, object) + same_line.words(object));
  return names;
}

using Names = std::vector<std::string>;

TEST(ObjectNames, ArraysOfOneLineByOrderAndSize) {
  EXPECT_EQ(
      names_of(
          recording_of({{0x11d4, 8 << 20, 300}, {0x1164, 8 << 20, 100}, {0x119c, 1 << 20, 200}})),
      (Names{"setup_ (3rd of 3, 8 MiB)", "setup_ (1st of 3, 8 MiB)", "setup_ (2nd of 3, 1 MiB)"}));
}

TEST(ObjectNames, ACallThatAllocatesMoreThanOneIsOne) {
  EXPECT_EQ(names_of(recording_of({{0x1164, 1 << 20, 1}, {0x1164, 1 << 20, 2}})),
            (Names{"setup_", "setup_"}));
  EXPECT_EQ(
      names_of(recording_of({{0x1164, 1 << 20, 1}, {0x11d4, 1 << 20, 2}, {0x1164, 2 << 20, 3}})),
      (Names{"setup_ (1st of 2)", "setup_ (2nd of 2, 1 MiB)", "setup_ (1st of 2)"}));
}

TEST(ObjectNames, OtherLinesAndOtherCallersAreNotCounted) {
  EXPECT_EQ(names_of(recording_of({{0x1164, 1 << 20, 1, 20}, {0x11d4, 1 << 20, 2, 21}})),
            (Names{"setup_", "setup_"}));
  EXPECT_EQ(names_of(recording_of({{0x1164, 1 << 20, 1}, {0x11d4, 1 << 20, 2}}, 0)),
            (Names{"setup_", "setup_"}))
      << "the line isn't known";
}

TEST(ObjectNames, OfAStrippedProgramByFileAndOffset) {
  recording::Recording run = recording_of({{0x11d4, 8 << 20, 100}});
  run.sites.back().frames = {{.module = "/home/user/app", .offset = 0x11d4},
                             {.function = "__libc_start_main", .module = "/lib/libc.so.6"}};
  EXPECT_EQ(name_of(run, run.objects.back()), "app+0x11d4");
}

TEST(ObjectNames, AProcessHasTheNameThatItsProgramWasCalledBy) {
  const auto name = [](std::vector<std::string> command) {
    recording::Process process;
    process.executable = "/usr/bin/redis-check-rdb";
    process.command = std::move(command);
    return program_of(process);
  };
  EXPECT_EQ(name({"redis-server", "--port", "7777"}), "redis-server");
  EXPECT_EQ(name({"/usr/bin/redis-server"}), "redis-server");
  EXPECT_EQ(name({"-redis"}), "redis-check-rdb") << "a login shell";
  EXPECT_EQ(name({""}), "redis-check-rdb");
  EXPECT_EQ(name({}), "redis-check-rdb");
}

}  // namespace
}  // namespace Atoll::profile
