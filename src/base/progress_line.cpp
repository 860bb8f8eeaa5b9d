#include "base/progress_line.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "atoll/base/log.hpp"

namespace Atoll {
namespace {

std::atomic<bool> is_drawn{false};

}  // namespace

bool shows_progress_line() {
  return !silent() && ::isatty(STDERR_FILENO) == 1;
}

void draw_progress_line(const std::string& what, const std::string& state) {
  is_drawn = true;
  std::fprintf(stderr, "\r\x1b[K%.60s: %s", what.c_str(), state.c_str());
}

void clear_progress_line() {
  if (is_drawn.exchange(false)) std::fputs("\r\x1b[K", stderr);
}

}  // namespace Atoll
