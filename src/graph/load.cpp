// A graph from wherever it is: which reader a file needs is told by its content, not its name.
#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "graph/budget.hpp"
#include "graph/build.hpp"
#include "graph/file_format.hpp"
#include "graph/load_file.hpp"
#include "graph/load_text.hpp"

namespace Atoll::graph {

Graph load(const std::string& path, const Team& team, const BuildOptions& build) {
  const InputFile file(path);
  TextReader reader(file, kChunkBytes);
  const std::string_view head = reader.peek(sizeof(FileHead::magic));
  if (head.empty()) throw Error::input(path, "the file is empty", "write 'source target' a line");
  if (is_graph_file(head)) return load_file(file, team);
  return load_text(file, reader, team, build, available_memory());
}

TextSize scan_text(const std::string& path, const Team& team) {
  const InputFile file(path);
  TextReader reader(file, kChunkBytes);
  const ParsedText text = parse_text(reader, file, team, available_memory(), false);
  return {text.nodes, text.entries};
}

namespace {

template <class Id>
std::vector<EdgeList<Id>> list_of(
    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& edges) {
  std::vector<EdgeList<Id>> lists(1);
  std::transform(edges.begin(), edges.end(), lists[0].room(edges.size()), [](const auto& edge) {
    return EdgePair<Id>{static_cast<Id>(edge.first), static_cast<Id>(edge.second)};
  });
  lists[0].commit(edges.size());
  return lists;
}

}  // namespace

Graph from_edges(std::vector<std::pair<std::uint64_t, std::uint64_t>> edges, const Team& team,
                 const BuildOptions& build) {
  std::uint64_t last = 0;
  for (const auto& [from, to] : edges) last = std::max({last, from, to});
  const std::uint64_t nodes = std::max(edges.empty() ? 0 : last + 1, build.min_nodes);
  const std::uint64_t available = available_memory();
  const bool narrow = nodes < kNarrowBelow;
  if (last == UINT64_MAX || nodes > most_nodes(available) ||
      build_bytes(nodes, edges.size(), narrow ? 4 : 8) > available)
    throw Error::failed("graph",
                        fmt::format("{} edges up to node id {} are too large for the {} of memory "
                                    "available",
                                    edges.size(), last, format_bytes(available)),
                        "number nodes from 0 without gaps, or use a machine with more memory");
  if (narrow) return Graph(build_rows(list_of<std::uint32_t>(edges), {}, nodes, team, build));
  return Graph(build_rows({}, list_of<std::uint64_t>(edges), nodes, team, build));
}

}  // namespace Atoll::graph
