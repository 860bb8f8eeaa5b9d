// A buffer for direct transfers of files.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"

namespace Atoll::memory {

/// Grows on demand and keeps its memory. The content isn't kept when it grows. Not thread-safe.
class AlignedBuffer {
 public:
  static constexpr std::size_t kAlignment = 64 * kKiB;  ///< of the first byte

  /// Returns at least `bytes` bytes. Throws Error (memory).
  [[nodiscard]] std::byte* get(std::size_t bytes) {
    if (bytes > size_) {
      data_.reset();
      size_ = (bytes + kAlignment - 1) / kAlignment * kAlignment;
      data_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, size_)));
      if (data_ == nullptr) {
        size_ = 0;
        throw Error::memory("backing file", "no memory for a buffer of " + format_bytes(bytes),
                            "free memory, or raise the process's limit (ulimit -v)");
      }
    }
    return data_.get();
  }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace Atoll::memory
