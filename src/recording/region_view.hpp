// Reader of the region. The program may have been killed while it wrote to the region, or may have
// overwritten it. So every offset is checked, and iteration over cyclic lists ends.
#pragma once

#include <cstdint>
#include <cstring>

#include "record/region.hpp"

namespace Atoll::recording {

class RegionView {
 public:
  explicit RegionView(const record::Header& header) : RegionView(header, header.bytes) {}
  /// `bytes` is the region's original size, as its header may have been overwritten.
  RegionView(const record::Header& header, std::uint64_t bytes) : header_(&header), bytes_(bytes) {}

  [[nodiscard]] const record::Header& header() const { return *header_; }
  /// Returns true if the counts are samples of page uses.
  [[nodiscard]] bool is_sampled() const { return header_->mode == record::Mode::samples; }

  /// Returns `count` Ts at `offset`; null if the range is invalid.
  template <typename T>
  [[nodiscard]] const T* at(record::Offset offset, std::uint64_t count = 1) const {
    if (offset < sizeof(record::Header) || offset % 8 != 0 || offset >= bytes_ ||
        count > (bytes_ - offset) / sizeof(T))
      return nullptr;
    return reinterpret_cast<const T*>(reinterpret_cast<const std::uint8_t*>(header_) + offset);
  }

  /// Calls f(entry, offset) for a list's entries, the latest first.
  template <typename T, typename F>
  void for_each(record::Offset last, F&& f) const {
    // Limits the number of entries to what the region can hold, so a cyclic list ends.
    std::uint64_t left = bytes_ / sizeof(T) + 1;
    for (record::Offset offset = last; offset != 0 && left != 0; --left) {
      const T* entry = at<T>(offset);
      if (entry == nullptr) return;
      f(*entry, offset);
      offset = entry->previous;
    }
  }

 private:
  const record::Header* header_;
  std::uint64_t bytes_;
};

}  // namespace Atoll::recording
