// Results of a run as values for a report: the first rows of tables of properties, scalars, and the
// first items of collections.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program/elements.hpp"
#include "program/names.hpp"

namespace Atoll::program {

struct Value {
  ValueType type = ValueType::float64;
  Scalar value;
  std::string text;  ///< exact; the same as a table's cell
};

[[nodiscard]] Value value_of(ValueType type, Scalar value, const Names& names);

/// The results of one node or edge.
struct ResultRow {
  std::uint64_t id = 0;
  std::vector<std::string> names;  ///< a node's label, or the labels of an edge's ends
  std::vector<Value> values;
};

/// A table of the results of a graph's nodes or edges.
struct ResultTable {
  std::uint32_t graph = 0;  ///< index of the graph
  bool edges = false;
  std::string by;  ///< column that rows are ordered by
  bool ascending = false;
  std::vector<std::string> columns;
  std::vector<ResultRow> rows;
};

/// The report of one property.
struct ResultReport {
  std::uint32_t graph = 0;
  std::string name;
  ValueType type = ValueType::float64;
  bool edges = false;
  std::vector<ResultRow> top;  ///< highest (or lowest) first, ties by id
  std::optional<Value> sum;    ///< of numbers; for Bool, the number of True elements
};

/// One of several collections.
struct CollectionRow {
  std::vector<std::string> names;  ///< name of its node or edge; empty in a Collection
  std::uint64_t count = 0;
  std::vector<Value> items;  ///< the first items
};

struct CollectionReport {
  const CollectionUse* use = nullptr;
  std::uint64_t count = 0;
  std::vector<std::pair<Value, Value>>
      items;                        ///< the first items; without a map, `second` is empty
  std::vector<CollectionRow> many;  ///< the first of several collections
};

/// Selection and order of rows.
struct RowChoice {
  std::uint64_t count = 10;
  bool ascending = false;
  std::string by;  ///< "" means the first result
};

/// Makes the table of these results, which all belong to the nodes, or to the edges, of one graph.
[[nodiscard]] ResultTable table_of(const std::vector<Elements>& results, const RowChoice& choice);
[[nodiscard]] ResultReport report_of(const Elements& result, const RowChoice& choice);
[[nodiscard]] CollectionReport report_of(const Items& items, std::uint64_t count);
[[nodiscard]] CollectionReport report_of(const ManyItems& many, std::uint64_t count);

}  // namespace Atoll::program
