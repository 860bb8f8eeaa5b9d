// Suite `outofcore`: applications whose fields are several times as large as their fast memory
// [out-of-core §5.2-5.4, Figures 3 to 10]. Answers are compared with those in memory first, digit
// by digit. `bench_outofcore FILE.json WORDS` runs only applications whose names contain WORDS.
// $ATOLL_BENCH_HOME is the folder of the fields; default: the folder for temporary files.
#include <filesystem>
#include <optional>
#include <thread>

#include "atoll/memory/backing_file.hpp"
#include "bench.hpp"

namespace {

using namespace Atoll::bench;
using Atoll::Json;
namespace fs = std::filesystem;

std::string home() {
  const char* const named = std::getenv("ATOLL_BENCH_HOME");
  return named != nullptr ? named : fs::temp_directory_path().string();
}

/// Bytes per second of plain reads and writes of a file, at the same time.
struct Disk {
  double in = 0, out = 0;
};
Disk measure_disk() {
  constexpr std::size_t kBytes = std::size_t{512} << 20, kPart = std::size_t{4} << 20;
  constexpr std::size_t kThreads = 2;  // of each direction
  Atoll::memory::BackingFile file(home(), 2 * kBytes);
  // Reads of space that was never written would not reach the disk.
  {
    const std::vector<std::byte> part(kPart, std::byte{1});
    for (std::size_t at = 0; at < 2 * kBytes; at += kPart) file.write(at, part);
  }
  std::vector<std::thread> threads;
  std::array<double, 2 * kThreads> seconds{};
  const double start = seconds_now(Clock::wall);
  for (std::size_t t = 0; t < 2 * kThreads; ++t)
    threads.emplace_back([&, t] {
      std::vector<std::byte> room(kPart + 4096, std::byte{1});
      std::byte* const part =
          room.data() + (4096 - reinterpret_cast<std::uintptr_t>(room.data()) % 4096) % 4096;
      for (std::size_t at = t / 2 * kPart; at < kBytes; at += kThreads * kPart)
        if (t % 2 == 1)
          file.write(kBytes + at, {part, kPart});
        else
          file.read(at, {part, kPart});
      seconds[t] = seconds_now(Clock::wall) - start;
    });
  for (std::thread& thread : threads) thread.join();
  return {kBytes / std::max(seconds[0], seconds[2]), kBytes / std::max(seconds[1], seconds[3])};
}

/// An application with its arguments.
struct Application {
  std::string name, words;
  std::string per;  ///< key of the time for each point and step
};

class Bench {
 public:
  Bench(Suite& suite, fs::path build) : suite_(suite), build_(std::move(build)) {}

  void rows(const Application& app) {
    const Json first = run(app, "");
    const double bytes = first["field_bytes"].get<double>();
    const auto budget = [&](double times) {
      return fmt::format("--budget {:.0f}", std::max(bytes / times, 16.0 * (1 << 20)));
    };
    const Disk disk = measure_disk();
    for (const double times : {0.4, 1.0, 3.0, 5.0})
      for (const bool on_file : {true, false}) {
        const std::string words = budget(times) + place(on_file);
        const Pair pair = alternate_runs(app, "", words);
        require_equal(app, pair);
        report(app, fmt::format("{} {} {:g}x", app.name, on_file ? "file" : "node", times), pair,
               on_file ? std::optional(disk) : std::nullopt);
      }
    const std::string three = budget(3) + place(true);
    for (const auto& [label, without] : {std::pair{"NoPrefetch NoCyclic", "prefetch,cyclic"},
                                         std::pair{"NoPrefetch Cyclic", "prefetch"},
                                         std::pair{"no summary in chains", "summary"}}) {
      const Pair pair = alternate_runs(app, three, three + " --without " + without);
      require_equal(app, pair);
      suite_.row(fmt::format("{} file 3x, {}", app.name, label), "ns", of(pair.value, app),
                 "all on", of(pair.baseline, app));
    }
  }

 private:
  struct Pair {
    Json baseline, value;  ///< the faster one of two runs each
  };

  static std::string place(bool on_file) {
    return on_file ? " --home '" + home() + "'" : " --fast 0";
  }
  static double of(const Json& result, const Application& app) {
    return result[app.per].get<double>();
  }
  Json run(const Application& app, const std::string& words) const {
    return Json::parse(
        output_of(fmt::format("'{}' {} --threads {} --json {}",
                              (build_ / "apps" / app.name.substr(0, app.name.find(' '))).string(),
                              app.words, std::thread::hardware_concurrency(), words)));
  }
  Pair alternate_runs(const Application& app, const std::string& baseline,
                      const std::string& words) const {
    Pair best{run(app, baseline), run(app, words)};
    if (const Json again = run(app, words); of(again, app) < of(best.value, app))
      best.value = again;
    if (const Json again = run(app, baseline); of(again, app) < of(best.baseline, app))
      best.baseline = again;
    return best;
  }
  static void require_equal(const Application& app, const Pair& pair) {
    require(pair.value["kinetic_energy"] == pair.baseline["kinetic_energy"], app.name);
  }
  void report(const Application& app, const std::string& name, const Pair& pair,
              const std::optional<Disk>& disk) {
    const double value = of(pair.value, app), in_memory = of(pair.baseline, app);
    if (!pair.value.contains("streamed")) {
      suite_.row(name, "ns", value, "in memory", in_memory);
      return;
    }
    const Json& streamed = pair.value["streamed"];
    const double cells = pair.value["seconds"].get<double>() * 1e9 / value;
    const double in = streamed["bytes_in"].get<double>() / cells;
    const double out = streamed["bytes_out"].get<double>() / cells;
    const Json more{{"bytes_in", in}, {"bytes_out", out}};
    suite_.row(name, "ns", value, "in memory", in_memory, 0, more);
    if (disk) {
      const double limit = std::max({in_memory, 1e9 * in / disk->in, 1e9 * out / disk->out});
      suite_.row(name, "ns", value, "limit", limit, 0, more);
    }
    suite_.row(name + ", read", "B", in, "plan",
               streamed["planned_bytes_in"].get<double>() / cells);
    suite_.row(name + ", written", "B", out, "plan",
               streamed["planned_bytes_out"].get<double>() / cells);
  }

  Suite& suite_;
  const fs::path build_;
};

/// Writes a deck of a blast and returns its path.
std::string deck(int dimensions, int cells, int steps) {
  const fs::path path = fs::temp_directory_path() / fmt::format("atoll-bench-{}d.in", dimensions);
  std::ofstream file(path);
  file << "*clover\n state 1 density=0.2 energy=1.0\n state 2 density=1.0 energy=2.5 "
          "geometry=rectangle xmin=0 xmax=5 ymin=0 ymax=2"
       << (dimensions == 3 ? " zmin=0 zmax=2" : "") << "\n";
  for (const char axis : {'x', 'y', 'z'})
    if (axis != 'z' || dimensions == 3)
      file << ' ' << axis << "_cells=" << cells << '\n'
           << ' ' << axis << "min=0\n " << axis << "max=10\n";
  file << " initial_timestep=0.04\n max_timestep=0.04\n end_step=" << steps << "\n*endclover\n";
  return path.string();
}

}  // namespace

int main(int argc, char** argv) {
  Suite suite("outofcore");
  const std::string words = argc > 2 ? argv[2] : "";
  Bench bench(suite, fs::canonical("/proc/self/exe").parent_path().parent_path());
  const std::string per_cell = "ns_per_cell_step", per_point = "ns_per_point_step";
  std::vector<Application> apps{{"cloverleaf2d", deck(2, 2000, 20), per_cell},
                                {"cloverleaf3d", deck(3, 160, 10), per_cell}};
  for (const int chain : {1, 2, 3, 5})
    apps.push_back(
        {fmt::format("taylor-green {} steps", chain),
         fmt::format("--size 96 --periods 10 --steps {} --chain {}", 30 / chain * chain, chain),
         per_point});
  for (const Application& app : apps)
    if (app.name.find(words) != app.name.npos) bench.rows(app);
  suite.write(argc, argv);
}
