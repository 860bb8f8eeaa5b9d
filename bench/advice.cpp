// Suite `advice`: simulated times with advised plans, for twenty programs (ten with 8 and ten with
// 32 threads) on two machines. Each program is recorded for each machine, and simulated without a
// plan, interleaved, in equal parts, and with the plan. Ratios are relative to the fastest of the
// four. The suite fails if plans miss the limits below. bench_advice FILE [PART] runs only programs
// whose names contain PART.
#include <unistd.h>

#include <filesystem>

#include "advice_program.hpp"
#include "bench.hpp"

using namespace Atoll::bench;
namespace fs = std::filesystem;

namespace {

/// Limits: of 40 cases, kRequired must be within kNear of the best; none may exceed kWorst times
/// the time without a plan.
constexpr double kNear = 1.10, kWorst = 1.03, kRequired = 34.0 / 40;

class AdviceBench {
 public:
  AdviceBench(fs::path build, fs::path folder)
      : atoll_("'" + (build / "atoll").string() + "'"), folder_(std::move(folder)) {
    std::ofstream(folder_ / "program.c") << kAdviceProgram;
    output_of("'" + (build / "atollcc").string() + "' -O2 -g -pthread " + in("program.c") + " -o " +
              in("program"));
  }

  void run(Suite& suite, const std::string& part) {
    for (const int threads : {8, 32})
      for (const AdvicePattern& pattern : kAdvicePatterns)
        if (std::string(pattern.name).find(part) != std::string::npos) run(suite, pattern, threads);
  }

  /// Prints the totals. Returns true if they meet the limits.
  [[nodiscard]] bool print_sum() const {
    fmt::print(
        "{} of {} within {:.2f} of the best (required: {:.0f} %), {} above {:.2f} of no plan\n",
        near_, cases_, kNear, 100 * kRequired, worse_, kWorst);
    return static_cast<double>(near_) >= kRequired * static_cast<double>(cases_) && worse_ == 0;
  }

 private:
  [[nodiscard]] std::string in(const std::string& file) const {
    return "'" + (folder_ / file).string() + "'";
  }

  void run(Suite& suite, const AdvicePattern& pattern, int threads) {
    const std::string command =
        fmt::format(" -- {} {} {} {} {} {}", in("program"), pattern.kind, threads, pattern.mib,
                    pattern.rounds, pattern.main_fills ? 1 : 0);
    for (const std::string machine : {"xeon-x7550", "opteron-8x8"}) {
      const std::string answer = output_of(atoll_ + " profile --machine " + machine + " -o " +
                                           in("profile") + command + " 2>/dev/null");
      output_of(atoll_ + " advise " + in("profile") + " --machine " + machine + " -o " +
                in("plan") + " 2>/dev/null");
      const auto seconds = [&](const std::string& options) {
        const std::string said =
            output_of(fmt::format("{} simulate --json --no-interval --machine {} --threads {} {}{} "
                                  "2>{}",
                                  atoll_, machine, threads, options, command, in("said")));
        std::ifstream file(folder_ / "said");
        const std::string printed((std::istreambuf_iterator<char>(file)), {});
        require(printed.find(answer.substr(0, answer.find('\n'))) != std::string::npos, command);
        return Atoll::Json::parse(said).at("seconds").get<double>();
      };
      std::ifstream file(folder_ / "plan");
      const Atoll::Json plan =
          Atoll::Json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
      const double none = seconds("");
      const double interleaved = seconds("--policy interleave");
      const double partitioned = seconds("--layout partitioned");
      const bool changes = plan.contains("objects") || plan.contains("threads");
      const double advised = changes ? seconds("--plan " + in("plan")) : none;
      const double best = std::min({none, interleaved, partitioned, advised});
      suite.row(fmt::format("{}, {}, {}", pattern.name, threads, machine), "ms", 1e3 * advised,
                "the best", 1e3 * best, 0,
                {{"none", none},
                 {"interleaved", interleaved},
                 {"partitioned", partitioned},
                 {"changes", changes}});
      fmt::print("{:>36} none {:.3f}, interleaved {:.3f}, parts {:.3f}{}\n", "ms:", 1e3 * none,
                 1e3 * interleaved, 1e3 * partitioned, changes ? "" : "; no plan");
      ++cases_;
      near_ += advised <= kNear * best ? 1 : 0;
      worse_ += advised > kWorst * none ? 1 : 0;
    }
  }

  std::string atoll_;
  fs::path folder_;
  std::size_t cases_ = 0, near_ = 0, worse_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const fs::path build = fs::absolute(argv[0]).parent_path().parent_path();
  const fs::path folder = fs::temp_directory_path() / fmt::format("atoll-advice-{}", ::getpid());
  fs::create_directories(folder);
  Suite suite("advice");
  AdviceBench bench(build, folder);
  bench.run(suite, argc > 2 ? argv[2] : "");
  const bool is_good = bench.print_sum();
  suite.write(argc, argv);
  fs::remove_all(folder);
  return is_good ? 0 : 1;
}
