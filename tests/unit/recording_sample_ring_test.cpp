// Ring buffers of perf: synthetic ones with all known records at all positions, and one that a
// kernel wrote (6.18; 4 KiB, read once, so that its records wrap around).
#include "recording/sample/ring.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstring>
#include <fstream>
#include <random>

namespace Atoll::recording::sample {
namespace {

constexpr std::uint64_t kFaultBits =
    PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU;
constexpr std::uint64_t kIntelBits =
    kFaultBits | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;

/// Writes records one after the other, as bytes.
class Writer {
 public:
  template <class T>
  Writer& put(T value) {
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof value);
    return *this;
  }
  Writer& text(const std::string& text) {
    for (const char c : text) put(c);
    do put('\0');
    while (bytes_.size() % 8 != 0);
    return *this;
  }
  Writer& begin(std::uint32_t type, std::uint16_t misc = 0) {
    begin_ = bytes_.size();
    return put(perf_event_header{type, misc, 0});
  }
  Writer& end() {
    const auto size = static_cast<std::uint16_t>(bytes_.size() - begin_);
    std::memcpy(&bytes_[begin_ + offsetof(perf_event_header, size)], &size, sizeof size);
    return *this;
  }
  /// Appends a page fault of thread `tid` in process 10 at `address`.
  Writer& fault(std::uint64_t time, std::int32_t tid, std::uint64_t address) {
    begin(PERF_RECORD_SAMPLE).put(std::uint64_t{0x401000}).put(10).put(tid).put(time).put(address);
    return put(3U).put(0U).end();
  }
  /// Appends the fields that end all other records if kFaultBits are sampled.
  Writer& trailer(std::uint64_t time) { return put(10).put(11).put(time).put(3U).put(0U).end(); }

  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0;
};

std::vector<Record> read(RingLayout layout, const std::vector<std::byte>& data, std::uint64_t tail,
                         std::uint64_t head) {
  RingReader reader(layout, data, tail, head);
  std::vector<Record> records;
  while (auto record = reader.next()) records.push_back(std::move(*record));
  return records;
}

/// Returns the records of a ring in which `bytes` begin at position `at`.
std::vector<Record> read_at(RingLayout layout, const std::vector<std::byte>& bytes,
                            std::uint64_t at, std::size_t ring_bytes) {
  std::vector<std::byte> ring(ring_bytes, std::byte{0xee});
  for (std::size_t i = 0; i < bytes.size(); ++i) ring[(at + i) % ring_bytes] = bytes[i];
  return read(layout, ring, at, at + bytes.size());
}

Sample fault(std::uint64_t time, std::int32_t tid, std::uint64_t address) {
  return {.ip = 0x401000, .time_ns = time, .address = address, .pid = 10, .tid = tid, .cpu = 3};
}

TEST(PerfRing, EveryRecordAtEveryPlaceOfTheRing) {
  Writer writer;
  writer.fault(100, 11, 0x7000).fault(101, 12, 0x8008);
  writer.begin(PERF_RECORD_FORK)
      .put(20)
      .put(10)
      .put(21)
      .put(11)
      .put(std::uint64_t{102})
      .trailer(102);
  writer.begin(PERF_RECORD_EXIT)
      .put(20)
      .put(10)
      .put(21)
      .put(11)
      .put(std::uint64_t{103})
      .trailer(103);
  writer.begin(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC)
      .put(10)
      .put(11)
      .text("sort")
      .trailer(104);
  writer.begin(PERF_RECORD_MMAP2).put(10).put(11).put(std::uint64_t{0x40'0000});
  writer.put(std::uint64_t{0x2000}).put(std::uint64_t{0x1000});
  for (int i = 0; i < 4; ++i) writer.put(std::uint64_t{9});
  writer.text("/usr/bin/sort").trailer(105);
  writer.begin(PERF_RECORD_LOST).put(std::uint64_t{1}).put(std::uint64_t{77}).trailer(106);
  writer.begin(PERF_RECORD_THROTTLE)
      .put(std::uint64_t{107})
      .put(std::uint64_t{1})
      .put(std::uint64_t{1})
      .trailer(107);
  writer.begin(PERF_RECORD_UNTHROTTLE)
      .put(std::uint64_t{108})
      .put(std::uint64_t{1})
      .put(std::uint64_t{1})
      .trailer(108);
  writer.begin(PERF_RECORD_KSYMBOL).put(std::uint64_t{0}).trailer(109);  // ignored type
  writer.begin(PERF_RECORD_LOST_SAMPLES).put(std::uint64_t{5}).trailer(110);

  const std::vector<Record> expected{
      fault(100, 11, 0x7000),
      fault(101, 12, 0x8008),
      Task{true, 20, 10, 21, 11, 102},
      Task{false, 20, 10, 21, 11, 103},
      Named{10, 11, 104, true, "sort"},
      Mapped{10, 11, 105, 0x40'0000, 0x2000, 0x1000, "/usr/bin/sort"},
      Lost{77, 106},
      Throttled{true, 107},
      Throttled{false, 108},
      Lost{5, 110},
  };
  ASSERT_LT(writer.bytes().size(), 1024);
  for (std::uint64_t at = 0; at < 3 * 1024; at += 8)
    ASSERT_EQ(read_at({kFaultBits}, writer.bytes(), at, 1024), expected) << at;
}

TEST(PerfRing, IntelSaysLoadOrStoreAndForHowManyEachStands) {
  const auto sample = [](Writer& writer, std::uint64_t operation) {
    writer.begin(PERF_RECORD_SAMPLE).put(std::uint64_t{1}).put(10).put(11).put(std::uint64_t{100});
    writer.put(std::uint64_t{0x7008}).put(2U).put(0U).put(std::uint64_t{4001});
    writer.put(std::uint64_t{250}).put(operation | (std::uint64_t{0x42} << 5)).end();
  };
  Writer writer;
  sample(writer, PERF_MEM_OP_LOAD);
  sample(writer, PERF_MEM_OP_STORE);
  sample(writer, PERF_MEM_OP_NA);
  const auto records = read_at({kIntelBits}, writer.bytes(), 0, 1024);
  ASSERT_EQ(records.size(), 3);
  const std::vector kinds{AccessKind::read, AccessKind::write, AccessKind::unknown};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(std::get<Sample>(records[i]), (Sample{1, 100, 0x7008, 10, 11, 2, 4001, kinds[i]}));
}

TEST(PerfRing, AmdsRegistersSayIt) {
  const auto sample = [](std::uint64_t data3) {
    Writer writer;
    writer.begin(PERF_RECORD_SAMPLE).put(std::uint64_t{1}).put(10).put(11).put(std::uint64_t{100});
    writer.put(std::uint64_t{0}).put(2U).put(0U).put(std::uint64_t{9});
    writer.put(std::uint32_t{4 + 8 * 8}).put(0x1ffU);
    for (int i = 0; i < 4; ++i) writer.put(std::uint64_t{0xffff'ffff});
    writer.put(data3).put(std::uint64_t{0x7fff'1000});
    writer.put(std::uint64_t{0x1'0000}).put(std::uint64_t{0});  // physical address, branch target
    writer.put(std::uint64_t{0}).put(std::uint64_t{PERF_MEM_OP_NA}).end();
    const auto records = read_at({kIntelBits | PERF_SAMPLE_RAW, true}, writer.bytes(), 0, 1024);
    EXPECT_EQ(records.size(), 1);
    return std::get<Sample>(records.at(0));
  };
  constexpr std::uint64_t kValid = 1 << 17;
  EXPECT_EQ(sample(kValid | 1), (Sample{1, 100, 0x7fff'1000, 10, 11, 2, 9, AccessKind::read}));
  EXPECT_EQ(sample(kValid | 2), (Sample{1, 100, 0x7fff'1000, 10, 11, 2, 9, AccessKind::write}));
  EXPECT_EQ(sample(1).address, 0);  // the address isn't valid
}

TEST(PerfRing, WhatMakesNoSenseIsLostAndEndsTheReading) {
  Writer good;
  good.fault(100, 11, 0x7000);
  for (const int size : {0, 4, 9, 4096}) {
    auto bytes = good.bytes();
    const perf_event_header header{PERF_RECORD_SAMPLE, 0, static_cast<std::uint16_t>(size)};
    const auto* begin = reinterpret_cast<const std::byte*>(&header);
    bytes.insert(bytes.end(), begin, begin + sizeof header);
    EXPECT_EQ(read_at({kFaultBits}, bytes, 8, 256),
              (std::vector<Record>{fault(100, 11, 0x7000), Lost{1, 0}}))
        << size;
  }
  // If a record is too short for its type, only this record is lost.
  Writer short_one;
  short_one.begin(PERF_RECORD_SAMPLE).put(std::uint64_t{1}).end().fault(100, 11, 0x7000);
  EXPECT_EQ(read_at({kFaultBits}, short_one.bytes(), 8, 256),
            (std::vector<Record>{Lost{1, 0}, fault(100, 11, 0x7000)}));
  Writer no_name;
  no_name.begin(PERF_RECORD_COMM).trailer(1).fault(100, 11, 0x7000);
  EXPECT_EQ(read_at({kFaultBits}, no_name.bytes(), 8, 256),
            (std::vector<Record>{Lost{1, 0}, fault(100, 11, 0x7000)}));
  // More bytes than the ring holds: records were overwritten.
  EXPECT_EQ(read({kFaultBits}, std::vector<std::byte>(256), 0, 264),
            (std::vector<Record>{Lost{1, 0}}));
}

/// Process 15211 touched pages 0x33 to 0x63 of an area and set its name. Its thread 15212 touched
/// pages 0x64 to 0x6b. Both touched their pages in order, with faults for code and stack in
/// between. Then the ring was full.
TEST(PerfRing, AKernelsOwnRing) {
  std::ifstream file(ATOLL_SOURCE_DIR "/tests/data/perf/page-faults.ring", std::ios::binary);
  std::uint64_t sample_type = 0, tail = 0, head = 0, size = 0;
  for (std::uint64_t* value : {&sample_type, &tail, &head, &size})
    file.read(reinterpret_cast<char*>(value), sizeof *value);
  ASSERT_EQ(size, 4096);
  std::vector<std::byte> ring(size);
  file.read(reinterpret_cast<char*>(ring.data()), static_cast<std::streamsize>(size));
  ASSERT_TRUE(file.good());
  ASSERT_NE(tail / size, head / size) << "it goes round";

  std::vector<std::pair<std::int32_t, std::uint64_t>> pages;
  std::vector<Task> tasks;
  std::vector<std::string> names;
  std::uint64_t last = 0;
  for (const Record& record : read({sample_type}, ring, tail, head)) {
    EXPECT_GE(time_of(record), last);
    last = time_of(record);
    ASSERT_FALSE(std::holds_alternative<Lost>(record));
    if (const auto* sample = std::get_if<Sample>(&record)) {
      EXPECT_EQ(sample->pid, 15211);
      EXPECT_EQ(sample->cpu, 0);
      if (sample->address >> 40 == 0x20)
        pages.emplace_back(sample->tid, sample->address >> 12 & 0xffff);
    }
    if (const auto* task = std::get_if<Task>(&record)) tasks.push_back(*task);
    if (const auto* named = std::get_if<Named>(&record)) names.push_back(named->name);
  }
  std::vector<std::pair<std::int32_t, std::uint64_t>> expected;
  for (std::uint64_t page = 0x33; page <= 0x6b; ++page)
    expected.emplace_back(page < 0x64 ? 15211 : 15212, page);
  EXPECT_EQ(pages, expected);
  ASSERT_EQ(tasks.size(), 1);
  EXPECT_TRUE(tasks[0].begins);
  EXPECT_EQ(tasks[0].tid, 15212);
  EXPECT_EQ(tasks[0].parent_tid, 15211);
  EXPECT_EQ(names, std::vector<std::string>{"renamed"});
}

}  // namespace
}  // namespace Atoll::recording::sample
