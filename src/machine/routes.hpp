// Routes of data between nodes over wires: the fewest wires, then the greatest bandwidth, then the
// first in the file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll::detail {

/// A wire with the direction of a transfer.
struct Hop {
  std::size_t wire = 0;
  bool forward = true;  ///< from Wire::a to Wire::b
};

/// The routes over a machine's wires. If the machine has no wires, each pair of an initiator and a
/// remote memory gets its own wire with the read bandwidth of their link.
class Routes {
 public:
  explicit Routes(const Machine::Data& data);
  /// All wires, including those made from links.
  [[nodiscard]] const std::vector<Wire>& wires() const { return wires_; }
  [[nodiscard]] bool are_known() const { return are_known_; }
  /// Returns the route between two nodes; std::nullopt if no wires connect them. The route from a
  /// node to itself is empty.
  [[nodiscard]] std::optional<std::vector<Hop>> find(NodeId from, NodeId to) const;

 private:
  struct Edge {
    std::size_t to;
    Hop hop;
  };
  struct Reached {
    std::size_t hops = ~std::size_t{0};
    double width = 0;
    std::size_t from = 0;
    Hop hop;
  };
  [[nodiscard]] std::size_t vertex(const std::string& end);
  [[nodiscard]] const std::vector<Reached>& reached_from(std::size_t start) const;

  std::vector<Wire> wires_;
  bool are_known_ = true;
  std::vector<std::string> ends_;  ///< names of nodes and routers, by vertex
  std::map<std::string, std::size_t> vertices_;
  std::vector<std::vector<Edge>> edges_;
  mutable std::map<std::size_t, std::vector<Reached>> reached_;  ///< by start vertex
};

/// Returns an error in the wires: a pair that they don't connect, or a wire with less bandwidth
/// than a link that uses it.
[[nodiscard]] std::optional<std::string> find_wrong_wire(const Machine::Data& data);

}  // namespace Atoll::detail
