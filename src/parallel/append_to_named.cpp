#include "parallel/append_to_named.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/environment.hpp"

namespace Atoll::detail {
namespace {

/// Returns true if the file was created for the variable, so no other file of the user's is
/// changed.
bool begins_with_name(int file, std::string_view variable) noexcept {
  char begin[64];
  const ssize_t bytes = ::pread(file, begin, sizeof begin, 0);
  return bytes > static_cast<ssize_t>(variable.size()) &&
         std::string_view(begin, variable.size()) == variable && begin[variable.size()] == '\n';
}

}  // namespace

void append_to_named(const char* variable, std::string_view text) noexcept {
  const char* const path = environment_variable(variable);
  if (path == nullptr) return;
  const int file = ::open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return;
  // A single write, so that lines of several processes don't mix.
  if (begins_with_name(file, variable)) static_cast<void>(!::write(file, text.data(), text.size()));
  ::close(file);
}

}  // namespace Atoll::detail
