// A machine: places, memories, and the cost of each access path. It is a value from this computer,
// a file or a preset. Decisions take it as an argument, so they can be made and tested for any
// machine.
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

/// Bandwidths with a given number of an initiator's threads.
struct ThreadsBandwidth {
  int threads = 1;
  Figure read_bytes_per_second;
  Figure write_bytes_per_second;
  Figure copy_bytes_per_second;  ///< within one memory: the sum of bytes read and bytes written
  friend auto operator<=>(const ThreadsBandwidth&, const ThreadsBandwidth&) = default;
};

/// The access path from an initiator to a memory.
struct Link {
  Figure latency_ns;
  Figure read_bytes_per_second;  ///< with all threads of the initiator
  Figure write_bytes_per_second;
  double distance = 10;                      ///< SLIT units; 10 is local
  std::vector<ThreadsBandwidth> by_threads;  ///< ascending by thread count; empty if not measured
  friend bool operator==(const Link&, const Link&) = default;
};

/// One memory.
struct MemoryNode {
  NodeId id;
  std::string tier;                  ///< "dram", "hbm", "cxl", "pmem", "gpu"
  std::uint64_t capacity_bytes = 0;  ///< 0: unknown
  /// Bytes that can still be allocated: free memory and reclaimable file cache, without the reserve
  /// of the system, within the limits of cgroups. If unknown, the whole capacity counts as free.
  std::optional<std::uint64_t> free_bytes;
  Source source;  ///< of the capacity, if that is known
  /// Free pages in the pools of huge pages (hugetlb), which aren't part of free_bytes.
  std::uint64_t free_2m_pages = 0, free_1g_pages = 0;
  friend bool operator==(const MemoryNode&, const MemoryNode&) = default;
};

/// One processing unit (hardware thread).
struct Processor {
  int os_index = 0;
  int core = 0;  ///< index of its core, whose units share caches; unique for each unit if the tree
                 ///< has no cores
  int package = 0;  ///< index of its package, 0 if the tree has none
  NodeId node;      ///< the initiator that it belongs to
  friend bool operator==(const Processor&, const Processor&) = default;
};

/// The sizes of caches and TLBs, for cost models. Bytes are per instance; 0: none or unknown.
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
  /// Describes this computer through hwloc. Includes the processing units that this process may run
  /// on, as of the first call, so that pinning a thread later has no effect; free memory is as of
  /// now. Figures that the system doesn't report are estimated from distances and marked as such.
  /// Most systems report no latency or bandwidth; none reports remote pairs.
  [[nodiscard]] static Machine this_computer();
  /// `what` is "" (this computer), a preset's name, an hwloc XML file (`*.xml`), a machine file
  /// (`*.json`, docs/machine-file.md), or an hwloc synthetic description ("pack:2 core:4 pu:2").
  /// Throws Error (input) if `what` is none of these, or if the machine contradicts itself; the
  /// message has the position in the file.
  [[nodiscard]] static Machine open(std::string_view what);
  /// Parses the text of a machine file; `where` names the file in errors.
  [[nodiscard]] static Machine from_json(std::string_view text, std::string_view where);
  [[nodiscard]] static std::vector<std::string> preset_names();

  /// Returns the text of a machine file, from which `from_json` makes an equal machine.
  [[nodiscard]] std::string to_json() const;

  [[nodiscard]] const std::string& name() const { return data_->name; }
  [[nodiscard]] const std::string& about() const { return data_->about; }
  [[nodiscard]] const Place& root() const { return data_->root; }
  /// The memories, ascending by id. There is at least one.
  [[nodiscard]] std::span<const MemoryNode> memories() const { return data_->memories; }
  /// Free bytes of all memories together. Set only if it is less than the sum over the memories,
  /// because a cgroup or the system limits the total.
  [[nodiscard]] std::optional<std::uint64_t> free_bytes() const { return data_->free_bytes; }
  /// Throws Error (input) if there is no such memory.
  [[nodiscard]] const MemoryNode& memory(NodeId id) const;
  [[nodiscard]] bool has_memory(NodeId id) const;
  /// The processing units in tree order, so that neighbours are near each other. There is at least
  /// one.
  [[nodiscard]] std::span<const Processor> processors() const { return data_->processors; }
  /// The nodes with processing units, ascending. There is at least one. An initiator may have no
  /// memory.
  [[nodiscard]] const std::vector<NodeId>& initiators() const { return initiators_; }
  [[nodiscard]] const CacheFigures& caches() const { return data_->caches; }
  [[nodiscard]] const Hardware& hardware() const { return data_->hardware; }

  /// The link from one of initiators() to one of memories(). Throws Error (input) for other nodes.
  [[nodiscard]] const Link& link(NodeId initiator, NodeId target) const;
  /// The initiator nearest to a memory by latency, then by distance, then by number. For a memory
  /// whose node has processing units, this is the node itself.
  [[nodiscard]] NodeId nearest_initiator(NodeId target) const;

  /// Returns all memories, best first, for accesses from `initiator` [numa-distance §3.3]: lowest
  /// latency, highest read bandwidth, or greatest capacity; ties are ordered by distance, then by
  /// number. An ordering in the machine file takes precedence.
  [[nodiscard]] std::vector<NodeId> order(NodeId initiator, Ordering ordering) const;
  [[nodiscard]] bool order_is_by_hand(NodeId initiator, Ordering ordering) const;

  /// The data of a machine. The constructor of Machine checks it.
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
  /// Throws Error (input) that names `where` if `data` contradicts itself.
  Machine(Data data, std::string_view where);

  /// The data, for building another machine.
  [[nodiscard]] const Data& data() const { return *data_; }

  friend bool operator==(const Machine& a, const Machine& b) { return *a.data_ == *b.data_; }

 private:
  explicit Machine(Data&& checked);

  /// The initiator's links in order of memories; empty for a node without processing units.
  [[nodiscard]] std::span<const Link* const> links_from(NodeId initiator) const;

  std::shared_ptr<const Data> data_;  ///< immutable, shared by copies
  std::vector<NodeId> initiators_;
  std::vector<const Link*> links_;  ///< into *data_: row of an initiator, columns of memories
};

}  // namespace Atoll
