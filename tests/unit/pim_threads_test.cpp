// Many threads on few devices: no unit is ever in two blocks, and no unit is lost. The same is
// tested on a system without membarrier(2).
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <atomic>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "atoll/pim/device.hpp"
#include "pim/biased_lock.hpp"

namespace Atoll::pim {
namespace {

void in_threads(int threads, const std::function<void(int)>& body) {
  std::vector<std::thread> all;
  std::barrier together(threads);
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      together.arrive_and_wait();
      body(i);
    });
  for (std::thread& thread : all) thread.join();
}

using Random = std::minstd_rand;

/// Returns a random number from 1 to `most`.
std::uint32_t up_to(std::uint32_t most, Random& random) {
  return 1 + static_cast<std::uint32_t>(random() % most);
}

/// The owner of each unit, according to the threads.
class Owners {
 public:
  explicit Owners(const Geometry& g) : g_(g), owner_(g.units()) {}
  /// Changes the owner of the units. Returns false if a unit's owner isn't `from`.
  [[nodiscard]] bool change(const Rectangle& r, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t row = r.first.row; row < r.first.row + r.extent.rows; ++row)
      for (std::uint32_t s = r.first.subarray; s < r.first.subarray + r.extent.subarrays; ++s) {
        std::atomic<std::uint32_t>& unit =
            owner_[(std::size_t{r.bank} * g_.rows + row) * g_.subarrays + s];
        if (unit.exchange(to, std::memory_order_relaxed) != from) return false;
      }
    return true;
  }

 private:
  Geometry g_;
  std::vector<std::atomic<std::uint32_t>> owner_;
};

/// Checks that the device is empty: each bank is one free rectangle, and can be allocated as a
/// whole.
void expect_empty(Device& device) {
  const Geometry& g = device.geometry();
  EXPECT_EQ(device.usage().free_units, g.units());
  EXPECT_TRUE(device.blocks().empty());
  std::vector<Block> whole;
  while (Block bank = device.try_allocate(Request::raw(g.subarrays, g.rows)))
    whole.push_back(std::move(bank));
  EXPECT_EQ(whole.size(), g.banks);
}

struct Case {
  Geometry geometry;
  int threads;
};

class PimThreads : public testing::TestWithParam<Case> {};

TEST_P(PimThreads, ADrainedDeviceIsExactlyFullThenExactlyEmpty) {
  const auto& g = GetParam().geometry;
  const auto threads = GetParam().threads;
  Device device(g);
  for (int round = 0; round < 5; ++round) {
    Owners owners(g);
    std::vector<std::vector<Block>> taken(static_cast<std::size_t>(threads));
    std::atomic<int> wrong = 0;
    std::barrier together(threads);
    in_threads(threads, [&](int me) {
      Random random(1 + static_cast<unsigned>(me + 100 * round));
      auto& mine = taken[static_cast<std::size_t>(me)];
      const auto take = [&](Request request) {
        Block block = device.try_allocate(request);
        if (!block) return false;
        wrong += !owners.change(block.where(), 0, 1);
        mine.push_back(std::move(block));
        return true;
      };
      together.arrive_and_wait();
      const std::uint32_t wide = std::min(g.subarrays, 2U);
      for (int i = 0; i < 50; ++i) {  // freed blocks are parked
        take(Request::raw(up_to(wide, random), up_to(5, random)));
        if (random() % 3 == 0 && !mine.empty()) {
          wrong += !owners.change(mine.back().where(), 1, 0);
          device.free(mine.back());
          mine.pop_back();
        }
      }
      // Allocates until no unit is free. The threads free nothing in this phase.
      together.arrive_and_wait();
      while (take(Request::raw(1, up_to(3, random))) || take(Request::raw(1, 1))) {
      }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(device.usage().free_units, 0U) << "a unit was lost";
    std::uint64_t units = 0;
    for (const auto& mine : taken)
      for (const Block& block : mine) units += block.where().extent.units();
    EXPECT_EQ(units, g.units());
    in_threads(threads, [&](int me) {  // each thread frees the blocks of the next one
      for (Block& block : taken[static_cast<std::size_t>((me + 1) % threads)]) {
        wrong += !owners.change(block.where(), 1, 0);
        device.free(block);
      }
    });
    EXPECT_EQ(wrong, 0);
    expect_empty(device);
  }
}

TEST_P(PimThreads, BlocksWanderBetweenThreads) {
  const auto& g = GetParam().geometry;
  const auto threads = GetParam().threads;
  Device device(g);
  Owners owners(g);
  std::mutex mutex;
  std::vector<Block> letters;  // blocks that threads exchange
  std::atomic<int> wrong = 0;
  in_threads(threads, [&, wide = std::min(g.subarrays, 3U)](int me) {
    Random random(1 + static_cast<unsigned>(me));
    const auto name = static_cast<std::uint32_t>(me + 1);
    std::vector<Block> mine;
    for (int step = 0; step < 20000; ++step) {
      const auto what = random() % 16;
      if (what < 8) {
        const Request request = random() % 4 == 0
                                    ? Request::raw(up_to(wide, random), up_to(9, random))
                                    : Request::raw(1, 4);
        if (Block block = device.try_allocate(request)) {
          wrong += !owners.change(block.where(), 0, name);
          mine.push_back(std::move(block));
        }
      } else if (what < 13 && !mine.empty()) {
        std::swap(mine[random() % mine.size()], mine.back());
        wrong += !owners.change(mine.back().where(), name, 0);
        device.free(mine.back());
        mine.pop_back();
      } else if (what == 13 && !mine.empty()) {
        const std::lock_guard lock(mutex);
        wrong += !owners.change(mine.back().where(), name, 1000);
        letters.push_back(std::move(mine.back()));
        mine.pop_back();
      } else if (what == 14) {
        const std::lock_guard lock(mutex);
        if (letters.empty()) continue;
        wrong += !owners.change(letters.back().where(), 1000, 0);
        device.free(letters.back());
        letters.pop_back();
      } else if (what == 15 && step % 64 == 0) {
        wrong += device.usage().free_units > g.units();
      } else if (what == 15 && !mine.empty()) {
        if (Block beside = device.try_allocate_beside(Request::raw(1, 2), mine.back().where())) {
          wrong += beside.where().bank != mine.back().where().bank;
          wrong += !owners.change(beside.where(), 0, name);
          mine.push_back(std::move(beside));
        }
      }
    }
    for (Block& block : mine) wrong += !owners.change(block.where(), name, 0);
  });
  EXPECT_EQ(wrong, 0);
  letters.clear();
  expect_empty(device);
}

INSTANTIATE_TEST_SUITE_P(Devices, PimThreads,
                         testing::Values(Case{{64, 64, 4, 1}, 4},     // one bank for all threads
                                         Case{{128, 64, 4, 3}, 4},    // fewer banks than threads
                                         Case{{64, 64, 2, 16}, 4},    // more banks than threads
                                         Case{{64, 64, 8, 8}, 12}));  // more threads than cores

TEST(PimThreadsLock, OnlyOneIsInside) {
  // Usually one thread has the lock's bias, and others revoke it.
  BiasedLock lock;
  std::uint64_t inside = 0, entries = 0;  // not atomic, so that the lock must protect them
  std::atomic<int> wrong = 0;
  in_threads(4, [&](int me) {
    Visitor& self = Visitor::current();
    for (int i = 0; i < (me == 0 ? 2000000 : 3000); ++i) {
      const BankLockGuard turn(lock, self);
      wrong += ++inside != 1;
      ++entries;
      --inside;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(entries, 2000000U + 3 * 3000);
}

TEST(PimThreadsLock, TheBiasIsTakenAwayCleanly) {
  // One thread repeatedly acquires biased locks, while another revokes the bias of one lock after
  // the other. If the barrier were missing, two cores would soon hold the same lock.
  struct Guarded {
    BiasedLock lock;
    std::uint64_t inside = 0;
  };
  constexpr std::size_t kLocks = 10000;
  std::vector<Guarded> all(kLocks);
  std::atomic<std::size_t> at = 0;
  std::atomic<int> wrong = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  const auto enter = [&](Guarded& one, Visitor& self) {
    const BankLockGuard turn(one.lock, self);
    wrong += ++one.inside != 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    --one.inside;
  };
  in_threads(2, [&](int me) {
    Visitor& self = Visitor::current();
    if (me == 0)
      for (std::size_t i = 0; (i = at.load(std::memory_order_relaxed)) < kLocks;)
        enter(all[i], self);
    else
      for (std::size_t i = 0; i < kLocks; at.store(++i, std::memory_order_relaxed)) {
        while (BiasedLock::bias_works() && !all[i].lock.biased_to_another(self))
          std::this_thread::yield();
        enter(all[i], self);
        // If the threads share a core, each round takes a time slice.
        if (std::chrono::steady_clock::now() > end) i = kLocks - 1;
      }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(PimThreadsLock, ThreadsComeAndGo) {
  // A visitor object is reused by later threads, together with the locks that are biased to it.
  Device device({64, 64, 4, 2});
  for (int i = 0; i < 200; ++i)
    in_threads(2, [&](int) {
      for (int k = 0; k < 20; ++k) EXPECT_TRUE(device.try_allocate(Request::raw(1, 3)));
    });
  expect_empty(device);
}

/// Makes membarrier(2) fail in this process, as on a kernel without it.
void forbid_membarrier() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{4, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    std::_Exit(3);
}

/// Returns 0 on success, as an exit code.
int drain_without_a_barrier() {
  forbid_membarrier();
  if (BiasedLock::bias_works()) return 4;
  const Geometry g{64, 64, 4, 2};
  Device device(g);
  std::vector<std::vector<Block>> taken(3);
  in_threads(3, [&](int me) {
    for (int i = 0; i < 2000; ++i) static_cast<void>(device.try_allocate(Request::raw(1, 2)));
    while (Block block = device.try_allocate(Request::raw(1, 1)))
      taken[static_cast<std::size_t>(me)].push_back(std::move(block));
  });
  if (taken[0].size() + taken[1].size() + taken[2].size() != g.units()) return 6;
  taken.clear();
  return device.usage().free_units == g.units() ? 0 : 7;
}

TEST(PimThreadsDeathTest, WithoutABarrierForAllCores) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // membarrier isn't registered there
  EXPECT_EXIT(std::_Exit(drain_without_a_barrier()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace Atoll::pim
