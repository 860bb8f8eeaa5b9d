// Streams: what threads recorded in order comes back in that order, from rings, through files.
#include <fcntl.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "atoll/base/error.hpp"
#include "trace/drain.hpp"
#include "trace/interleave.hpp"
#include "trace/stream_code.hpp"
#include "trace_support.hpp"

namespace Atoll::trace {
namespace {

namespace fs = std::filesystem;
using recorder::current_thread;
using recorder::record;
using recorder::record_range;

/// A place for files, gone at the end.
struct Folder {
  fs::path path;
  Folder() : path(fs::temp_directory_path() / ("atoll-stream-" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

struct Accesses : Consumer {
  std::map<std::uint32_t, std::vector<Access>> by_thread;
  Recording recording;
  void begin(const Recording& all) override { recording = all; }
  void accesses(std::uint32_t thread, std::span<const Access> some) override {
    by_thread[thread].insert(by_thread[thread].end(), some.begin(), some.end());
  }
};

/// Records `work` of a child process as a stream into `file`.
template <typename Work>
void record_stream(const fs::path& file, int threads, Work&& work) {
  Region region({.bytes = 256 << 20, .mode = recorder::Mode::stream});
  StreamWriter writer(file.string());
  Drain drain(region, writer);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!recorder::attach(region.path().c_str())) ::_exit(99);
    work();
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) drain.step();
  drain.step();
  ASSERT_EQ(status, 0);
  Recording recording;
  recording.processes.push_back({.id = 0, .pid = child});
  for (int i = 0; i < threads; ++i)
    recording.threads.push_back({.id = static_cast<std::uint32_t>(i)});
  recording.losses = losses_of(RegionView(region.header()));
  writer.finish(recording, ids_by_beginning(RegionView(region.header())));
}

Access access_number(std::uint64_t i) {
  return {kBase + (i * 2654435761U) % 1'000'000'007, static_cast<std::uint32_t>(1 + i % 64),
          i % 3 == 0};
}

TEST(Stream, ThreadsComeBackInTheirOrderAndNothingIsDropped) {
  const Folder folder;
  constexpr std::uint64_t kAccesses = 400'000;  // several rings full
  record_stream(folder.path / "t", 4, [] {
    const auto work = [](std::uint64_t first) {
      for (std::uint64_t i = first; i < first + kAccesses; ++i) {
        const Access access = access_number(i);
        record(current_thread(), access.address, access.bytes, access.write);
      }
      recorder::end_thread();
    };
    record(current_thread(), kBase, 8, false);  // the first thread's number is 0
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < 3; ++i) threads.emplace_back(work, i * kAccesses);
    for (std::thread& thread : threads) thread.join();
  });
  Accesses read;
  read_stream((folder.path / "t").string(), read);
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
  EXPECT_EQ(check_stream((folder.path / "t").string()), std::vector<std::string>{});
}

TEST(Stream, RangesOfOneLoopComeByIteration) {
  const Folder folder;
  record_stream(folder.path / "t", 1, [] {
    auto* thread = current_thread();
    record(thread, kBase, 4, true);
    record_range(thread, kBase + 1000, 8, 3, 8, false, true);   // a[i]
    record_range(thread, kBase + 5000, -8, 3, 8, false, true);  // b[-i]
    record_range(thread, kBase + 9000, 16, 3, 8, true);         // c[2 i] =
    record_range(thread, kBase + 1000, 8, 2, 8, false);         // a loop with one
    record_range(thread, kBase + 1000, 8, 1, 8, false);         // and another
  });
  Accesses read;
  read_stream((folder.path / "t").string(), read);
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
    words.push_back(recorder::stream_word(
        is_range ? recorder::WordKind::range : recorder::WordKind::access, kBase + random() % 4096,
        static_cast<std::uint32_t>(1 + random() % 64), random() % 2 == 0));
    if (!is_range) continue;
    words.push_back(random() % 100 - 50);
    words.push_back(random() % 20);
    words.push_back(random() % 3 == 0 ? 0 : static_cast<std::uint64_t>(i / 4));
  }
  const auto all = [&](std::size_t at_once) {
    Interleaver interleaver;
    std::vector<Access> accesses;
    const auto keep = [&](std::span<const Access> some) {
      accesses.insert(accesses.end(), some.begin(), some.end());
    };
    for (std::size_t i = 0; i < words.size(); i += at_once)
      interleaver.add(std::span(words).subspan(i, std::min(at_once, words.size() - i)), keep);
    interleaver.finish(keep);
    return accesses;
  };
  const std::vector<Access> whole = all(words.size());
  EXPECT_GT(whole.size(), 5000U);
  for (const std::size_t at_once : {1, 2, 3, 5, 7, 64}) EXPECT_EQ(all(at_once), whole);
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
  const Folder folder;
  const std::string path = (folder.path / "t").string();
  record_stream(path, 1, [] {
    for (std::uint64_t i = 0; i < 3000; ++i) record(current_thread(), kBase + 8 * i, 8, false);
  });
  std::ifstream file(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  const std::string damaged = (folder.path / "d").string();
  const auto refused = [&](const std::string& content) {
    std::ofstream(damaged, std::ios::binary) << content;
    try {
      return !check_stream(damaged).empty();
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

TEST(Stream, WhereItsReaderHasDiedTheProgramGoesOn) {
  Region region({.bytes = 64 << 20, .mode = recorder::Mode::stream});
  const pid_t owner = ::fork();
  if (owner == 0) ::_exit(0);
  ::waitpid(owner, nullptr, 0);
  region.header().owner = owner;  // gone
  EXPECT_EQ(in_child(region,
                     [] {
                       for (std::uint64_t i = 0; i < 2 * recorder::kRingWords; ++i)
                         record(current_thread(), kBase, 8, false);
                     }),
            0);
}

}  // namespace
}  // namespace Atoll::trace
