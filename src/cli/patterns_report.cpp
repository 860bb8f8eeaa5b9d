// Prints Table 1, extended by the counts of reads and writes.
#include "cli/patterns_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace Atoll::cli {
namespace {

struct Row {
  std::string name;
  std::string group;
  AccessPattern pattern;
};

std::vector<Row> rows_of(const std::vector<ArrayUse>& arrays) {
  std::vector<Row> rows;
  for (const ArrayUse& use : arrays) {
    const auto shared = std::ranges::find_if(
        rows, [&](const Row& row) { return !use.group.empty() && row.group == use.group; });
    if (shared == rows.end()) {
      rows.push_back({use.name, use.group, use.pattern});
    } else {
      shared->name += " + " + use.name;
      shared->pattern.merge(use.pattern);
    }
  }
  return rows;
}

}  // namespace

std::string patterns_table(const std::vector<ArrayUse>& arrays) {
  const std::vector<Row> rows = rows_of(arrays);
  std::size_t name_width = 5, reads_width = 5;
  for (const Row& row : rows) {
    name_width = std::max(name_width, row.name.size());
    reads_width = std::max(reads_width, row.pattern.reads().to_string().size());
  }
  const auto line = [&](std::string_view name, auto n, auto e, auto ro, auto std, auto tmp,
                        auto indexed, const std::string& reads, const std::string& writes) {
    return fmt::format("{:<{}}  {:1}  {:1}  {:2}  {:3}  {:3}  {:7}  {:<{}}  {}\n", name, name_width,
                       n, e, ro, std, tmp, indexed, reads, reads_width, writes);
  };
  std::string table = line("array", "N", "E", "ro", "std", "tmp", "indexed", "reads", "writes");
  const Formula edges = Formula::symbol("E");
  for (const Row& row : rows) {
    const AccessPattern& pattern = row.pattern;
    const auto mark = [](bool is) { return is ? "y" : ""; };
    const auto count = [](const Formula& formula) {
      return formula.is_zero() ? "-" : formula.to_string();
    };
    table += line(row.name, mark(pattern.elements != edges), mark(pattern.elements == edges),
                  mark(pattern.read_only()), mark(pattern.graph_own), mark(pattern.temporary),
                  mark(pattern.indexed()), count(pattern.reads()), count(pattern.writes()));
  }
  return table;
}

Json patterns_json(const std::vector<ArrayUse>& arrays) {
  Json all = Json::array();
  for (const ArrayUse& use : arrays) {
    const AccessPattern& pattern = use.pattern;
    Json accesses = Json::array();
    for (const PatternAccess& access : pattern.accesses)
      accesses.push_back({{"write", access.write},
                          {"order", to_string(access.order)},
                          {"count", access.count.to_string()}});
    all.push_back({{"name", use.name},
                   {"type", to_string(use.type)},
                   {"elements", pattern.elements.to_string()},
                   {"used", pattern.used()},
                   {"read_only", pattern.read_only()},
                   {"graph_own", pattern.graph_own},
                   {"temporary", pattern.temporary},
                   {"indexed", pattern.indexed()},
                   {"result", use.result},
                   {"group", use.group},
                   {"reads", pattern.reads().to_string()},
                   {"writes", pattern.writes().to_string()},
                   {"accesses", std::move(accesses)}});
  }
  return all;
}

}  // namespace Atoll::cli
