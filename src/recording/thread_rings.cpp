#include "recording/thread_rings.hpp"

#include <algorithm>

#include "recording/region_view.hpp"

namespace Atoll::recording {

bool ThreadRings::take(
    const std::function<void(std::uint32_t stream, const record::ThreadRecord& thread,
                             std::span<const std::uint64_t> words)>& found) {
  record::Header& header = region_.header();
  const RegionView view(header, region_.bytes());
  // The list begins with the latest thread; a thread's number is the number of threads before it.
  std::vector<const record::ThreadRecord*> threads;
  view.for_each<record::ThreadRecord>(
      header.threads.load(std::memory_order_acquire),
      [&](const record::ThreadRecord& thread, record::Offset) { threads.push_back(&thread); });
  bool much = false;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const record::Offset offset = threads[i]->ring.load(std::memory_order_acquire);
    if (offset == 0 || view.at<record::Ring>(offset) == nullptr) continue;
    auto* ring = reinterpret_cast<record::Ring*>(reinterpret_cast<std::uint8_t*>(&header) + offset);
    const std::uint64_t read = ring->read.load(std::memory_order_relaxed);
    const std::uint64_t written = ring->written.load(std::memory_order_acquire);
    // The thread may have released its ring meanwhile, and another thread may have acquired it.
    if (threads[i]->ring.load(std::memory_order_acquire) != offset) continue;
    const std::uint64_t count = std::min(written - read, record::kRingWords);
    if (count == 0) continue;
    words_.resize(count);
    const std::uint64_t at = read % record::kRingWords;
    const std::uint64_t until_end = std::min(count, record::kRingWords - at);
    std::copy_n(ring->words + at, until_end, words_.begin());
    std::copy_n(ring->words, count - until_end,
                words_.begin() + static_cast<std::ptrdiff_t>(until_end));
    ring->read.store(read + count, std::memory_order_release);
    found(static_cast<std::uint32_t>(threads.size() - 1 - i), *threads[i], words_);
    much = much || count > record::kRingWords / 4;
  }
  return much;
}

}  // namespace Atoll::recording
