// Each id is read as both ends of a pair, so the code that numbers the ends of edges also numbers
// it.
#include "graph/vertices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "atoll/base/error.hpp"
#include "graph/buckets.hpp"
#include "graph/column_names.hpp"
#include "graph/text_source.hpp"

namespace Atoll::graph {

ParsedText read_vertices(const Team& team, const TextRequest& request) {
  ParsedText ids;
  if (request.text.vertices.empty()) return ids;
  InputFile file(request.text.vertices);
  with_source(file, team, [&](ByteSource& source) {
    TextReader reader(source, kChunkBytes);
    FieldFormat format;
    format.ids = ids_of(request);
    format.words = request.text.ids == TextOptions::Ids::relabel;
    format.from = format.to = 0;
    if (!request.text.from.empty()) format.separator = separator_of(first_line(reader));
    parse_all_fields(ids, reader, team, format, request);
    if (ids.entries == 0)
      throw Error::input(source.name(), "no ids of nodes in it", "write an id on each line");
  });
  return ids;
}

void check_vertices(const ParsedText& text, const PairSpans& edges, const Team& team,
                    const std::string& name, const TextRequest& request,
                    const std::function<std::string(std::uint64_t node)>& label) {
  std::vector<bool> listed(std::max(text.nodes, request.build.min_nodes));
  for (const FieldChunk& chunk : text.vertices)
    for (std::size_t i = 0; i < chunk.pairs.size(); ++i) listed[chunk.pairs[i].from] = true;
  std::atomic<std::uint64_t> missing{UINT64_MAX};
  const auto look = [&](const auto& span) {
    std::uint64_t lowest = UINT64_MAX;
    for (const auto& [from, to] : span)
      for (const std::uint64_t node : {std::uint64_t{from}, std::uint64_t{to}})
        if (!listed[node]) lowest = std::min(lowest, node);
    for (std::uint64_t before = missing; lowest < before;)
      if (missing.compare_exchange_weak(before, lowest)) break;
  };
  for_each_part(team, edges.narrow.size(), [&](std::size_t i) { look(edges.narrow[i]); });
  for_each_part(team, edges.wide.size(), [&](std::size_t i) { look(edges.wide[i]); });
  if (missing != UINT64_MAX)
    throw Error::input(name,
                       fmt::format("the node {} of an edge isn't in {}", in_quotes(label(missing)),
                                   request.text.vertices),
                       "add it there, or leave --vertices out");
}

}  // namespace Atoll::graph
