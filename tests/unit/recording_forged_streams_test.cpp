// Forged streams with valid checksums and invalid content are refused, without much time.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>
#include <zlib.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <limits>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "atoll/recording/read_stream.hpp"
#include "record/stream_words.hpp"
#include "recording/streams/stream_code.hpp"
#include "recording/streams/stream_cursors.hpp"
#include "recording/streams/stream_decoder.hpp"
#include "temporary_folder.hpp"

namespace Atoll::recording {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::uint64_t>;

struct Counting : Consumer {
  explicit Counting(bool wants_ranges = false) : ranges(wants_ranges) {}
  bool ranges;
  std::uint64_t accesses_ = 0, in_loops = 0;
  StreamWishes stream_wishes() const override { return {.ranges = ranges}; }
  void accesses(std::uint32_t, std::span<const Access> some) override { accesses_ += some.size(); }
  void loop(std::uint32_t, std::span<const AccessRange> parts) override {
    for (const AccessRange& part : parts) in_loops += part.n;
  }
};

/// Returns the words for a range of `n` reads of 8 bytes.
Words range(std::uint64_t n, std::uint64_t loop = 0, std::uint64_t step = 8) {
  return {record::stream_word(record::WordKind::range, 0x10000, 8, false), step, n, loop};
}

/// Returns a block of version 1, as specified in docs/trace-file.md.
std::string block(std::uint32_t stream, std::uint32_t words,
                  const std::vector<std::uint8_t>& code) {
  std::vector<std::uint8_t> packed(::compressBound(code.size()));
  uLongf bytes = packed.size();
  ::compress2(packed.data(), &bytes, code.data(), code.size(), 1);
  const std::uint32_t head[6] = {stream,
                                 words,
                                 0,
                                 0,
                                 static_cast<std::uint32_t>(code.size()),
                                 static_cast<std::uint32_t>(bytes)};
  const std::uint64_t checksum =
      XXH3_64bits_withSeed(packed.data(), bytes, XXH3_64bits(head, sizeof head));
  std::string text(reinterpret_cast<const char*>(head), sizeof head);
  text.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  return text.append(reinterpret_cast<const char*>(packed.data()), bytes);
}

/// Returns the description of a recording with one thread.
std::string recording(double elapsed_seconds) {
  return fmt::format(
      R"({{"frontend":"dbi","frontend_reason":"","cant_see":[],"losses":[],"processes":[{}],)"
      R"("threads":[{}],"sites":[],"objects":[],"split_accesses":0,"elapsed_seconds":{},)"
      R"("native_seconds":null,"epoch_ns":1,"epochs":1}})",
      R"({"pid":1,"parent":-1,"executable":"","command":[],"started_ns":0,"ended_ns":0,)"
      R"("exit_code":0,"signal":null})",
      R"({"process":0,"tid":1,"creator":-1,"creation_site":-1,"order":0,"name":"","pu":-1,)"
      R"("started_ns":0,"ended_ns":0,"joined_ns":0})",
      elapsed_seconds);
}

class ForgedStream : public testing::Test {
 protected:
  void write(const Words& words, std::string_view json) {
    std::vector<std::uint8_t> code, ids;
    encode_words(words, code);
    encode_words(Words{0}, ids);
    std::ofstream(path_, std::ios::binary)
        << "atolltr2" << block(0, static_cast<std::uint32_t>(words.size()), code)
        << block(0xfffffffe, 1, ids) << block(0xffffffff, 0, {json.begin(), json.end()});
  }
  /// Returns the error's message; empty if the stream is accepted.
  template <class Read>
  static std::string refusal(const Read& read) {
    try {
      read();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input);
      return error.what();
    }
    return "";
  }
  std::string refusal() const {
    Counting consumer;
    return refusal([&] { read_stream(path_, consumer); });
  }

  TemporaryFolder folder_;
  std::string path_ = (folder_ / "forged.trace").string();
};

TEST_F(ForgedStream, WithARecordingThatIsNotJson) {
  for (const std::string text : {"", "not json", "null", "[]", "{}", "\"\xff\"",
                                 "{\"frontend\": 1}", "{\"frontend\": \"dbi\"", "[[[[[[["}) {
    write(range(1), text);
    EXPECT_THAT(refusal(), HasSubstr("forged.trace")) << text;
  }
}

TEST_F(ForgedStream, WithMoreAccessesThanItsTimeAllows) {
  const auto begin = std::chrono::steady_clock::now();
  for (const std::uint64_t n : {std::uint64_t{1} << 61, std::numeric_limits<std::uint64_t>::max(),
                                std::uint64_t{1} << 40}) {
    write(range(n), recording(0.01));
    EXPECT_THAT(refusal(), HasSubstr("whose content is wrong")) << n;
    Counting consumer(true);
    EXPECT_NE(refusal([&] { read_stream(path_, consumer); }), "") << n;
    StreamCursors cursors(path_);
    EXPECT_NE(refusal([&] { (void)cursors.next(0, consumer); }), "") << n;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  // In one hour, a thread can make 2^40 reads.
  write(range(1 << 20), recording(1));
  EXPECT_EQ(refusal(), "");
  write(range(std::uint64_t{1} << 40), recording(3600));
  Counting consumer(true);
  read_stream(path_, consumer);
  EXPECT_EQ(consumer.in_loops, std::uint64_t{1} << 40);
}

TEST(StreamBudget, IsOfAllRangesTogether) {
  const auto room = std::make_unique<StreamDecoder::Room>();
  Counting consumer;
  StreamDecoder decoder(0, false, 800);
  EXPECT_TRUE(decoder.add(range(60, 1), *room, nullptr, consumer));
  EXPECT_TRUE(decoder.add(range(40, 2), *room, nullptr, consumer));
  EXPECT_FALSE(decoder.add(range(1, 3), *room, nullptr, consumer));
  StreamDecoder another(0, false, 800);
  EXPECT_FALSE(another.add(range(101), *room, nullptr, consumer));
  // An invalid duration limits the stream like a short one.
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    Recording recording;
    recording.elapsed_seconds = seconds;
    EXPECT_EQ(most_bytes_of(recording), kGiB);
  }
  Recording endless;
  endless.elapsed_seconds = std::numeric_limits<double>::infinity();
  EXPECT_LT(most_bytes_of(endless), std::uint64_t{1} << 62);
}

TEST(StreamBudget, AnIterationCostsWhatItAccesses) {
  // One long range, and many ranges of one step. If every step visited all 2^15 ranges, decoding
  // would take an hour.
  const auto begin = std::chrono::steady_clock::now();
  Words words;
  for (int part = 0; part < 1 << 15; ++part)
    for (const std::uint64_t word : range(part == 7 ? 1 << 24 : 1, 5)) words.push_back(word);
  const auto room = std::make_unique<StreamDecoder::Room>();
  Counting consumer;
  StreamDecoder decoder(0, false);
  EXPECT_TRUE(decoder.add(words, *room, nullptr, consumer));
  decoder.finish(*room, consumer);
  EXPECT_EQ(consumer.accesses_, (1 << 24) + (1 << 15) - 1U);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace Atoll::recording
