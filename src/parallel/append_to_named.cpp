#include "parallel/append_to_named.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/environment.hpp"

namespace Atoll::detail {

void append_to_named(const char* variable, std::string_view text) noexcept {
  const char* const path = environment_variable(variable);
  if (path == nullptr) return;
  const int file = ::open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  // One write, so that lines of several processes don't mix.
  static_cast<void>(!::write(file, text.data(), text.size()));
  ::close(file);
}

}  // namespace Atoll::detail
