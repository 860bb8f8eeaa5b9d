// Reads METIS graphs row by row, then checks that each edge is in the rows of both its vertices.
#include "graph/metis_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "atoll/graph/metis.hpp"
#include "graph/budget.hpp"
#include "graph/build.hpp"
#include "graph/metis_head.hpp"
#include "graph/text_source.hpp"

namespace Atoll::graph {
namespace {

constexpr const char* kHeadWayOut = "write 'vertices edges [format [weights a vertex]]'";
constexpr const char* kRowWayOut =
    "write a line for each vertex, with its neighbours, which count from 1";

class Rows {
 public:
  Rows(TextReader& reader, std::uint64_t budget) : reader_(reader), budget_(budget) {}

  MetisGraph read() {
    read_head();
    TextReader::Chunk chunk;
    while (reader_.next(chunk))
      for (std::string_view text = chunk.text; !text.empty();) {
        const std::size_t end = text.find('\n');
        ++line_;
        read_line(text.substr(0, end));
        text.remove_prefix(end + 1);
      }
    if (graph_.vertices() != head_.vertices)
      throw at(head_line_,
               fmt::format("this line gives {} vertices, but the file has {} lines of them",
                           head_.vertices, graph_.vertices()),
               "is the file cut off? get it again, or correct the number");
    check();
    if (graph_.neighbours.size() != 2 * head_.edges)
      throw at(head_line_,
               fmt::format("this line gives {} edges, but the file has {}", head_.edges,
                           graph_.neighbours.size() / 2),
               "correct the number: an edge that two vertices' lines have counts once");
    return std::move(graph_);
  }

 private:
  [[nodiscard]] Error at(std::uint64_t line, std::string_view what,
                         std::string_view way_out) const {
    return Error::input(fmt::format("{}:{}", reader_.source().name(), line), what, way_out);
  }

  void read_head() {
    std::string line;
    do {
      if (!reader_.read_line(line))
        throw at(reader_.lines_read(), "the file ends before its first line", kHeadWayOut);
    } while (line.starts_with('%'));
    head_line_ = line_ = reader_.lines_read();
    std::string wrong;
    const auto head = read_metis_head(line, wrong);
    if (!head) throw at(line_, wrong, kHeadWayOut);
    head_ = *head;
    if (head_.edges > INT64_MAX / 2)
      throw at(line_, fmt::format("{} edges are too many", head_.edges), kHeadWayOut);
    const std::uint64_t most = std::min(kNarrowBelow - 1, most_nodes(budget_));
    if (head_.vertices > most)
      throw at(line_,
               fmt::format("too large: {} vertices, and {} are the most here",
                           format_count(head_.vertices), format_count(most)),
               "use a machine with more memory, or a smaller graph");
    graph_.sizes = head_.sizes;
    graph_.constraints = head_.constraints;
  }

  /// Returns the next number of the line, from `least` to `most`.
  std::uint32_t number(std::string_view& line, std::uint64_t least, std::uint64_t most,
                       std::string_view what) {
    const auto value = next_number(line);
    if (value && *value >= least && *value <= most) return static_cast<std::uint32_t>(*value);
    if (value)
      throw at(line_, fmt::format("{} {} is not from {} to {}", what, *value, least, most),
               kRowWayOut);
    const std::string_view word = next_word(line);
    if (word.empty()) throw at(line_, fmt::format("the line ends before {}", what), kRowWayOut);
    throw at(line_,
             word.starts_with('-') ? fmt::format("{} {} is negative", what, in_quotes(word))
                                   : fmt::format("{} {} is no whole number", what, in_quotes(word)),
             kRowWayOut);
  }

  void read_line(std::string_view line) {
    if (line.starts_with('%')) {
      comments_.push_back(graph_.vertices());
      return;
    }
    if (has_lone_return(line)) throw at(line_, kLoneReturn, kLoneReturnWayOut);
    const auto is_empty = [&] {
      while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
      return line.empty();
    };
    if (graph_.vertices() == head_.vertices) {
      if (is_empty()) return;
      throw at(line_,
               fmt::format("a line behind those of the {} vertices that line {} gives",
                           head_.vertices, head_line_),
               kRowWayOut);
    }
    for (std::size_t i = 0; i < graph_.numbers_a_vertex(); ++i)
      graph_.vertex_numbers.push_back(
          number(line, 0, UINT32_MAX,
                 head_.sizes && i == 0 ? "the vertex's size" : "the vertex's weight"));
    const auto self = static_cast<std::uint32_t>(graph_.vertices());
    while (!is_empty()) {
      const std::uint32_t id = number(line, 1, head_.vertices, "the neighbour") - 1;
      if (id == self)
        throw at(line_, fmt::format("vertex {} is its own neighbour", id + 1), kRowWayOut);
      graph_.neighbours.push_back(id);
      if (head_.edge_weights)
        graph_.edge_weights.push_back(number(line, 1, UINT32_MAX, "the edge's weight"));
    }
    sort_last_row(graph_.begin.back());
    graph_.begin.push_back(graph_.neighbours.size());
    const std::uint64_t needed = build_bytes(head_.vertices, graph_.neighbours.size(), 4);
    if (needed > budget_)
      throw at(line_,
               fmt::format("too large: the edges up to here take {} to build, {} are available",
                           format_bytes(needed), format_bytes(budget_)),
               "use a smaller graph or a machine with more memory");
  }

  void sort_last_row(std::size_t first) {
    auto& ids = graph_.neighbours;
    const auto row = ids.begin() + static_cast<std::ptrdiff_t>(first);
    if (!std::is_sorted(row, ids.end())) {
      if (graph_.edge_weights.empty()) {
        std::sort(row, ids.end());
      } else {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
        for (std::size_t i = first; i < ids.size(); ++i)
          pairs.emplace_back(ids[i], graph_.edge_weights[i]);
        std::sort(pairs.begin(), pairs.end());
        for (std::size_t i = first; i < ids.size(); ++i)
          std::tie(ids[i], graph_.edge_weights[i]) = pairs[i - first];
      }
    }
    if (const auto twice = std::adjacent_find(row, ids.end()); twice != ids.end())
      throw at(line_, fmt::format("the neighbour {} is there twice", *twice + 1), kRowWayOut);
  }

  /// Comments may stand between the rows.
  [[nodiscard]] std::uint64_t line_of(std::size_t vertex) const {
    const auto before = std::upper_bound(comments_.begin(), comments_.end(), vertex);
    return head_line_ + 1 + vertex + static_cast<std::uint64_t>(before - comments_.begin());
  }

  /// Checks that each edge is in both rows. Rows ascend, so a vertex's neighbours refer to it in
  /// the order of its own row. met[v] is the position that the next such reference must match.
  void check() const {
    std::vector<std::uint64_t> met(graph_.begin.begin(), graph_.begin.end() - 1);
    const auto one_way = [&](std::size_t from, std::size_t to) {
      return at(line_of(from),
                fmt::format("vertex {} has the neighbour {}, whose line lacks {}", from + 1, to + 1,
                            from + 1),
                "an edge is in the lines of both its vertices");
    };
    for (std::size_t vertex = 0; vertex < graph_.vertices(); ++vertex) {
      for (std::uint64_t i = graph_.begin[vertex]; i < graph_.begin[vertex + 1]; ++i) {
        const std::uint32_t other = graph_.neighbours[i];
        const std::uint64_t back = met[other]++;
        if (back >= graph_.begin[other + 1] || graph_.neighbours[back] > vertex)
          throw one_way(vertex, other);
        if (graph_.neighbours[back] < vertex) throw one_way(other, graph_.neighbours[back]);
        if (!graph_.edge_weights.empty() && graph_.edge_weights[back] != graph_.edge_weights[i])
          throw at(line_of(vertex),
                   fmt::format("the edge to {} weighs {} here and {} in line {}", other + 1,
                               graph_.edge_weights[i], graph_.edge_weights[back], line_of(other)),
                   "an edge has one weight");
      }
    }
    for (std::size_t vertex = 0; vertex < graph_.vertices(); ++vertex)
      if (met[vertex] != graph_.begin[vertex + 1])
        throw one_way(vertex, graph_.neighbours[met[vertex]]);
  }

  TextReader& reader_;
  std::uint64_t budget_;
  MetisHead head_;
  std::uint64_t head_line_ = 0;
  std::uint64_t line_ = 0;
  std::vector<std::size_t> comments_;  ///< for each comment, the number of rows before it
  MetisGraph graph_;
};

}  // namespace

MetisGraph read_metis(TextReader& reader, std::uint64_t budget) {
  return Rows(reader, budget).read();
}

ParsedText parse_metis(TextReader& reader, const Team&, const TextRequest& request) {
  const MetisGraph graph = read_metis(reader, request.budget);
  const std::size_t count = graph.neighbours.size();
  ParsedText text;
  text.nodes = graph.vertices();
  text.declares_nodes = true;
  text.entries = count;
  const auto fill = [&]<class Id>(EdgePair<Id>* out) {
    for (std::size_t vertex = 0; vertex < graph.vertices(); ++vertex)
      for (std::uint64_t i = graph.begin[vertex]; i < graph.begin[vertex + 1]; ++i)
        *out++ = {static_cast<Id>(vertex), graph.neighbours[i]};
  };
  if (request.text.values.empty()) {
    auto& list = text.narrow.emplace_back();
    fill(list.room(count));
    list.commit(count);
    return text;
  }
  for (const auto& value : request.text.values)
    if (graph.edge_weights.size() != count || column_number(value.column) != 2)
      throw Error::input(
          "--value",
          fmt::format("edges of {} have no column {}", reader.source().name(), value.column),
          "column 3 is the weight of an edge, if the graph has weights");
  FieldChunk& chunk = text.chunks.emplace_back();
  chunk.pairs = Buffer<EdgePair<std::uint64_t>>(count);
  fill(chunk.pairs.data());
  const std::size_t names = request.text.values.size();
  chunk.values = Buffer<std::uint64_t>(count * names);
  chunk.columns.resize(names);
  for (std::size_t i = 0; i < count * names; ++i) chunk.values[i] = graph.edge_weights[i / names];
  return text;
}

AffinityGraph read_metis_tasks(InputFile& file, const std::string& path, const Team& team) {
  MetisGraph graph = with_source(file, team, [&](ByteSource& source) {
    TextReader reader(source, kChunkBytes);
    if (is_matrix_market(reader.peek(kTextHeadBytes)))  // METIS would read the header as a comment
      throw Error::input(path, "is a Matrix Market file, where a METIS graph or *.atoll is wanted",
                         "convert it first: atoll graph convert FILE -o g.atoll");
    return read_metis(reader, available_memory());
  });
  if (graph.constraints > 1)
    throw Error::input(path, fmt::format("has {} weights a vertex", graph.constraints),
                       "a schedule balances one: write one weight a vertex");
  AffinityGraph result;
  result.begin = std::move(graph.begin);
  result.neighbours = std::move(graph.neighbours);
  result.weights = std::move(graph.edge_weights);
  result.weights.resize(result.neighbours.size(), 1);
  if (graph.constraints == 1) {
    const std::size_t stride = graph.sizes ? 2 : 1;
    for (std::size_t vertex = 0; vertex < result.vertices(); ++vertex)
      result.vertex_weights.push_back(graph.vertex_numbers[vertex * stride + stride - 1]);
  }
  return result;
}

AffinityGraph read_metis_graph(const std::string& path) {
  InputFile file(path);
  return read_metis_tasks(file, path, Team({{}}, Team::Runtime::std_threads, false));
}

}  // namespace Atoll::graph
