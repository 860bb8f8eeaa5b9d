// Recordings of programs with libatoll-record.so preloaded. The programs of tests/watched print
// their actions, and the recording must contain these.
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "process/child.hpp"
#include "recording/read_events.hpp"
#include "recording_support.hpp"
#include "recording_this_process.hpp"
#include "temporary_folder.hpp"

namespace Atoll::recording {
namespace {

struct Line {
  std::string word;
  std::uint64_t first, second;
};

struct Watched {
  int status = 0;
  std::vector<Line> lines;
  Recording recording;
  ObjectIndex index;
  PhysicalPages pages;

  /// Returns the object at an address.
  const Object& object_at(std::uint32_t process, std::uint64_t address) {
    const auto line = address % kPageBytes / kLineBytes;
    for (const ObjectLines& some : index.lines_of(process, address / kPageBytes))
      if (line >= some.first_line && line < some.end_line &&
          ((some.words >> address / 8 % 8) & 1U) != 0)
        return recording.objects.at(some.object);
    throw std::logic_error("a page without all of its lines");
  }
  /// Returns true if the call stack of the site has this function of tests/watched.
  [[nodiscard]] bool passes(std::uint32_t site, const std::string& function) const {
    if (site == kNone) return false;
    return std::ranges::any_of(recording.sites.at(site).frames, [&](const Frame& frame) {
      return frame.function.find("::" + function + "(") != std::string::npos &&
             frame.file.ends_with("watched.cpp") && frame.line > 0;
    });
  }
};

/// Runs a program of tests/watched with the library. Its output is in a file.
Watched watch_program(const std::string& what, const std::string& more_preloaded = "") {
  Region region({.bytes = 256 << 20});
  const TemporaryFolder folder;
  const std::string output = folder / "output";
  process::Child child(
      {.command = {"sh", "-c", "exec \"$0\" \"$@\" >" + output, ATOLL_WATCHED_PROGRAM, what},
       .environment = {{"ATOLL_RECORDING", region.path()},
                       {"LD_PRELOAD", ATOLL_RECORD_LIBRARY + more_preloaded}}});
  for (int i = 0; i < 600; ++i)
    if (child.wait(100)) break;
  Watched watched;
  watched.status = child.status();
  std::ifstream file(output);
  for (Line line; file >> line.word >> line.first >> line.second;) watched.lines.push_back(line);
  process::Symbols symbols;
  watched.recording = read_events(RegionView(region.header()), region.epoch_ns(), child.ended(),
                                  symbols, watched.index, watched.pages);
  return watched;
}

/// Returns the last process, which is the program; the first one is the shell.
std::uint32_t program_of(const Watched& watched) {
  return static_cast<std::uint32_t>(watched.recording.processes.size()) - 1;
}

TEST(TraceInside, EveryAllocationHasAnObjectWithItsStack) {
  Watched watched = watch_program("allocate");
  EXPECT_EQ(watched.status, 0);
  ASSERT_EQ(watched.lines.size(), 25U);
  const std::uint32_t process = program_of(watched);
  for (const Line& line : watched.lines) {
    SCOPED_TRACE(line.word + " " + std::to_string(line.second));
    const Object& object = watched.object_at(process, line.first);
    const bool large = line.second >= 65536;
    EXPECT_EQ(object.kind, line.word == "by_mmap" ? ObjectKind::mapping
                           : large                ? ObjectKind::heap
                                                  : ObjectKind::pool);
    EXPECT_TRUE(watched.passes(object.site, line.word));
    if (large) {
      EXPECT_EQ(object.address, line.first);
      EXPECT_GE(object.bytes, line.second);
      EXPECT_LE(object.bytes, line.second + 64);
      EXPECT_EQ(object.freed_ns, 0U);
    } else {
      EXPECT_EQ(object.allocations, 1U);
      EXPECT_EQ(object.bytes % kPageBytes, 0U);
    }
    const Object& last = watched.object_at(process, line.first + line.second - 1);
    EXPECT_EQ(last.id, object.id);
  }
}

TEST(TraceInside, SmallAllocationsOfOneSiteShareNoPageWithOthers) {
  Watched watched = watch_program("allocate");
  std::map<std::uint64_t, std::string> pages;
  for (const Line& line : watched.lines)
    if (line.second < 65536) {
      EXPECT_EQ(pages.try_emplace(line.first / kPageBytes, line.word).first->second, line.word);
    }
  EXPECT_EQ(pages.size(), 12U);
}

TEST(TraceInside, AddressesOfLargeAllocationsAreNotUsedAgain) {
  Watched watched = watch_program("free");
  EXPECT_EQ(watched.status, 0);
  ASSERT_EQ(watched.lines.size(), 100U);
  std::set<std::uint64_t> addresses;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const Object& object =
        watched.object_at(program_of(watched), watched.lines[i].first + 5 * kPageBytes);
    EXPECT_EQ(object.kind, ObjectKind::heap);
    EXPECT_EQ(object.order, i);
    EXPECT_GE(object.freed_ns, object.created_ns);
    EXPECT_NE(object.freed_ns, 0U);
    addresses.insert(watched.lines[i].first);
  }
  EXPECT_EQ(addresses.size(), 100U);
}

TEST(TraceInside, ThreadsHaveTheirCreatorPlaceOrderNameAndStack) {
  Watched watched = watch_program("threads");
  EXPECT_EQ(watched.status, 0);
  const std::uint32_t process = program_of(watched);
  std::map<std::string, const Thread*> by_name;
  std::vector<const Thread*> all;
  for (const Thread& thread : watched.recording.threads)
    if (thread.process == process) {
      all.push_back(&thread);
      by_name[thread.name] = &thread;
    }
  ASSERT_EQ(all.size(), 6U);
  ASSERT_EQ(watched.lines.size(), 4U);
  for (const Line& line : watched.lines) {
    SCOPED_TRACE(line.word);
    ASSERT_TRUE(by_name.contains(line.word));
    const Thread& thread = *by_name[line.word];
    EXPECT_EQ(thread.tid, static_cast<int>(line.second));
    EXPECT_GT(thread.ended_ns, thread.started_ns);
    const Object& stack = watched.object_at(process, line.first);
    EXPECT_EQ(stack.kind, ObjectKind::stack);
    EXPECT_EQ(stack.thread, thread.id);
    EXPECT_EQ(thread.pu, line.word == "bound" ? 0 : -1);
  }
  const Thread& first = *all[0];
  EXPECT_EQ(first.order, 0U);
  EXPECT_EQ(first.creator, kNone);
  EXPECT_EQ(by_name["first"]->order, 1U);
  EXPECT_EQ(by_name["bound"]->order, 2U);
  EXPECT_EQ(by_name["third"]->order, 3U);
  EXPECT_EQ(by_name["nested"]->order, 5U);
  EXPECT_EQ(by_name["first"]->creator, first.id);
  EXPECT_EQ(watched.recording.threads[by_name["nested"]->creator].creator, first.id);
  EXPECT_TRUE(watched.passes(by_name["first"]->creation_site, "create_here"));
  EXPECT_TRUE(watched.passes(by_name["nested"]->creation_site, "create_here"));
  EXPECT_TRUE(watched.passes(by_name["third"]->creation_site, "create_there"));
  EXPECT_NE(by_name["first"]->creation_site, by_name["bound"]->creation_site);  // two calls
}

class TraceInsideFork : public testing::TestWithParam<const char*> {};
TEST_P(TraceInsideFork, AForkedChildHasItsOwnObjectsAndWhatItInherited) {
  Watched watched = watch_program(GetParam());
  EXPECT_EQ(watched.status, 0);
  ASSERT_EQ(watched.lines.size(), 2U);
  const std::uint32_t child = program_of(watched);
  const Process& process = watched.recording.processes[child];
  EXPECT_EQ(process.parent, child - 1);
  EXPECT_THAT(process.command, testing::ElementsAre(ATOLL_WATCHED_PROGRAM, GetParam()));
  const Object& inherited = watched.object_at(child, watched.lines[0].first);
  EXPECT_EQ(inherited.kind, ObjectKind::heap);
  EXPECT_EQ(inherited.process, child - 1);
  const Object& own = watched.object_at(child, watched.lines[1].first);
  EXPECT_EQ(own.process, child);
  EXPECT_TRUE(watched.passes(own.site, "in_child"));
  EXPECT_EQ(watched.object_at(child - 1, watched.lines[1].first).kind, ObjectKind::other);
}

INSTANTIATE_TEST_SUITE_P(All, TraceInsideFork, testing::Values("fork", "_fork"));

TEST(TraceInside, AnExecutedProgramIsWatchedOnThoughItsEnvironmentWasCleared) {
  Watched watched = watch_program("exec");
  EXPECT_EQ(watched.status, 0);
  const std::uint32_t last = program_of(watched);
  const Process& process = watched.recording.processes[last];
  EXPECT_THAT(process.command, testing::ElementsAre("renamed", "allocate"));
  EXPECT_EQ(process.parent, last - 1);
  EXPECT_EQ(process.pid, watched.recording.processes[last - 1].pid);
  ASSERT_EQ(watched.lines.size(), 25U);
  EXPECT_TRUE(watched.passes(watched.object_at(last, watched.lines[0].first).site, "by_malloc"));
}

TEST(TraceInside, ChildrenHaveTheExitCodesThatTheyGave) {
  const Watched watched = watch_program("ends");
  EXPECT_EQ(watched.status, 9 << 8);
  std::multiset<int> codes;
  int without = 0;
  for (const Process& process : watched.recording.processes) {
    if (process.exit_code)
      codes.insert(*process.exit_code);
    else
      ++without;
    EXPECT_EQ(process.signal, std::nullopt);
  }
  EXPECT_EQ(codes, (std::multiset<int>{3, 4, 5, 6, 9}));
  EXPECT_EQ(without,
            3);  // the shell and the child before they call exec, and the killed process
}

TEST(TraceInside, AProcessThatCouldNotExecuteHasNotEnded) {
  const Watched watched = watch_program("exec-fails");
  EXPECT_EQ(watched.status, SIGKILL);  // killed, so no other end was recorded
  EXPECT_EQ(watched.recording.processes[program_of(watched)].ended_ns, 0U);
}

TEST(TraceInside, LibrariesThatAreOpenedLaterAreKnown) {
  const Watched watched = watch_program("dlopen");
  EXPECT_EQ(watched.status, 0);
  int from_library = 0;
  for (const Object& object : watched.recording.objects)
    from_library += watched.passes(object.site, "open_library") &&
                    watched.recording.sites[object.site].frames[0].module.find("libsqlite3") !=
                        std::string::npos &&
                    !watched.recording.sites[object.site].frames[0].build_id.empty();
  EXPECT_GT(from_library, 10);
}

TEST(TraceInside, AKilledProgramLeavesWhatItDidSoFar) {
  Watched watched = watch_program("die");
  EXPECT_EQ(watched.status, SIGKILL);
  ASSERT_EQ(watched.lines.size(), 1U);
  const Process& process = watched.recording.processes.back();
  EXPECT_EQ(process.signal, SIGKILL);
  EXPECT_EQ(process.exit_code, std::nullopt);
  EXPECT_EQ(watched.object_at(process.id, watched.lines[0].first).kind, ObjectKind::heap);
}

TEST(TraceInside, MemoryThatBrkGaveIsAnObject) {
  Watched watched = watch_program("brk");
  EXPECT_EQ(watched.status, 0);
  ASSERT_EQ(watched.lines.size(), 2U);
  for (const Line& line : watched.lines)
    for (const std::uint64_t at : {line.first, line.first + line.second - 8}) {
      const Object& object = watched.object_at(program_of(watched), at);
      EXPECT_EQ(object.kind, ObjectKind::mapping);
      EXPECT_EQ(object.name, "heap (brk)");
      EXPECT_GE(object.bytes, 1'040'000U);
    }
}

TEST(TraceInside, AProgramsOwnAllocatorServesIt) {
  Watched watched = watch_program("allocate", ":libjemalloc.so.2");
  EXPECT_EQ(watched.status, 0);
  ASSERT_EQ(watched.lines.size(), 25U);
  for (const Line& line : watched.lines)
    EXPECT_EQ(watched.object_at(program_of(watched), line.first).kind, ObjectKind::mapping);
}

// These programs check their own results, and exit with 0 if they are correct.
class TraceInsideHardProgram : public testing::TestWithParam<const char*> {};
TEST_P(TraceInsideHardProgram, RunsAsEver) {
  const Watched watched = watch_program(GetParam());
  EXPECT_EQ(watched.status, 0);
  EXPECT_TRUE(watched.recording.losses.empty());
}
INSTANTIATE_TEST_SUITE_P(All, TraceInsideHardProgram,
                         testing::Values("many-threads", "handlers", "exits", "limit", "stacks"));

TEST(TraceInside, ManyStacksCostBoundedSites) {
  const Watched watched = watch_program("stacks");
  EXPECT_LT(watched.recording.sites.size(), 20'000U);
  EXPECT_GE(watched.recording.sites.size(), 4'000U);
}

int variable_of_this_test[1000];

TEST(TraceReadEvents, VariablesThatWereAccessedAreObjects) {
  const Region region({.bytes = 64 << 20});
  in_child(region, [] {
    record::ThreadState* thread = record::start_thread();
    tell_this_process();
    record::record(thread, reinterpret_cast<std::uintptr_t>(&variable_of_this_test[500]), 4, true);
  });
  process::Symbols symbols;
  Watched watched;
  watched.recording = read_events(RegionView(region.header()), region.epoch_ns(), {}, symbols,
                                  watched.index, watched.pages);
  const auto address = reinterpret_cast<std::uintptr_t>(&variable_of_this_test[500]);
  const Object& object = watched.object_at(0, address);
  EXPECT_EQ(object.kind, ObjectKind::global);
  EXPECT_EQ(object.name, "Atoll::recording::(anonymous namespace)::variable_of_this_test");
  EXPECT_EQ(object.bytes, sizeof variable_of_this_test);
  EXPECT_EQ(object.address, reinterpret_cast<std::uintptr_t>(variable_of_this_test));
  EXPECT_EQ(object.module, std::filesystem::read_symlink("/proc/self/exe"));
  // The program accessed no variables of other modules.
  for (const Object& one : watched.recording.objects)
    EXPECT_TRUE(one.module.empty() || one.module == object.module);
}

TEST(TraceReadEvents, ThreadsAreNumberedByCreationWhetherTheyBeginOrNot) {
  const Region region({.bytes = 64 << 20});
  in_child(region, [] {
    record::start_thread();
    const auto began_later = record::create_thread(0), refused = record::create_thread(0);
    record::create_thread(0);  // never begins
    const auto began_first = record::create_thread(0);
    record::thread_not_created(refused);
    for (const auto creation : {began_first, began_later})
      std::thread([&] {
        record::start_thread();
        record::thread_began(creation, ::gettid());
        record::record(record::current_thread(), creation == began_first ? 0x10000 : 0x20000, 4,
                       true);
        record::end_thread();
      }).join();
  });
  process::Symbols symbols;
  ObjectIndex index;
  PhysicalPages same;
  const Recording recording =
      read_events(RegionView(region.header()), region.epoch_ns(), {}, symbols, index, same);
  ASSERT_EQ(recording.threads.size(), 4U);
  const auto& threads = recording.threads;
  EXPECT_EQ(threads[2].tid, 0);
  EXPECT_LT(threads[3].ended_ns, threads[1].ended_ns);  // thread 3 began and ended first
  for (std::uint32_t id = 0; id < 4; ++id) {
    EXPECT_EQ(threads[id].id, id);
    EXPECT_EQ(threads[id].order, id);
    EXPECT_EQ(threads[id].creator, id == 0 ? kNone : 0);
  }
  const Pages pages = read(region);
  EXPECT_EQ(pages.pages.at({0, 0x10}).threads.at(0).thread, 3U);
  EXPECT_EQ(pages.pages.at({0, 0x20}).threads.at(0).thread, 1U);
}

/// Reads a valid region, then copies with overwritten words, or truncated ones.
TEST(TraceReadEvents, DamagedRegionsDoNoHarm) {
  const Region region({.bytes = 4 << 20});
  in_child(region, [] {
    record::ThreadState* thread = record::start_thread();
    tell_this_process();
    const record::Allocated large{0x100000, 0x40000, 1, 0}, slab{0x200000, 0x4000, 2, 0};
    for (std::uint32_t site = 1; site <= 2; ++site) {
      const record::SiteSeen seen{site, 3};
      const std::array<std::uint64_t, 3> stack{0x1234,
                                               reinterpret_cast<std::uintptr_t>(&watch_program),
                                               reinterpret_cast<std::uintptr_t>(&std::atoi)};
      record::emit(thread, record::EventKind::site, &seen, sizeof seen, stack.data(), 24);
    }
    record::emit(thread, record::EventKind::allocated, &large, sizeof large);
    record::emit(thread, record::EventKind::slab, &slab, sizeof slab);
    record::emit(thread, record::EventKind::stack, &slab, sizeof slab);
    const record::SmallAllocations small{2, 0, 10, 1000};
    record::emit(thread, record::EventKind::small, &small, sizeof small);
    record::emit(thread, record::EventKind::freed, &large, 16);
    const record::Named named{::gettid()};
    record::emit(thread, record::EventKind::name, &named, sizeof named, "name", 5);
    record::record(thread, reinterpret_cast<std::uintptr_t>(variable_of_this_test), 4, true);
    if (::fork() == 0) {
      record::emit(record::start_thread(), record::EventKind::mapped, &large, sizeof large);
      ::_exit(0);
    }
    ::wait(nullptr);
  });
  const std::size_t used = region.header().used;
  ASSERT_LT(used, std::size_t{1} << 20);
  std::vector<std::uint64_t> copy((std::size_t{1} << 20) / 8);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&region.header());
  process::Symbols symbols;
  std::minstd_rand random(5);
  std::size_t objects = 0;
  for (int round = 0; round < 10000; ++round) {
    std::memcpy(copy.data(), bytes, used);
    auto* header = reinterpret_cast<record::Header*>(copy.data());
    header->bytes = copy.size() * 8;
    if (round % 2 == 1) {
      const std::size_t kept = random() % used / 8;
      std::fill(copy.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(kept, 32)),
                copy.end(), random() % 2 == 0 ? 0 : ~std::uint64_t{0});
    }
    for (std::uint32_t i = 0; round > 1 && i < random() % 30; ++i) {
      const std::size_t at = sizeof(record::Header) / 8 - 5 + random() % (used / 8);
      const std::array<std::uint64_t, 6> values{0,
                                                ~std::uint64_t{0},
                                                random() % used / 8 * 8,
                                                copy[random() % (used / 8)],
                                                random(),
                                                copy[at] ^ (std::uint64_t{1} << random() % 64)};
      copy[at] = values[random() % values.size()];
    }
    ObjectIndex index;
    PhysicalPages pages;
    const Recording recording = read_events(RegionView(*header), 1, {}, symbols, index, pages);
    if (round == 0) objects = recording.objects.size();
    for (const Thread& thread : recording.threads) {
      ASSERT_LT(thread.process, recording.processes.size());
      ASSERT_TRUE(thread.creation_site == kNone || thread.creation_site < recording.sites.size());
    }
    for (const Object& object : recording.objects) {
      ASSERT_LT(object.process, recording.processes.size());
      ASSERT_TRUE(object.site == kNone || object.site < recording.sites.size());
      ASSERT_TRUE(object.thread == kNone || object.thread < recording.threads.size());
      for (const ObjectLines& lines : index.lines_of(object.process, object.address / kPageBytes))
        ASSERT_LT(lines.object, recording.objects.size());
    }
  }
  EXPECT_GE(objects,
            7U);  // two of kind `other`, two allocations, a slab, a stack, a variable, a module
}

}  // namespace
}  // namespace Atoll::recording
