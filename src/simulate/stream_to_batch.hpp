// Appends the records of a thread's stream to its batch.
#pragma once

#include <cstdint>
#include <optional>

#include "atoll/recording/stream.hpp"
#include "atoll/simulate/simulate.hpp"
#include "simulate/batch.hpp"

namespace Atoll::simulate {

/// The styles of one stream.
class StylesOfStream {
 public:
  /// Assumed number of instructions before each access of a stream without this information.
  static constexpr std::uint32_t kInstructions = 3;

  /// `tells_work`: styles contain the work before accesses (recording::StreamContents).
  explicit StylesOfStream(bool tells_work) : tells_work_(tells_work) {}

  /// Defines what the stream assumes without a definition. Call for each batch.
  void begin(Batch& batch) {
    if (has_begun_) return;
    has_begun_ = true;
    if (!tells_work_)
      for (std::uint32_t number = 0; number < recording::kAccessStyles; ++number)
        batch.define(number, {.work = {.instructions = kInstructions}});
  }
  void define(Batch& batch, std::uint32_t number, recording::AccessStyle style) const {
    if (!tells_work_) style.work.instructions = kInstructions;
    batch.define(number, style);
  }

 private:
  bool tells_work_, has_begun_ = false;
};

/// True if the event is about memory.
[[nodiscard]] inline bool is_about_memory(recording::RecordKind kind) {
  using Kind = recording::RecordKind;
  return kind == Kind::allocated || kind == Kind::freed || kind == Kind::mapped ||
         kind == Kind::unmapped;
}

/// The kind of mark as which a mark starts or ends the timed part (Batch::add); empty if it does
/// neither. `iterations`: number that have begun.
[[nodiscard]] inline std::optional<recording::RecordKind> mark_of(recording::RecordKind kind,
                                                                  const Options& options,
                                                                  std::uint64_t& iterations) {
  using Kind = recording::RecordKind;
  if ((kind == Kind::mark_begin || kind == Kind::mark_end) && options.only_between_marks)
    return kind;
  if (kind != Kind::mark_iteration || options.iterations == 0) return std::nullopt;
  const std::uint64_t begun = iterations++;
  if (begun == 0) return Kind::mark_begin;
  return begun == options.iterations ? std::optional(Kind::mark_end) : std::nullopt;
}

/// True for calls by which the kernel maps, unmaps or moves pages within the address space.
[[nodiscard]] inline bool is_about_mapping(recording::RecordKind kind) {
  using Kind = recording::RecordKind;
  return kind == Kind::pages_populated || kind == Kind::pages_discarded ||
         kind == Kind::pages_remapped;
}

}  // namespace Atoll::simulate
