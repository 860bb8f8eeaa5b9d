// Suite `graph`: PageRank on R-MAT scale 20, factor 16, compiled by Atoll, relative to the same
// algorithm with raw pointers and plain OpenMP, and to igraph with the same residual. Every run is
// a separate process on one graph file, in alternation. Results are compared before any
// measurement.
#include "bench.hpp"

#include <atoll/graph/graph.hpp>
#include <atoll/machine/thread_places.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <numeric>
#include <span>

namespace fs = std::filesystem;
using Atoll::bench::require;
using Atoll::graph::Section;

namespace {

constexpr double kDamping = 0.85;
constexpr int kRounds = 9;

Atoll::Json run_json(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  require(pipe != nullptr, command);
  std::string text;
  char buffer[4096];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    text.append(buffer, got);
  require(::pclose(pipe) == 0, command);
  return Atoll::Json::parse(text);
}

std::vector<double> read_doubles(const fs::path& path) {
  std::vector<double> values(fs::file_size(path) / sizeof(double));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(double)));
  return values;
}

/// Reads the ranks that `atoll run --save` wrote: lines with "label value".
std::vector<double> read_ranks(const fs::path& path, std::size_t nodes) {
  std::vector<double> values(nodes);
  std::ifstream file(path);
  std::size_t node = 0;
  for (double value = 0; file >> node >> value;) values.at(node) = value;
  return values;
}

std::vector<double> normalised(std::vector<double> values) {
  // Sequential summation of a million equal terms loses four digits of a double.
  const long double sum = std::accumulate(values.begin(), values.end(), 0.0L);
  for (double& value : values) value = static_cast<double>(value / sum);
  return values;
}

/// L1 distance between a distribution and the result of one exact iteration on it; the rank of
/// nodes without out-edges is distributed evenly.
double residual(const Atoll::graph::Graph& graph, const std::vector<double>& rank) {
  const auto begin = graph.ids<std::uint32_t>(Section::begin),
             r_begin = graph.ids<std::uint32_t>(Section::r_begin),
             r_node_idx = graph.ids<std::uint32_t>(Section::r_node_idx);
  const std::size_t n = graph.nodes();
  long double dangling = 0;
  for (std::size_t v = 0; v < n; ++v)
    if (begin[v] == begin[v + 1]) dangling += rank[v];
  double distance = 0;
  for (std::size_t v = 0; v < n; ++v) {
    double sum = static_cast<double>(dangling / static_cast<long double>(n));
    for (std::uint32_t i = r_begin[v]; i < r_begin[v + 1]; ++i) {
      const std::uint32_t w = r_node_idx[i];
      sum += rank[w] / (begin[w + 1] - begin[w]);
    }
    distance += std::fabs(rank[v] - ((1 - kDamping) / static_cast<double>(n) + kDamping * sum));
  }
  return distance;
}

struct Programs {
  fs::path build, graph, scratch;

  [[nodiscard]] std::string atoll(const std::string& e, const std::string& more = {}) const {
    return fmt::format(
        "'{}' run '{}/apps/greenmarl/pagerank.gm' --graph '{}' --arg e={} --arg d={} --arg "
        "max=1000 --json "
        "{}",
        (build / "atoll").string(), ATOLL_SOURCE_DIR, graph.string(), e, kDamping, more);
  }
  [[nodiscard]] std::string raw(const std::string& e, const std::string& ranks = {}) const {
    return fmt::format("'{}' '{}' {} {} 1000 {}", (build / "bench/pagerank_raw").string(),
                       graph.string(), e, kDamping, ranks);
  }
};

double per_iteration(const Atoll::Json& atoll) {
  return atoll["seconds"]["run"].get<double>() / atoll["trip_counts"]["k"].get<double>();
}

}  // namespace

int main(int argc, char** argv) {
  Programs programs{fs::read_symlink("/proc/self/exe").parent_path().parent_path(), {}, {}};
  programs.scratch = programs.build / "bench";
  programs.graph = programs.scratch / "rmat-20-16.atoll";
  if (!fs::exists(programs.graph))
    require(
        std::system(fmt::format("'{}' graph generate rmat --scale 20 --edge-factor 16 -o '{}' >&2",
                                (programs.build / "atoll").string(), programs.graph.string())
                        .c_str()) == 0,
        "atoll graph generate");
  const Atoll::Team team(Atoll::spread_places(Atoll::Machine::this_computer()));
  Atoll::graph::Graph graph = Atoll::graph::load(programs.graph, team);
  graph.require(Section::r_begin, team);
  graph.require(Section::r_node_idx, team);

  // Comparison of results.
  const fs::path ours = programs.scratch / "ranks-atoll.txt",
                 raw = programs.scratch / "ranks-raw.bin";
  run_json(programs.atoll("1e-12", fmt::format("--save pg_rank='{}'", ours.string())));
  run_json(programs.raw("1e-12", "'" + raw.string() + "'"));
  const std::vector<double> rank = normalised(read_ranks(ours, graph.nodes()));
  const std::vector<double> raw_rank = normalised(read_doubles(raw));
  double apart = 0;
  for (std::size_t v = 0; v < rank.size(); ++v)
    apart = std::max(apart, std::fabs(rank[v] - raw_rank[v]) / raw_rank[v]);
  require(apart < 1e-9, fmt::format("raw pointers differ by {}", apart));
  require(residual(graph, rank) < 1e-11, fmt::format("residual {}", residual(graph, rank)));

  Atoll::bench::Suite suite("graph");
  std::vector<double> atoll_iteration, raw_iteration, atoll_total, raw_total;
  Atoll::Json last;
  for (int round = 0; round < kRounds; ++round)
    for (const bool atoll : {round % 2 == 0, round % 2 != 0}) {
      if (atoll) {
        last = run_json(programs.atoll("1e-6"));
        atoll_iteration.push_back(per_iteration(last));
        atoll_total.push_back(last["seconds"]["run"].get<double>());
      } else {
        const auto result = run_json(programs.raw("1e-6"));
        raw_iteration.push_back(result["seconds"].get<double>() /
                                result["iterations"].get<double>());
        raw_total.push_back(result["seconds"].get<double>());
      }
    }
  const auto mine = Atoll::bench::summarise(atoll_iteration),
             theirs = Atoll::bench::summarise(raw_iteration);
  suite.row("pagerank, one iteration", "s", mine.median, "raw pointers", theirs.median,
            mine.spread);
  suite.row("pagerank to 1e-6", "s", Atoll::bench::summarise(atoll_total).median, "raw pointers",
            Atoll::bench::summarise(raw_total).median);

  // igraph, with the residual that it reaches.
  const fs::path edges = programs.scratch / "rmat-20-16.pairs",
                 peer_ranks = programs.scratch / "ranks-igraph.bin";
  {
    std::ofstream out(edges, std::ios::binary);
    const auto begin = graph.ids<std::uint32_t>(Section::begin),
               node_idx = graph.ids<std::uint32_t>(Section::node_idx);
    std::vector<std::uint32_t> pairs;
    for (std::uint32_t v = 0; v < graph.nodes(); ++v)
      for (std::uint32_t i = begin[v]; i < begin[v + 1]; ++i)
        pairs.insert(pairs.end(), {v, node_idx[i]});
    out.write(reinterpret_cast<const char*>(pairs.data()),
              static_cast<std::streamsize>(pairs.size() * 4));
  }
  const double igraph_seconds =
      run_json(fmt::format("/usr/bin/python3 '{}/bench/peers/pagerank_igraph.py' '{}' {} {} '{}'",
                           ATOLL_SOURCE_DIR, edges.string(), graph.nodes(), kDamping,
                           peer_ranks.string()))
          .at("seconds")
          .get<double>();
  fs::remove(edges);
  const double igraph_residual = residual(graph, normalised(read_doubles(peer_ranks)));
  double seconds = 0, reached = 1;
  for (double e = 1e-4; reached > igraph_residual; e /= 10) {
    require(e > 1e-17, fmt::format("residual {} isn't reached", igraph_residual));
    const auto result = run_json(
        programs.atoll(fmt::format("{}", e), fmt::format("--save pg_rank='{}'", ours.string())));
    seconds = result["seconds"]["run"].get<double>() + result["seconds"]["place"].get<double>();
    reached = residual(graph, normalised(read_ranks(ours, graph.nodes())));
  }
  suite.row(fmt::format("place and run, to {:.0e}", igraph_residual), "s", seconds,
            fmt::format("igraph, which reaches {:.1e}", igraph_residual), igraph_seconds);

  // Memory: arrays of the graph and of the program, relative to the peak with one copy of each.
  last = run_json(programs.atoll("1e-6", "--layout single"));
  double needed = static_cast<double>(graph.bytes(Section::node_idx).size() +
                                      graph.bytes(Section::begin).size()) *
                  2;
  for (const auto& array : last["arrays"])
    if (!array["pattern"]["graph_own"].get<bool>())
      needed += array["elements"].get<double>() * array["element_bytes"].get<double>();
  suite.row("peak memory, single layout", "bytes", last["peak_rss_bytes"].get<double>(),
            "graph and arrays", needed);
  suite.write(argc, argv);
}
