// What the machine is: places, memories, and what it costs to reach each memory from each place. It
// is a value: it can come from this computer, a file or a table. Everything that decides takes it
// as an argument, so that decisions for another machine can be made and tested anywhere.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atoll/machine/figure.hpp"
#include "atoll/machine/hardware.hpp"
#include "atoll/machine/place.hpp"

namespace Atoll {

/// Bandwidths with some of an initiator's threads.
struct ThreadsBandwidth {
  int threads = 1;
  Figure read_bytes_per_second;
  Figure write_bytes_per_second;
  Figure copy_bytes_per_second;  ///< within one memory: bytes read and bytes written
  friend auto operator<=>(const ThreadsBandwidth&, const ThreadsBandwidth&) = default;
};

/// What lies between one initiator and one memory.
struct Link {
  Figure latency_ns;
  Figure read_bytes_per_second;  ///< all threads of the initiator together
  Figure write_bytes_per_second;
  double distance = 10;                      ///< SLIT units; 10 is local
  std::vector<ThreadsBandwidth> by_threads;  ///< ascending; empty where nobody measured
  friend bool operator==(const Link&, const Link&) = default;
};

/// One memory.
struct MemoryNode {
  NodeId id;
  std::string tier;                  ///< "dram", "hbm", "cxl", "pmem", "gpu"
  std::uint64_t capacity_bytes = 0;  ///< 0: unknown
  /// How much this computer's memory can still give: free memory and reclaimable file cache, less
  /// the system's reserve, within cgroups. If it is unknown, all of the capacity counts as free.
  std::optional<std::uint64_t> free_bytes;
  Source source;  ///< of the capacity, where that is known
  /// Free pages of the pools that were set aside (hugetlb), which are not part of the free bytes.
  std::uint64_t free_2m_pages = 0, free_1g_pages = 0;
  friend bool operator==(const MemoryNode&, const MemoryNode&) = default;
};

/// One processing unit (hardware thread).
struct Processor {
  int os_index = 0;
  int core = 0;  ///< index of its core, whose units share its caches; each its own if none is shown
  int package = 0;  ///< index of its package, 0 if none is shown
  NodeId node;      ///< the initiator it belongs to
  friend bool operator==(const Processor&, const Processor&) = default;
};

/// The sizes of caches and TLBs, for cost models. Bytes are per instance; 0: there is none or
/// unknown.
struct CacheFigures {
  std::uint64_t line_bytes = 64;
  std::uint64_t l1_bytes = 0, l2_bytes = 0, l3_bytes = 0;
  int l3_shared_by = 1;  ///< processing units that share one L3
  /// Entries of a core's last-level TLB for pages of this size; 0: unknown.
  std::uint64_t tlb_4k = 0, tlb_2m = 0, tlb_1g = 0;
  friend bool operator==(const CacheFigures&, const CacheFigures&) = default;
};

enum class Ordering { latency, bandwidth, capacity };

[[nodiscard]] std::string_view to_string(Ordering ordering);

/// An immutable description of a computer; cheap to copy.
class Machine {
 public:
  /// Describes this computer, through hwloc: the processing units that this process may run on (as
  /// of the first call, so that later calls are not misled by a pinned thread) and the free memory
  /// as of now. Figures that the system does not give (most give no latency or bandwidth, none
  /// gives remote pairs) are estimated from the distances, and say so.
  [[nodiscard]] static Machine this_computer();
  /// `what` is "" (this computer), a preset's name, an hwloc XML file (`*.xml`), a machine file
  /// (`*.json`, docs/machine-file.md), or an hwloc synthetic description ("pack:2 core:4 pu:2").
  /// Throws Error (input) if it is none of them, or contradicts itself; the message names the place
  /// in the file.
  [[nodiscard]] static Machine open(std::string_view what);
  /// Reads the text of a machine file; `where` names it in errors.
  [[nodiscard]] static Machine from_json(std::string_view text, std::string_view where);
  [[nodiscard]] static std::vector<std::string> preset_names();

  /// Writes a machine file that `from_json` reads back to an equal machine.
  [[nodiscard]] std::string to_json() const;

  [[nodiscard]] const std::string& name() const { return data_->name; }
  [[nodiscard]] const std::string& about() const { return data_->about; }
  [[nodiscard]] const Place& root() const { return data_->root; }
  /// The memories, ascending by id. There is at least one.
  [[nodiscard]] std::span<const MemoryNode> memories() const { return data_->memories; }
  /// What all memories together can still give. It is set if it is less than the sum of what each
  /// can, since a cgroup or the system limits them all.
  [[nodiscard]] std::optional<std::uint64_t> free_bytes() const { return data_->free_bytes; }
  /// Throws Error (input) if there is no such memory.
  [[nodiscard]] const MemoryNode& memory(NodeId id) const;
  [[nodiscard]] bool has_memory(NodeId id) const;
  /// The processing units in the order of the place tree: neighbours are near each other. There is
  /// at least one.
  [[nodiscard]] std::span<const Processor> processors() const { return data_->processors; }
  /// The nodes that have processing units, ascending. There is at least one. A node may have no
  /// memory.
  [[nodiscard]] const std::vector<NodeId>& initiators() const { return initiators_; }
  [[nodiscard]] const CacheFigures& caches() const { return data_->caches; }
  [[nodiscard]] const Hardware& hardware() const { return data_->hardware; }

  /// The link from one of initiators() to one of memories(). Throws Error (input) for others.
  [[nodiscard]] const Link& link(NodeId initiator, NodeId target) const;
  /// The initiator nearest to a memory by latency, then by distance, then by number. A node that
  /// has processing units is nearest to its own memory.
  [[nodiscard]] NodeId nearest_initiator(NodeId target) const;

  /// All memories, best first, as seen from `initiator` [numa-distance §3.3]: least latency, most
  /// read bandwidth, or most capacity; then by distance, then by number. An ordering set by hand in
  /// the machine file wins.
  [[nodiscard]] std::vector<NodeId> order(NodeId initiator, Ordering ordering) const;
  [[nodiscard]] bool order_is_by_hand(NodeId initiator, Ordering ordering) const;

  /// What a machine is made of. Every machine is built from one, and the constructor checks it.
  struct Data {
    std::string name;
    std::string about;
    Place root;
    std::vector<MemoryNode> memories;
    std::optional<std::uint64_t> free_bytes = {};
    std::vector<Processor> processors;
    CacheFigures caches;
    Hardware hardware = {};
    std::map<std::pair<NodeId, NodeId>, Link> links;  ///< (initiator, target), complete
    std::map<std::pair<NodeId, Ordering>, std::vector<NodeId>> orders_by_hand;
    friend bool operator==(const Data&, const Data&) = default;
  };
  /// Throws Error (input), naming `where`, if `data` contradicts itself.
  Machine(Data data, std::string_view where);

  /// The data, to make another machine from.
  [[nodiscard]] const Data& data() const { return *data_; }

  friend bool operator==(const Machine& a, const Machine& b) { return *a.data_ == *b.data_; }

 private:
  explicit Machine(Data&& checked);

  /// The initiator's links, by memory; empty for a node without processing units.
  [[nodiscard]] std::span<const Link* const> links_from(NodeId initiator) const;

  std::shared_ptr<const Data> data_;  ///< shared by copies: it never changes
  std::vector<NodeId> initiators_;
  std::vector<const Link*> links_;  ///< into *data_: a row for each initiator, memories ascending
};

}  // namespace Atoll
