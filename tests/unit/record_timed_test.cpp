// Timed streams: the work, dependences and atomic accesses that are reported to the recorder are
// delivered with the accesses, through rings and files.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>

#include "atoll/recording/read_stream.hpp"
#include "record/stream_words.hpp"
#include "recording/drain.hpp"
#include "recording/streams/stream_blocks.hpp"
#include "recording/streams/stream_check.hpp"
#include "recording/streams/stream_writer.hpp"
#include "recording_support.hpp"
#include "temporary_folder.hpp"

namespace Atoll::recording {
namespace {

using record::current_thread;
using record::record;
using record::record_timed;
using record::ThreadState;
using record::Timing;
using testing::ElementsAre;

/// An access with its timing attributes.
struct Styled {
  std::uint64_t address;
  bool write;
  AccessStyle style;
  friend bool operator==(const Styled&, const Styled&) = default;
  friend void PrintTo(const Styled& one, std::ostream* out) {
    *out << std::hex << one.address << std::dec << " after " << one.style.work.instructions
         << " from " << one.style.depends_on;
  }
};

struct Timed : Consumer {
  explicit Timed(bool ranges = false) : ranges_(ranges) {}
  std::vector<Styled> accessed;
  std::vector<AccessRange> parts;
  Work worked;
  std::size_t styles_told = 0;
  AccessStyle styles[kAccessStyles];

  StreamWishes stream_wishes() const override { return {.ranges = ranges_}; }
  void accesses(std::uint32_t, std::span<const Access> some) override {
    for (const Access& access : some)
      accessed.push_back({access.address, access.write, styles[access.style]});
  }
  void loop(std::uint32_t, std::span<const AccessRange> some) override {
    parts.insert(parts.end(), some.begin(), some.end());
  }
  void style(std::uint32_t, std::uint32_t number, const AccessStyle& style) override {
    ++styles_told;
    styles[number] = style;
  }
  void work(std::uint32_t, const Work& work) override { worked += work; }
  [[nodiscard]] std::uint64_t instructions() const {
    std::uint64_t sum = worked.instructions;
    for (const Styled& one : accessed) sum += one.style.work.instructions;
    return sum;
  }

 private:
  bool ranges_;
};

/// Records `work` in a child process, in a timed or untimed stream. Returns the size of the file in
/// bytes.
template <typename Work>
std::uint64_t record_file(const std::string& path, bool timed, Work&& work) {
  Region region({.bytes = 64 << 20, .mode = record::Mode::stream, .timed = timed});
  StreamWriter writer(path, timed);
  Drain drain(region, writer);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!record::attach(region.path().c_str())) ::_exit(99);
    work(current_thread());
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) drain.step();
  drain.step();
  EXPECT_EQ(status, 0);
  Recording recording;
  recording.processes.push_back({.id = 0, .pid = child});
  recording.threads.push_back({.id = 0, .stream = 0});
  writer.finish(recording);
  return std::filesystem::file_size(path);
}

template <typename Work>
Timed read_back(Work&& work, bool ranges = false) {
  const TemporaryFolder folder;
  const std::string path = (folder / "t").string();
  record_file(path, true, work);
  EXPECT_THAT(check_stream(path).wrong, ElementsAre());
  Timed timed(ranges);
  read_stream(path, timed);
  return timed;
}

TEST(TimedStream, AccessesHaveTheWorkBeforeThemAndTheLoadTheyComeFrom) {
  const Timed timed = read_back([](ThreadState* thread) {
    const std::uint64_t first =
        record_timed(thread, kBase, 8, false, {.work = {.instructions = 4}});
    const std::uint64_t second = record_timed(thread, kBase + 64, 8, false,
                                              {.dependence = first, .work = {.instructions = 2}});
    record_timed(thread, kBase + 128, 8, false, {.dependence = first, .work = {.instructions = 2}});
    record_timed(thread, kBase + 192, 8, true,
                 {.dependence = second, .work = {.divisions = 1, .chain = 3}});
    record_timed(thread, kBase, 8, true, {.atomic = true});
    record(thread, kBase, 4, true);
  });
  EXPECT_THAT(
      timed.accessed,
      ElementsAre(
          Styled{kBase, false, {.work = {.instructions = 4}}},
          Styled{kBase + 64, false, {.work = {.instructions = 2}, .depends_on = 1}},
          Styled{kBase + 128, false, {.work = {.instructions = 2}, .depends_on = 2}},
          Styled{kBase + 192, true, {.work = {.divisions = 1, .chain = 3}, .depends_on = 2}},
          Styled{kBase, true, {.atomic = true}}, Styled{kBase, true, {}}));
}

TEST(TimedStream, WorkAddsUpHoweverLargeAndDiverse) {
  constexpr std::uint64_t kAccesses = 20'000;
  std::uint64_t sum = 0;
  std::minstd_rand random(1);
  std::vector<std::uint32_t> works;
  for (std::uint64_t i = 0; i < kAccesses; ++i) {
    works.push_back(static_cast<std::uint32_t>(random() >> random() % 31));
    sum += works.back();
  }
  const Timed timed = read_back([&](ThreadState* thread) {
    for (std::uint64_t i = 0; i < kAccesses; ++i)
      record_timed(thread, kBase + 64 * i, 8, false, {.work = {.instructions = works[i]}});
    record::mark(thread, record::Mark::end);
  });
  EXPECT_EQ(timed.accessed.size(), kAccesses);
  EXPECT_EQ(timed.instructions(), sum);
}

TEST(TimedStream, AThousandStylesInTurnAreToldAgain) {
  const Timed timed = read_back([](ThreadState* thread) {
    for (std::uint32_t round = 0; round < 3; ++round)
      for (std::uint32_t i = 0; i < 1000; ++i)
        record_timed(thread, kBase + 64 * i, 8, false,
                     {.dependence = thread->timed.loads > 40 ? thread->timed.loads - i % 40 : 0,
                      .work = {.instructions = i % 25},
                      .atomic = i % 2 == 0});
  });
  ASSERT_EQ(timed.accessed.size(), 3000U);
  for (std::uint32_t i = 100; i < 3000; ++i) {
    const std::uint32_t in_round = i % 1000;
    EXPECT_EQ(timed.accessed[i], (Styled{kBase + 64 * in_round,
                                         false,
                                         {.work = {.instructions = in_round % 25},
                                          .depends_on = 1 + in_round % 40,
                                          .atomic = in_round % 2 == 0}}))
        << i;
  }
  EXPECT_GT(timed.styles_told, 1000U);
}

TEST(TimedStream, AFewStylesAreToldOnce) {
  const Timed timed = read_back([](ThreadState* thread) {
    for (std::uint32_t i = 0; i < 30'000; ++i)
      record_timed(thread, kBase + 64 * (i % 500), 8, false, {.work = {.instructions = i % 100}});
  });
  EXPECT_LE(timed.styles_told, 100U);
}

TEST(TimedStream, RangesHaveTheWorkOfAnIteration) {
  const Timed timed = read_back(
      [](ThreadState* thread) {
        const std::uint64_t load = record_timed(thread, kBase, 8, false, {});
        record::record_walk_timed(
            thread, {.address = kBase, .outer_step = 8, .outer_n = 1000, .bytes = 8, .reads = 1},
            {.dependence = load, .work = {.instructions = 5, .chain = 1}}, true);
        record::record_walk_timed(
            thread,
            {.address = kBase + 65536, .outer_step = 8, .outer_n = 1000, .bytes = 8, .writes = 1},
            {.work = {.instructions = 1}}, false);
      },
      true);
  ASSERT_EQ(timed.parts.size(), 2U);
  EXPECT_EQ(timed.styles[timed.parts[0].style],
            (AccessStyle{.work = {.instructions = 5, .chain = 1}}));
  EXPECT_EQ(timed.parts[0].depends_on, 1U);
  EXPECT_EQ(timed.parts[1].depends_on, 0U);
  EXPECT_EQ(timed.styles[timed.parts[1].style], (AccessStyle{.work = {.instructions = 1}}));
  EXPECT_EQ(timed.parts[1].n, 1000U);
}

TEST(TimedStream, OnlyARangesFirstAccessDependsOnALoad) {
  const Timed timed = read_back([](ThreadState* thread) {
    const std::uint64_t load = record_timed(thread, kBase, 8, false, {});
    for (const std::uint32_t writes : {0U, 1U})
      record::record_walk_timed(thread,
                                {.address = kBase + 64,
                                 .outer_step = 64,
                                 .outer_n = 2,
                                 .bytes = 8,
                                 .reads = 1 - writes,
                                 .writes = writes},
                                {.dependence = load, .work = {.instructions = 2}}, writes == 0);
  });
  EXPECT_THAT(timed.accessed,
              ElementsAre(Styled{kBase, false, {}},
                          Styled{kBase + 64, false, {.work = {.instructions = 2}, .depends_on = 1}},
                          Styled{kBase + 64, true, {.work = {.instructions = 2}, .depends_on = 2}},
                          Styled{kBase + 128, false, {.work = {.instructions = 2}}},
                          Styled{kBase + 128, true, {.work = {.instructions = 2}}}));
}

/// A loop that reads indices as a range, and gathers by single accesses.
void gather(ThreadState* thread, std::uint64_t n, bool every = true) {
  record::record_walk_timed(
      thread, {.address = kBase, .outer_step = 4, .outer_n = n, .bytes = 4, .reads = 1},
      {.stepped = true}, false);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t index = ++thread->timed.loads;
    ++thread->timed.steps;
    thread->timed.instructions += 3;
    if (every || i % 3 == 2)
      record_timed(thread, kBase + 4096 * (i + 1), 8, false, {.dependence = index});
  }
}

TEST(TimedStream, ASteppedLoopComesIterationByIteration) {
  for (const bool ranges : {false, true}) {
    const Timed timed = read_back([](ThreadState* thread) { gather(thread, 3); }, ranges);
    const AccessStyle gathered{.work = {.instructions = 3}, .depends_on = 1};
    EXPECT_THAT(
        timed.accessed,
        ElementsAre(Styled{kBase, false, {}}, Styled{kBase + 4096, false, gathered},
                    Styled{kBase + 4, false, {}}, Styled{kBase + 2 * 4096, false, gathered},
                    Styled{kBase + 8, false, {}}, Styled{kBase + 3 * 4096, false, gathered}));
  }
}

TEST(TimedStream, StepsWithoutAnAccessOfTheirOwnComeWithTheNext) {
  const Timed timed = read_back([](ThreadState* thread) {
    gather(thread, 1000, false);
    record(thread, kBase, 8, true);
  });
  EXPECT_EQ(timed.accessed.size(), 1000U + 333 + 1);
  EXPECT_EQ(timed.accessed[3],
            (Styled{kBase + 3 * 4096, false, {.work = {.instructions = 9}, .depends_on = 1}}));
  EXPECT_EQ(timed.accessed[1332].address, kBase + 4 * 999);  // the last step, before the write
  EXPECT_TRUE(timed.accessed[1333].write);
}

TEST(TimedStream, ManyStepsAtOnceStayARange) {
  const Timed timed = read_back(
      [](ThreadState* thread) {
        record::record_walk_timed(
            thread, {.address = kBase, .outer_step = 4, .outer_n = 1000, .bytes = 4, .reads = 1},
            {.stepped = true}, false);
        thread->timed.steps += 900;
        record(thread, kBase, 8, true);
      },
      true);
  ASSERT_EQ(timed.parts.size(), 2U);  // stepped iterations, and the rest
  EXPECT_EQ(timed.parts[0].n, 900U);
  EXPECT_EQ(timed.parts[1].n, 100U);
  EXPECT_EQ(timed.parts[1].address, kBase + 4 * 900);
}

/// Number of instructions reported before each event.
struct WorkBeforeEvents : Timed {
  std::map<RecordKind, std::uint64_t> before;
  void event(std::uint32_t, const StreamEvent& event) override {
    before[event.kind] = worked.instructions;
  }
};

TEST(TimedStream, WorkBeforeAnEventIsToldBeforeIt) {
  WorkBeforeEvents order;
  const TemporaryFolder folder;
  const std::string path = (folder / "t").string();
  record_file(path, true, [](ThreadState* thread) {
    record(thread, kBase, 8, false);
    thread->timed.instructions += 5'000'000'000;
    record::mark(thread, record::Mark::end);
    thread->timed.instructions += 7;
    record(thread, kBase, 8, false);
  });
  read_stream(path, order);
  EXPECT_EQ(order.before[RecordKind::mark_end], 5'000'000'000);
  EXPECT_EQ(order.accessed.back().style.work.instructions, 7U);
}

TEST(TimedStream, WorkBeforeAnEventOfMemoryIsToldBeforeIt) {
  WorkBeforeEvents order;
  const TemporaryFolder folder;
  const std::string path = (folder / "t").string();
  record_file(path, true, [](ThreadState* thread) {
    const record::Allocated memory = {kBase, 1 << 20, 0, 0};
    const record::Freed freed = {kBase, 1 << 20};
    record(thread, kBase, 8, false);
    thread->timed.instructions += 1'000;
    record::emit(thread, record::EventKind::allocated, &memory, sizeof memory);
    thread->timed.instructions += 20'000;
    record::emit(thread, record::EventKind::freed, &freed, sizeof freed);
    thread->timed.instructions += 300'000;
    record(thread, kBase, 8, false);
  });
  read_stream(path, order);
  EXPECT_EQ(order.before[RecordKind::allocated], 1'000U);
  EXPECT_EQ(order.before[RecordKind::freed], 21'000U);
  EXPECT_GT(order.instructions(), 300'000U);
}

TEST(TimedStream, OthersHaveNothingOfItAndTheirOldVersion) {
  const TemporaryFolder folder;
  const std::string path = (folder / "t").string();
  record_file(path, false, [](ThreadState* thread) {
    thread->timed.instructions += 100;
    record_timed(thread, kBase, 8, false, {.work = {.instructions = 4}, .atomic = true});
    record::record_walk_timed(
        thread, {.address = kBase, .outer_step = 8, .outer_n = 10, .bytes = 8, .reads = 1},
        {.work = {.instructions = 5}}, false);
    record(thread, kBase, 8, true);
  });
  BlockReader blocks(path);
  blocks.read_recording();
  EXPECT_EQ(blocks.version(), 2);
  std::vector<std::uint64_t> words;
  while (blocks.next()) words.insert(words.end(), blocks.words().begin(), blocks.words().end());
  std::size_t accesses = 0;
  for (std::size_t i = 0; i < words.size(); i += 1 + record::following_of(words[i])) {
    const std::uint64_t word = words[i];
    if (record::kind_of(word) == record::WordKind::other) {
      EXPECT_LT(static_cast<unsigned>(record::record_kind_of(word)), 64U);
      continue;
    }
    EXPECT_EQ(record::style_index_of_access(word), 0U);
    ++accesses;
  }
  EXPECT_EQ(accesses, 3U);
}

TEST(TimedStream, OfRandomWordsIsRefusedOrRead) {
  const TemporaryFolder folder;
  const std::string path = (folder / "t").string();
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    // A truncated record merges with the following records. A range may then have any length, so
    // ranges aren't expanded.
    const bool has_cut = round % 2 == 0;
    std::vector<std::uint64_t> words;
    while (words.size() < 200) {
      const std::uint64_t low = random() % (has_cut ? 8 : 7);
      if (low < 3)
        words.push_back(record::with_style(
            record::stream_word(record::WordKind::access, kBase + random() % 4096, 8, false),
            static_cast<std::uint32_t>(random() % record::kStyles)));
      else if (low < 5)
        words.insert(words.end(),
                     {record::record_word(record::RecordKind::style, 2), random(), random()});
      else if (low == 5)
        words.insert(words.end(), {record::record_word(record::RecordKind::work, 3), random(),
                                   random(), random() % 3 == 0 ? random() : random() % 9});
      else if (low == 6)
        words.insert(words.end(), {record::with_style(
                                       record::stream_word(record::WordKind::range, kBase, 8, true),
                                       static_cast<std::uint32_t>(random() % record::kStyles)),
                                   random() % 64, random() % 1000, random() % 3});
      else
        words.push_back(record::record_word(record::RecordKind::style, random() % 3));
    }
    StreamWriter writer(path, true);
    writer.write(0, words);
    Recording recording;
    recording.processes.resize(1);
    recording.threads.push_back({.id = 0, .stream = 0});
    writer.finish(recording);
    for (const bool ranges : {has_cut, true}) {
      Timed timed(ranges);
      try {
        read_stream(path, timed);
      } catch (const std::exception&) {
        continue;
      }
      for (const AccessRange& part : timed.parts) ASSERT_LT(part.style, kAccessStyles);
    }
  }
}

}  // namespace
}  // namespace Atoll::recording
