// Copies by one thread, with all kernels and misalignments. The target is compared with the source,
// and the bytes around the target must be unchanged.
#include <gtest/gtest.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "memory/chunked_copy.hpp"
#include "memory_copy_support.hpp"

namespace Atoll::memory {
namespace {

constexpr std::byte kUntouched{0xa5};

TEST(CopyKernels, EveryKernelCopiesWholeLines) {
#if defined(__x86_64__)
  ASSERT_FALSE(stream_kernels().empty());
#endif
  const Bytes source = random_bytes(300'000, 1);
  alignas(64) static std::byte target[300'032];
  for (const StreamKernel& kernel : stream_kernels())
    for (const std::size_t lines : {0, 1, 3, 63, 64, 255, 256, 511, 512, 513, 1025, 4600})
      for (const std::size_t offset : {0, 1, 31}) {
        std::fill(std::begin(target), std::end(target), kUntouched);
        kernel.copy(target + 64, source.data() + offset, lines * 64);
        order_streaming_stores();
        ASSERT_EQ(std::memcmp(target + 64, source.data() + offset, lines * 64), 0)
            << kernel.name << " " << lines;
        ASSERT_EQ(target[63], kUntouched);
        ASSERT_EQ(target[64 + lines * 64], kUntouched) << kernel.name << " " << lines;
      }
}

TEST(CopyKernels, AnySizeAtAnyAlignment) {
  const Bytes source = random_bytes(200'000, 2);
  Bytes target(200'000);
  std::mt19937 random(3);
  for (int round = 0; round < 600; ++round) {
    const std::size_t most = round % 3 == 0 ? 300 : 150'000;
    const std::size_t bytes = random() % most, to = 1 + random() % 200, from = random() % 200;
    const Stores stores = round % 2 == 0 ? Stores::streaming : Stores::cached;
    std::fill(target.begin(), target.end(), kUntouched);
    copy_bytes(target.data() + to, source.data() + from, bytes, stores);
    order_streaming_stores();
    ASSERT_TRUE(std::equal(source.begin() + static_cast<std::ptrdiff_t>(from),
                           source.begin() + static_cast<std::ptrdiff_t>(from + bytes),
                           target.begin() + static_cast<std::ptrdiff_t>(to)))
        << bytes << " bytes to " << to << " from " << from;
    ASSERT_EQ(target[to - 1], kUntouched);
    ASSERT_EQ(target[to + bytes], kUntouched);
  }
}

TEST(CopyChunks, DroppedInTheMiddleLeavesAPrefix) {
  const Bytes source = random_bytes(10'000'000, 4);
  Bytes target(source.size(), kUntouched);
  CopyJob job;
  job.pieces.push_back({target.data(), source.data(), source.size()});
  ChunkedCopy work(std::move(job), 1, Stores::streaming);
  ASSERT_GT(work.chunks(), 20u);
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(work.step(NodeId{0}));
  work.drop_rest();
  EXPECT_FALSE(work.step(NodeId{0}));
  EXPECT_TRUE(work.done());
  const auto done = static_cast<std::ptrdiff_t>(work.bytes_done());
  EXPECT_EQ(work.bytes_done(), 7 * 256 * 1024u);
  EXPECT_TRUE(std::equal(source.begin(), source.begin() + done, target.begin()));
  EXPECT_TRUE(std::all_of(target.begin() + done, target.end(),
                          [](std::byte byte) { return byte == kUntouched; }));
}

TEST(CopyChunks, ANodesPiecesComeFirst) {
  const Bytes source = random_bytes(600'000, 5);
  Bytes near(source.size(), kUntouched), far(source.size(), kUntouched);
  CopyJob job;
  job.pieces.push_back({far.data(), source.data(), source.size(), NodeId{0}});
  job.pieces.push_back({near.data(), source.data(), source.size(), NodeId{3}});
  ChunkedCopy work(std::move(job), 1, Stores::cached);
  while (work.bytes_done() < source.size()) ASSERT_TRUE(work.step(NodeId{3}));
  EXPECT_EQ(near, source);
  EXPECT_TRUE(
      std::all_of(far.begin(), far.end(), [](std::byte byte) { return byte == kUntouched; }));
  while (work.step(NodeId{3})) {
  }
  EXPECT_EQ(far, source);
}

TEST(CopyChunks, EachLaneDoesItsPartFirst) {
  const Bytes source = random_bytes(4 * 256 * 1024, 7);
  Bytes target(source.size(), kUntouched), expected = target;
  CopyJob job;
  job.pieces.push_back({target.data(), source.data(), source.size()});
  ChunkedCopy work(std::move(job), 2, Stores::cached);
  ASSERT_EQ(work.chunks(), 4u);
  const auto half = source.begin() + static_cast<std::ptrdiff_t>(source.size() / 2);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(work.step(NodeId{0}, 1));
  std::copy(half, source.end(), expected.begin() + (half - source.begin()));
  EXPECT_TRUE(target == expected);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(work.step(NodeId{0}, 1));
  EXPECT_TRUE(target == source) << "then the other's";
  EXPECT_FALSE(work.step(NodeId{0}, 0));
}

TEST(CopyChunks, SmallPiecesShareAChunk) {
  const Bytes source = random_bytes(1'000'000, 6);
  Bytes target(source.size(), kUntouched), expected(source.size(), kUntouched);
  CopyJob job;
  for (std::size_t at = 0; at + 100 < source.size(); at += 1000) {
    job.pieces.push_back({target.data() + at, source.data() + at, 100});
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(at), 100,
                expected.begin() + static_cast<std::ptrdiff_t>(at));
  }
  ChunkedCopy work(std::move(job), 1, Stores::streaming);
  EXPECT_LE(work.chunks(), 4u);
  while (work.step(kNowhere)) {
  }
  EXPECT_EQ(target, expected);
}

}  // namespace
}  // namespace Atoll::memory
