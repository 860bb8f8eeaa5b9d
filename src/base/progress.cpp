#include "atoll/base/progress.hpp"

#include <chrono>
#include <utility>

#include "base/progress_line.hpp"

namespace Atoll {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      shown_(total > 0 && shows_progress_line()),
      next_draw_ns_(now_ns() + kFirstLineAfter.count()) {}

Progress::~Progress() {
  if (shown_) clear_progress_line();
}

void Progress::add(std::uint64_t done) {
  if (!shown_) return;
  const std::uint64_t all = done_.fetch_add(done) + done;
  const std::int64_t now = now_ns();
  std::int64_t next = next_draw_ns_.load();
  if (now < next || !next_draw_ns_.compare_exchange_strong(next, now + kLineEvery.count())) return;
  const double percent = 100.0 * static_cast<double>(all) / static_cast<double>(total_);
  draw_progress_line(what_, std::to_string(static_cast<int>(percent)) + " %");
}

}  // namespace Atoll
