// Where the pages of a simulated program go when they are touched first: as its layouts, the policy
// or the touching thread say; if that memory is full, to the next one.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "atoll/simulate/simulate.hpp"
#include "atoll/trace/recording.hpp"
#include "simulate/model.hpp"
#include "simulate/pages.hpp"

namespace Atoll::simulate {

class Placement {
 public:
  /// All must outlive this. `used_nodes`: the nodes of the threads' places, by thread.
  Placement(const Machine& machine, const Model& model, const Options& options,
            const trace::Recording& recording, const std::vector<std::uint32_t>& nodes_of_threads);

  /// The page of an address of the object (trace::kNone: of none), touched by a thread on `node`.
  [[nodiscard]] Page touch(std::uint32_t object, std::uint64_t address, std::uint32_t node);
  /// The memory of the copy that a node reads: its own.
  [[nodiscard]] std::uint16_t copy_for(std::uint32_t node) const {
    return model_->memory_of_node[node];
  }
  /// True if pages went to another memory than they should, as that was full.
  [[nodiscard]] bool has_spilled() const { return spilled_; }

 private:
  [[nodiscard]] PageClass size_of(const trace::Object* object, std::uint64_t address) const;
  [[nodiscard]] std::uint16_t with_room(std::uint16_t wanted, std::uint64_t bytes);

  const Machine* machine_;
  const Model* model_;
  const trace::Recording* recording_;
  Options options_;
  std::vector<LayoutKind> layouts_;       ///< by object
  std::vector<std::uint16_t> used_;       ///< memories of the nodes with threads, ascending
  std::vector<std::uint16_t> of_threads_;  ///< the memory of each thread's node
  std::vector<std::uint64_t> room_;       ///< bytes left, by memory
  bool spilled_ = false;
};

}  // namespace Atoll::simulate
