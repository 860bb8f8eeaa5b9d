// Blockwise evaluation of reductions.
#include "stencil/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "atoll/base/error.hpp"
#include "stencil/state.hpp"

namespace Atoll::stencil {
namespace {

/// Calls work() with a value of the C++ type that corresponds to `type`.
template <class Work>
void with_type(ElementType type, Work&& work) {
  switch (type) {
    case ElementType::float32:
      return work(float{});
    case ElementType::float64:
      return work(double{});
    case ElementType::int8:
      return work(std::int8_t{});
    case ElementType::int16:
      return work(std::int16_t{});
    case ElementType::int32:
      return work(std::int32_t{});
    case ElementType::int64:
      return work(std::int64_t{});
    case ElementType::uint8:
      return work(std::uint8_t{});
    case ElementType::uint16:
      return work(std::uint16_t{});
    case ElementType::uint32:
      return work(std::uint32_t{});
    case ElementType::uint64:
      return work(std::uint64_t{});
  }
}

/// Returns the neutral element of the operation.
template <class T>
T neutral(ReduceOp op) {
  using Limits = std::numeric_limits<T>;
  if (op == ReduceOp::sum) return 0;
  if (op == ReduceOp::min) return Limits::has_infinity ? Limits::infinity() : Limits::max();
  return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
}

template <class T>
T combine(ReduceOp op, T a, T b) {
  if (op == ReduceOp::sum) return static_cast<T>(a + b);
  if (op == ReduceOp::min) return b < a ? b : a;
  return b > a ? b : a;
}

/// Returns the sum of values, added in an order that depends on their number only: eight partial
/// sums, which the compiler vectorizes, then a tree over them.
template <class T>
T sum_block(const T* values, int points) {
  T lanes[8] = {};
  int i = 0;
  for (; i + 8 <= points; i += 8)
    for (int lane = 0; lane < 8; ++lane)
      lanes[lane] = static_cast<T>(lanes[lane] + values[i + lane]);
  for (int lane = 0; i < points; ++i, ++lane) lanes[lane] = static_cast<T>(lanes[lane] + values[i]);
  for (int half = 4; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane)
      lanes[lane] = static_cast<T>(lanes[lane] + lanes[lane + half]);
  return lanes[0];
}

std::size_t blocks_of(const Range& range) {
  const int row = range.hi[0] - range.lo[0];
  return static_cast<std::size_t>((row + detail::kBlock - 1) / detail::kBlock);
}

std::size_t rows_of(const Range& range) {
  return static_cast<std::size_t>(range.hi[1] - range.lo[1]) *
         static_cast<std::size_t>(range.hi[2] - range.lo[2]);
}

}  // namespace

namespace detail {

void refuse_values(std::string_view loop, std::size_t count, std::optional<int> which) {
  throw Error::input(
      fmt::format("loop '{}'", loop),
      fmt::format("its kernel gives {} of a reduction that has {}",
                  which ? fmt::format("value {}", *which) : "a value beyond the last one", count),
      which ? "values are counted from 0; make the reduction with more"
            : "values are counted from 0; the mode 'checked' tells which one");
}

void Worker::begin_block(int points) const {
  for (std::size_t i = 0; i < slots.size(); ++i)
    with_type(slots[i].use.type, [&](auto type) {
      using T = decltype(type);
      for (int c = 0; c < slots[i].use.count; ++c)
        std::fill_n(buffer<T>(static_cast<int>(i)) + c * kBlock, points,
                    neutral<T>(slots[i].use.op));
    });
}

void Worker::end_block(int x, int y, int z, int points) const {
  const auto row = static_cast<std::size_t>(z - range.lo[2]) *
                       static_cast<std::size_t>(range.hi[1] - range.lo[1]) +
                   static_cast<std::size_t>(y - range.lo[1]);
  const std::size_t block =
      row * blocks_of(range) + static_cast<std::size_t>(x - range.lo[0]) / kBlock;
  for (std::size_t i = 0; i < slots.size(); ++i)
    with_type(slots[i].use.type, [&](auto type) {
      using T = decltype(type);
      const ReductionUse& use = slots[i].use;
      T* const results = reinterpret_cast<T*>(slots[i].result);
      for (int c = 0; c < use.count; ++c) {
        const T* const values = buffer<T>(static_cast<int>(i)) + c * kBlock;
        if (use.op == ReduceOp::sum) {
          results[block * static_cast<std::size_t>(use.count) + static_cast<std::size_t>(c)] =
              sum_block(values, points);
        } else {
          T best = results[c];
          for (int p = 0; p < points; ++p) best = combine(use.op, best, values[p]);
          results[c] = best;
        }
      }
    });
}

}  // namespace detail

LoopResults::LoopResults(const detail::DeclaredLoop& loop, int threads) : loop_(&loop) {
  for (const detail::ReductionUse& use : loop.reductions()) {
    One one{use, 0, 0, {}};
    const auto count = static_cast<std::size_t>(use.count);
    if (use.op == ReduceOp::sum) {
      one.parts = loop.range.empty() ? 0 : rows_of(loop.range) * blocks_of(loop.range);
      one.memory.resize((one.parts * count * bytes_of(use.type) + 7) / 8);
    } else {
      // Separate cache lines, so that threads don't write to the same one.
      one.stride = (count * bytes_of(use.type) + 127) / 64 * 64;
      one.parts = static_cast<std::size_t>(threads);
      one.memory.resize(one.stride / 8 * one.parts);
    }
    all_.push_back(std::move(one));
  }
}

void LoopResults::start() {
  for (One& one : all_)
    if (one.use.op != ReduceOp::sum)  // sums overwrite all their blocks
      with_type(one.use.type, [&](auto type) {
        using T = decltype(type);
        for (std::size_t part = 0; part < one.parts; ++part)
          std::fill_n(reinterpret_cast<T*>(one.memory.data() + part * one.stride / 8),
                      static_cast<std::size_t>(one.use.count), neutral<T>(one.use.op));
      });
}

void LoopResults::prepare(detail::Worker& worker, int thread) const {
  worker.range = loop_->range;
  worker.loop = loop_->name;
  worker.slots.clear();
  for (One& one : all_)
    worker.slots.push_back({one.use, reinterpret_cast<std::byte*>(one.memory.data()) +
                                         one.stride * static_cast<std::size_t>(thread)});
}

void LoopResults::finish() const {
  for (One& one : all_)
    with_type(one.use.type, [&](auto type) {
      using T = decltype(type);
      ReductionStorage& target = *one.use.target;
      const auto count = static_cast<std::size_t>(one.use.count);
      for (std::size_t c = 0; c < count; ++c) {
        T value;
        std::memcpy(&value, &target.values()[c], sizeof value);
        if (!target.started) value = neutral<T>(one.use.op);
        const T* results = reinterpret_cast<const T*>(one.memory.data());
        const std::size_t step = one.stride == 0 ? count : one.stride / sizeof(T);
        for (std::size_t part = 0; part < one.parts; ++part, results += step)
          value = combine(one.use.op, value, results[c]);
        if (one.use.op != ReduceOp::sum && value == T{}) value = T{};  // both zeros become +0
        std::memcpy(&target.values()[c], &value, sizeof value);
      }
      target.started = true;
    });
}

void provide_buffers(detail::Worker& worker, std::vector<std::vector<std::uint64_t>>& memory,
                     const detail::DeclaredLoop& loop) {
  if (memory.size() < loop.reductions().size()) memory.resize(loop.reductions().size());
  worker.buffers.clear();
  for (std::size_t i = 0; i < loop.reductions().size(); ++i) {
    const std::size_t rows =
        std::max(static_cast<std::size_t>(loop.reductions()[i].count) + 1, std::size_t{kLeastRows});
    const std::size_t words = rows * detail::kBlock;
    if (memory[i].size() < words) memory[i].resize(words);
    worker.buffers.push_back(reinterpret_cast<std::byte*>(memory[i].data()));
  }
}

}  // namespace Atoll::stencil
