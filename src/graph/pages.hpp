// Memory mapped directly from the system: the large arrays of a graph, and mapped files. Anonymous
// memory is zero and takes no pages until it is touched.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace Atoll::graph {

class Pages {
 public:
  Pages() = default;
  /// Throws Error (failed) if the system can't map the memory.
  explicit Pages(std::size_t bytes);
  /// Maps the file's first `bytes` bytes for reading; `where` names it in errors.
  Pages(int file, std::size_t bytes, std::string_view where);
  ~Pages();
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Releases the whole pages within a range. Touching them later reads a mapped file again;
/// anonymous memory reads as zero.
void discard_pages(const std::byte* data, std::size_t bytes) noexcept;

/// An array of a trivial type on Pages.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : pages_(size * sizeof(T)), size_(size) {}

  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(pages_.data()); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data()[i]; }
  [[nodiscard]] Pages take() && { return std::move(pages_); }

 private:
  Pages pages_;
  std::size_t size_ = 0;
};

}  // namespace Atoll::graph
