// Prints notes to standard error, each once.
#include "atoll/base/log.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

namespace Atoll {

namespace {
std::atomic<bool> is_silent{false};
}  // namespace

void silence() noexcept {
  is_silent = true;
}
bool silent() noexcept {
  return is_silent;
}

void note(std::string_view line) {
  if (silent()) return;
  static std::mutex mutex;
  static std::set<std::string, std::less<>> said;
  const std::scoped_lock lock(mutex);
  if (!said.emplace(line).second) return;
  std::fprintf(stderr, "atoll: note: %.*s\n", static_cast<int>(line.size()), line.data());
}

void tell(std::string_view lines) {
  std::fwrite(lines.data(), 1, lines.size(), stderr);
}

}  // namespace Atoll
