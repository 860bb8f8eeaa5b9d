// Suite `reorder`: reverse Cuthill-McKee of a shuffled mesh relative to SciPy's (seconds to compute
// the order), and a matrix-vector product in both orders and in the original one. SciPy runs in a
// separate Python process that reads the matrix from a file and times only its call; without SciPy,
// these rows are omitted with a message. Then meshes of ../shared/data in their original order,
// which must not become slower. All orders of a matrix use the same memory in alternation, because
// different pages change times by 10 % and more. The minimum of all rounds is used, because other
// programs only add time.
#include <unistd.h>

#include <atoll/graph/metis.hpp>
#include <atoll/plan/choose_order.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "bench.hpp"

namespace {

using Atoll::AffinityGraph, Atoll::TaskOrder;
using Atoll::bench::require;
using Order = std::vector<std::uint32_t>;

constexpr int kRounds = 30;
constexpr std::uint32_t kSide = 1000;

/// Returns a grid with diagonals whose nodes are in random order.
AffinityGraph shuffled_mesh() {
  Order name(std::size_t{kSide} * kSide);
  std::iota(name.begin(), name.end(), 0U);
  std::shuffle(name.begin(), name.end(), std::mt19937_64(1));
  Order place(name.size());
  for (std::uint32_t at = 0; at < name.size(); ++at) place[name[at]] = at;
  AffinityGraph graph;
  for (const std::uint32_t at : place) {
    const std::uint32_t x = at / kSide, y = at % kSide;
    const auto row = static_cast<std::ptrdiff_t>(graph.neighbours.size());
    for (std::uint32_t i = x - (x > 0); i <= std::min(x + 1, kSide - 1); ++i)
      for (std::uint32_t j = y - (y > 0); j <= std::min(y + 1, kSide - 1); ++j)
        if (i != x || j != y) graph.neighbours.push_back(name[i * kSide + j]);
    std::sort(graph.neighbours.begin() + row, graph.neighbours.end());
    graph.begin.push_back(graph.neighbours.size());
  }
  graph.weights.assign(graph.neighbours.size(), 1);
  return graph;
}

/// The matrix of a graph in an order, 4 on the diagonal and -1 for each neighbour, with vectors.
struct Matrix {
  std::vector<std::uint64_t> begin{0};
  Order columns;
  std::vector<double> values, x, y;

  Matrix(const AffinityGraph& graph, const Order& order) : x(order.size()), y(order.size()) {
    const Order place = Atoll::places_of(order);
    for (std::size_t k = 0; k < order.size(); ++k) {
      const auto row = static_cast<std::ptrdiff_t>(columns.size());
      columns.push_back(static_cast<std::uint32_t>(k));
      for (std::uint64_t i = graph.begin[order[k]]; i < graph.begin[order[k] + 1]; ++i)
        columns.push_back(place[graph.neighbours[i]]);
      std::sort(columns.begin() + row, columns.end());
      for (std::size_t i = begin.back(); i < columns.size(); ++i)
        values.push_back(columns[i] == k ? 4 : -1);
      begin.push_back(columns.size());
      x[k] = order[k] % 1000;  // sums are exact, so they don't depend on the order
    }
  }
  void multiply() {
    for (std::size_t row = 0; row < y.size(); ++row) {
      double sum = 0;
      for (std::uint64_t i = begin[row]; i < begin[row + 1]; ++i) sum += values[i] * x[columns[i]];
      y[row] = sum;
    }
  }
};

/// Returns the seconds of a product for each order, in the same memory.
std::vector<Atoll::bench::Measured> product_seconds(const std::vector<const Matrix*>& orders) {
  Matrix one = *orders.front();
  std::vector<std::vector<double>> seconds(orders.size());
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const std::size_t turn = round % 2 == 0 ? i : orders.size() - 1 - i;
      const Matrix& next = *orders[turn];
      std::copy(next.begin.begin(), next.begin.end(), one.begin.begin());
      std::copy(next.columns.begin(), next.columns.end(), one.columns.begin());
      std::copy(next.values.begin(), next.values.end(), one.values.begin());
      std::copy(next.x.begin(), next.x.end(), one.x.begin());
      one.multiply();
      for (int again = 0; again < 3; ++again) {
        const auto start = std::chrono::steady_clock::now();
        one.multiply();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        seconds[turn].push_back(took.count());
      }
    }
  std::vector<Atoll::bench::Measured> measured;
  for (auto& values : seconds) measured.push_back(Atoll::bench::summarise(std::move(values)));
  return measured;
}

void require_product(const AffinityGraph& graph, const Order& order, Matrix& matrix) {
  require(std::set<std::uint32_t>(order.begin(), order.end()).size() == graph.vertices(),
          "an order has each row once");
  matrix.multiply();
  for (std::size_t k = 0; k < order.size(); ++k) {
    double sum = 4.0 * (order[k] % 1000);
    for (std::uint64_t i = graph.begin[order[k]]; i < graph.begin[order[k] + 1]; ++i)
      sum -= graph.neighbours[i] % 1000;
    require(matrix.y[k] == sum, "the product in another order");
  }
}

/// SciPy's order, and the minimum seconds of five calls; empty without SciPy.
struct Scipy {
  Order order;
  double seconds = 0;
};
std::optional<Scipy> scipy_order(const AffinityGraph& graph) {
  const std::string base =
      std::filesystem::temp_directory_path() / ("bench_reorder." + std::to_string(::getpid()));
  const auto dump = [](const std::string& path, const auto& numbers) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::streamsize>(numbers.size() * sizeof numbers[0]));
  };
  dump(base + ".begin", Order(graph.begin.begin(), graph.begin.end()));
  dump(base + ".columns", graph.neighbours);
  std::ofstream(base + ".py") << fmt::format(R"(
import time, numpy, scipy.sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee
begin, columns = (numpy.fromfile("{0}" + name, dtype=numpy.int32) for name in (".begin", ".columns"))
rows = len(begin) - 1
matrix = scipy.sparse.csr_matrix((numpy.ones(len(columns)), columns, begin), shape=(rows, rows))
least = float("inf")
for _ in range(5):
    start = time.perf_counter()
    order = reverse_cuthill_mckee(matrix, symmetric_mode=True)
    least = min(least, time.perf_counter() - start)
order.astype(numpy.uint32).tofile("{0}.order")
print(least, file=open("{0}.seconds", "w"))
)",
                                             base);
  const int failed = std::system(("/usr/bin/python3 " + base + ".py 2>/dev/null").c_str());
  std::optional<Scipy> result;
  if (failed == 0) {
    result.emplace();
    result->order.resize(graph.vertices());
    std::ifstream(base + ".order", std::ios::binary)
        .read(reinterpret_cast<char*>(result->order.data()),
              static_cast<std::streamsize>(result->order.size() * sizeof(std::uint32_t)));
    std::ifstream(base + ".seconds") >> result->seconds;
  }
  for (const char* ending : {".begin", ".columns", ".py", ".order", ".seconds"})
    std::filesystem::remove(base + ending);
  return result;
}

void rcm(Atoll::bench::Suite& suite, const std::string& name, const AffinityGraph& graph,
         const std::optional<Scipy>& scipy) {
  Order order;
  double seconds = 1e9;
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    order = Atoll::order_graph(graph, TaskOrder::rcm);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    seconds = std::min(seconds, took.count());
  }
  const Order as_it_was = Atoll::order_graph(graph, TaskOrder::created);
  Matrix before(graph, as_it_was), after(graph, order);
  require_product(graph, as_it_was, before);
  require_product(graph, order, after);
  std::vector<const Matrix*> orders{&before, &after};
  std::optional<Matrix> other;
  if (scipy) {
    other.emplace(graph, scipy->order);
    require_product(graph, scipy->order, *other);
    orders.push_back(&*other);
    suite.row("reorder rcm " + name, "s", seconds, "scipy rcm", scipy->seconds);
  }
  const auto times = product_seconds(orders);
  suite.row("reorder spmv " + name, "ms", times[1].least * 1e3, "as it was", times[0].least * 1e3,
            times[1].spread);
  if (scipy)
    suite.row("reorder spmv " + name, "ms", times[1].least * 1e3, "scipy rcm", times[2].least * 1e3,
              times[1].spread);
}

/// The order that `atoll reorder` chooses, with its prediction, relative to the original order and
/// to SciPy's.
void chosen(Atoll::bench::Suite& suite, const std::string& name, const AffinityGraph& graph,
            const std::optional<Scipy>& scipy) {
  const Atoll::TaskLocations tasks{graph.begin, graph.neighbours,
                                   static_cast<std::uint32_t>(graph.vertices())};
  const Atoll::ChosenOrder best =
      Atoll::choose_order({graph, tasks}, Atoll::Machine::this_computer());
  const Order as_it_was = Atoll::order_graph(graph, TaskOrder::created);
  Matrix before(graph, as_it_was), after(graph, best.order);
  require_product(graph, best.order, after);
  std::vector<const Matrix*> orders{&before, &after};
  std::optional<Matrix> other;
  if (scipy) orders.push_back(&other.emplace(graph, scipy->order));
  const auto times = product_seconds(orders);
  const std::string row =
      fmt::format("reorder best {} ({}, predicted {:.2f})", name, to_string(best.kind),
                  best.after.seconds / best.before.seconds);
  suite.row(row, "ms", times[1].least * 1e3, "as it was", times[0].least * 1e3, times[1].spread);
  if (scipy)
    suite.row(row, "ms", times[1].least * 1e3, "scipy rcm", times[2].least * 1e3, times[1].spread);
}

void rows_of(Atoll::bench::Suite& suite, const std::string& name, const AffinityGraph& graph) {
  const auto scipy = scipy_order(graph);
  if (!scipy) fmt::print("no SciPy in /usr/bin/python3: the rows against it are left out\n");
  rcm(suite, name, graph, scipy);
  chosen(suite, name, graph, scipy);
}

}  // namespace

int main(int argc, char** argv) {
  Atoll::bench::Suite suite("reorder");
  rows_of(suite, "shuffled mesh 1M", shuffled_mesh());
  for (const std::string name : {"4elt", "copter2", "mdual"}) {
    const auto path = std::filesystem::path(ATOLL_SOURCE_DIR).parent_path() / "shared/data/meshes" /
                      (name + ".graph.gz");
    if (!std::filesystem::exists(path)) {
      fmt::print("{} isn't here: its rows are left out\n", path.filename().string());
      continue;
    }
    rows_of(suite, name, Atoll::graph::read_metis_graph(path));
  }
  suite.write(argc, argv);
}
