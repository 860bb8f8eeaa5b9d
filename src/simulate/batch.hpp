// Records of one thread in program order, as its stream has them. The records of each type are in a
// vector of their own; a compact list of steps refers to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/recording/stream.hpp"

namespace Atoll::simulate {

class Batch {
 public:
  /// Types of records.
  enum class Type : std::uint8_t { accesses, loop, work, event, wait, placement };
  struct Step {
    Type type;
    std::uint32_t first;   ///< index of its first record among those of the type
    std::uint32_t count;   ///< number of accesses; of a loop: of ranges; otherwise 1
    std::uint32_t styles;  ///< number of definitions of styles in the batch before it

    [[nodiscard]] bool takes_time() const { return type <= Type::work; }
  };
  /// Defines the style with that number for later accesses, also of later batches.
  struct StyleDefinition {
    std::uint32_t number;
    recording::AccessStyle style;
  };

  void define(std::uint32_t number, const recording::AccessStyle& style) {
    styles_.push_back({number, style});
  }
  void add(std::span<const recording::Access> accesses) {
    add_accesses(accesses.size());
    accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
  }
  void add(const recording::Access& access) {
    add_accesses(1);
    accesses_.push_back(access);
  }
  void add_loop(std::span<const recording::AccessRange> ranges) {
    add_step(Type::loop, ranges_.size(), ranges.size());
    ranges_.insert(ranges_.end(), ranges.begin(), ranges.end());
  }
  void add(const recording::Work& work) { add(Type::work, works_, work); }
  /// `mark_begin` and `mark_end` start and end the timed part, for all threads.
  void add(const recording::StreamEvent& event) { add(Type::event, events_, event); }
  void add(const recording::StreamWait& wait) { add(Type::wait, waits_, wait); }
  /// Copies the mask.
  void add(const recording::StreamPlacement& call) {
    Placement& added = add(Type::placement, placements_, Placement{call, {}});
    added.mask.assign(call.mask.begin(), call.mask.end());
    added.call.mask = added.mask;  // valid after moves, too, as the words stay
  }
  void clear() {
    steps_.clear();
    styles_.clear();
    accesses_.clear();
    ranges_.clear();
    works_.clear();
    events_.clear();
    waits_.clear();
    placements_.clear();
  }

  /// True if there is no record, apart from definitions of styles.
  [[nodiscard]] bool is_empty() const { return steps_.empty(); }
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] const std::vector<StyleDefinition>& styles() const { return styles_; }
  [[nodiscard]] std::span<const recording::Access> accesses() const { return accesses_; }
  [[nodiscard]] std::span<const recording::AccessRange> ranges_of(const Step& step) const {
    return std::span(ranges_).subspan(step.first, step.count);
  }
  [[nodiscard]] const recording::Work& work_of(const Step& step) const {
    return works_[step.first];
  }
  [[nodiscard]] const recording::StreamEvent& event_of(const Step& step) const {
    return events_[step.first];
  }
  [[nodiscard]] const recording::StreamWait& wait_of(const Step& step) const {
    return waits_[step.first];
  }
  [[nodiscard]] const recording::StreamPlacement& placement_of(const Step& step) const {
    return placements_[step.first].call;
  }

 private:
  struct Placement {
    recording::StreamPlacement call;
    std::vector<std::uint64_t> mask;
  };
  void add_step(Type type, std::size_t first, std::size_t count) {
    steps_.push_back({type, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count),
                      static_cast<std::uint32_t>(styles_.size())});
  }
  void add_accesses(std::size_t count) {
    if (!steps_.empty() && steps_.back().type == Type::accesses &&
        steps_.back().styles == styles_.size())
      steps_.back().count += static_cast<std::uint32_t>(count);
    else if (count > 0)
      add_step(Type::accesses, accesses_.size(), count);
  }
  template <class Record>
  Record& add(Type type, std::vector<Record>& all, const Record& record) {
    add_step(type, all.size(), 1);
    return all.emplace_back(record);
  }

  std::vector<Step> steps_;
  std::vector<StyleDefinition> styles_;
  std::vector<recording::Access> accesses_;
  std::vector<recording::AccessRange> ranges_;
  std::vector<recording::Work> works_;
  std::vector<recording::StreamEvent> events_;
  std::vector<recording::StreamWait> waits_;
  std::vector<Placement> placements_;
};

}  // namespace Atoll::simulate
