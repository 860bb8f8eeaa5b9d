// Reads input files, in which each element must occur exactly once. If a file is in the order of
// ids, as --save writes it, labels aren't looked up; duplicate labels are then allowed.
#include "program/input_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "graph/input_file.hpp"
#include "program/rows.hpp"

namespace Atoll::program {
namespace {

std::string one_more(std::uint64_t count) {
  return count == 0 ? "" : fmt::format(", and for {} more", format_count(count));
}

std::string name_of(std::uint64_t id, bool edges, const Names& names) {
  return fmt::format(
      "{} '{}'", edges ? "edge" : "node",
      cell_text(edges ? ValueType::edge : ValueType::node, static_cast<std::int64_t>(id), names));
}

/// Reads the names at the begin of rows: each node or each edge must have exactly one row.
class RowNames {
 public:
  RowNames(bool edges, std::uint64_t count, const Names& names, const RowReader& rows)
      : edges_(edges), count_(count), names_(names), rows_(rows), seen_(count) {}

  /// Reads the name from the next row and returns its id.
  std::uint64_t take(WordReader& words) {
    const std::uint64_t id = edges_ ? take_edge(words, read_) : take_node(words, read_);
    seen_[id] = true;
    ++read_;
    return id;
  }
  /// Throws Error (input) if a row is missing.
  void finish() const {
    if (read_ < count_) refuse_missing(count_ - read_);
  }

 private:
  [[nodiscard]] const std::string& text(std::size_t word) const { return rows_.words()[word].text; }

  std::uint64_t take_node(WordReader& words, std::uint64_t row) {
    in_order_ = in_order_ && row < count_ && names_.is(row, text(0));
    if (in_order_) {
      words.skip(1);
      return row;
    }
    const std::uint64_t node = words.take_node(names_);
    if (seen_[node]) refuse_second(node);
    return node;
  }

  std::uint64_t take_edge(WordReader& words, std::uint64_t row) {
    if (in_order_ && row < count_ && rows_.words().size() > 1) {
      while (names_.first_edge(source_ + 1) <= row) ++source_;
      in_order_ = names_.is(source_, text(0)) && names_.is(names_.target(row), text(1));
      if (in_order_) {
        words.skip(2);
        return row;
      }
    }
    in_order_ = false;
    const std::uint64_t from = words.take_node(names_);
    const std::uint64_t to = words.take_node(names_);
    static_cast<void>(names_.edge({from, to, 1}, rows_.where()));  // throws if none exists
    const auto [first, behind] = names_.edges_between(from, to);
    for (std::uint64_t edge = first; edge < behind; ++edge)
      if (!seen_[edge]) return edge;
    refuse_second(behind - 1);
  }

  [[noreturn]] void refuse_second(std::uint64_t id) const {
    throw Error::input(rows_.where()(),
                       fmt::format("a second line for {}", name_of(id, edges_, names_)),
                       edges_ ? "each edge has one" : "each node has one");
  }
  [[noreturn]] void refuse_missing(std::uint64_t missing) const {
    std::uint64_t id = 0;
    while (seen_[id]) ++id;
    throw Error::input(
        rows_.path(),
        fmt::format("no line for {}{}", name_of(id, edges_, names_), one_more(missing - 1)),
        edges_ ? "each edge has one" : "each node has one");
  }

  bool edges_;
  std::uint64_t count_;
  const Names& names_;
  const RowReader& rows_;
  std::vector<bool> seen_;
  std::uint64_t read_ = 0;
  bool in_order_ = true;
  std::uint64_t source_ = 0;  ///< source of the last edge that was read in order
};

void load_rows(const std::string& path, const Elements& elements) {
  const ColumnName value{elements.name, elements.type};
  RowReader rows(path, elements.edges ? std::vector<ColumnName>{{"from"}, {"to"}, value}
                                      : std::vector<ColumnName>{{"node"}, value});
  RowNames names(elements.edges, elements.count, *elements.names, rows);
  while (rows.next()) {
    WordReader words(rows.words(), rows.where());
    const std::uint64_t id = names.take(words);
    elements.set(id, words.take(elements.type, *elements.value_names));
    words.finish(elements.edges ? "'from to value' a line" : "'label value' a line");
  }
  names.finish();
}

void load_binary(const std::string& path, const Elements& elements) {
  const Names& names = *elements.value_names;
  const std::uint64_t size = elements.count == 0 ? 0 : elements.bytes.size() / elements.count;
  const auto wrong_length = [&](std::string_view what) {
    return Error::input(
        path, fmt::format("{} {} bytes", what, format_count(elements.bytes.size())),
        fmt::format("it has {} bytes for each of {} {}", size, format_count(elements.count),
                    elements.edges ? "edges" : "nodes"));
  };
  graph::InputFile file(path);
  for (std::size_t at = 0; at < elements.bytes.size();) {
    const std::size_t got =
        file.read(reinterpret_cast<char*>(elements.bytes.data()) + at, elements.bytes.size() - at);
    if (got == 0) throw wrong_length("has less than");
    at += got;
  }
  char more;
  if (file.read(&more, 1) != 0) throw wrong_length("has more than");
  const auto refuse = [&](std::uint64_t i, std::string_view what) {
    return Error::input(
        path, fmt::format("element {} {}", i, what),
        fmt::format("was it saved with this graph, as {}?", to_string(elements.type)));
  };
  if (elements.type == ValueType::boolean)
    for (std::uint64_t i = 0; i < elements.count; ++i)
      if (static_cast<unsigned char>(elements.bytes[i]) > 1) throw refuse(i, "is neither 0 nor 1");
  if (elements.type != ValueType::node && elements.type != ValueType::edge) return;
  const std::uint64_t behind = elements.type == ValueType::node ? names.nodes() : names.edges();
  for (std::uint64_t i = 0; i < elements.count; ++i) {
    const Scalar value = elements.get(i);
    if (!is_nil(elements.type, value, names) &&
        static_cast<std::uint64_t>(std::get<std::int64_t>(value)) >= behind)
      throw refuse(i, elements.type == ValueType::node ? "is no node" : "is no edge");
  }
}

/// Converts the number to the type; empty if the type can't represent it.
std::optional<Scalar> as_type(double number, ValueType type) {
  const auto fits = [&]<class Integer>(Integer) {
    using Limits = std::numeric_limits<Integer>;
    return number == std::trunc(number) && number >= static_cast<double>(Limits::min()) &&
           number < -static_cast<double>(Limits::min());
  };
  switch (type) {
    case ValueType::float32:
    case ValueType::float64:
      return number;
    case ValueType::int32:
      if (fits(std::int32_t{})) return static_cast<std::int64_t>(number);
      return std::nullopt;
    case ValueType::int64:
      if (fits(std::int64_t{})) return static_cast<std::int64_t>(number);
      return std::nullopt;
    case ValueType::boolean:
      if (number == 0 || number == 1) return static_cast<std::int64_t>(number);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Scalar> as_type(std::int64_t number, ValueType type) {
  if (type == ValueType::int64 || (type == ValueType::int32 && std::in_range<std::int32_t>(number)))
    return number;
  return type == ValueType::int32 ? std::nullopt : as_type(static_cast<double>(number), type);
}

/// Adds an item; throws Error (input) if it is already present.
void add(const Items& items, Scalar item, Scalar value, std::string_view again,
         const Where& where) {
  if (items.add(item, value)) return;
  const bool map = items.use->kind == CollectionKind::map;
  throw Error::input(
      where(),
      fmt::format("{} for '{}'", again,
                  cell_text(map ? items.use->key : ValueType::node, item, *items.names)),
      fmt::format("a {} has it once", to_string(items.use->kind)));
}

}  // namespace

void load_elements(const std::string& path, const Elements& elements) {
  if (form_of(path) == FileForm::binary)
    load_binary(path, elements);
  else
    load_rows(path, elements);
}

void load_items(const std::string& path, const Items& items) {
  const CollectionUse& use = *items.use;
  const bool map = use.kind == CollectionKind::map;
  if (form_of(path) == FileForm::binary)
    throw Error::input(path, fmt::format("a {} isn't kept in binary", to_string(use.kind)),
                       "load it from a text or a table");
  RowReader rows(path, map ? std::vector<ColumnName>{{"key", use.key}, {use.name, use.value}}
                           : std::vector<ColumnName>{{use.name}});
  while (rows.next()) {
    WordReader words(rows.words(), rows.where());
    const Scalar item = map ? words.take(use.key, *items.names)
                            : Scalar(static_cast<std::int64_t>(words.take_node(*items.names)));
    const Scalar value = map ? words.take(use.value, *items.value_names) : item;
    words.finish(map ? "'key value' a line" : "a label a line");
    if (const double* key = std::get_if<double>(&item); key != nullptr && std::isnan(*key))
      throw Error::input(rows.where()(), "NaN is no key", "it isn't equal to itself");
    add(items, item, value, "a second line", rows.where());
  }
}

void load_many(const std::string& path, const ManyItems& many) {
  const CollectionPlace place = many.use->place;
  const bool listed = place == CollectionPlace::listed, edges = place == CollectionPlace::edges;
  if (form_of(path) != FileForm::text)
    throw Error::input(path, fmt::format("a {} is kept in text only", type_name(*many.use)),
                       "load it from a file with another ending");
  RowReader rows(path, {});
  RowNames names(edges, listed ? 0 : many.count, *many.names, rows);
  while (rows.next()) {
    WordReader words(rows.words(), rows.where());
    const Items items = listed ? many.append() : many.at(names.take(words));
    const auto count = std::get<std::int64_t>(words.take(ValueType::int64, *items.names));
    if (count < 0)
      throw Error::input(rows.where()(), fmt::format("{} is no number of nodes", count),
                         "write how many follow");
    for (std::int64_t i = 0; i < count; ++i) {
      const auto node = static_cast<std::int64_t>(words.take_node(*items.names));
      add(items, node, node, "a second time", rows.where());
    }
    words.finish(listed  ? "how many nodes, then their labels"
                 : edges ? "'from to', how many nodes, then their labels"
                         : "a node's label, how many nodes, then their labels");
  }
  names.finish();
}

void copy_values(const graph::Graph& graph, const std::string& graph_path,
                 const Elements& elements) {
  const auto copy = [&](auto numbers) {
    for (std::uint64_t edge = 0; edge < elements.count; ++edge) {
      const std::optional<Scalar> value = as_type(numbers[edge], elements.type);
      if (!value)
        throw Error::input(
            graph_path,
            fmt::format("{} of {} is {}, which is not {}", elements.name,
                        name_of(edge, true, *elements.names), numbers[edge],
                        a_value_of(elements.type)),
            fmt::format("declare it as Edge_Prop<{}>, or --load {}=FILE",
                        std::is_integral_v<decltype(+numbers[0])> ? "Long" : "Double",
                        elements.name));
      elements.set(edge, *value);
    }
  };
  std::visit(copy, graph.values(elements.name));
}

bool has_values(const graph::Graph& graph, const ArrayUse& use) {
  const auto& names = graph.value_names();
  return use.edges && std::ranges::find(names, use.name) != names.end();
}

}  // namespace Atoll::program
