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
#include "simulate/program.hpp"
#include "trace/memory_policy.hpp"

namespace Atoll::simulate {

/// An object whose pages are placed.
struct PlacedObject {
  trace::ObjectKind kind = trace::ObjectKind::other;
  std::uint64_t address = 0, bytes = 0;
  LayoutKind layout = LayoutKind::first_touch;
  bool is_named = false;          ///< --layout-of names it: that wins over the program's calls
  bool is_private = false;        ///< zeroed memory of the process's own: reads map zeros
  const PageMap* plan = nullptr;  ///< --plan has it: that wins over all; null: it doesn't
};

/// Its memories are positions in Model::memories.
using Asked = trace::Asked;

/// A page that a thread on `node` touches, or would touch.
struct Touch {
  std::uint64_t address = 0;
  std::uint32_t node = 0;
  Fault fault = {};
  const Asked* asked = nullptr;   ///< what calls of the program ask for there, or null
  std::optional<bool> huge = {};  ///< if they ask for huge pages there, or for none
};

class Placement {
 public:
  /// All must outlive this. `nodes_of_threads`: the nodes of the threads' places, by thread.
  Placement(const Machine& machine, const Model& model, const Options& options,
            const std::vector<std::uint32_t>& nodes_of_threads);

  /// The first reads of private memory map a page of zeros. (Else they allocate: where writes of
  /// some libraries aren't seen, memory that is read may hold something.)
  void share_zeros() { shares_zeros_ = true; }
  /// The page of an address of the object (null: of none).
  [[nodiscard]] Page touch(const PlacedObject* object, const Touch& touch);
  /// Returns true if touch() placed that page by the node of the touching thread alone.
  [[nodiscard]] bool is_first_touch(const PlacedObject* object, const Touch& touch,
                                    const Page& page) const;
  /// The memory that a policy wants for a page of that size; nothing: it says nothing.
  [[nodiscard]] std::optional<std::uint16_t> wanted(const Asked& asked, std::uint64_t address,
                                                    PageClass size, std::uint32_t node) const;
  /// Takes room for a page that moves to that memory. Returns false if the page stays.
  [[nodiscard]] bool move(const Page& page, std::uint16_t to);
  /// A page was given back.
  void dropped(const Page& page);
  /// Where memory lies that nothing else places; it must outlive this.
  void place_rest(const PageMap* rest) { rest_ = rest; }
  /// The memory of the copy that a node reads: its own.
  [[nodiscard]] std::uint16_t copy_for(std::uint32_t node) const {
    return model_->memory_of_node[node];
  }
  /// True if pages went to another memory than they should, as that was full.
  [[nodiscard]] bool has_spilled() const { return spilled_; }

 private:
  [[nodiscard]] PageClass size_of(const PlacedObject* object, const Touch& touch) const;
  /// `only`: null, or the memories that it may be.
  [[nodiscard]] std::uint16_t with_room(std::uint16_t wanted, std::uint64_t bytes,
                                        const std::vector<std::uint16_t>* only = nullptr);
  /// The memory that the object's plan has for a page. Empty if the plan leaves it to the system.
  [[nodiscard]] std::optional<std::uint16_t> planned(const PlacedObject& object,
                                                     std::uint64_t address,
                                                     std::uint64_t bytes) const;
  [[nodiscard]] std::optional<std::uint16_t> memory_of(std::optional<NodeId> node) const;

  const Machine* machine_;
  const Model* model_;
  Options options_;
  std::vector<std::uint16_t> used_;               ///< memories of the nodes with threads, ascending
  std::vector<std::uint16_t> of_threads_;         ///< the memory of each thread's node
  std::vector<std::uint64_t> room_;               ///< bytes left, by memory
  std::vector<std::vector<std::uint16_t>> near_;  ///< by node: all memories, as Linux tries them
  bool shares_zeros_ = false;
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
