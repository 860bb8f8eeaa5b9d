// An acoustic wave of order 8 in 3D, single precision, relative to Devito (peers/wave_devito.py),
// untuned and with blocks chosen by its tuner. Devito compiles its C code with -ffast-math; Atoll's
// code is exact.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "stencil_flows.hpp"

namespace Atoll::bench {

/// Results of a run that both implementations report.
struct WaveAnswer {
  double squares = 0, middle = 0;
};

/// u'' = laplace(u) / m on n^3 points with unit spacing, starting from a bell at rest in the
/// middle.
class Wave {
 public:
  static constexpr float kStep = 0.25;
  /// Steps in a chain: the bounds of tiles move by 4 points in each.
  static constexpr int kChain = 8;

  Wave(const st::Options& options, int n) : program_(options), n_(n) {
    st::Mesh& mesh = program_.mesh("cube", {n, n, n});
    for (std::size_t i = 0; i < 3; ++i)
      u_[i] = mesh.field<float>("u" + std::to_string(i), {.halo = 4});
    m_ = mesh.field<float>("m");
    mesh.loop(
        "medium", mesh.interior(), [](auto m) { m(0, 0, 0) = 1; }, st::write(m_));
    restart();
  }
  void restart() {
    std::vector<double> bell;
    for (int i = 0; i < n_; ++i) bell.push_back(std::exp(-std::pow((i - n_ / 2) / 8.0, 2)));
    for (const auto& u : u_)
      u.storage().mesh().loop(
          "bell", u.storage().interior(),
          [bell = bell.data()](auto value, const st::Index& at) {
            value(0, 0, 0) = static_cast<float>(bell[at.z] * bell[at.y] * bell[at.x]);
          },
          st::write(u), st::index());
    program_.run();
  }
  void steps(int count) {
    for (int i = 1; i <= count; ++i) {
      step();
      if (i % kChain == 0 || i == count) program_.run();
    }
  }
  [[nodiscard]] WaveAnswer answer() const {
    const auto values = u_[1].copy();
    WaveAnswer answer;
    for (const float value : values) answer.squares += double{value} * value;
    answer.middle = u_[1].view()(n_ / 2, n_ / 2, n_ / 2);
    return answer;
  }
  [[nodiscard]] std::string tile() const { return st::to_string(program_.last_plan()->tile); }

 private:
  void step() {
    auto& [before, now, next] = u_;
    now.storage().mesh().loop(
        "wave", now.storage().interior(),
        [](auto u, auto old, auto m, auto out) {
          constexpr float w[5] = {-205.F / 72 * 3, 8.F / 5, -1.F / 5, 8.F / 315, -1.F / 560};
          float laplacian = w[0] * u(0, 0, 0);
          for (int i = 1; i <= 4; ++i)
            laplacian += w[i] * (u(i, 0, 0) + u(-i, 0, 0) + u(0, i, 0) + u(0, -i, 0) + u(0, 0, i) +
                                 u(0, 0, -i));
          out(0, 0, 0) = 2 * u(0, 0, 0) - old(0, 0, 0) + kStep * kStep * laplacian / m(0, 0, 0);
        },
        st::read(now, st::star(4)), st::read(before), st::read(m_), st::write(next));
    std::swap(before, now);
    std::swap(now, next);
  }
  st::Program program_;
  int n_;
  std::array<st::Field<float>, 3> u_;  ///< previous, present and next step
  st::Field<float> m_;
};

/// Devito in a separate Python process, which steps on request; null if it isn't installed.
class Devito {
 public:
  /// Looks for Devito in BUILD/venv, then in the system's Python.
  static std::unique_ptr<Devito> start(const std::filesystem::path& build, int n, int threads) {
    for (const std::string& python :
         {(build / "venv/bin/python").string(), std::string("/usr/bin/python3")})
      if (std::system((python + " -c 'import devito' 2>/dev/null").c_str()) == 0)
        return std::unique_ptr<Devito>(new Devito(python, n, threads));
    return nullptr;
  }
  ~Devito() {
    if (orders_ != nullptr) std::fclose(orders_);
    if (answers_ != nullptr) ::pclose(answers_);
    std::filesystem::remove(pipe_);
  }
  Devito(const Devito&) = delete;
  Devito& operator=(const Devito&) = delete;

  /// Runs `steps` steps from the start. Returns the seconds and the result.
  std::pair<double, WaveAnswer> run(const std::string& what, int steps) {
    fmt::print(orders_, "{} {}\n", what, steps);
    std::fflush(orders_);
    std::pair<double, WaveAnswer> result;
    std::istringstream words(line());
    words >> result.first >> result.second.squares >> result.second.middle;
    require(!words.fail(), "Devito's answer");
    return result;
  }

 private:
  Devito(const std::string& python, int n, int threads)
      : pipe_(std::filesystem::temp_directory_path() /
              fmt::format("bench_stencil.{}.orders", ::getpid())) {
    require(::mkfifo(pipe_.c_str(), 0600) == 0, pipe_.string());
    // All processors, because this process is bound to the team's places.
    answers_ = ::popen(fmt::format("taskset -c 0-{} {} {}/bench/peers/wave_devito.py {} {} < {}",
                                   ::sysconf(_SC_NPROCESSORS_CONF) - 1, python, ATOLL_SOURCE_DIR, n,
                                   threads, pipe_.string())
                           .c_str(),
                       "r");
    orders_ = std::fopen(pipe_.c_str(), "w");
    require(answers_ != nullptr && orders_ != nullptr && line() == "ready\n", "Devito starts");
  }
  std::string line() {
    std::array<char, 256> text{};
    return std::fgets(text.data(), text.size(), answers_) == nullptr ? "" : text.data();
  }
  std::filesystem::path pipe_;
  std::FILE* answers_ = nullptr;
  std::FILE* orders_ = nullptr;
};

/// Adds rows of the wave: relative to untiled, and to Devito untuned and tuned.
inline void wave_rows(Suite& suite, const std::filesystem::path& build, int threads, int n,
                      int rounds) {
  constexpr int kSteps = 3 * Wave::kChain;
  const auto near = [](const WaveAnswer& a, const WaveAnswer& b, double part) {
    return std::abs(a.squares - b.squares) <= part * b.squares &&
           std::abs(a.middle - b.middle) <= part * std::abs(b.middle);
  };
  Wave tiled({.threads = threads}, n), untiled({.threads = threads, .mode = st::Mode::untiled}, n);
  const auto devito = Devito::start(build, n, threads);
  if (!devito)
    fmt::print(
        "no Devito in {0} or /usr/bin/python3: its rows are left out (python3 -m venv {0}; "
        "{0}/bin/pip install devito)\n",
        (build / "venv").string());
  tiled.steps(kSettled * Wave::kChain);

  std::array<std::vector<double>, 4> seconds;
  const auto timed = [&](Wave& wave, std::size_t variant) {
    wave.restart();
    const double start = seconds_now(Clock::wall);
    wave.steps(kSteps);
    seconds[variant].push_back(seconds_now(Clock::wall) - start);
    return wave.answer();
  };
  for (int round = -1; round < rounds; ++round) {
    const WaveAnswer ours = timed(tiled, 0);
    require(near(timed(untiled, 1), ours, 0), "the wave, tiled and untiled");
    for (const std::size_t i : {0, 1}) {
      if (!devito) break;
      const auto [took, answer] = devito->run(i == 0 ? "untuned" : "tuned", kSteps);
      require(near(answer, ours, 1e-3), "the wave, Devito's");
      seconds[2 + i].push_back(took);
    }
    if (round < 0)
      for (auto& list : seconds) list.clear();
  }
  const double scale = 1e9 / std::pow(n, 3) / kSteps;
  const Measured ours = summarise(seconds[0]);
  const std::array<std::string, 4> names{"", "untiled", "Devito", "Devito, tuned"};
  for (std::size_t i = 1; i < (devito ? 4U : 2U); ++i) {
    const Measured other = summarise(seconds[i]);
    suite.row(
        fmt::format("wave {}, {} thread{}", n, threads, threads == 1 ? "" : "s"), "ns",
        ours.median * scale, names[i], other.median * scale, ours.spread,
        {{"tile", tiled.tile()}, {"threads", threads}, {"least_ratio", ours.least / other.least}});
  }
}

}  // namespace Atoll::bench
