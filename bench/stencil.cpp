// Suite `stencil`: the applications tiled relative to untiled, in nanoseconds per cell and step;
// single loops relative to handwritten ones; tile sizes, queueing, planning and memory; a wave
// relative to Devito. Rows are for one thread and for all. Results are compared before any
// measurement. `bench_stencil FILE.json WORDS` runs only rows whose names contain WORDS, or the
// groups "loops", "sizes", "queue", "memory", "wave".
#include "stencil_costs.hpp"
#include "stencil_flows.hpp"
#include "stencil_loops.hpp"
#include "stencil_wave.hpp"

namespace {

using namespace Atoll::bench;

constexpr int kRounds = 5, kLoopRounds = 15;

}  // namespace

int main(int argc, char** argv) {
  Suite suite("stencil");
  const std::vector<FlowCase> flows{
      {"cloverleaf2d", 2, 960, make_cloverleaf2d, 8},
      {"cloverleaf2d", 2, 1920, make_cloverleaf2d, 2},
      {"cloverleaf2d", 2, 3840, make_cloverleaf2d, 1},
      {"cloverleaf3d", 3, 160, make_cloverleaf3d, 2},
      {"taylor-green", 3, 160, make_taylor_green, 1},
  };
  const auto chosen = [words = std::string(argc > 2 ? argv[2] : "")](const std::string& name) {
    return name.find(words) != std::string::npos;
  };
  const int all = st::Program(st::Options{}).team().size();
  std::vector<int> threads{1};
  if (all > 1) threads.push_back(all);
  for (const FlowCase& flow : flows)
    for (const int count : threads)
      if (chosen(flow.title(count))) flow_row(suite, flow, count, kRounds);
  for (const int count : threads) {
    if (chosen("loops")) cloverleaf_loop_rows(suite, count, 960, kLoopRounds);
    if (chosen("loops")) heat_row(suite, count, 160, kLoopRounds);
  }
  if (chosen("sizes")) sizes_row(suite, flows[1], all, kRounds);
  for (const int count : threads)
    if (chosen("queue"))
      queue_and_plan_row(suite, {"cloverleaf2d", 2, 256, make_cloverleaf2d}, count, kRounds);
  const auto build = std::filesystem::canonical(argv[0]).parent_path().parent_path();
  if (chosen("memory")) memory_row(suite, build, 3840);
  for (const int count : threads)
    if (chosen("wave")) wave_rows(suite, build, count, 320, kRounds);
  suite.write(argc, argv);
}
