// The table of graph formats.
#include "graph/formats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "graph/dimacs_text.hpp"
#include "graph/file_format.hpp"
#include "graph/konect_text.hpp"
#include "graph/load_file.hpp"
#include "graph/metis_text.hpp"
#include "graph/parse_table.hpp"
#include "graph/rutherford_boeing.hpp"

namespace Atoll::graph {
namespace {

const std::vector<std::string_view> kOfBuilding{"--symmetrise", "--keep-duplicates",
                                                "--duplicates", "--drop-self-loops",
                                                "--wide-ids",   "--value"};

std::vector<std::string_view> and_of_building(std::vector<std::string_view> more) {
  more.insert(more.end(), kOfBuilding.begin(), kOfBuilding.end());
  return more;
}

}  // namespace

std::span<const Format> formats() {
  static const std::vector<Format> table{
      {.name = "Atoll's graph file",
       .ending = ".atoll",
       .is = [](std::string_view head, std::string_view,
                const TextOptions&) { return is_graph_file(head); },
       .write = save,
       .labels = true},
      {.name = "a Matrix Market file",
       .ending = ".mtx",
       .is = [](std::string_view head, std::string_view,
                const TextOptions&) { return is_matrix_market(head); },
       .parse = parse_matrix_market,
       .options = kOfBuilding},
      {.name = "a table with named columns",
       .ending = ".csv",
       .is = [](std::string_view, std::string_view,
                const TextOptions& options) { return !options.from.empty(); },
       .parse = parse_table,
       .options =
           and_of_building({"--columns", "--relabel", "--keep-ids", "--one-based", "--vertices"})},
      {.name = "a DIMACS graph",
       .ending = ".gr",
       .is = [](std::string_view head, std::string_view name,
                const TextOptions&) { return is_dimacs(head, name); },
       .parse = parse_dimacs,
       .options = kOfBuilding},
      {.name = "a bipartite graph of KONECT",
       .ending = ".bip",
       .is = [](std::string_view head, std::string_view,
                const TextOptions&) { return is_konect_bipartite(head); },
       .parse = parse_konect_bipartite,
       .options = kOfBuilding},
      {.name = "a Rutherford-Boeing matrix",
       .ending = ".rb",
       .is = [](std::string_view head, std::string_view,
                const TextOptions&) { return is_rutherford_boeing(head); },
       .parse = refuse_rutherford_boeing,
       .options =
           and_of_building({"--columns", "--relabel", "--keep-ids", "--one-based", "--vertices"})},
      {.name = "a METIS graph",
       .ending = ".graph",
       .is = [](std::string_view head, std::string_view name,
                const TextOptions&) { return is_metis_graph(head, name); },
       .parse = parse_metis,
       .write = save_metis,
       .options = kOfBuilding},
      {.name = "an edge list",
       .ending = ".el",
       .is = [](std::string_view, std::string_view, const TextOptions&) { return true; },
       .parse = parse_edge_list,
       .write = save_edge_list,
       .options = and_of_building({"--relabel", "--keep-ids", "--one-based", "--vertices"})},
  };
  return table;
}

const Format& format_of(std::string_view head, std::string_view name, const TextOptions& options) {
  return *std::find_if(formats().begin(), formats().end(), [&](const Format& format) {
    return format.is(head.substr(0, kTextHeadBytes), name, options);
  });
}

const Format& format_to_write(std::string_view path) {
  if (path == "-") return formats().back();
  for (const Format& format : formats())
    if (path.ends_with(format.ending)) {
      if (format.write != nullptr) return format;
      throw Error::input(path, fmt::format("{} is not written here", format.name),
                         "write *.el, an edge list, *.graph, a METIS graph, or *.atoll");
    }
  return formats().front();
}

void check_options(const Format& format, const TextOptions& options, const std::string& where) {
  for (const std::string& option : options.given)
    if (std::find(format.options.begin(), format.options.end(), option) == format.options.end())
      throw Error::input(
          where, fmt::format("{} says nothing of {}", option, format.name),
          format.parse != nullptr ? "leave it out" : "convert it again from its text");
}

}  // namespace Atoll::graph
