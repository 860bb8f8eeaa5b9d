// Programs that run natively and in the simulator: the same loops over the same data, once as code,
// once as lists of accesses. Work is the number of instructions other than accesses, counted in the
// loops.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

#include "bench.hpp"
#include "measure/random_cycle.hpp"
#include "simulate/program.hpp"
#include "simulate_records.hpp"

namespace Atoll::bench {

#ifdef __clang__
#define ATOLL_PLAIN __attribute__((noinline))
#else  // as written: no vectorization, no unrolling
#define ATOLL_PLAIN __attribute__((noinline, optimize("no-tree-vectorize", "no-unroll-loops")))
#endif

/// Memory in pages of one size.
class PagedMemory {
 public:
  PagedMemory(std::size_t bytes, bool huge) : bytes_(bytes) {
    mapping_ =
        mmap(nullptr, bytes + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(mapping_ != MAP_FAILED, "mapping memory for programs");
    const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
    data_ = static_cast<std::byte*>(mapping_) + ((address + kHuge - 1) / kHuge * kHuge - address);
    madvise(data_, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    for (std::size_t at = 0; at < bytes; at += 4096) data_[at] = std::byte{0};
  }
  ~PagedMemory() { munmap(mapping_, bytes_ + kHuge); }
  PagedMemory(const PagedMemory&) = delete;
  PagedMemory& operator=(const PagedMemory&) = delete;
  template <class T>
  T* take(std::size_t count) {
    T* const part = reinterpret_cast<T*>(data_ + used_);
    used_ += (count * sizeof(T) + 4095) / 4096 * 4096;
    require(used_ <= bytes_, "memory for programs");
    return part;
  }

 private:
  static constexpr std::size_t kHuge = std::size_t{2} << 20;
  void* mapping_;
  std::byte* data_;
  std::size_t bytes_, used_ = 0;
};

/// The loop of one thread: units of work that repeat cyclically over its data.
class Loop {
 public:
  virtual ~Loop() = default;
  std::uint64_t units = 0;  ///< number of units before it repeats
  virtual void run(std::uint64_t first, std::uint64_t count) = 0;
  /// Appends the accesses of `count` units to the batch.
  virtual void append_accesses(std::uint64_t first, std::uint64_t count,
                               simulate::Batch& batch) = 0;

 protected:
  static void load(simulate::Batch& batch, const void* at, std::uint32_t bytes,
                   std::uint32_t instructions, std::uint32_t depends_on = 0) {
    add(batch, at, bytes, false, Styles::number(instructions, depends_on, false));
  }
  static void store(simulate::Batch& batch, const void* at, std::uint32_t bytes,
                    std::uint32_t instructions) {
    add(batch, at, bytes, true, Styles::number(instructions, 0, false));
  }
  static void add(simulate::Batch& batch, const void* at, std::uint32_t bytes, bool write,
                  std::uint8_t style) {
    batch.add(recording::Access{.address = reinterpret_cast<std::uintptr_t>(at),
                                .bytes = bytes,
                                .write = write,
                                .style = style});
  }
};

inline volatile double kept_result;

class ChaseLoop final : public Loop {
 public:
  ChaseLoop(PagedMemory& memory, std::size_t bytes) : cycle_(bytes / 64), line_(0), told_(0) {
    units = bytes / 64;
    data_ = memory.take<std::byte>(bytes);
    for (std::uint64_t line = 0; line < units; ++line)
      *reinterpret_cast<void**>(data_ + line * 64) = data_ + cycle_.next(line) * 64;
    at_ = data_;
  }
  ATOLL_PLAIN void run(std::uint64_t, std::uint64_t count) override {
    void* at = at_;
    for (; count > 0; --count) at = *static_cast<void**>(at);
    at_ = at;
  }
  void append_accesses(std::uint64_t first, std::uint64_t count, simulate::Batch& batch) override {
    if (first == 0) told_ = 0;
    for (; count > 0; --count, told_ = cycle_.next(told_)) load(batch, data_ + told_ * 64, 8, 2, 1);
  }

 private:
  measure::RandomCycle cycle_;
  std::uint64_t line_, told_;
  std::byte* data_;
  void* at_;
};

class GatherLoop final : public Loop {
 public:
  GatherLoop(PagedMemory& memory, std::size_t bytes, unsigned seed) {
    const std::size_t values = bytes / 2 / sizeof(double);
    units = bytes / 2 / sizeof(std::uint32_t);
    table_ = memory.take<double>(values);
    index_ = memory.take<std::uint32_t>(units);
    std::mt19937_64 random(seed);
    for (std::uint64_t i = 0; i < units; ++i)
      index_[i] = static_cast<std::uint32_t>(random() % values);
  }
  ATOLL_PLAIN void run(std::uint64_t first, std::uint64_t count) override {
    double a = 0, b = 0, c = 0, d = 0;  // independent sums, so that additions don't wait for each
                                        // other
    for (std::uint64_t i = first; i < first + count; i += 4) {
      a += table_[index_[i]];
      b += table_[index_[i + 1]];
      c += table_[index_[i + 2]];
      d += table_[index_[i + 3]];
    }
    kept_result = a + b + c + d;
  }
  void append_accesses(std::uint64_t first, std::uint64_t count, simulate::Batch& batch) override {
    for (std::uint64_t i = first; i < first + count; ++i) {
      load(batch, index_ + i, 4, i % 4 == 0 ? 2 : 0);
      load(batch, table_ + index_[i], 8, 0, 1);  // includes the addition: one instruction
    }
  }

 private:
  double* table_;
  std::uint32_t* index_;
};

class TriadLoop final : public Loop {
 public:
  TriadLoop(PagedMemory& memory, std::size_t bytes) {
    units = bytes / 24 / 512 * 512;
    a_ = memory.take<double>(units + 512);
    b_ = memory.take<double>(units + 1024);
    c_ = memory.take<double>(units);
  }
  ATOLL_PLAIN void run(std::uint64_t first, std::uint64_t count) override {
    double* const a = a_;
    const double* const b = b_;
    const double* const c = c_;
    for (std::uint64_t i = first; i < first + count; ++i) a[i] = b[i] + 3.0 * c[i];
    asm volatile("" ::: "memory");
  }
  void append_accesses(std::uint64_t first, std::uint64_t count, simulate::Batch& batch) override {
    for (std::uint64_t i = first; i < first + count; ++i) {
      load(batch, c_ + i, 8, 3);  // count, compare, jump
      load(batch, b_ + i, 8, 0);  // includes the multiplication and addition
      store(batch, a_ + i, 8, 0);
    }
  }

 private:
  double *a_, *b_, *c_;
};

/// A thread's rows of 8 entries: with values, a sparse matrix-vector product; without, the sums of
/// PageRank.
class RowsLoop final : public Loop {
 public:
  static constexpr std::uint32_t kRow = 8;
  RowsLoop(PagedMemory& memory, std::size_t bytes, bool has_values, unsigned seed) {
    // The vector has half of the bytes. A row needs 4 bytes of begin, 4 (or 12) per entry, 8 of the
    // result.
    const std::size_t columns = bytes / 2 / sizeof(double);
    units = bytes / 2 / (4 + kRow * (has_values ? 12 : 4) + 8);
    begin_ = memory.take<std::uint32_t>(units + 1);
    column_ = memory.take<std::uint32_t>(units * kRow);
    if (has_values) value_ = memory.take<double>(units * kRow);
    x_ = memory.take<double>(columns);
    y_ = memory.take<double>(units);
    std::mt19937_64 random(seed);
    for (std::uint64_t i = 0; i <= units; ++i) begin_[i] = static_cast<std::uint32_t>(i * kRow);
    for (std::uint64_t i = 0; i < units * kRow; ++i)
      column_[i] = static_cast<std::uint32_t>(random() % columns);
  }
  void run(std::uint64_t first, std::uint64_t count) override {
    value_ != nullptr ? multiply(first, count) : add(first, count);
  }
  void append_accesses(std::uint64_t first, std::uint64_t count, simulate::Batch& batch) override {
    for (std::uint64_t row = first; row < first + count; ++row) {
      load(batch, begin_ + row + 1, 4, 4);
      for (std::uint32_t i = begin_[row]; i < begin_[row + 1]; ++i) {
        load(batch, column_ + i, 4, 3);  // count, compare, jump
        if (value_ != nullptr) load(batch, value_ + i, 8, 0);
        load(batch, x_ + column_[i], 8, 0, value_ != nullptr ? 2 : 1);
      }
      store(batch, y_ + row, 8, 3);
    }
  }

 private:
  ATOLL_PLAIN void multiply(std::uint64_t first, std::uint64_t count) {
    std::uint32_t i = begin_[first];
    for (std::uint64_t row = first; row < first + count; ++row) {
      double sum = 0;
      for (const std::uint32_t end = begin_[row + 1]; i < end; ++i)
        sum += value_[i] * x_[column_[i]];
      y_[row] = sum;
    }
  }
  ATOLL_PLAIN void add(std::uint64_t first, std::uint64_t count) {
    std::uint32_t i = begin_[first];
    for (std::uint64_t row = first; row < first + count; ++row) {
      double sum = 0;
      for (const std::uint32_t end = begin_[row + 1]; i < end; ++i) sum += x_[column_[i]];
      y_[row] = 0.15 + 0.85 * sum;
    }
  }
  std::uint32_t *begin_, *column_;
  double *value_ = nullptr, *x_, *y_;
};

/// Adds to a counter atomically, so that the thread needs exclusive access to its line each time.
class CounterLoop final : public Loop {
 public:
  explicit CounterLoop(std::atomic<std::uint64_t>* counter) : counter_(counter) { units = 1 << 20; }
  ATOLL_PLAIN void run(std::uint64_t, std::uint64_t count) override {
    for (; count > 0; --count) counter_->fetch_add(1);
  }
  void append_accesses(std::uint64_t, std::uint64_t count, simulate::Batch& batch) override {
    for (; count > 0; --count) {
      add(batch, counter_, 8, false, Styles::number(2, 0, true));  // count and jump
      add(batch, counter_, 8, true, Styles::number(0, 0, true));
    }
  }

 private:
  std::atomic<std::uint64_t>* counter_;
};

}  // namespace Atoll::bench
