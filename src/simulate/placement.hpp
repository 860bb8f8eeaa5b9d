// Where the pages of a simulated program go when they are touched first: as its layouts, the policy
// or the touching thread say; if that memory is full, to the next one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/simulate/simulate.hpp"
#include "atoll/trace/recording.hpp"
#include "simulate/model.hpp"
#include "simulate/pages.hpp"
#include "simulate/planned.hpp"

namespace Atoll::simulate {

/// An object whose pages are placed.
struct PlacedObject {
  trace::ObjectKind kind = trace::ObjectKind::other;
  std::uint64_t address = 0, bytes = 0;
  LayoutKind layout = LayoutKind::first_touch;
  bool is_named = false;          ///< --layout-of names it: that wins over the program's calls
  const PageMap* plan = nullptr;  ///< --plan has it: that wins over all; null: it doesn't
};

/// What calls of the program ask for.
struct Asked {
  enum class How : std::uint8_t { nothing, first_of, in_turn, own };
  How how = How::nothing;
  std::vector<std::uint16_t> memories;  ///< those named, in order
  std::uint64_t origin = 0;             ///< in turn from this address on
};

class Placement {
 public:
  /// All must outlive this. `nodes_of_threads`: the nodes of the threads' places, by thread.
  Placement(const Machine& machine, const Model& model, const Options& options,
            const std::vector<std::uint32_t>& nodes_of_threads);

  /// The page of an address of the object (null: of none), touched by a thread on `node`. `asked`:
  /// null, or what calls of the program ask for there; `huge`: if they want huge pages there.
  [[nodiscard]] Page touch(const PlacedObject* object, std::uint64_t address, std::uint32_t node,
                           const Asked* asked = nullptr, std::optional<bool> huge = {});
  /// Where memory lies that nothing else places; it must outlive this.
  void place_rest(const PageMap* rest) { rest_ = rest; }
  /// The memory of the copy that a node reads: its own.
  [[nodiscard]] std::uint16_t copy_for(std::uint32_t node) const {
    return model_->memory_of_node[node];
  }
  /// True if pages went to another memory than they should, as that was full.
  [[nodiscard]] bool has_spilled() const { return spilled_; }

 private:
  [[nodiscard]] PageClass size_of(const PlacedObject* object, std::uint64_t address,
                                  std::optional<bool> huge) const;
  [[nodiscard]] std::uint16_t with_room(std::uint16_t wanted, std::uint64_t bytes);
  [[nodiscard]] std::optional<std::uint16_t> memory_of(std::optional<NodeId> node) const;

  const Machine* machine_;
  const Model* model_;
  Options options_;
  std::vector<std::uint16_t> used_;        ///< memories of the nodes with threads, ascending
  std::vector<std::uint16_t> of_threads_;  ///< the memory of each thread's node
  std::vector<std::uint64_t> room_;        ///< bytes left, by memory
  const PageMap* rest_ = nullptr;
  bool spilled_ = false;
};

/// True if reports call the object so.
[[nodiscard]] bool is_called(const trace::Recording& recording, const trace::Object& object,
                             const std::string& name);

/// --layout-of names what never came.
[[nodiscard]] Error no_such_object(const std::string& name);

/// A replicated object was written while time counted: its copies would differ.
[[nodiscard]] Error written_replica(std::uint64_t address);

}  // namespace Atoll::simulate
