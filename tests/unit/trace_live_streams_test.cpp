// Streams that a consumer gets while the program runs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "temporary_folder.hpp"
#include "trace/live_streams.hpp"
#include "trace/watch.hpp"

namespace Atoll::trace {
namespace {

std::uint64_t read_of(std::uint64_t address) {
  return recorder::stream_word(recorder::WordKind::access, address, 8, false);
}

/// Waits until calls of two streams are there at once; not for ever.
struct Meeting : Consumer {
  unsigned at_once = 1;
  std::atomic<int> inside{0}, most{0};
  std::atomic<std::uint64_t> seen{0};
  StreamWishes stream_wishes() const override { return {.at_once = at_once}; }
  void accesses(std::uint32_t, std::span<const Access> accesses) override {
    most = std::max<int>(most, ++inside);
    for (int i = 0; i < 200 && at_once > 1 && most < 2; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    seen += accesses.size();
    --inside;
  }
};

TEST(LiveStreams, ComeAtOnceWhereTheConsumerAllowsIt) {
  const std::uint64_t words[2] = {read_of(0x1000), read_of(0x2000)};
  for (const unsigned at_once : {1, 2, 3}) {
    Meeting consumer;
    consumer.at_once = at_once;
    LiveStreams streams(consumer);
    for (int round = 0; round < 50; ++round) {
      for (std::uint32_t stream = 0; stream < 5; ++stream) streams.write(stream, words);
      streams.step_done();
      EXPECT_EQ(consumer.seen, 10U * static_cast<unsigned>(round + 1));
    }
    EXPECT_EQ(consumer.most > 1, at_once > 1);
    EXPECT_LE(consumer.most, static_cast<int>(at_once));
  }
}

/// Each stream's accesses count up.
struct Order : Consumer {
  std::atomic<std::uint64_t> next[8] = {};
  std::atomic<bool> right{true};
  StreamWishes stream_wishes() const override { return {.at_once = 4}; }
  void accesses(std::uint32_t stream, std::span<const Access> accesses) override {
    for (const Access& access : accesses)
      if (access.address != next[stream].fetch_add(1)) right = false;
  }
};

TEST(LiveStreams, EachComesInItsOrder) {
  Order consumer;
  LiveStreams streams(consumer);
  std::uint64_t address = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> words;
    for (int i = 0; i < 40; ++i) words.push_back(read_of(address++));
    for (std::uint32_t stream = 0; stream < 8; ++stream) streams.write(stream, words);
    if (round % 3 == 0) continue;  // the next words are of the same streams
    streams.step_done();
  }
  streams.finish();
  EXPECT_TRUE(consumer.right);
  for (const auto& next : consumer.next) EXPECT_EQ(next, address);
}

TEST(LiveStreams, WhatTheConsumerThrowsIsThrownOn) {
  struct Throws : Consumer {
    void accesses(std::uint32_t, std::span<const Access>) override {
      throw std::runtime_error("no");
    }
    StreamWishes stream_wishes() const override { return {.at_once = 2}; }
  } consumer;
  LiveStreams streams(consumer);
  const std::uint64_t word = read_of(0x1000);
  streams.write(0, {&word, 1});
  streams.write(1, {&word, 1});
  EXPECT_THROW(streams.step_done(), std::runtime_error);
}

/// The program waits for a file that this makes when it has the first access.
struct MakesFile : Consumer {
  std::string path;
  std::uint64_t accesses_before_end = 0, events = 0;
  bool began = false, made = false;
  Recording recording;
  void begin(const Recording& how) override {
    began = how.frontend == Frontend::dbi && how.threads.empty();
  }
  void accesses(std::uint32_t, std::span<const Access> accesses) override {
    if (!made) std::ofstream(path) << "there";
    made = true;
    accesses_before_end += accesses.size();
  }
  void event(std::uint32_t, const StreamEvent&) override { ++events; }
  void end(const Recording& all) override { recording = all; }
};

TEST(LiveStreams, ComeWhileTheProgramRuns) {
  MakesFile consumer;
  const TemporaryFolder folder;
  consumer.path = folder / "made";
  const std::string wait =
      "i=0; while [ ! -e " + consumer.path + " ]; do i=$((i+1)); [ $i = 3000000 ] && exit 7; done";
  const int status = watch({.command = {"sh", "-c", wait},
                            .frontend = Frontend::dbi,
                            .region = {.bytes = 256 << 20},
                            .live_streams = true},
                           consumer);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(consumer.began);
  EXPECT_GT(consumer.accesses_before_end, 1000U);
  EXPECT_GT(consumer.events, 3U);
  ASSERT_EQ(consumer.recording.threads.size(), 1U);
  EXPECT_EQ(consumer.recording.threads[0].stream, 0U);
  EXPECT_FALSE(consumer.recording.ranges.empty());
}

}  // namespace
}  // namespace Atoll::trace
