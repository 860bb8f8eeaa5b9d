// Writes the program's times as lines to the file that kTrialVariable names:
//   phase NS       processor time of all threads between the program's marks
//   run NS         the same, from the first request for tasks (else from the start) to the end
//   loop NS NAME   time of the loop's slowest thread, each thread's minimum over all runs
#include "apply/follow/trial.hpp"

#include <time.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <string>

#include "atoll/marks/marks.h"
#include "base/environment.hpp"
#include "parallel/trial_lines.hpp"

namespace Atoll::apply {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

std::string line(std::string_view kind, double seconds, std::string_view loop = {}) {
  return trial_line(kind, std::to_string(1e9 * seconds), loop);
}

double seconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Times of one thread's loops. A run of a loop ends at the thread's next request for tasks.
class OwnLoops {
 public:
  void asks(std::string_view loop) {
    const double now = seconds(CLOCK_THREAD_CPUTIME_ID);
    if (present_ != nullptr) *present_ = std::min(*present_, now - since_);
    present_ = &least_.try_emplace(std::string(loop), kUnknown).first->second;
    since_ = now;
  }
  [[nodiscard]] const std::map<std::string, double>& least() const { return least_; }

 private:
  std::map<std::string, double> least_;
  double* present_ = nullptr;
  double since_ = 0;
};

/// All times that the process reports when it ends.
class Trial {
 public:
  void begins() {
    if (depth_++ == 0) phase_since_ = seconds(CLOCK_PROCESS_CPUTIME_ID);
  }
  void ends() {
    if (depth_ == 0 || --depth_ != 0) return;
    phase_ += seconds(CLOCK_PROCESS_CPUTIME_ID) - phase_since_;
    has_phase_ = true;
  }
  void asks(std::string_view loop) {
    thread_local OwnLoops* own = nullptr;
    if (own == nullptr) {
      const std::scoped_lock lock(mutex_);
      if (threads_.empty()) asked_since_ = seconds(CLOCK_PROCESS_CPUTIME_ID);
      own = &threads_.emplace_back();
    }
    own->asks(loop);
  }
  ~Trial() {
    const double now = seconds(CLOCK_PROCESS_CPUTIME_ID);
    std::string lines;
    if (has_phase_) lines += line("phase", phase_);
    lines += line("run", now - asked_since_);
    std::map<std::string, double> slowest;
    for (const OwnLoops& own : threads_)
      for (const auto& [loop, least] : own.least()) slowest[loop] = std::max(slowest[loop], least);
    for (const auto& [loop, least] : slowest)
      if (least != kUnknown) lines += line("loop", least, loop);
    add_to_trial(lines);
  }

 private:
  std::mutex mutex_;
  std::deque<OwnLoops> threads_;
  double phase_ = 0, phase_since_ = 0, asked_since_ = 0;
  int depth_ = 0;
  bool has_phase_ = false;
};

Trial* trial() {
  static Trial* const trial = environment_variable(kTrialVariable) == nullptr ? nullptr : [] {
    static Trial the_trial;
    return &the_trial;
  }();
  return trial;
}

/// Starts the trial at load time, so that the process reports its time even if it has no marks.
[[gnu::constructor]] void start() {
  trial();
}

}  // namespace

void thread_requests_tasks(std::string_view loop) {
  if (trial() != nullptr) trial()->asks(loop);
}

}  // namespace Atoll::apply

__attribute__((visibility("default"))) void atoll_record_begin() {
  if (Atoll::apply::trial() != nullptr) Atoll::apply::trial()->begins();
}
__attribute__((visibility("default"))) void atoll_record_end() {
  if (Atoll::apply::trial() != nullptr) Atoll::apply::trial()->ends();
}
