// What a thread's stream has, as ops of the engine.
#pragma once

#include <span>

#include "atoll/simulate/simulate.hpp"
#include "atoll/trace/stream.hpp"
#include "simulate/program.hpp"

namespace Atoll::simulate {

[[nodiscard]] inline Op op_of(const trace::StreamWait& wait) {
  using Kind = trace::StreamWait::Kind;
  switch (wait.kind) {
    case Kind::released:
      return {.kind = Op::Kind::release, .address = wait.release, .key = wait.key};
    case Kind::waited:
      return {.kind = Op::Kind::wait_for, .address = wait.release};
    case Kind::expects:
      return {.kind = Op::Kind::expects, .address = wait.release, .count = wait.count};
    case Kind::barrier:
      return {
          .kind = Op::Kind::barrier, .address = wait.number, .key = wait.key, .count = wait.count};
    case Kind::posted:
      return {.kind = Op::Kind::post, .address = wait.number, .key = wait.key};
    case Kind::took:
      return {.kind = Op::Kind::take, .address = wait.number, .key = wait.key};
    case Kind::asleep:
      break;
  }
  return {.kind = Op::Kind::asleep, .address = wait.other_key, .key = wait.key};
}

/// What a trace without work between its accesses is taken to do for each.
inline constexpr std::uint32_t kInstructions = 3;

inline void append(Batch& batch, std::span<const trace::Access> accesses) {
  for (const trace::Access& access : accesses)
    batch.ops.push_back({.write = access.write,
                         .bytes = static_cast<std::uint16_t>(access.bytes),
                         .instructions = kInstructions,
                         .address = access.address});
}

inline void append_loop(Batch& batch, std::span<const trace::AccessRange> parts) {
  batch.ops.push_back({.kind = Op::Kind::loop,
                       .first = static_cast<std::uint32_t>(batch.ranges.size()),
                       .count = static_cast<std::uint32_t>(parts.size())});
  for (const trace::AccessRange& part : parts)
    batch.ranges.push_back(
        {part.address, part.step, part.n, part.bytes, kInstructions, part.write});
}

/// Marks decide when time counts. `iterations`: how many have begun.
inline void append_mark(Batch& batch, trace::StreamEvent::Kind kind, const Options& options,
                        std::uint64_t& iterations) {
  using Kind = trace::StreamEvent::Kind;
  const auto add = [&](Op::Kind op) { batch.ops.push_back({.kind = op}); };
  if (kind == Kind::mark_begin && options.only_between_marks) add(Op::Kind::timed_begin);
  if (kind == Kind::mark_end && options.only_between_marks) add(Op::Kind::timed_end);
  if (kind != Kind::mark_iteration || options.iterations == 0) return;
  if (iterations == 0) add(Op::Kind::timed_begin);
  if (iterations == options.iterations) add(Op::Kind::timed_end);
  ++iterations;
}

}  // namespace Atoll::simulate
