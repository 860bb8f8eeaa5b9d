// RAII wrapper of an open file descriptor.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace Atoll::stencil {

/// Opens a file, and closes it in the destructor.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC)) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  /// Negative if opening failed; errno has the reason.
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace Atoll::stencil
