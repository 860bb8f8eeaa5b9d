// What a run gives, as values that a report holds: the first rows of tables of its results,
// scalars, and the first items of collections.
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
  std::string text;  ///< exact, as a cell of a table
};

[[nodiscard]] Value value_of(ValueType type, Scalar value, const Names& names);

/// A node or an edge, and its results.
struct ResultRow {
  std::uint64_t id = 0;
  std::vector<std::string> names;  ///< a node's label, or the labels of an edge's ends
  std::vector<Value> values;
};

/// The results of nodes, or of edges, side by side.
struct ResultTable {
  std::uint32_t graph = 0;  ///< whose nodes or edges they are
  bool edges = false;
  std::string by;  ///< the column that the rows are ordered by
  bool ascending = false;
  std::vector<std::string> columns;
  std::vector<ResultRow> rows;
};

/// One result on its own.
struct ResultReport {
  std::uint32_t graph = 0;
  std::string name;
  ValueType type = ValueType::float64;
  bool edges = false;
  std::vector<ResultRow> top;  ///< highest (or lowest) first, ties by id
  std::optional<Value> sum;    ///< of numbers, and how often a Bool is True
};

/// One of several collections.
struct CollectionRow {
  std::vector<std::string> names;  ///< of its node or edge; empty in a Collection
  std::uint64_t count = 0;
  std::vector<Value> items;  ///< the first ones
};

struct CollectionReport {
  const CollectionUse* use = nullptr;
  std::uint64_t count = 0;
  std::vector<std::pair<Value, Value>>
      items;                        ///< the first ones; without a map the second is empty
  std::vector<CollectionRow> many;  ///< the first of several collections
};

/// How rows are chosen.
struct RowChoice {
  std::uint64_t count = 10;
  bool ascending = false;
  std::string by;  ///< "": the first result
};

/// The table of these results, which are all of one graph's nodes, or of its edges.
[[nodiscard]] ResultTable table_of(const std::vector<Elements>& results, const RowChoice& choice);
[[nodiscard]] ResultReport report_of(const Elements& result, const RowChoice& choice);
[[nodiscard]] CollectionReport report_of(const Items& items, std::uint64_t count);
[[nodiscard]] CollectionReport report_of(const ManyItems& many, std::uint64_t count);

}  // namespace Atoll::program
