#include "machine/hardware_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "machine/memory_side_file.hpp"
#include "machine/node_set.hpp"
#include "machine/quantity.hpp"

namespace Atoll::detail {
namespace {

std::string text_of(double value, const HardwareRow& row) {
  return row.unit.empty() ? fmt::format("{}", value) : fmt::format("{} {}", value, row.unit);
}

double read_value(const JsonCursor& at, const HardwareRow& row) {
  const std::string& text = at.string();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (!row.unit.empty() && rest.starts_with(' ')) rest.remove_prefix(1);
  if (error != std::errc() || rest != row.unit || !std::isfinite(value))
    throw at.wrong(fmt::format("'{}' isn't a figure of this kind", text),
                   fmt::format("write for example {}", text_of(row.value, row)));
  if (value < row.least || value > row.most)
    throw at.wrong(fmt::format("{} is out of range", text),
                   fmt::format("from {} to {}", text_of(row.least, row), text_of(row.most, row)));
  return value;
}

/// True for a node's number, false for a router's name.
bool is_node(std::string_view end) {
  return !end.empty() && end.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Parses "0-3,6" as nodes, "r0,r1" as routers.
std::vector<std::string> read_ends(const JsonCursor& at) {
  const std::string& text = at.string();
  std::vector<std::string> ends;
  if (!text.empty() && text.find_first_not_of("0123456789-,") == std::string::npos) {
    for (const int node : parse_numbers(text, at.where(), 1023))
      ends.push_back(std::to_string(node));
    return ends;
  }
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string name = text.substr(from, comma - from);
    const bool is_word = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    });
    if (!is_word || is_node(name))
      throw at.wrong(fmt::format("'{}' is neither nodes nor routers", text),
                     R"(write for example "0-3", or "r0,r1")");
    ends.push_back(name);
    from = comma + 1;
  }
  return ends;
}

std::map<HardwareFigure, RangedFigure> read_hardware(const JsonCursor& hardware,
                                                     const FindSource& source) {
  std::map<HardwareFigure, RangedFigure> figures;
  for (const auto& [name, at] : hardware.members()) {
    const auto rows = hardware_figures();
    const auto row = std::ranges::find(rows, std::string_view(name), &HardwareRow::name);
    if (row == rows.end()) {
      std::vector<std::string_view> names;
      for (const HardwareRow& one : rows) names.push_back(one.name);
      throw at.wrong(fmt::format("'{}' is no figure of the hardware", name),
                     fmt::format("those are {}", fmt::join(names, ", ")));
    }
    const std::vector<JsonCursor> parts = at.elements();
    if (parts.size() != 2 && parts.size() != 4)
      throw at.wrong(
          "must be a figure and its source, and perhaps the least and the most it can be",
          R"(write ["10", "key of a source", "6", "16"])");
    RangedFigure figure;
    figure.value = figure.low = figure.high = read_value(parts[0], *row);
    figure.source = source(parts[1]);
    if (parts.size() == 4) {
      figure.low = read_value(parts[2], *row);
      figure.high = read_value(parts[3], *row);
    } else if (figure.source.origin == Origin::estimated) {
      throw at.wrong("an estimate without a range", "add the least and the most it can be");
    }
    if (figure.low > figure.value || figure.value > figure.high)
      throw at.wrong("isn't between the least and the most it can be",
                     "the order is: figure, source, least, most");
    figures.emplace(row->figure, figure);
  }
  return figures;
}

std::vector<Wire> read_wires(const JsonCursor& wires, const FindSource& source) {
  std::vector<Wire> all;
  for (const JsonCursor& group : wires.elements()) {
    group.with_keys({"between", "rate"});
    const std::vector<JsonCursor> ends = group.get("between").elements();
    if (ends.size() != 2)
      throw group.get("between").wrong("must be two ends", R"(write for example ["0-3", "r0"])");
    const std::vector<JsonCursor> rate = group.get("rate").elements();
    if (rate.size() != 2)
      throw group.get("rate").wrong("must be a figure and its source",
                                    R"(write ["9.6 GB/s", "key of a source"])");
    const auto value = parse_bandwidth(rate[0].string());
    if (!value)
      throw rate[0].wrong(fmt::format("'{}' is not a bandwidth", rate[0].string()),
                          "write for example 9.6 GB/s");
    const Figure figure{*value, source(rate[1])};
    const std::size_t before = all.size();
    for (const std::string& a : read_ends(ends[0]))
      for (const std::string& b : read_ends(ends[1])) {
        const auto same = [&](const Wire& wire) {
          return (wire.a == a && wire.b == b) || (wire.a == b && wire.b == a);
        };
        if (a == b ||
            std::any_of(all.begin() + static_cast<std::ptrdiff_t>(before), all.end(), same))
          continue;  // "0-3" with "0-3" yields each pair once
        if (std::any_of(all.begin(), all.end(), same))
          throw group.wrong(fmt::format("a second wire between {} and {}", a, b),
                            "give one with the rate of both");
        all.push_back({a, b, figure});
      }
    if (all.size() == before) throw group.wrong("no wire", "name two different ends");
  }
  return all;
}

}  // namespace

Hardware read_hardware_parts(const JsonCursor& file, const FindSource& source) {
  Hardware hardware;
  if (const auto figures = file.find("hardware"))
    hardware.figures = read_hardware(*figures, source);
  if (const auto wires = file.find("wires")) hardware.wires = read_wires(*wires, source);
  if (const auto caches = file.find("memory_side_caches"))
    hardware.memory_side_caches = read_memory_side(*caches, source);
  return hardware;
}

Json write_hardware(const Hardware& hardware, const KeyOfSource& key) {
  Json json = Json::object();
  for (const auto& [which, figure] : hardware.figures) {
    const HardwareRow& row = row_of(which);
    Json one = {text_of(figure.value, row), key(figure.source)};
    if (figure.low != figure.high || figure.source.origin == Origin::estimated) {
      one.push_back(text_of(figure.low, row));
      one.push_back(text_of(figure.high, row));
    }
    json[std::string(row.name)] = one;
  }
  return json;
}

Json write_wires(const Hardware& hardware, const KeyOfSource& key) {
  // Consecutive wires with the same rate and first end share an entry.
  auto list = Json::array();
  for (std::size_t i = 0; i < hardware.wires.size();) {
    const Wire& first = hardware.wires[i];
    std::string ends = first.b;
    std::size_t next = i + 1;
    for (; next < hardware.wires.size(); ++next) {
      const Wire& wire = hardware.wires[next];
      if (wire.a != first.a || wire.bytes_per_second != first.bytes_per_second ||
          is_node(wire.b) != is_node(first.b))
        break;
      ends += "," + wire.b;
    }
    list.push_back(
        {{"between", {first.a, ends}},
         {"rate",
          {write_bandwidth(first.bytes_per_second.value), key(first.bytes_per_second.source)}}});
    i = next;
  }
  return list;
}

}  // namespace Atoll::detail
