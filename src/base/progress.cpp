// Draws the progress line.
#include "atoll/base/progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "atoll/base/log.hpp"

namespace Atoll {
namespace {

constexpr std::int64_t kFirstAfterNs = 1'000'000'000;
constexpr std::int64_t kEveryNs = 200'000'000;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      shown_(total > 0 && !silent() && ::isatty(STDERR_FILENO) == 1),
      next_draw_ns_(now_ns() + kFirstAfterNs) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::add(std::uint64_t done) {
  if (!shown_) return;
  const std::uint64_t all = done_.fetch_add(done) + done;
  const std::int64_t now = now_ns();
  std::int64_t next = next_draw_ns_.load();
  if (now < next || !next_draw_ns_.compare_exchange_strong(next, now + kEveryNs)) return;
  drawn_ = true;
  std::fprintf(stderr, "\r\x1b[K%.60s: %d %%", what_.c_str(),
               static_cast<int>(100.0 * static_cast<double>(all) / static_cast<double>(total_)));
}

}  // namespace Atoll
