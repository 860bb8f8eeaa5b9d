// Records of timed streams other than accesses and events, as the decoder delivers them.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "record/stream_words.hpp"
#include "recording/streams/stream_decoder.hpp"

namespace Atoll::recording {
namespace {

using record::record_word;

struct Seen : Consumer {
  void accesses(std::uint32_t, std::span<const Access> all) override {
    order.append(all.size(), 'a');
  }
  void loop(std::uint32_t, std::span<const AccessRange>) override { order += 'l'; }
  void wait(std::uint32_t, const StreamWait& wait) override {
    order += 'w';
    waits.push_back(wait);
  }
  void place(std::uint32_t, const StreamPlacement& call) override {
    order += 'p';
    calls.push_back(call);
    masks.emplace_back(call.mask.begin(), call.mask.end());
  }
  std::string order;
  std::vector<StreamWait> waits;
  std::vector<StreamPlacement> calls;
  std::vector<std::vector<std::uint64_t>> masks;
};

Seen decode(const std::vector<std::uint64_t>& words) {
  Seen seen;
  StreamDecoder decoder(0, true);
  const auto room = std::make_unique<StreamDecoder::Room>();
  // Decodes in two parts, because the input may be split within a record.
  for (std::size_t cut = 0; cut < 2; ++cut) {
    const std::size_t half = words.size() / 2;
    const std::span<const std::uint64_t> all(words);
    EXPECT_TRUE(decoder.add(cut == 0 ? all.first(half) : all.subspan(half), *room, nullptr, seen));
  }
  decoder.finish(*room, seen);
  return seen;
}

TEST(TraceTimedRecords, WaitsComeInTheirOrder) {
  const std::uint64_t access = record::stream_word(record::WordKind::access, 4096, 8, false);
  const std::uint64_t range = record::stream_word(record::WordKind::range, 8192, 8, true);
  const Seen seen = decode({access,
                            record_word(RecordKind::released, 3),
                            9,
                            5,
                            4096,
                            range,
                            8,
                            100,
                            0,
                            record_word(RecordKind::waited, 2),
                            9,
                            4,
                            record_word(RecordKind::barrier, 4),
                            9,
                            64,
                            2,
                            16,
                            record_word(RecordKind::took, 3),
                            9,
                            128,
                            3,
                            record_word(RecordKind::asleep, 3),
                            9,
                            7,
                            8,
                            record_word(RecordKind::expects, 3),
                            9,
                            5,
                            63,
                            access});
  EXPECT_EQ(seen.order, "awlwwwwwa");
  const std::vector<StreamWait> expected{
      {.kind = RecordKind::released, .release = 5, .key = 4096},
      {.kind = RecordKind::waited, .release = 4},
      {.kind = RecordKind::barrier, .key = 64, .number = 2, .count = 16},
      {.kind = RecordKind::took, .key = 128, .number = 3},
      {.kind = RecordKind::asleep, .key = 7, .other_key = 8},
      {.kind = RecordKind::expects, .release = 5, .count = 63}};
  EXPECT_EQ(seen.waits, expected);
}

TEST(TraceTimedRecords, TurnsAndThoseThatAReleaseLetsGoOn) {
  const Seen seen =
      decode({record_word(RecordKind::released, 4), 9, 5, 4096, 1, record_word(RecordKind::turn, 2),
              9, 64, record_word(RecordKind::turn, 1), 9});
  const std::vector<StreamWait> expected{
      {.kind = RecordKind::released, .release = 5, .key = 4096, .count = 1},
      {.kind = RecordKind::turn, .key = 64},
      {.kind = RecordKind::turn}};
  EXPECT_EQ(seen.waits, expected);
}

TEST(TraceTimedRecords, CallsThatPlaceHaveTheirMasks) {
  const Seen seen = decode({record_word(RecordKind::policy_of_range, 6), 0, 4096, 8192, 3, 0xff, 1,
                            record_word(RecordKind::bound, 2), 0, 17,
                            record_word(RecordKind::pages_moved, 4), 0, 4096, 4096, 6});
  EXPECT_EQ(seen.order, "ppp");
  EXPECT_EQ(seen.calls.at(0).bytes, 8192U);
  EXPECT_EQ(seen.calls.at(0).mode, 3U);
  EXPECT_EQ(seen.masks.at(0), (std::vector<std::uint64_t>{0xff, 1}));
  EXPECT_EQ(seen.calls.at(1).thread, 17U);
  EXPECT_EQ(seen.calls.at(2).node, 6U);
}

TEST(TraceTimedRecords, CallsAboutPagesHaveTheirRangesAndFlags) {
  const Seen seen = decode({record_word(RecordKind::policy_of_range, 5),
                            0,
                            4096,
                            8192,
                            2 | std::uint64_t{6} << 32,
                            1,
                            record_word(RecordKind::pages_populated, 4),
                            0,
                            4096,
                            12288,
                            1,
                            record_word(RecordKind::pages_discarded, 4),
                            0,
                            8192,
                            4096,
                            0,
                            record_word(RecordKind::pages_remapped, 4),
                            0,
                            4096,
                            8192,
                            65536});
  ASSERT_EQ(seen.order, "pppp");
  EXPECT_EQ(seen.calls[0].mode, 2U);
  EXPECT_EQ(seen.calls[0].flags, 6U);
  EXPECT_EQ(seen.calls[1].kind, RecordKind::pages_populated);
  EXPECT_EQ(seen.calls[1].bytes, 12288U);
  EXPECT_TRUE(seen.calls[1].by_write);
  EXPECT_EQ(seen.calls[2].kind, RecordKind::pages_discarded);
  EXPECT_EQ(seen.calls[3].kind, RecordKind::pages_remapped);
  EXPECT_EQ(seen.calls[3].new_address, 65536U);
}

TEST(TraceTimedRecords, WhatIsTooShortOrImpossibleIsPassedOver) {
  EXPECT_EQ(decode({record_word(RecordKind::released, 1), 9}).order, "");
  EXPECT_EQ(decode({record_word(RecordKind::barrier, 4), 9, 64, 2, 0}).order, "");
  EXPECT_EQ(decode({record_word(RecordKind::pages_moved, 2), 9, 64}).order, "");
  EXPECT_EQ(decode({record_word(static_cast<RecordKind>(90), 2), 9, 64}).order, "");
  // A mask that is too long is truncated.
  std::vector<std::uint64_t> long_mask{record_word(RecordKind::bound, 40)};
  long_mask.resize(41, 1);
  EXPECT_EQ(decode(long_mask).masks.at(0).size(), 24U - 3);
}

}  // namespace
}  // namespace Atoll::recording
