// Threads of a running program, as the reader of its streams sees them: quanta and sleep.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "recording/streams/live_streams.hpp"
#include "recording_support.hpp"

namespace Atoll::recording {
namespace {

/// Returns the counters that the recorder keeps in the region for its only thread.
record::ThreadRecord& record_in(const Region& region) {
  record::ThreadRecord* record = nullptr;
  RegionView(region.header(), region.bytes())
      .for_each<record::ThreadRecord>(region.header().threads.load(),
                                      [&](const record::ThreadRecord& one, record::Offset) {
                                        record = const_cast<record::ThreadRecord*>(&one);
                                      });
  if (record == nullptr) throw std::logic_error("the region has no thread");
  return *record;
}

// The path is in an environment variable, whose length affects the addresses in programs' stacks.
TEST(LiveStreams, TheRegionsPathHasTheSameLengthInEachProcess) {
  const Region region({.bytes = 16 << 20, .cache_bytes = 0});
  const std::string path = region.path();
  const std::string longest = "/proc/4194304/fd" + path.substr(path.rfind('/'));
  EXPECT_EQ(path.size(), longest.size()) << path;
  EXPECT_EQ(::access(path.c_str(), R_OK | W_OK), 0) << path;
}

TEST(LiveStreams, ATurnIsOverWhenItWasUsedOrTheNextOneIsWanted) {
  const Region region({.bytes = 16 << 20, .cache_bytes = 0});
  ASSERT_EQ(in_child(region, [] { record::start_thread(); }), 0);
  LiveStreams streams(region);
  ASSERT_EQ(streams.count(), 1U);
  record::ThreadRecord& record = record_in(region);
  EXPECT_TRUE(streams.has_turn_ended(0));
  record.turns_requested = 1;
  EXPECT_TRUE(streams.is_held(0));
  streams.grant_turn(0);
  EXPECT_FALSE(streams.is_held(0));
  EXPECT_FALSE(streams.has_turn_ended(0));  // it runs the quantum that it requested
  record.turns_ended = 1;
  EXPECT_TRUE(streams.has_turn_ended(0));
  record.turns_requested = 2;
  streams.grant_turn(0);
  EXPECT_FALSE(streams.has_turn_ended(0));
  record.turns_requested = 3;  // its second quantum
  EXPECT_TRUE(streams.has_turn_ended(0));
  EXPECT_TRUE(streams.is_held(0));
}

TEST(LiveStreams, InAnEmulatorAThreadIsAsleepInSystemCallsAlone) {
  const Region region({.bytes = 16 << 20, .cache_bytes = 0});
  ASSERT_EQ(in_child(region, [] { record::start_thread(); }), 0);
  LiveStreams streams(region);
  ASSERT_EQ(streams.count(), 1U);
  record::ThreadRecord& record = record_in(region);
  EXPECT_FALSE(streams.is_asleep(0));
  record.asleep = 1;
  EXPECT_TRUE(streams.is_asleep(0));
  record.computes = 1;  // it waits for a lock within the emulator
  EXPECT_FALSE(streams.is_asleep(0));
}

TEST(LiveStreams, AThreadThatSomebodyHasStoppedDoesNotSleep) {
  using State = LiveStreams::State;
  const Region region({.bytes = 16 << 20, .cache_bytes = 0});
  const pid_t child = ::fork();
  if (child == 0) {
    if (!record::attach(region.path().c_str())) ::_exit(99);
    record::start_thread();
    for (;;) ::pause();
  }
  ASSERT_GT(child, 0);
  LiveStreams streams(region);
  const auto becomes = [&](State state) {
    for (int turn = 0; turn < 10'000; ++turn) {
      if (streams.count() == 1 && streams.state(0) == state) return true;
      ::poll(nullptr, 0, 1);
    }
    return false;
  };
  EXPECT_TRUE(becomes(State::sleeps));
  ::kill(child, SIGSTOP);
  EXPECT_TRUE(becomes(State::runs));
  ::kill(child, SIGCONT);
  EXPECT_TRUE(becomes(State::sleeps));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(becomes(State::ended));
}

}  // namespace
}  // namespace Atoll::recording
