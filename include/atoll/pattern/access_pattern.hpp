// How a program uses one array [shoal §3.1, §4, Table 1]: what a person annotates, the Green-Marl
// compiler derives, or a profile shows; what policies choose layouts by.
#pragma once

#include <string_view>
#include <vector>

#include "atoll/pattern/formula.hpp"

namespace Atoll {

/// Which elements a thread reaches, one after the other.
enum class Order {
  own,     ///< only element i, in the iteration i of a parallel loop: the paper's "indexed"
  near,    ///< i and i+1, as in begin[i], begin[i+1]
  stream,  ///< runs of neighbours that start where the data says, as in the edges of node i
  random,  ///< anywhere, as the data says
};

[[nodiscard]] std::string_view to_string(Order order);

/// One place in the program that reaches the array.
struct Access {
  bool write = false;
  Order order = Order::random;
  Formula count;  ///< how often in a whole run, all threads together
  friend bool operator==(const Access&, const Access&) = default;
};

/// How a program uses one array in a whole run.
struct AccessPattern {
  Formula elements;        ///< the array's length: N, N + 1 or E
  bool graph_own = false;  ///< one of the graph's own arrays ("std" in the paper's Table 1)
  bool temporary = false;  ///< lives in one procedure only ("tmp")
  std::vector<Access> accesses;

  [[nodiscard]] bool used() const { return !accesses.empty(); }
  /// Nothing writes it after it was filled. An unused array is not read-only.
  [[nodiscard]] bool read_only() const;
  /// Reached in parallel loops at the loop's own index only ("indexed").
  [[nodiscard]] bool indexed() const;
  [[nodiscard]] Formula reads() const;
  [[nodiscard]] Formula writes() const;
  /// Reads or writes of one order.
  [[nodiscard]] Formula count(bool write, Order order) const;

  /// Both patterns' accesses: of arrays that swap their memory, which have the same length.
  void merge(const AccessPattern& other);

  friend bool operator==(const AccessPattern&, const AccessPattern&) = default;
};

/// A pattern from what a programmer knows [shoal §3.1: shl__malloc_array's arguments].
struct Hints {
  bool used = true;
  bool read_only = false;
  bool indexed = false;
  bool random = true;                ///< what isn't indexed is reached at random, else in streams
  double accesses_per_element = 10;  ///< in a whole run
};
/// The length is N; what isn't read-only is written as often as it is read.
[[nodiscard]] AccessPattern pattern_of(const Hints& hints);

}  // namespace Atoll
