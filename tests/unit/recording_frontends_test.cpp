// Front ends: names, capabilities, the choice among them, and the commands that they start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "atoll/recording/watch.hpp"
#include "process/libraries.hpp"
#include "recording/counted_as.hpp"
#include "recording/frontends/frontend_table.hpp"
#include "recording/frontends/sample_frontend.hpp"
#include "recording/frontends/sees_libraries.hpp"

namespace Atoll::recording {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

/// Capabilities as docs/tracing.md and the guides of the front ends describe them.
struct Expected {
  std::string_view word;
  bool every_access, libraries;
  StreamContents contents;
  std::uint64_t permanent_mib, at_start_mib;
};

const Expected kExpected[] = {
    {"compiled", true, false, {.work = true, .dependence = true, .atomics = true}, 4, 0},
    {"gcc", true, false, {.work = false, .dependence = false, .atomics = true}, 4, 0},
    {"dbi", true, true, {.work = true, .dependence = true, .atomics = true}, 300, 1536},
    {"sample", false, true, {}, 4, 0},
};

std::string libraries() {
  return std::filesystem::path(ATOLL_RECORD_LIBRARY).parent_path().string();
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string value_of(const process::Launch& launch, const std::string& variable) {
  for (const auto& [name, value] : launch.environment)
    if (name == variable) return value;
  return "not set";
}

TEST(Frontends, HaveTheCapabilitiesOfTheirGuides) {
  ASSERT_EQ(frontends().size(), std::size(kExpected));
  for (std::size_t i = 0; i < std::size(kExpected); ++i) {
    const Expected& expected = kExpected[i];
    SCOPED_TRACE(expected.word);
    const FrontendRow& row = *frontends()[i];
    const auto frontend = row.create({});
    EXPECT_EQ(frontend->name(), row.name);
    EXPECT_EQ(frontend->records_every_access(), expected.every_access);
    EXPECT_EQ(frontend->stream_contents(), expected.contents);
    EXPECT_EQ(frontend->mappings().permanent, expected.permanent_mib * kMiB);
    EXPECT_EQ(frontend->mappings().at_start, expected.at_start_mib * kMiB);
    const Recording recording{.frontend = row.name, .cant_see = frontend->cant_see()};
    EXPECT_EQ(sees_all_libraries(recording), expected.libraries);
    EXPECT_EQ(recording.is_sampled(), !expected.every_access);
    EXPECT_EQ(counted_as(recording), expected.every_access ? kAccesses : kPageUses);
  }
}

TEST(Frontends, HaveNamesThatAreReadBack) {
  for (const Expected& expected : kExpected) {
    const auto name = frontend_from_string(expected.word);
    ASSERT_TRUE(name) << expected.word;
    EXPECT_EQ(to_string(*name), expected.word);
    EXPECT_EQ(is_sampled(*name), !expected.every_access);
  }
  EXPECT_FALSE(frontend_from_string("auto"));
  EXPECT_FALSE(frontend_from_string(""));
  EXPECT_THAT(frontend_words(true), ElementsAre("compiled", "gcc", "dbi", "sample"));
  EXPECT_THAT(frontend_words(false), ElementsAre("compiled", "gcc", "dbi"));
  EXPECT_EQ(alternatives(frontend_words(false)), "compiled, gcc or dbi");
  EXPECT_EQ(alternatives({"one"}), "one");
}

TEST(Frontends, StartAProgramWithTheirLibraries) {
  for (const FrontendRow* row : frontends()) {
    SCOPED_TRACE(row->word);
    const auto frontend = row->create({.sampling_share = 0.02});
    const process::Launch launch =
        frontend->prepare({"sh", "-c", "exit"}, libraries(), "/region", {"libatoll-policies.so"});
    EXPECT_EQ(value_of(launch, "ATOLL_SAMPLING") != "not set", !frontend->records_every_access());
    if (row->requires_emulator) {
      EXPECT_THAT(launch.command.front(), HasSubstr("qemu"));
      EXPECT_THAT(launch.command, testing::Contains(HasSubstr("libatoll-policies.so")));
      EXPECT_THAT(launch.command, testing::Contains(HasSubstr("/region")));
    } else {
      EXPECT_THAT(launch.command, ElementsAre("sh", "-c", "exit"));
      EXPECT_EQ(value_of(launch, "ATOLL_RECORDING"), "/region");
      EXPECT_EQ(value_of(launch, "LD_PRELOAD"),
                libraries() + "/libatoll-record.so:" + libraries() + "/libatoll-policies.so");
    }
  }
}

TEST(Frontends, AreChosenByWhatTheProgramWasCompiledFor) {
  const std::string program = "/bin/sh";
  const ChosenFrontend chosen = choose_frontend({}, program, libraries());
  EXPECT_EQ(chosen.row.name, FrontendName::dbi);
  EXPECT_EQ(chosen.reason, "any x86 program as it is, in qemu's user-mode emulator");
  EXPECT_EQ(chosen.missing, "");
  const ChosenFrontend requested = choose_frontend(FrontendName::sample, program, libraries());
  EXPECT_EQ(requested.row.name, FrontendName::sample);
  EXPECT_EQ(requested.reason, "asked for by --frontend");
  EXPECT_THAT(error_of([&] { (void)choose_frontend(FrontendName::gcc, program, libraries()); }),
              HasSubstr("/bin/sh: it wasn't compiled with atollgcc or atollg++; compile it so"));
  EXPECT_THAT(
      error_of([&] { (void)choose_frontend(FrontendName::compiled, program, libraries()); }),
      HasSubstr("/bin/sh: it wasn't compiled with atollcc"));
}

TEST(Frontends, NameThoseThatRecordWhatIsRequested) {
  Consumer consumer;
  WatchOptions options{.command = {"true"}, .frontend = FrontendName::sample, .streams = true};
  EXPECT_THAT(error_of([&] { (void)watch(options, consumer); }),
              EndsWith("can only be sampled, and samples are no stream of accesses; take "
                       "--frontend compiled, gcc or dbi; or atoll profile"));
  options.streams = false;
  options.tasks = true;
  EXPECT_THAT(error_of([&] { (void)watch(options, consumer); }),
              EndsWith("can only be sampled, and samples don't tell tasks apart; take "
                       "--frontend compiled, gcc or dbi; or atoll profile"));
}

TEST(Frontends, ReportARunThatRecordedNothing) {
  constexpr int kExit3 = 3 << 8;
  for (const FrontendRow* row : frontends())
    EXPECT_EQ(
        row->create({})->nothing_recorded("/bin/p", {"p", "1"}, kExit3).what(),
        row->requires_emulator
            ? "/bin/p: nothing was recorded: the emulator ended before it began (code 3); see "
              "whether it runs in the emulator without Atoll: qemu-x86_64 p"
            : std::string("/bin/p: nothing was recorded: it doesn't load "
                          "libatoll-record.so; a static or privileged program can be "
                          "watched by --frontend dbi"));
}

}  // namespace
}  // namespace Atoll::recording
