// Loads a graph. The file's content, not its name, determines its format.
#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "graph/budget.hpp"
#include "graph/build.hpp"
#include "graph/file_format.hpp"
#include "graph/formats.hpp"
#include "graph/load_file.hpp"
#include "graph/load_text.hpp"
#include "graph/text_source.hpp"

namespace Atoll::graph {

namespace {

Graph load(InputFile& file, const Team& team, const BuildOptions& build,
           const TextOptions& options) {
  if (const std::string_view head = file.peek(sizeof(FileHead::magic)); is_graph_file(head)) {
    check_options(format_of(head, file.name(), options), options, file.name());
    return load_file(file, team);
  }
  return with_source(file, team, [&](ByteSource& source) {
    if (source.peek(1).empty())
      throw Error::input(source.name(), "the file is empty", "write 'source target' a line");
    TextReader reader(source, kChunkBytes);
    return load_text(reader, team, {build, options, available_memory()});
  });
}

}  // namespace

Graph load(const std::string& path, const Team& team, const BuildOptions& build,
           const TextOptions& options) {
  InputFile file(path);
  return load(file, team, build, options);
}

GraphSize size_of(const std::string& path, const Team& team) {
  InputFile file(path);
  if (is_graph_file(file.peek(sizeof(FileHead::magic)))) {
    return summary_of(file).size;
  }
  return load(file, team, {}, {}).size();
}

TextSize scan_text(const std::string& path, const Team& team) {
  InputFile file(path);
  return with_source(file, team, [&](ByteSource& source) {
    TextReader reader(source, kChunkBytes);
    const Format& format = format_of(reader.peek(kTextHeadBytes), source.name(), {});
    const ParsedText text = format.parse(reader, team, {{}, {}, available_memory()});
    return TextSize{text.nodes, text.entries};
  });
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

Graph from_edges(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& edges,
                 const Team& team, const BuildOptions& build) {
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
