// Each row becomes a task that reads the vector's elements at the row's columns. The orders come
// from the graph of rows and columns.
#include "atoll/graph/reorder.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "atoll/base/error.hpp"
#include "graph/budget.hpp"
#include "graph/formats.hpp"
#include "graph/matrix_text.hpp"
#include "graph/metis_text.hpp"
#include "graph/text_source.hpp"

namespace Atoll::graph {
namespace {

/// Builds the locations of tasks without repetitions. If `both`, each pair is added in both
/// directions.
template <class ForEachPair>
TaskLocations locations_of(std::size_t tasks, std::uint32_t locations, bool both,
                           ForEachPair&& for_each_pair) {
  TaskLocations result;
  result.location_count = locations;
  result.begin.assign(tasks + 1, 0);
  const auto each = [&](auto&& take) {
    for_each_pair([&](std::uint32_t row, std::uint32_t column) {
      take(row, column);
      if (both && row != column) take(column, row);
    });
  };
  each([&](std::uint32_t row, std::uint32_t) { ++result.begin[row + 1]; });
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  result.locations.resize(result.begin.back());
  std::vector<std::uint64_t> at(result.begin.begin(), result.begin.end() - 1);
  each([&](std::uint32_t row, std::uint32_t column) { result.locations[at[row]++] = column; });
  for (std::size_t task = 0; task < tasks; ++task)
    std::sort(result.locations.begin() + static_cast<std::ptrdiff_t>(result.begin[task]),
              result.locations.begin() + static_cast<std::ptrdiff_t>(result.begin[task + 1]));
  return result;
}

/// Builds the undirected graph of tasks and locations. For a square matrix, a task and its location
/// are the same vertex; else locations are the vertices after the tasks.
AffinityGraph graph_of(const TaskLocations& tasks, bool square) {
  const auto shift = static_cast<std::uint32_t>(square ? 0 : tasks.tasks());
  const std::size_t vertices = square ? tasks.tasks() : tasks.tasks() + tasks.location_count;
  const TaskLocations both =
      locations_of(vertices, static_cast<std::uint32_t>(vertices), true, [&](auto&& take) {
        for (std::size_t task = 0; task < tasks.tasks(); ++task)
          for (std::uint64_t i = tasks.begin[task]; i < tasks.begin[task + 1]; ++i)
            take(static_cast<std::uint32_t>(task), tasks.locations[i] + shift);
      });
  AffinityGraph graph;
  graph.neighbours.reserve(both.locations.size());
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
    for (std::uint64_t i = both.begin[vertex]; i < both.begin[vertex + 1]; ++i)
      if (both.locations[i] != vertex && (graph.neighbours.size() == graph.begin.back() ||
                                          graph.neighbours.back() != both.locations[i]))
        graph.neighbours.push_back(both.locations[i]);
    graph.begin.push_back(graph.neighbours.size());
  }
  return graph;  // orders ignore weights
}

Reordered reordered(const TaskLocations& tasks, bool square, const Machine& machine,
                    std::optional<TaskOrder> only) {
  const auto rows = static_cast<std::uint32_t>(tasks.tasks());
  const AffinityGraph graph = graph_of(tasks, square);
  ChosenOrder chosen = choose_order({graph, tasks, !square}, machine, only);
  Reordered result;
  result.rows = rows;
  result.columns = tasks.location_count;
  result.kind = chosen.kind;
  result.before = chosen.before;
  result.after = chosen.after;
  result.candidates = std::move(chosen.candidates);
  if (square) {
    result.row_order = std::move(chosen.order);
    result.column_order = result.row_order;
    return result;
  }
  for (const std::uint32_t vertex : chosen.order)
    if (vertex < rows)
      result.row_order.push_back(vertex);
    else
      result.column_order.push_back(vertex - rows);
  return result;
}

Reordered reorder_matrix(TextReader& reader, const std::string& to, const Machine& machine,
                         std::optional<TaskOrder> only) {
  const MatrixText matrix = read_matrix_text(reader);
  if (std::uint64_t{matrix.rows} + matrix.columns >= UINT32_MAX)
    throw Error::input(reader.source().name(), "more than 2^32 - 2 rows and columns",
                       "use a smaller matrix");
  const TaskLocations tasks =
      locations_of(matrix.rows, matrix.columns, matrix.header.symmetric, [&](auto&& take) {
        for (const MatrixText::Entry& entry : matrix.entries) take(entry.row, entry.column);
      });
  Reordered result = reordered(tasks, matrix.rows == matrix.columns, machine, only);
  result.entries = matrix.entries.size();
  write_matrix_text(matrix, result.row_order, result.column_order, to);
  return result;
}

Reordered reorder_metis(TextReader& reader, const std::string& to, const Machine& machine,
                        std::optional<TaskOrder> only) {
  const MetisGraph graph = read_metis(reader, available_memory());
  const auto count = static_cast<std::uint32_t>(graph.vertices());
  const TaskLocations tasks{graph.begin, graph.neighbours, count};
  Reordered result = reordered(tasks, true, machine, only);
  result.entries = graph.neighbours.size() / 2;
  MetisGraph moved;
  moved.sizes = graph.sizes;
  moved.constraints = graph.constraints;
  const std::vector<std::uint32_t> place = places_of(result.row_order);
  const std::size_t numbers = graph.numbers_a_vertex();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> row;
  for (const std::uint32_t vertex : result.row_order) {
    row.clear();
    for (std::uint64_t i = graph.begin[vertex]; i < graph.begin[vertex + 1]; ++i)
      row.emplace_back(place[graph.neighbours[i]],
                       graph.edge_weights.empty() ? 0 : graph.edge_weights[i]);
    std::sort(row.begin(), row.end());
    for (const auto& [other, weight] : row) {
      moved.neighbours.push_back(other);
      if (!graph.edge_weights.empty()) moved.edge_weights.push_back(weight);
    }
    moved.begin.push_back(moved.neighbours.size());
    for (std::size_t i = 0; i < numbers; ++i)
      moved.vertex_numbers.push_back(graph.vertex_numbers[vertex * numbers + i]);
  }
  write_metis(moved, to);
  return result;
}

Reordered reorder_graph(const Graph& graph, const std::string& to, const Team& team,
                        const Machine& machine, std::optional<TaskOrder> only) {
  if (graph.nodes() >= UINT32_MAX)
    throw Error::input(to, "more than 2^32 - 2 nodes can't be ordered", "use a smaller graph");
  const auto count = static_cast<std::uint32_t>(graph.nodes());
  TaskLocations tasks;
  tasks.location_count = count;
  with_id_types(graph, [&]<class Node, class Edge>() {
    const auto begin = graph.ids<Edge>(Section::begin);
    const auto targets = graph.ids<Node>(Section::node_idx);
    tasks.begin.assign(begin.begin(), begin.end());
    tasks.locations.reserve(targets.size());
    for (const Node target : targets) tasks.locations.push_back(static_cast<std::uint32_t>(target));
  });
  Reordered result = reordered(tasks, true, machine, only);
  result.entries = graph.edges();
  save(permuted(graph, result.row_order, team), to);
  return result;
}

}  // namespace

Reordered reorder(const std::string& from, const std::string& to, const Team& team,
                  const Machine& machine, std::optional<TaskOrder> only) {
  InputFile file(from);
  if (const std::string_view head = file.peek(8); is_graph_file(head)) {
    Reordered result = reorder_graph(load_file(file, team), to, team, machine, only);
    result.format = "Atoll's graph file";
    return result;
  }
  return with_source(file, team, [&](ByteSource& source) {
    TextReader reader(source, kChunkBytes);
    const Format& format = format_of(reader.peek(kTextHeadBytes), source.name(), {});
    Reordered result;
    if (format.ending == ".mtx")
      result = reorder_matrix(reader, to, machine, only);
    else if (format.ending == ".graph")
      result = reorder_metis(reader, to, machine, only);
    else
      throw Error::input(source.name(), "is no Matrix Market file, METIS graph or *.atoll",
                         "convert it first: atoll graph convert FILE -o g.atoll");
    result.format = format.name;
    return result;
  });
}

}  // namespace Atoll::graph
