// Prints notes to standard error, each once.
#include "atoll/base/log.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "base/progress_line.hpp"
#include "base/shown.hpp"

namespace Atoll {

namespace {

std::atomic<bool> is_silent{false};

/// Replaces control characters, except those in `kept`, by blanks. Names of files may contain them,
/// and a terminal would interpret them.
std::string without_controls(std::string_view text, std::string_view kept) {
  std::string result(text);
  std::ranges::replace_if(
      result,
      [&](char c) {
        return (static_cast<unsigned char>(c) < ' ' || c == '\x7f') &&
               kept.find(c) == std::string_view::npos;
      },
      ' ');
  return result;
}

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
  clear_progress_line();
  std::fprintf(stderr, "atoll: note: %s\n", without_controls(shown(line), "").c_str());
}

void print_to_stderr(std::string_view lines) {
  const std::string text = without_controls(lines, "\n\t");
  clear_progress_line();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace Atoll
