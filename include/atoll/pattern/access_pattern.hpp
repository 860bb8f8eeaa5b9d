// How a program uses one array [shoal §3.1, §4, Table 1]. A person annotates it, the Green-Marl
// compiler derives it, or a profile shows it; policies choose layouts by it.
#pragma once

#include <string_view>
#include <vector>

#include "atoll/pattern/formula.hpp"

namespace Atoll {

/// The order in which a thread reaches elements.
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
  /// True if nothing writes the array after it was filled. An unused array is not read-only.
  [[nodiscard]] bool read_only() const;
  /// True if the array is only reached in parallel loops at the loop's own index ("indexed").
  [[nodiscard]] bool indexed() const;
  [[nodiscard]] Formula reads() const;
  [[nodiscard]] Formula writes() const;
  /// How many reads or writes of one order there are.
  [[nodiscard]] Formula count(bool write, Order order) const;

  /// Adds the accesses of `other`: of an array of the same length that swaps its memory with this
  /// one.
  void merge(const AccessPattern& other);

  friend bool operator==(const AccessPattern&, const AccessPattern&) = default;
};

/// What a programmer knows of an array [shoal §3.1: shl__malloc_array's arguments].
struct Hints {
  bool used = true;
  bool read_only = false;
  bool indexed = false;
  bool random = true;  ///< an array that isn't indexed is reached at random; false: in streams
  double accesses_per_element = 10;  ///< in a whole run
};
/// Makes a pattern of length N. An array that isn't read-only is written as often as it is read.
[[nodiscard]] AccessPattern pattern_of(const Hints& hints);

}  // namespace Atoll
