// The heap of recorded programs, in isolation. Blocks don't overlap, are aligned and keep their
// content. The heap reports all pages to the hooks, which this test defines.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "atoll/base/page_size.hpp"
#include "process/inside/site_heap.hpp"

namespace Atoll::process::inside {
namespace {

/// Records calls of the hooks. It has its own lock, because the heap calls the hooks without
/// blocking.
struct Told {
  std::mutex lock;
  std::map<std::uintptr_t, std::pair<std::size_t, const Site*>> slabs, large;
  std::vector<std::pair<std::uintptr_t, std::size_t>> freed;
  std::map<const Site*, std::pair<std::uint64_t, std::uint64_t>> small;
};
Told told;

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace

namespace hooks {
void on_slab(const Site& site, void* address, std::size_t bytes) {
  const std::lock_guard locked(told.lock);
  told.slabs[number(address)] = {bytes, &site};
}
void on_allocated(const Site& site, void* address, std::size_t bytes, std::uint32_t /*order*/) {
  const std::lock_guard locked(told.lock);
  told.large[number(address)] = {bytes, &site};
}
void on_freed(void* address, std::size_t bytes) {
  const std::lock_guard locked(told.lock);
  told.freed.emplace_back(number(address), bytes);
}
void on_small(const Site& site, std::uint64_t count, std::uint64_t bytes) {
  const std::lock_guard locked(told.lock);
  told.small[&site].first += count;
  told.small[&site].second += bytes;
}
void request_turn() {}
void end_turn() {}
bool may_move() {
  return true;
}
void on_remapped(const void* /*from*/, std::size_t /*bytes*/, const void* /*to*/) {}
}  // namespace hooks

namespace {

/// Returns the site that the hooks recorded for an address; null if there is none.
const Site* site_of(void* address, std::size_t bytes) {
  const std::lock_guard locked(told.lock);
  for (const auto* ranges : {&told.slabs, &told.large}) {
    const auto after = ranges->upper_bound(number(address));
    if (after == ranges->begin()) continue;
    const auto& [begin, range] = *std::prev(after);
    if (number(address) + bytes <= begin + range.first) return range.second;
  }
  return nullptr;
}

TEST(TraceSiteHeap, AClassIsTheLeastThatHoldsTheSizeAndKeepsTheAlignment) {
  for (unsigned i = 1; i < kClasses; ++i) ASSERT_LT(class_bytes(i - 1), class_bytes(i));
  EXPECT_EQ(class_bytes(0), 16U);
  EXPECT_EQ(class_bytes(kClasses - 1), 65536U);
  for (std::size_t bytes = 0; bytes < kLargeBytes; bytes += bytes < 2000 ? 1 : 97)
    for (std::size_t alignment = 16; alignment <= kPageBytes; alignment *= 2) {
      const unsigned found = class_of(bytes, alignment);
      ASSERT_LT(found, kClasses);
      ASSERT_GE(class_bytes(found), bytes);
      ASSERT_EQ(class_bytes(found) % alignment, 0U);
      for (unsigned less = 0; less < found; ++less)
        ASSERT_TRUE(class_bytes(less) < bytes || class_bytes(less) % alignment != 0);
    }
}

struct Piece {
  unsigned char* at = nullptr;
  std::size_t bytes = 0;
  unsigned char value = 0;
  HeapSite* site = nullptr;
};

void expect_kept(const Piece& piece) {
  for (std::size_t i = 0; i < piece.bytes; ++i)
    ASSERT_EQ(piece.at[i], piece.value) << "byte " << i << " of " << piece.bytes;
}

void release(const Piece& piece) {
  PageOwner* owner = page_owner(piece.at);
  ASSERT_NE(owner, nullptr);
  if (owner->large)
    free_large(static_cast<LargeBlock&>(*owner));
  else
    free_small(static_cast<Slab&>(*owner), piece.at);
}

TEST(TraceSiteHeap, PiecesOfManyThreadsKeepTheirContents) {
  constexpr int kThreads = 4, kSteps = 4000, kSites = 5;
  std::vector<HeapSite> sites(kSites);
  std::mutex lock;
  std::vector<Piece> shared(200);  // freed by another thread than the allocating one
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      std::minstd_rand random(static_cast<unsigned>(t) + 1);
      for (int step = 0; step < kSteps; ++step) {
        Piece piece;
        piece.site = &sites[random() % kSites];
        piece.value = static_cast<unsigned char>(random());
        std::size_t alignment = 16;
        if (random() % 50 == 0) {
          piece.bytes = kLargeBytes + random() % 100'000;
          alignment = std::size_t{16} << random() % 12;
          piece.at =
              static_cast<unsigned char*>(allocate_large(*piece.site, piece.bytes, alignment));
          ASSERT_NE(piece.at, nullptr);
          for (std::size_t i = 0; i < piece.bytes; i += 509) ASSERT_EQ(piece.at[i], 0);
        } else {
          piece.bytes = random() % (random() % 20 == 0 ? kLargeBytes : 300);
          if (random() % 4 == 0) alignment = std::size_t{16} << random() % 9;
          const unsigned size_class = class_of(piece.bytes, alignment);
          Pool* pool = pool_of(*piece.site, size_class, static_cast<unsigned>(t) % 2);
          ASSERT_NE(pool, nullptr);
          bool zeroed = false;
          piece.at = static_cast<unsigned char*>(allocate_small(*pool, piece.bytes, &zeroed));
          ASSERT_NE(piece.at, nullptr);
          for (std::size_t i = 0; zeroed && i < piece.bytes; ++i) ASSERT_EQ(piece.at[i], 0);
        }
        ASSERT_EQ(number(piece.at) % alignment, 0U);
        ASSERT_EQ(site_of(piece.at, piece.bytes), piece.site);
        if (piece.bytes != 0) std::memset(piece.at, piece.value, piece.bytes);
        {
          const std::lock_guard locked(lock);
          std::swap(piece, shared[random() % shared.size()]);
        }
        if (piece.at == nullptr) continue;
        expect_kept(piece);
        release(piece);
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::map<std::uintptr_t, std::size_t> living;
  for (const Piece& piece : shared) {
    if (piece.at == nullptr) continue;
    expect_kept(piece);
    ASSERT_TRUE(living.try_emplace(number(piece.at), piece.bytes).second);
  }
  std::uintptr_t last = 0;
  for (const auto& [begin, bytes] : living) {
    EXPECT_LE(last, begin);
    last = begin + bytes;
  }
  for (const Piece& piece : shared)
    if (piece.at != nullptr) release(piece);
  std::uint64_t count = 0;
  for (HeapSite& site : sites) {
    report_small(site);
    count += told.small[&site].first + site.large;
  }
  EXPECT_EQ(count, static_cast<std::uint64_t>(kThreads) * kSteps);
  std::uintptr_t end = 0;  // end of the previous slab: slabs must not overlap
  for (const auto& [begin, slab] : told.slabs) {
    EXPECT_LE(end, begin);
    end = begin + slab.first;
  }
}

TEST(TraceSiteHeap, LargePiecesGrowByMovingWithTheirContents) {
  HeapSite site{};
  constexpr std::size_t kBytes = 1 << 20;
  auto* at = static_cast<unsigned char*>(allocate_large(site, kBytes, 16));
  ASSERT_NE(at, nullptr);
  for (std::size_t i = 0; i < kBytes; ++i) at[i] = static_cast<unsigned char>(i * 7);
  auto& block = static_cast<LargeBlock&>(*page_owner(at));
  auto* grown = static_cast<unsigned char*>(grow_large(site, block, 5 * kBytes));
  ASSERT_NE(grown, nullptr);
  EXPECT_NE(grown, at);
  EXPECT_EQ(page_owner(at), nullptr);
  EXPECT_EQ(page_owner(grown), &block);
  for (std::size_t i = 0; i < kBytes; ++i) ASSERT_EQ(grown[i], static_cast<unsigned char>(i * 7));
  for (std::size_t i = kBytes; i < 5 * kBytes; i += 100) ASSERT_EQ(grown[i], 0);
  EXPECT_EQ(told.freed.back(), (std::pair{number(at), kBytes}));
  free_large(block);
  EXPECT_EQ(allocate_large(site, ~std::size_t{0} - 100, 16), nullptr);
  EXPECT_EQ(allocate_large(site, std::size_t{1} << 50, 16), nullptr);
}

TEST(TraceLock, IsFreeInAForkedChildAndKeepsOthersOutElsewhere) {
  Lock lock;
  // The load and the store are separate, so only the lock makes the increment atomic.
  // ThreadSanitizer doesn't recognise the lock.
  std::atomic<int> counter = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        const Locked locked(lock);
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 80'000);
  lock.lock();
  generation.fetch_add(1);  // simulates a fork: the holding thread doesn't exist in the child
  lock.lock();
  lock.unlock();
}

}  // namespace
}  // namespace Atoll::process::inside
