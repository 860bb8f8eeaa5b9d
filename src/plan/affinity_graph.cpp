// Checks the invariants of graphs and of task locations.
#include "atoll/plan/affinity_graph.hpp"

#include <limits>
#include <string>

#include "atoll/base/error.hpp"
#include "plan/row_begins.hpp"

namespace Atoll {
namespace {

[[noreturn]] void wrong_at(std::string_view where, std::string_view row, std::size_t number,
                           std::string_view what) {
  throw Error::input(where,
                     std::string(row) + " " + std::to_string(number) + " " + std::string(what));
}

}  // namespace

void check(const AffinityGraph& graph, std::string_view where) {
  detail::check_begins(graph.begin, graph.neighbours.size(), where, "vertex");
  const std::size_t vertices = graph.vertices();
  if (vertices >= std::numeric_limits<std::uint32_t>::max())
    throw Error::input(where, "has more than 2^32 - 2 vertices");
  if (graph.weights.size() != graph.neighbours.size())
    throw Error::input(where, "has not as many weights as neighbours");
  if (!graph.vertex_weights.empty() && graph.vertex_weights.size() != vertices)
    throw Error::input(where, "has not as many vertex weights as vertices");

  // Rows ascend, so the reverse edges to a vertex are found in the order of its own row. met[v] is
  // the position in row v up to which reverse edges were found.
  std::vector<std::uint64_t> met(graph.begin.begin(), graph.begin.end() - 1);
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
    for (std::uint64_t at = graph.begin[vertex]; at < graph.begin[vertex + 1]; ++at) {
      const std::uint32_t neighbour = graph.neighbours[at];
      if (neighbour >= vertices)
        wrong_at(where, "vertex", vertex, "has a neighbour beyond the last");
      if (neighbour == vertex) wrong_at(where, "vertex", vertex, "is its own neighbour");
      if (at > graph.begin[vertex] && graph.neighbours[at - 1] >= neighbour)
        wrong_at(where, "vertex", vertex, "has neighbours that don't ascend");
      if (graph.weights[at] == 0) wrong_at(where, "vertex", vertex, "has an edge of weight 0");
      const std::uint64_t back = met[neighbour]++;
      if (back >= graph.begin[neighbour + 1] || graph.neighbours[back] != vertex)
        wrong_at(where, "vertex", vertex,
                 "has an edge to " + std::to_string(neighbour) + " that it hasn't got");
      if (graph.weights[back] != graph.weights[at])
        wrong_at(where, "vertex", vertex,
                 "has an edge to " + std::to_string(neighbour) + " with two weights");
    }
  }
}

void check(const TaskLocations& tasks, std::string_view where) {
  detail::check_begins(tasks.begin, tasks.locations.size(), where, "task");
  if (tasks.tasks() >= std::numeric_limits<std::uint32_t>::max())
    throw Error::input(where, "has more than 2^32 - 2 tasks");
  for (std::size_t task = 0; task < tasks.tasks(); ++task)
    for (std::uint64_t at = tasks.begin[task]; at < tasks.begin[task + 1]; ++at)
      if (tasks.locations[at] >= tasks.location_count)
        wrong_at(where, "task", task, "has a location beyond the last");
}

}  // namespace Atoll
