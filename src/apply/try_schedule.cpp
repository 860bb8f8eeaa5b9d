#include "apply/try_schedule.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/progress.hpp"
#include "atoll/parallel/inherited_schedule.hpp"
#include "base/environment.hpp"
#include "parallel/append_to_named.hpp"
#include "parallel/trial_lines.hpp"
#include "process/child.hpp"
#include "process/libraries.hpp"

namespace Atoll::apply {
namespace {

/// A short program's times vary most, and repeating it is cheap.
constexpr std::chrono::seconds kShortTrial{2};
constexpr int kMaxRounds = 5;  ///< factor of the requested number of rounds

/// An unnamed file that child processes open by path.
class Lines {
 public:
  Lines() : file_(::memfd_create("atoll-trial", MFD_CLOEXEC)) {
    const std::string first = detail::first_line(kTrialVariable);
    if (file_ < 0 || ::write(file_, first.data(), first.size()) < 0)
      throw Error::failed("trial", "has no memory for its times");
  }
  ~Lines() { ::close(file_); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  [[nodiscard]] std::string path() const {
    return fmt::format("/proc/{}/fd/{}", ::getpid(), file_);
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    char part[4096];
    ssize_t bytes = 0;
    while ((bytes = ::pread(file_, part, sizeof part, static_cast<off_t>(text.size()))) > 0)
      text.append(part, static_cast<std::size_t>(bytes));
    return text;
  }

 private:
  int file_;
};

/// Times of one run.
struct Times {
  std::optional<double> phase, run;
  std::map<std::string, double> loops;
  std::vector<std::string> stays, packed;  ///< loops that followed the schedule
};

/// Times of all runs with one configuration.
struct Runs {
  std::vector<double> phase, run;
  std::map<std::string, std::vector<double>> loops;
  std::vector<std::string> stays, packed;

  void add(const Times& times) {
    if (times.phase) phase.push_back(*times.phase);
    if (times.run) run.push_back(*times.run);
    for (const auto& [loop, seconds] : times.loops) loops[loop].push_back(seconds);
    stays = times.stays;
    packed = times.packed;
  }
};

/// Parses the lines. If several processes wrote some, such as shells, the longest time counts.
Times read(const std::string& text) {
  Times times;
  std::istringstream lines(text);
  lines.ignore(text.size(), '\n');  // skips the variable's name
  for (std::string kind, value, name; lines >> kind >> value;) {
    std::getline(lines, name);
    if (!name.empty()) name.erase(0, 1);
    if (kind == "asked") (value == "stays" ? times.stays : times.packed).push_back(name);
    if (kind == "asked") continue;
    const double seconds = 1e-9 * std::stod(value);
    if (kind == "phase") times.phase = std::max(times.phase.value_or(0), seconds);
    if (kind == "run") times.run = std::max(times.run.value_or(0), seconds);
    if (kind == "loop") times.loops[name] = std::max(times.loops[name], seconds);
  }
  return times;
}

void run(const std::vector<std::string>& command, const std::string& schedule, Runs& runs) {
  const Lines lines;
  const std::string follower =
      process::preloadable(process::libraries_folder(), "libatoll-follow.so");
  process::Launch launch{
      .command = {"/bin/sh", "-c", "exec \"$@\" </dev/null >/dev/null 2>&1", "sh"},
      .environment = {{kTrialVariable, lines.path()},
                      {"LD_PRELOAD", follower},
                      {kScheduleVariable, schedule},
                      {kAlwaysScheduleVariable, schedule.empty() ? "" : "1"}}};
  // Waiting threads must not poll: that time would count as the loop's.
  if (environment_variable("OMP_WAIT_POLICY") == nullptr)
    launch.environment.emplace_back("OMP_WAIT_POLICY", "passive");
  launch.command.insert(launch.command.end(), command.begin(), command.end());
  process::Child child(launch);
  while (!child.wait(1000)) {
  }
  if (const int code = process::exit_code_of_status(child.status()); code != 0)
    throw Error::failed(command.front(),
                        fmt::format("ended with {} when its schedule was tried", code),
                        "--trials 0 tries nothing");
  runs.add(read(lines.text()));
}

double median(std::vector<double> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

/// Compares the minimum times. Short loops have several speeds, depending on the addresses of their
/// data, so the medians' gain is used if it is smaller.
TriedTimes compare(const std::vector<double>& plain, const std::vector<double>& followed,
                   bool is_of_loop) {
  const double least = std::ranges::min(plain);
  const double ratio = median(plain) > 0 ? median(followed) / median(plain) : 0;
  return {least, std::max(std::ranges::min(followed), ratio * least), is_of_loop};
}

std::optional<TriedTimes> times_of(const std::string& loop, const Runs& plain,
                                   const Runs& followed) {
  if (plain.loops.contains(loop) && followed.loops.contains(loop))
    return compare(plain.loops.at(loop), followed.loops.at(loop), true);
  if (!plain.phase.empty() && !followed.phase.empty())
    return compare(plain.phase, followed.phase, false);
  if (!plain.run.empty() && !followed.run.empty()) return compare(plain.run, followed.run, false);
  return std::nullopt;
}

}  // namespace

Tried try_schedule(const std::vector<std::string>& command, const std::string& schedule,
                   int rounds) {
  using Clock = std::chrono::steady_clock;
  const std::string path = std::filesystem::absolute(schedule);
  const Clock::time_point end_of_short = Clock::now() + kShortTrial;
  Runs plain, followed;
  Progress progress("trying the schedule", 2ULL * static_cast<unsigned>(rounds));
  for (int round = 0;
       round < rounds || (round < kMaxRounds * rounds && Clock::now() < end_of_short); ++round) {
    run(command, "", plain);
    run(command, path, followed);
    if (round < rounds) progress.add(2);
  }
  Tried tried;
  for (const std::string& loop : followed.stays)
    if (const auto times = times_of(loop, plain, followed)) tried.stays[loop] = *times;
  for (const std::string& loop : followed.packed)
    if (const auto times = times_of(loop, plain, followed)) tried.packed[loop] = *times;
  return tried;
}

}  // namespace Atoll::apply
