// Selects rows with a heap, so that a short table needs no memory for each node.
#include "program/results.hpp"

#include <algorithm>
#include <cmath>

#include "program/words.hpp"

namespace Atoll::program {
namespace {

/// Orders elements: highest or lowest first, ties by id. NaN and NIL are last.
class Order {
 public:
  Order(const Elements& elements, bool ascending) : elements_(elements), ascending_(ascending) {}

  bool operator()(std::uint64_t a, std::uint64_t b) const {
    const Scalar x = elements_.get(a), y = elements_.get(b);
    if (is_nothing(x) != is_nothing(y)) return is_nothing(y);
    if (is_nothing(x) || x == y) return a < b;
    return ascending_ ? x < y : y < x;
  }

 private:
  [[nodiscard]] bool is_nothing(Scalar value) const {
    if (const double* number = std::get_if<double>(&value)) return std::isnan(*number);
    return is_nil(elements_.type, value, *elements_.value_names);
  }

  const Elements& elements_;
  bool ascending_;
};

std::vector<std::uint64_t> first_by(const Elements& elements, const RowChoice& choice) {
  const Order before(elements, choice.ascending);
  const std::uint64_t count = std::min(choice.count, elements.count);
  std::vector<std::uint64_t> ids;  // a heap with the last row of the order in front
  for (std::uint64_t id = 0; id < elements.count && count > 0; ++id) {
    if (ids.size() == count) {
      if (!before(id, ids.front())) continue;
      std::ranges::pop_heap(ids, before);
      ids.pop_back();
    }
    ids.push_back(id);
    std::ranges::push_heap(ids, before);
  }
  std::ranges::sort_heap(ids, before);
  return ids;
}

ResultRow row_of(std::uint64_t id, bool edges, const Names& names) {
  ResultRow row{.id = id, .names = {}, .values = {}};
  if (!edges) {
    row.names = {names.label(id)};
  } else {
    const Names::Ends ends = names.ends(id);
    row.names = {names.label(ends.from), names.label(ends.to)};
  }
  return row;
}

std::optional<Value> sum_of(const Elements& result) {
  const Names& names = *result.value_names;
  if (result.type == ValueType::node || result.type == ValueType::edge) return std::nullopt;
  if (result.type == ValueType::float32 || result.type == ValueType::float64) {
    double sum = 0;
    for (std::uint64_t id = 0; id < result.count; ++id) sum += std::get<double>(result.get(id));
    return value_of(ValueType::float64, sum, names);
  }
  __extension__ using Wide = __int128;
  Wide sum = 0;
  for (std::uint64_t id = 0; id < result.count; ++id) sum += std::get<std::int64_t>(result.get(id));
  if (sum != static_cast<std::int64_t>(sum))
    return value_of(ValueType::float64, static_cast<double>(sum), names);
  return value_of(ValueType::int64, static_cast<std::int64_t>(sum), names);
}

}  // namespace

Value value_of(ValueType type, Scalar value, const Names& names) {
  return {type, value, cell_text(type, value, names)};
}

ResultTable table_of(const std::vector<Elements>& results, const RowChoice& choice) {
  const auto named =
      std::ranges::find_if(results, [&](const Elements& r) { return r.name == choice.by; });
  const Elements& by = named == results.end() ? results.front() : *named;
  ResultTable table{.graph = by.graph,
                    .edges = by.edges,
                    .by = by.name,
                    .ascending = choice.ascending,
                    .columns = {},
                    .rows = {}};
  for (const Elements& result : results) table.columns.push_back(result.name);
  for (const std::uint64_t id : first_by(by, choice)) {
    ResultRow& row = table.rows.emplace_back(row_of(id, by.edges, *by.names));
    for (const Elements& result : results)
      row.values.push_back(value_of(result.type, result.get(id), *result.value_names));
  }
  return table;
}

ResultReport report_of(const Elements& result, const RowChoice& choice) {
  return {.graph = result.graph,
          .name = result.name,
          .type = result.type,
          .edges = result.edges,
          .top = table_of({result}, choice).rows,
          .sum = sum_of(result)};
}

CollectionReport report_of(const Items& items, std::uint64_t count) {
  CollectionReport report{.use = items.use, .count = items.count, .items = {}, .many = {}};
  const bool map = items.use->kind == CollectionKind::map;
  items.visit(count, [&](Scalar item, Scalar value) {
    report.items.emplace_back(
        value_of(map ? items.use->key : ValueType::node, item, *items.names),
        map ? value_of(items.use->value, value, *items.value_names) : Value{});
  });
  return report;
}

CollectionReport report_of(const ManyItems& many, std::uint64_t count) {
  CollectionReport report{.use = many.use, .count = many.count, .items = {}, .many = {}};
  for (std::uint64_t i = 0; i < std::min(count, many.count); ++i) {
    CollectionRow& row = report.many.emplace_back();
    if (many.use->place != CollectionPlace::listed)
      row.names = row_of(i, many.use->place == CollectionPlace::edges, *many.names).names;
    const Items items = many.at(i);
    row.count = items.count;
    items.visit(count, [&](Scalar item, Scalar) {
      row.items.push_back(value_of(ValueType::node, item, *items.names));
    });
  }
  return report;
}

}  // namespace Atoll::program
