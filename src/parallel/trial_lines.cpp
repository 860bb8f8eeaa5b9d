#include "parallel/trial_lines.hpp"

#include <mutex>
#include <set>
#include <utility>

#include "atoll/parallel/inherited_schedule.hpp"
#include "base/environment.hpp"
#include "parallel/append_to_named.hpp"

namespace Atoll {

std::string trial_line(std::string_view kind, std::string_view value, std::string_view name) {
  std::string line(kind);
  line.append(" ").append(value);
  if (!name.empty()) line.append(" ").append(name);
  return line.append("\n");
}

bool schedule_is_tried() noexcept {
  static const bool is_tried = environment_variable(kTrialVariable) != nullptr;
  return is_tried;
}

void print_followed(std::string_view loop, bool is_packed) {
  if (!schedule_is_tried()) return;
  static std::mutex mutex;
  static std::set<std::pair<std::string, bool>> told;  // so that each loop is reported once
  const std::scoped_lock lock(mutex);
  if (!told.emplace(loop, is_packed).second) return;
  add_to_trial(trial_line("asked", is_packed ? "packed" : "stays", loop));
}

void add_to_trial(std::string_view lines) noexcept {
  detail::append_to_named(kTrialVariable, lines);
}

}  // namespace Atoll
