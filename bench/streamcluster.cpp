// Suite `streamcluster` [shoal §5.1, Figure 5], with the times that the program reports, without
// its start-up: vectorized sums relative to sums in the original's order, and annotated arrays
// relative to the original's placement. All centres are compared first.
#include <filesystem>

#include "bench.hpp"

namespace Atoll::bench {
namespace {

/// A variant, and its times so far.
struct Way {
  std::string options;
  std::string text{};  ///< output file of the last run
  Json told{};
  std::vector<double> seconds{};
};

void run(Way& way, const std::filesystem::path& build, const std::string& sizes) {
  const std::string outfile = (build / "bench" / "streamcluster.centres").string();
  way.told = Json::parse(output_of(fmt::format("'{}' {} none '{}' 0 {} --json",
                                               (build / "apps" / "streamcluster").string(), sizes,
                                               outfile, way.options)));
  way.seconds.push_back(way.told["seconds"].get<double>());
  std::ifstream file(outfile);
  way.text.assign(std::istreambuf_iterator<char>(file), {});
  std::filesystem::remove(outfile);
}

/// Returns the lines with the centres' positions in the stream: the first of each four.
std::vector<std::string> ids(const std::string& text) {
  std::vector<std::string> ids;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t i = 0; std::getline(lines, line); ++i)
    if (i % 4 == 0) ids.push_back(line);
  return ids;
}

void rows(Suite& suite, const std::filesystem::path& build, const std::string& name,
          const std::string& sizes, int rounds) {
  Way annotated{""}, scalar{"--scalar"}, baseline{"--baseline"};
  std::vector<Way*> ways{&annotated, &baseline};
  if (rounds > 1) ways.push_back(&scalar);
  for (int round = 0; round < rounds; ++round) {
    for (Way* way : ways) run(*way, build, sizes);
    std::reverse(ways.begin(), ways.end());
  }
  require(annotated.text == baseline.text, name + ": annotated and baseline differ");
  const Measured of_annotated = summarise(annotated.seconds);
  if (rounds > 1) {
    const auto cost = annotated.told["cost"].get<double>(),
               exact = scalar.told["cost"].get<double>();
    require(ids(annotated.text) == ids(scalar.text) && std::abs(cost / exact - 1) < 1e-3,
            name + ": vectorised and scalar differ");
    suite.row("vectorised" + name, "s", of_annotated.median, "scalar",
              summarise(scalar.seconds).median, of_annotated.spread);
  }
  suite.row("annotated" + name, "s", of_annotated.median, "baseline",
            summarise(baseline.seconds).median, of_annotated.spread);
}

}  // namespace
}  // namespace Atoll::bench

int main(int argc, char** argv) {
  using namespace Atoll::bench;
  const auto build = std::filesystem::canonical("/proc/self/exe").parent_path().parent_path();
  Suite suite("streamcluster");
  rows(suite, build, "", "10 20 128 16384 16384 1000", 11);
  rows(suite, build, " (200,000 points)", "10 20 128 200000 200000 5000", 1);
  suite.write(argc, argv);
}
