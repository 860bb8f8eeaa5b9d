// Inputs that are patches to a good file: behind a first byte of choices, places with what to
// write.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

/// As it lies in the input. `At`: wide enough for places in the file.
template <typename At>
struct Patch {
  At at;
  std::uint8_t bytes;
  std::uint64_t value;

  /// Writes one to eight bytes of the value somewhere into the content.
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
