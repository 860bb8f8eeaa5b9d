// Suite `simulate`: the simulator relative to formulas (rows `closed` and `queue`) and to this
// machine (rows `here`), and its own speed (rows `speed`, relative to the required speed).
#include "bench.hpp"
#include "simulate_closed_forms.hpp"
#include "simulate_here.hpp"
#include "simulate_speed.hpp"

namespace {

using Atoll::bench::require;

void formulas(Atoll::bench::Suite& suite) {
  const auto rows = [&](const char* kind, const std::vector<Atoll::simulate::ClosedForm>& forms,
                        double most) {
    for (const Atoll::simulate::ClosedForm& form : forms) {
      const std::string name = std::string(kind) + " " + form.name;
      suite.row(name, "ns", form.simulated, "formula", form.formula);
      require(form.why_not.empty(), name + ": " + form.why_not);
      require(std::abs(form.simulated / form.formula - 1) <= most, name);
    }
  };
  rows("closed", Atoll::simulate::closed_forms(), 0.02);
  rows("queue", Atoll::simulate::queue_forms(), 0.05);
}

/// The fastest of three runs, because other programs only slow it down.
void speeds(Atoll::bench::Suite& suite) {
  using Atoll::bench::SpeedProgram;
  const Atoll::Machine machine = Atoll::Machine::open("opteron-8x8");
  const auto row = [&](const char* name, SpeedProgram::Kind kind, std::uint32_t threads,
                       std::uint64_t rounds, const Atoll::bench::RandomGraph* graph, double aim) {
    double best = 0;
    for (int i = 0; i < 3; ++i) {
      SpeedProgram program(kind, threads, rounds, graph);
      best = std::max(best, Atoll::bench::speed_of(program, machine, threads).accesses_a_second);
    }
    suite.row(name, "M/s", best / 1e6, "aim", aim);
  };
  row("speed hits of level 1", SpeedProgram::Kind::hits, 1, 5000, nullptr, 30);
  row("speed elements of ranges in level 1", SpeedProgram::Kind::short_loop, 1, 8000, nullptr, 30);
  row("speed elements of ranges from memory", SpeedProgram::Kind::loop, 1, 4, nullptr, 30);
  const Atoll::bench::RandomGraph graph(1 << 18, 16);
  row("speed PageRank, 64 threads", SpeedProgram::Kind::pagerank, 64, 1, &graph, 3);
  // Cost of the interval, as the ratio to a run without it: alternating, the fastest of each.
  double without = 0, with = 0;
  for (int i = 0; i < 3; ++i)
    for (const bool interval : {false, true}) {
      SpeedProgram program(SpeedProgram::Kind::pagerank, 64, 1, &graph);
      double& best = interval ? with : without;
      best =
          std::max(best, Atoll::bench::speed_of(program, machine, 64, interval).accesses_a_second);
    }
  suite.row("speed interval, beside the run", "runs", without / with - 1, "at most", 2);
}

}  // namespace

int main(int argc, char** argv) {
  Atoll::bench::Suite suite("simulate");
  formulas(suite);
  speeds(suite);
  Atoll::bench::here_rows(suite);
  suite.write(argc, argv);
}
