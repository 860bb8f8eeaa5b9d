#include "parallel/trial_lines.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <set>
#include <utility>

namespace Atoll {

std::string trial_line(std::string_view kind, std::string_view value, std::string_view name) {
  std::string line(kind);
  line.append(" ").append(value);
  if (!name.empty()) line.append(" ").append(name);
  return line.append("\n");
}

void tell_followed(std::string_view loop, bool is_packed) {
  static const bool is_trial = std::getenv(kTrialVariable) != nullptr;
  if (!is_trial) return;
  static std::mutex mutex;
  static std::set<std::pair<std::string, bool>> told;  // loops run often, and are timed
  const std::scoped_lock lock(mutex);
  if (!told.emplace(loop, is_packed).second) return;
  add_to_trial(trial_line("asked", is_packed ? "packed" : "stays", loop));
}

void add_to_trial(std::string_view lines) noexcept {
  const char* const path = std::getenv(kTrialVariable);
  if (path == nullptr) return;
  const int file = ::open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  // One write, so that lines of several processes don't mix.
  static_cast<void>(!::write(file, lines.data(), lines.size()));
  ::close(file);
}

}  // namespace Atoll
