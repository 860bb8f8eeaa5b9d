// Placement of a simulated program's pages at their first touch: by its layouts, the policy, or the
// touching thread. If that memory is full, by the next one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/recording/recording.hpp"
#include "atoll/simulate/simulate.hpp"
#include "recording/pages/memory_policy.hpp"
#include "simulate/model.hpp"
#include "simulate/pages.hpp"
#include "simulate/plan_matcher.hpp"
#include "simulate/program.hpp"

namespace Atoll::simulate {

/// An object whose pages are placed.
struct PlacedObject {
  recording::ObjectKind kind = recording::ObjectKind::other;
  std::uint64_t address = 0, bytes = 0;
  ObjectLayout layout = ObjectLayout::first_touch;
  bool is_named = false;          ///< by --layout-of, which overrides the program's calls
  bool is_private = false;        ///< private zeroed memory: reads map zero pages
  const PageMap* plan = nullptr;  ///< pages of --plan, which overrides all else; null: none
};

/// Its memories are indices in Model::memories.
using PagePolicy = recording::PagePolicy;

/// A page that a thread on `node` touches, or would touch.
struct Touch {
  std::uint64_t address = 0;
  std::uint32_t node = 0;
  Fault fault = {};
  const PagePolicy* asked = nullptr;  ///< policy set by the program's calls; null: none
  std::optional<bool> huge = {};      ///< huge pages requested or forbidden by the program's calls
};

class Placement {
 public:
  /// `nodes_of_threads`: node of each thread's place. All references must outlive this object.
  Placement(const Machine& machine, const Model& model, const Options& options,
            const std::vector<std::uint32_t>& nodes_of_threads);

  /// Lets first reads of private memory map a zero page. (Otherwise they allocate: if writes of
  /// some libraries aren't recorded, the memory may have contents.)
  void share_zeros() { shares_zeros_ = true; }
  /// Places the page of an address in the object; null: in no object.
  [[nodiscard]] Page touch(const PlacedObject* object, const Touch& touch);
  /// True if touch() placed that page only because of the touching thread's node.
  [[nodiscard]] bool is_first_touch(const PlacedObject* object, const Touch& touch,
                                    const Page& page) const;
  /// Returns the memory that a policy selects for a page of that size; empty if it selects none.
  [[nodiscard]] std::optional<std::uint16_t> wanted(const PagePolicy& asked, std::uint64_t address,
                                                    PageClass size, std::uint32_t node) const;
  /// Reserves space in memory `to` for a page that moves there. Returns false if the page stays.
  [[nodiscard]] bool move(const Page& page, std::uint16_t to);
  /// Frees the space of an unmapped page.
  void dropped(const Page& page);
  /// Sets the placement of memory that nothing else places. `rest` must outlive this object.
  void place_rest(const PageMap* rest) { rest_ = rest; }
  /// The memory of the copy that a node reads: the node's own.
  [[nodiscard]] std::uint16_t copy_for(std::uint32_t node) const {
    return model_->memory_of_node[node];
  }
  /// True if pages went to another memory because the selected one was full.
  [[nodiscard]] bool has_spilled() const { return spilled_; }

 private:
  [[nodiscard]] PageClass size_of(const PlacedObject* object, const Touch& touch) const;
  /// Reserves space in `wanted` or, if it is full, in the next memory. `only`: permitted memories;
  /// null: all.
  [[nodiscard]] std::uint16_t with_room(std::uint16_t wanted, std::uint64_t bytes,
                                        const std::vector<std::uint16_t>* only = nullptr);
  /// The memory of a page in the object's plan. Empty if the plan leaves it to the system.
  [[nodiscard]] std::optional<std::uint16_t> planned(const PlacedObject& object,
                                                     std::uint64_t address,
                                                     std::uint64_t bytes) const;
  [[nodiscard]] std::optional<std::uint16_t> memory_of(std::optional<NodeId> node) const;

  const Machine* machine_;
  const Model* model_;
  Options options_;
  std::vector<std::uint16_t> used_;               ///< memories of the nodes with threads, ascending
  std::vector<std::uint16_t> of_threads_;         ///< the memory of each thread's node
  std::vector<std::uint64_t> room_;               ///< free bytes, by memory
  std::vector<std::vector<std::uint16_t>> near_;  ///< by node: all memories, as Linux tries them
  bool shares_zeros_ = false;
  const PageMap* rest_ = nullptr;
  bool spilled_ = false;
};

/// True if reports use this name for the object.
[[nodiscard]] bool is_called(const recording::Recording& recording, const recording::Object& object,
                             const std::string& name);

/// Error for a name in --layout-of that no object has.
[[nodiscard]] Error no_such_object(const std::string& name);

/// Error for a replicated object that is written in the timed part: its copies would differ.
[[nodiscard]] Error written_replica(std::uint64_t address);

}  // namespace Atoll::simulate
