// A program's use of one array [shoal §3.1, §4, Table 1]: annotated by a programmer, derived by the
// Green-Marl compiler or measured by a profile. Policies choose layouts by it.
#pragma once

#include <string_view>
#include <vector>

#include "atoll/pattern/formula.hpp"

namespace Atoll {

/// The order in which a thread accesses elements.
enum class Order {
  own,     ///< element i in iteration i of a parallel loop; the paper's "indexed"
  near,    ///< elements i and i+1, such as begin[i], begin[i+1]
  stream,  ///< consecutive elements from a start that depends on data, such as the edges of node i
  random,  ///< any element, depending on data
};

[[nodiscard]] std::string_view to_string(Order order);

/// One access in the program's code.
struct PatternAccess {
  bool write = false;
  Order order = Order::random;
  Formula count;  ///< number of executions in a whole run, by all threads
  friend bool operator==(const PatternAccess&, const PatternAccess&) = default;
};

/// A program's use of one array in a whole run.
struct AccessPattern {
  Formula elements;        ///< the array's length: N, N + 1 or E
  bool graph_own = false;  ///< true for an array of the graph itself ("std" in the paper's Table 1)
  bool temporary = false;  ///< true if only one procedure uses it ("tmp")
  std::vector<PatternAccess> accesses;

  [[nodiscard]] bool used() const { return !accesses.empty(); }
  /// Returns true if no access writes the array after it was filled. An unused array is not
  /// read-only.
  [[nodiscard]] bool read_only() const;
  /// Returns true if all accesses are in parallel loops at the loop's own index ("indexed").
  [[nodiscard]] bool indexed() const;
  [[nodiscard]] Formula reads() const;
  [[nodiscard]] Formula writes() const;
  /// Returns the number of reads or writes of one order.
  [[nodiscard]] Formula count(bool write, Order order) const;

  /// Adds the accesses of `other`, an array of the same length that swaps its memory with this one.
  void merge(const AccessPattern& other);

  friend bool operator==(const AccessPattern&, const AccessPattern&) = default;
};

/// A programmer's knowledge of an array [shoal §3.1: shl__malloc_array's arguments].
struct Hints {
  bool used = true;
  bool read_only = false;
  bool indexed = false;
  bool random = true;  ///< order of accesses if not indexed: random, or streams if false
  double accesses_per_element = 10;  ///< in a whole run
};
/// Makes a pattern of length N. An array that isn't read-only is written as often as it is read.
[[nodiscard]] AccessPattern pattern_of(const Hints& hints);

}  // namespace Atoll
