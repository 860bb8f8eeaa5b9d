// Drains the rings of a region's threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "recording/shared_region.hpp"

namespace Atoll::recording {

class ThreadRings {
 public:
  explicit ThreadRings(const Region& region) : region_(region) {}
  /// Removes the words in the rings, and calls found(stream, thread, words) for each ring that was
  /// not empty. Streams are numbered in the order in which their threads began. Returns true if
  /// there were many words, so the next call should be soon.
  bool take(const std::function<void(std::uint32_t stream, const record::ThreadRecord& thread,
                                     std::span<const std::uint64_t> words)>& found);

 private:
  const Region& region_;
  std::vector<std::uint64_t> words_;
};

}  // namespace Atoll::recording
