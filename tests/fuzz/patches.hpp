// Inputs that are patches to a valid file. The first byte has choices of the target; then each
// patch has a position and the bytes to write.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

/// A patch in the input's format. `At` must be wide enough for positions in the file.
template <typename At>
struct Patch {
  At at;
  std::uint8_t bytes;
  std::uint64_t value;

  /// Writes the value's first one to eight bytes to the position, modulo the content's size.
  void apply(std::string& content) const {
    const std::size_t place = at % content.size();
    std::memcpy(content.data() + place, &value,
                std::min<std::size_t>(1 + bytes % 8, content.size() - place));
  }
} __attribute__((packed));

template <typename At, typename F>
void for_each_patch(const std::uint8_t* data, std::size_t size, F&& f) {
  for (std::size_t i = 1; i + sizeof(Patch<At>) <= size; i += sizeof(Patch<At>)) {
    Patch<At> patch;
    std::memcpy(&patch, data + i, sizeof patch);
    f(patch);
  }
}
