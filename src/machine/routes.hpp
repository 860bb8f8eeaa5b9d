// Which wires data pass from node to node: the fewest, of these the widest, of these the first
// ones.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll::detail {

/// A wire in one of its directions.
struct Hop {
  std::size_t wire = 0;
  bool forward = true;  ///< from Wire::a to Wire::b
};

/// The routes of a machine's wires; where it tells of none, each pair of an initiator and another
/// memory has one of its own, as wide as the pair's link.
class Routes {
 public:
  explicit Routes(const Machine::Data& data);
  /// All wires, with those that stand for the machine's links.
  [[nodiscard]] const std::vector<Wire>& wires() const { return wires_; }
  [[nodiscard]] bool are_known() const { return are_known_; }
  /// From one node to another; nothing if no wires lead there. A node reaches itself by none.
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
  std::vector<std::string> ends_;  ///< by vertex
  std::map<std::string, std::size_t> vertices_;
  std::vector<std::vector<Edge>> edges_;
  mutable std::map<std::size_t, std::vector<Reached>> reached_;  ///< by where from
};

/// What is wrong with the wires: a pair that they don't join, or one that gets less than its link.
[[nodiscard]] std::optional<std::string> find_wrong_wire(const Machine::Data& data);

}  // namespace Atoll::detail
