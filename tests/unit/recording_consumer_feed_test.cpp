// Delivery of streams to a consumer, from a running program or from a file. Streams are delivered
// concurrently if the consumer permits it, each one in order.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/recording/read_stream.hpp"
#include "atoll/recording/watch.hpp"
#include "recording/streams/consumer_feed.hpp"
#include "recording/streams/stream_writer.hpp"
#include "temporary_folder.hpp"

namespace Atoll::recording {
namespace {

std::uint64_t read_of(std::uint64_t address) {
  return record::stream_word(record::WordKind::access, address, 8, false);
}

void no_damage(std::int64_t /*place*/) {
  FAIL() << "the words are records";
}

/// A consumer whose calls wait, for a limited time, until calls for two streams overlap.
struct Meeting : Consumer {
  unsigned at_once = 1;
  std::atomic<int> inside{0}, most{0};
  std::atomic<bool> waits{true};
  std::atomic<std::uint64_t> seen{0};
  StreamWishes stream_wishes() const override { return {.at_once = at_once}; }
  void accesses(std::uint32_t, std::span<const Access> accesses) override {
    most = std::max<int>(most, ++inside);
    for (int i = 0; waits && at_once > 1 && most < 2; ++i) {
      if (i == 200) waits = false;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    seen += accesses.size();
    --inside;
  }
};

TEST(ConsumerFeed, ComeAtOnceWhereTheConsumerAllowsIt) {
  const std::uint64_t words[2] = {read_of(0x1000), read_of(0x2000)};
  for (const unsigned at_once : {1, 2, 3}) {
    Meeting consumer;
    consumer.at_once = at_once;
    ConsumerFeed streams(consumer, nullptr, no_damage);
    for (int round = 0; round < 50; ++round) {
      for (std::uint32_t stream = 0; stream < 5; ++stream) streams.write(stream, words);
      streams.step_done();
      EXPECT_EQ(consumer.seen, 10U * static_cast<unsigned>(round + 1));
    }
    EXPECT_EQ(consumer.most > 1, at_once > 1);
    EXPECT_LE(consumer.most, static_cast<int>(at_once));
  }
}

/// Checks that the addresses of each stream are consecutive.
struct Order : Consumer {
  std::atomic<std::uint64_t> next[8] = {};
  std::atomic<bool> right{true};
  StreamWishes stream_wishes() const override { return {.at_once = 4}; }
  void accesses(std::uint32_t stream, std::span<const Access> accesses) override {
    for (const Access& access : accesses)
      if (access.address != next[stream].fetch_add(1)) right = false;
  }
};

TEST(ConsumerFeed, EachComesInItsOrder) {
  Order consumer;
  ConsumerFeed streams(consumer, nullptr, no_damage);
  std::uint64_t address = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> words;
    for (int i = 0; i < 40; ++i) words.push_back(read_of(address++));
    for (std::uint32_t stream = 0; stream < 8; ++stream) streams.write(stream, words);
    if (round % 3 == 0) continue;  // continues with more words of the same streams
    streams.step_done();
  }
  streams.finish();
  EXPECT_TRUE(consumer.right);
  for (const auto& next : consumer.next) EXPECT_EQ(next, address);
}

TEST(ConsumerFeed, WhatTheConsumerThrowsIsThrownOn) {
  struct Throws : Consumer {
    void accesses(std::uint32_t, std::span<const Access>) override {
      throw std::runtime_error("no");
    }
    StreamWishes stream_wishes() const override { return {.at_once = 2}; }
  } consumer;
  ConsumerFeed streams(consumer, nullptr, no_damage);
  const std::uint64_t word = read_of(0x1000);
  streams.write(0, {&word, 1});
  streams.write(1, {&word, 1});
  EXPECT_THROW(streams.step_done(), std::runtime_error);
}

/// Writes a trace with one thread for each list of blocks. Blocks of the threads alternate in the
/// file.
void write_file(const std::string& path,
                const std::vector<std::vector<std::vector<std::uint64_t>>>& streams) {
  StreamWriter writer(path);
  Recording recording;
  recording.processes.push_back({});
  std::size_t blocks = 0;
  for (std::uint32_t i = 0; i < streams.size(); ++i) {
    recording.threads.push_back({.id = i, .stream = i});
    blocks = std::max(blocks, streams[i].size());
  }
  for (std::size_t block = 0; block < blocks; ++block)
    for (std::uint32_t i = 0; i < streams.size(); ++i)
      if (block < streams[i].size()) writer.write(i, streams[i][block]);
  writer.finish(recording);
}

TEST(ConsumerFeed, StreamsOfAFileComeAtOnceWhereTheConsumerAllowsIt) {
  const TemporaryFolder folder;
  const std::vector<std::uint64_t> block = {read_of(0x1000), read_of(0x2000)};
  write_file(folder / "t", {5, {20, block}});
  for (const unsigned at_once : {1, 2, 3}) {
    Meeting consumer;
    consumer.at_once = at_once;
    read_stream(folder / "t", consumer);
    EXPECT_EQ(consumer.seen, 5U * 20 * 2);
    EXPECT_EQ(consumer.most > 1, at_once > 1);
    EXPECT_LE(consumer.most, static_cast<int>(at_once));
  }
}

TEST(ConsumerFeed, EachStreamOfAFileComesInItsOrder) {
  const TemporaryFolder folder;
  constexpr std::uint64_t kBlocks = 60, kOfBlock = 700;
  std::vector<std::vector<std::vector<std::uint64_t>>> streams(8);
  for (std::uint64_t stream = 0; stream < 8; ++stream)  // later streams have more blocks
    for (std::uint64_t first = 0; first < kBlocks * kOfBlock * (stream + 1); first += kOfBlock) {
      std::vector<std::uint64_t>& block = streams[stream].emplace_back();
      for (std::uint64_t i = 0; i < kOfBlock; ++i) block.push_back(read_of(first + i));
    }
  write_file(folder / "t", streams);
  Order consumer;
  read_stream(folder / "t", consumer);
  EXPECT_TRUE(consumer.right);
  for (std::uint64_t stream = 0; stream < 8; ++stream)
    EXPECT_EQ(consumer.next[stream], kBlocks * kOfBlock * (stream + 1));
}

/// A consumer that permits several streams at once.
struct Several : Consumer {
  StreamWishes stream_wishes() const override { return {.at_once = 3}; }
};

TEST(ConsumerFeed, DamageAndExceptionsEndTheReadingOfAFile) {
  const TemporaryFolder folder;
  const std::vector<std::uint64_t> good = {read_of(0x1000)}, bad = {3};  // not a valid record
  write_file(folder / "bad", {{100, good}, {good, bad, good}});
  Several consumer;
  EXPECT_THROW(read_stream(folder / "bad", consumer), Error);
  struct Throws : Several {
    void accesses(std::uint32_t, std::span<const Access>) override {
      throw std::runtime_error("no");
    }
    void end(const Recording&) override { FAIL() << "it was read to the end"; }
  } throws;
  write_file(folder / "good", {{100, good}, {100, good}});
  EXPECT_THROW(read_stream(folder / "good", throws), std::runtime_error);
}

/// On the first access, creates a file that the program waits for.
struct MakesFile : Consumer {
  std::string path;
  std::uint64_t accesses_before_end = 0, events = 0;
  bool began = false, made = false;
  Recording recording;
  void begin(const Recording& how) override {
    began = how.frontend == FrontendName::dbi && how.threads.empty();
  }
  void accesses(std::uint32_t, std::span<const Access> accesses) override {
    if (!made) std::ofstream(path) << "there";
    made = true;
    accesses_before_end += accesses.size();
  }
  void event(std::uint32_t, const StreamEvent&) override { ++events; }
  void end(const Recording& all) override { recording = all; }
};

TEST(ConsumerFeed, ComeWhileTheProgramRuns) {
  MakesFile consumer;
  const TemporaryFolder folder;
  consumer.path = folder / "made";
  const std::string wait =
      "i=0; while [ ! -e " + consumer.path + " ]; do i=$((i+1)); [ $i = 3000000 ] && exit 7; done";
  const int status = watch({.command = {"sh", "-c", wait},
                            .frontend = FrontendName::dbi,
                            .streams = true,
                            .memory_bytes = 256 << 20},
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
}  // namespace Atoll::recording
