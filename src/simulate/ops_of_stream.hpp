// Conversion of a thread's stream into ops of the engine.
#pragma once

#include <array>
#include <limits>
#include <span>

#include "atoll/recording/stream.hpp"
#include "atoll/simulate/simulate.hpp"
#include "simulate/program.hpp"

namespace Atoll::simulate {

[[nodiscard]] inline Op op_of(const recording::StreamWait& wait) {
  using Kind = recording::RecordKind;
  switch (wait.kind) {
    case Kind::released:
      return {
          .kind = Op::Kind::release, .address = wait.release, .key = wait.key, .count = wait.count};
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
    case Kind::turn:
      return {.kind = Op::Kind::turn, .key = wait.key};
    default:  // asleep
      break;
  }
  return {.kind = Op::Kind::asleep, .address = wait.other_key, .key = wait.key};
}

[[nodiscard]] inline Op op_of(const recording::Work& work) {
  return {.kind = Op::Kind::work,
          .address = work.instructions,
          .first = static_cast<std::uint32_t>(work.divisions),
          .count = static_cast<std::uint32_t>(work.chain)};
}

/// Appends an op that discards the pages of freed memory.
inline void append_gone(Batch& batch, const recording::StreamEvent& event) {
  using Kind = recording::RecordKind;
  if ((event.kind == Kind::freed || event.kind == Kind::unmapped) && event.bytes > 0)
    batch.ops.push_back({.kind = Op::Kind::discard, .address = event.address, .key = event.bytes});
}

/// Appends an op for a call by which the kernel maps, unmaps or moves pages within the address
/// space. Returns false for other calls.
inline bool append_pages(Batch& batch, const recording::StreamPlacement& call) {
  using Kind = recording::RecordKind;
  switch (call.kind) {
    case Kind::pages_populated:
      batch.ops.push_back({.kind = Op::Kind::populate,
                           .write = call.by_write,
                           .address = call.address,
                           .key = call.bytes});
      return true;
    case Kind::pages_discarded:
      batch.ops.push_back({.kind = Op::Kind::discard, .address = call.address, .key = call.bytes});
      return true;
    case Kind::pages_remapped:
      batch.ops.push_back({.kind = Op::Kind::remap,
                           .address = call.address,
                           .key = call.new_address,
                           .count = static_cast<std::uint32_t>(call.bytes >> kPageBits[0])});
      return true;
    default:
      return false;
  }
}

/// Converts the accesses of one stream, with the styles that it has defined.
class OpsOfStream {
 public:
  /// Assumed number of instructions before each access of a stream without this information.
  static constexpr std::uint32_t kInstructions = 3;

  /// `tells_work`: styles contain the work before accesses (recording::StreamContents).
  explicit OpsOfStream(bool tells_work) : tells_work_(tells_work) {
    if (!tells_work) styles_.fill({.work = {.instructions = kInstructions}});
  }

  void style(std::uint32_t number, const recording::AccessStyle& style) {
    recording::AccessStyle& ours = styles_[number];
    ours = style;
    if (!tells_work_) ours.work.instructions = kInstructions;
    if (ours.depends_on > std::numeric_limits<std::uint16_t>::max()) ours.depends_on = 0;
  }
  void append(Batch& batch, std::span<const recording::Access> accesses) const {
    for (const recording::Access& access : accesses) {
      const recording::AccessStyle& style = styles_[access.style];
      batch.ops.push_back({.write = access.write,
                           .atomic = style.atomic,
                           .bytes = static_cast<std::uint16_t>(access.bytes),
                           .depends_on = static_cast<std::uint16_t>(style.depends_on),
                           .divisions = static_cast<std::uint16_t>(style.work.divisions),
                           .chain = static_cast<std::uint16_t>(style.work.chain),
                           .instructions = style.work.instructions,
                           .address = access.address});
    }
  }
  void append_loop(Batch& batch, std::span<const recording::AccessRange> parts) const {
    batch.ops.push_back({.kind = Op::Kind::loop,
                         .first = static_cast<std::uint32_t>(batch.ranges.size()),
                         .count = static_cast<std::uint32_t>(parts.size())});
    for (const recording::AccessRange& part : parts) {
      const recording::AccessStyle& style = styles_[part.style];
      batch.ranges.push_back({.address = part.address,
                              .step = part.step,
                              .n = part.n,
                              .bytes = part.bytes,
                              .instructions = style.work.instructions,
                              .depends_on = part.depends_on,
                              .divisions = static_cast<std::uint16_t>(style.work.divisions),
                              .chain = static_cast<std::uint16_t>(style.work.chain),
                              .write = part.write,
                              .atomic = style.atomic});
    }
  }

 private:
  bool tells_work_;
  std::array<recording::AccessStyle, recording::kAccessStyles> styles_{};
};

/// Appends the ops by which a mark starts or ends the timed part. `iterations`: number that have
/// begun.
inline void append_mark(Batch& batch, recording::RecordKind kind, const Options& options,
                        std::uint64_t& iterations) {
  using Kind = recording::RecordKind;
  const auto add = [&](Op::Kind op) { batch.ops.push_back({.kind = op}); };
  if (kind == Kind::mark_begin && options.only_between_marks) add(Op::Kind::timed_begin);
  if (kind == Kind::mark_end && options.only_between_marks) add(Op::Kind::timed_end);
  if (kind != Kind::mark_iteration || options.iterations == 0) return;
  if (iterations == 0) add(Op::Kind::timed_begin);
  if (iterations == options.iterations) add(Op::Kind::timed_end);
  ++iterations;
}

}  // namespace Atoll::simulate
