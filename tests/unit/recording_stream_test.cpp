// Streams: each thread's records are delivered in order, from rings and from files.
#include <fcntl.h>
#include <fmt/format.h>
#include <xxhash.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/recording/read_stream.hpp"
#include "recording/drain.hpp"
#include "recording/streams/stream_check.hpp"
#include "recording/streams/stream_code.hpp"
#include "recording/streams/stream_decoder.hpp"
#include "recording/streams/stream_writer.hpp"
#include "recording_support.hpp"
#include "temporary_folder.hpp"

namespace Atoll::recording {
namespace {

namespace fs = std::filesystem;
using record::current_thread;
using record::record;
using record::record_range;

struct Accesses : Consumer {
  std::map<std::uint32_t, std::vector<Access>> by_thread;
  Recording recording;
  void begin(const Recording& all) override { recording = all; }
  void accesses(std::uint32_t thread, std::span<const Access> some) override {
    by_thread[thread].insert(by_thread[thread].end(), some.begin(), some.end());
  }
};

/// Records `work` in a child process as a stream in `file`.
template <typename Work>
void record_stream(const fs::path& file, int threads, Work&& work) {
  Region region({.bytes = 256 << 20, .mode = record::Mode::stream});
  StreamWriter writer(file.string());
  Drain drain(region, writer);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!record::attach(region.path().c_str())) ::_exit(99);
    work();
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) drain.step();
  drain.step();
  ASSERT_EQ(status, 0);
  Recording recording;
  recording.processes.push_back({.id = 0, .pid = child});
  const std::vector<std::uint32_t> ids = ids_by_beginning(RegionView(region.header()));
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(threads); ++i)
    recording.threads.push_back(
        {.id = i, .stream = static_cast<std::uint32_t>(std::ranges::find(ids, i) - ids.begin())});
  recording.losses = losses_of(RegionView(region.header()));
  writer.finish(recording);
}

Access access_number(std::uint64_t i) {
  return {kBase + (i * 2654435761U) % 1'000'000'007, static_cast<std::uint32_t>(1 + i % 64),
          i % 3 == 0};
}

TEST(Stream, ThreadsComeBackInTheirOrderAndNothingIsDropped) {
  const TemporaryFolder folder;
  constexpr std::uint64_t kAccesses = 400'000;  // several times the size of a ring
  record_stream(folder / "t", 4, [] {
    const auto work = [](std::uint64_t first) {
      for (std::uint64_t i = first; i < first + kAccesses; ++i) {
        const Access access = access_number(i);
        record(current_thread(), access.address, access.bytes, access.write);
      }
      record::end_thread();
    };
    record(current_thread(), kBase, 8, false);  // gives this thread the number 0
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < 3; ++i) threads.emplace_back(work, i * kAccesses);
    for (std::thread& thread : threads) thread.join();
  });
  Accesses read;
  read_stream((folder / "t").string(), read);
  EXPECT_TRUE(read.recording.losses.empty());
  ASSERT_EQ(read.by_thread.size(), 4U);
  std::vector<bool> seen(3);
  for (std::uint32_t thread = 1; thread < 4; ++thread) {
    const std::vector<Access>& accesses = read.by_thread.at(thread);
    ASSERT_EQ(accesses.size(), kAccesses);
    std::uint64_t first = 0;
    while (first < 3 && !(access_number(first * kAccesses) == accesses[0])) ++first;
    ASSERT_LT(first, 3U);
    seen[first] = true;
    for (std::uint64_t i = 0; i < kAccesses; ++i)
      ASSERT_EQ(accesses[i], access_number(first * kAccesses + i));
  }
  EXPECT_EQ(seen, std::vector<bool>(3, true));
  EXPECT_EQ(check_stream((folder / "t").string()).wrong, std::vector<std::string>{});
}

TEST(Stream, RangesOfOneLoopComeByIteration) {
  const TemporaryFolder folder;
  record_stream(folder / "t", 1, [] {
    auto* thread = current_thread();
    record(thread, kBase, 4, true);
    record_range(thread, kBase + 1000, 8, 3, 8, false, true);   // reads a[i]
    record_range(thread, kBase + 5000, -8, 3, 8, false, true);  // reads b[-i]
    record_range(thread, kBase + 9000, 16, 3, 8, true);         // writes c[2 i]
    record_range(thread, kBase + 1000, 8, 2, 8, false);         // a loop with one range
    record_range(thread, kBase + 1000, 8, 1, 8, false);         // another loop
  });
  Accesses read;
  read_stream((folder / "t").string(), read);
  std::vector<Access> expected{{kBase, 4, true}};
  for (std::uint64_t i = 0; i < 3; ++i) {
    expected.push_back({kBase + 1000 + 8 * i, 8, false});
    expected.push_back({kBase + 5000 - 8 * i, 8, false});
    expected.push_back({kBase + 9000 + 16 * i, 8, true});
  }
  for (const std::uint64_t i : {0, 1, 0}) expected.push_back({kBase + 1000 + 8 * i, 8, false});
  EXPECT_EQ(read.by_thread.at(0), expected);
}

TEST(Stream, WordsMayEndAnywhere) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> words;
  for (int i = 0; i < 2000; ++i) {
    const bool is_range = random() % 2 == 0;
    words.push_back(record::stream_word(
        is_range ? record::WordKind::range : record::WordKind::access, kBase + random() % 4096,
        static_cast<std::uint32_t>(1 + random() % 64), random() % 2 == 0));
    if (!is_range) continue;
    words.push_back(random() % 100 - 50);
    words.push_back(random() % 20);
    words.push_back(random() % 3 == 0 ? 0 : static_cast<std::uint64_t>(i / 4));
  }
  const auto all = [&](std::size_t at_once) {
    StreamDecoder decoder(0, false);
    Accesses read;
    StreamDecoder::Room room;
    for (std::size_t i = 0; i < words.size(); i += at_once)
      EXPECT_TRUE(decoder.add(std::span(words).subspan(i, std::min(at_once, words.size() - i)),
                              room, nullptr, read));
    decoder.finish(room, read);
    return read.by_thread[0];
  };
  const std::vector<Access> whole = all(words.size());
  EXPECT_GT(whole.size(), 5000U);
  for (const std::size_t at_once : {1, 2, 3, 5, 7, 64}) EXPECT_EQ(all(at_once), whole);
}

/// A consumer that prints the decoder's output.
struct Told : Consumer {
  explicit Told(bool wants_ranges) : ranges(wants_ranges) {}
  bool ranges;
  std::vector<std::string> lines;
  StreamWishes stream_wishes() const override { return {.ranges = ranges}; }
  void accesses(std::uint32_t, std::span<const Access> some) override {
    for (const Access& access : some) lines.push_back(fmt::format("at {:x}", access.address));
  }
  void loop(std::uint32_t, std::span<const AccessRange> parts) override {
    for (const AccessRange& part : parts)
      lines.push_back(fmt::format("{} from {:x} by {}", part.n, part.address, part.step));
  }
  void event(std::uint32_t, const StreamEvent& event) override {
    lines.push_back(fmt::format("event {}: {} {:x} {}", event.number, static_cast<int>(event.kind),
                                event.address, event.bytes));
  }
};

TEST(Stream, UnknownRecordsAndFurtherWordsAreSkippedAndWhatIsNoRecordIsRefused) {
  const std::uint64_t access = record::stream_word(record::WordKind::access, 0x1000, 8, false);
  const auto unknown = static_cast<RecordKind>(4000);
  const std::vector<std::uint64_t> words = {
      access,
      record::record_word(unknown, 3),
      access,
      access,
      access,  // three words of the unknown record
      record::record_word(RecordKind::freed, 5),
      7,
      0x2000,
      64,
      access,
      access,  // two words more than the record has today
      record::record_word(unknown, 0),
      record::record_word(RecordKind::mapped, 1),
      8,  // fewer words than any valid record of this kind
      record::stream_word(record::WordKind::range, 0x3000, 8, false),
      16,
      3,
      0,
      access};
  for (const std::size_t at_once : {1, 2, 3, 100})
    for (const bool ranges : {false, true}) {
      StreamDecoder decoder(0, ranges);
      Told told(ranges);
      StreamDecoder::Room room;
      for (std::size_t i = 0; i < words.size(); i += at_once)
        ASSERT_TRUE(decoder.add(std::span(words).subspan(i, std::min(at_once, words.size() - i)),
                                room, nullptr, told));
      EXPECT_FALSE(decoder.is_cut());
      decoder.finish(room, told);
      std::vector<std::string> expected = {
          "at 1000", fmt::format("event 7: {} 2000 64", static_cast<int>(RecordKind::freed))};
      if (ranges)
        expected.push_back("3 from 3000 by 16");
      else
        expected.insert(expected.end(), {"at 3000", "at 3010", "at 3020"});
      expected.push_back("at 1000");
      EXPECT_EQ(told.lines, expected);
    }
  StreamDecoder decoder(0, false);
  Told told(false);
  StreamDecoder::Room room;
  const std::uint64_t none = 3;
  EXPECT_FALSE(decoder.add({&none, 1}, room, nullptr, told));
}

TEST(Stream, CodesAreReadBackAndDamagedOnesRefused) {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> words;
  for (int i = 0; i < 5000; ++i) words.push_back(i % 2 == 0 ? random() : random() % 1000 << 16);
  std::vector<std::uint8_t> code;
  encode_words(words, code);
  std::vector<std::uint64_t> read;
  ASSERT_TRUE(decode_words(code, words.size(), read));
  EXPECT_EQ(read, words);
  EXPECT_FALSE(decode_words(std::span(code).first(code.size() - 1), words.size(), read));
  EXPECT_FALSE(decode_words(code, words.size() - 1, read));
  EXPECT_FALSE(decode_words(code, words.size() + 1, read));
}

TEST(Stream, EveryDamageToAFileIsFound) {
  const TemporaryFolder folder;
  const std::string path = (folder / "t").string();
  record_stream(path, 1, [] {
    for (std::uint64_t i = 0; i < 3000; ++i) record(current_thread(), kBase + 8 * i, 8, false);
  });
  std::ifstream file(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  const std::string damaged = (folder / "d").string();
  const auto refused = [&](const std::string& content) {
    std::ofstream(damaged, std::ios::binary) << content;
    try {
      return !check_stream(damaged).wrong.empty();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input);
      return true;
    }
  };
  EXPECT_FALSE(refused(whole));
  for (std::size_t length = 0; length < whole.size(); length += 7)
    EXPECT_TRUE(refused(whole.substr(0, length))) << "cut to " << length;
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    std::string other = whole;
    other[random() % other.size()] ^= static_cast<char>(1 + random() % 255);
    EXPECT_TRUE(refused(other));
  }
  EXPECT_TRUE(refused(whole + "x"));
  EXPECT_TRUE(refused("no trace at all"));
}

/// Returns a block of version 1, as specified in docs/trace-file.md.
std::string block_1(std::uint32_t stream, std::uint32_t words, std::uint64_t number,
                    const std::vector<std::uint8_t>& code) {
  std::vector<std::uint8_t> packed(::compressBound(code.size()));
  uLongf bytes = packed.size();
  ::compress2(packed.data(), &bytes, code.data(), code.size(), 1);
  const std::uint32_t first[2] = {stream, words};
  const std::uint32_t sizes[2] = {static_cast<std::uint32_t>(code.size()),
                                  static_cast<std::uint32_t>(bytes)};
  std::string block(32, '\0');
  std::memcpy(block.data(), first, 8);
  std::memcpy(block.data() + 8, &number, 8);
  std::memcpy(block.data() + 16, sizes, 8);
  const std::uint64_t checksum =
      XXH3_64bits_withSeed(packed.data(), bytes, XXH3_64bits(block.data(), 24));
  std::memcpy(block.data() + 24, &checksum, 8);
  return block.append(reinterpret_cast<const char*>(packed.data()), bytes);
}

TEST(Stream, FilesOfVersion1AreRead) {
  const TemporaryFolder folder;
  const std::string path = (folder / "t").string();
  std::string file = "atolltr2";
  const auto add = [&](std::uint32_t stream, std::uint64_t number,
                       const std::vector<std::uint64_t>& words) {
    std::vector<std::uint8_t> code;
    encode_words(words, code);
    file += block_1(stream, static_cast<std::uint32_t>(words.size()), number, code);
  };
  const auto word = [](std::uint64_t address) {
    return record::stream_word(record::WordKind::access, address, 8, false);
  };
  add(0, 0, {word(0x5000)});  // the second created thread
  add(1, 0, {word(0x2000), word(0x2008)});
  add(1, 1, {word(0x9000)});
  add(0xfffffffe, 0, {1, 0});
  const std::string process =
      R"({"pid":1,"parent":-1,"executable":"","command":[],"started_ns":0,"ended_ns":0,)"
      R"("exit_code":0,"signal":null})";
  const std::string thread =
      R"({"process":0,"tid":1,"creator":-1,"creation_site":-1,"order":0,"name":"","pu":-1,)"
      R"("started_ns":0,"ended_ns":0,"joined_ns":0})";
  const auto object = [](int address, int bytes) {
    return fmt::format(
        R"({{"kind":"pool","process":0,"name":"","site":-1,"thread":-1,"order":0,"address":{},)"
        R"("bytes":{},"allocations":1,"module":"","build_id":"","offset":0,"created_ns":0,)"
        R"("freed_ns":0}})",
        address, bytes);
  };
  const std::string json = fmt::format(
      R"({{"frontend":"dbi","frontend_reason":"","cant_see":[],"losses":[],"processes":[{}],)"
      R"("threads":[{},{}],"sites":[],"objects":[{},{}],"split_accesses":0,)"
      R"("elapsed_seconds":1,"native_seconds":null,"epoch_ns":1,"epochs":1}})",
      process, thread, thread, object(0x2000, 0x4000), object(0x5000, 0x1000));
  file += block_1(0xffffffff, 0, 0, {json.begin(), json.end()});
  std::ofstream(path, std::ios::binary) << file;

  Accesses read;
  read_stream(path, read);
  EXPECT_EQ(read.by_thread.at(0),
            (std::vector<Access>{{0x2000, 8, false}, {0x2008, 8, false}, {0x9000, 8, false}}));
  EXPECT_EQ(read.by_thread.at(1), (std::vector<Access>{{0x5000, 8, false}}));
  const StreamCheck checked = check_stream(path);
  EXPECT_EQ(checked.wrong, std::vector<std::string>{});
  EXPECT_EQ(checked.one_object, 2U);
  EXPECT_EQ(checked.several_objects, 1U);
  EXPECT_EQ(checked.no_object, 1U);
}

TEST(Stream, WhereItsReaderHasDiedTheProgramGoesOn) {
  Region region({.bytes = 64 << 20, .mode = record::Mode::stream});
  const pid_t owner = ::fork();
  if (owner == 0) ::_exit(0);
  ::waitpid(owner, nullptr, 0);
  region.header().owner = owner;  // the id of an ended process
  EXPECT_EQ(in_child(region,
                     [] {
                       for (std::uint64_t i = 0; i < 2 * record::kRingWords; ++i)
                         record(current_thread(), kBase, 8, false);
                     }),
            0);
}

}  // namespace
}  // namespace Atoll::recording
