// Every element has to be there once. Files in the order of ids, as --save writes them, need no
// search for labels: there, nodes may even have the same label.
#include "program/input_files.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
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

std::string name_of(std::uint64_t id, const Elements& elements, const Names& names) {
  return fmt::format("{} '{}'", elements.edges ? "edge" : "node",
                     cell_text(elements.edges ? ValueType::edge : ValueType::node,
                               static_cast<std::int64_t>(id), names));
}

class RowsOfElements {
 public:
  RowsOfElements(const std::string& path, const Elements& elements, const Names& names)
      : elements_(elements),
        names_(names),
        rows_(path, elements.edges ? std::vector<ColumnName>{{"from"}, {"to"}, value_column()}
                                   : std::vector<ColumnName>{{"node"}, value_column()}),
        seen_(elements.count) {}

  void load() {
    std::uint64_t rows = 0;
    for (; rows_.next(); ++rows) {
      WordReader words(rows_.words(), names_, rows_.where());
      const std::uint64_t id = elements_.edges ? take_edge(words, rows) : take_node(words, rows);
      seen_[id] = true;
      elements_.set(id, words.take(elements_.type));
      words.finish(elements_.edges ? "'from to value' a line" : "'label value' a line");
    }
    if (rows < elements_.count) refuse_missing(elements_.count - rows);
  }

 private:
  [[nodiscard]] ColumnName value_column() const { return {elements_.name, elements_.type}; }

  [[nodiscard]] const std::string& text(std::size_t word) const { return rows_.words()[word].text; }

  std::uint64_t take_node(WordReader& words, std::uint64_t row) {
    in_order_ = in_order_ && row < elements_.count && names_.is(row, text(0));
    if (in_order_) {
      words.skip(1);
      return row;
    }
    const std::uint64_t node = words.take_node();
    if (seen_[node]) refuse_second(node);
    return node;
  }

  std::uint64_t take_edge(WordReader& words, std::uint64_t row) {
    if (in_order_ && row < elements_.count && rows_.words().size() > 1) {
      while (names_.first_edge(source_ + 1) <= row) ++source_;
      in_order_ = names_.is(source_, text(0)) && names_.is(names_.target(row), text(1));
      if (in_order_) {
        words.skip(2);
        return row;
      }
    }
    in_order_ = false;
    const std::uint64_t from = words.take_node();
    const std::uint64_t to = words.take_node();
    static_cast<void>(names_.edge({from, to, 1}, rows_.where()));  // throws if there is none
    const auto [first, behind] = names_.edges_between(from, to);
    for (std::uint64_t edge = first; edge < behind; ++edge)
      if (!seen_[edge]) return edge;
    refuse_second(behind - 1);
  }

  [[noreturn]] void refuse_second(std::uint64_t id) const {
    throw Error::input(rows_.where()(),
                       fmt::format("a second line for {}", name_of(id, elements_, names_)),
                       elements_.edges ? "each edge has one" : "each node has one");
  }
  [[noreturn]] void refuse_missing(std::uint64_t missing) const {
    std::uint64_t id = 0;
    while (seen_[id]) ++id;
    throw Error::input(
        rows_.path(),
        fmt::format("no line for {}{}", name_of(id, elements_, names_), one_more(missing - 1)),
        elements_.edges ? "each edge has one" : "each node has one");
  }

  const Elements& elements_;
  const Names& names_;
  RowReader rows_;
  std::vector<bool> seen_;
  bool in_order_ = true;
  std::uint64_t source_ = 0;  ///< of the last edge in order
};

void load_binary(const std::string& path, const Elements& elements, const Names& names) {
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

/// The number as the type has it; none if it doesn't.
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

}  // namespace

void load_elements(const std::string& path, const Elements& elements, const Names& names) {
  if (form_of(path) == FileForm::binary)
    load_binary(path, elements, names);
  else
    RowsOfElements(path, elements, names).load();
}

void load_items(const std::string& path, const Items& items, const Names& names) {
  const CollectionUse& use = *items.use;
  const bool map = use.kind == CollectionKind::map;
  if (form_of(path) == FileForm::binary)
    throw Error::input(path, fmt::format("a {} isn't kept in binary", to_string(use.kind)),
                       "load it from a text or a table");
  RowReader rows(path, map ? std::vector<ColumnName>{{"key", use.key}, {use.name, use.value}}
                           : std::vector<ColumnName>{{use.name}});
  while (rows.next()) {
    WordReader words(rows.words(), names, rows.where());
    const Scalar item =
        map ? words.take(use.key) : Scalar(static_cast<std::int64_t>(words.take_node()));
    const Scalar value = map ? words.take(use.value) : item;
    words.finish(map ? "'key value' a line" : "a label a line");
    if (const double* key = std::get_if<double>(&item); key != nullptr && std::isnan(*key))
      throw Error::input(rows.where()(), "NaN is no key", "it isn't equal to itself");
    if (!items.add(item, value))
      throw Error::input(rows.where()(),
                         fmt::format("a second line for '{}'",
                                     cell_text(map ? use.key : ValueType::node, item, names)),
                         fmt::format("a {} has it once", to_string(use.kind)));
  }
}

void take_values(graph::Graph& graph, const std::string& graph_path, const Elements& elements,
                 const Names& names) {
  const std::span<const double> numbers = graph.values(elements.name);
  for (std::uint64_t edge = 0; edge < elements.count; ++edge) {
    const std::optional<Scalar> value = as_type(numbers[edge], elements.type);
    if (!value)
      throw Error::input(
          graph_path,
          fmt::format("{} of {} is {}, which is not {}", elements.name,
                      name_of(edge, elements, names), numbers[edge], a_value_of(elements.type)),
          fmt::format("declare it as Edge_Prop<Double>, or --load {}=FILE", elements.name));
    elements.set(edge, *value);
  }
  graph.drop_values(elements.name);
}

}  // namespace Atoll::program
