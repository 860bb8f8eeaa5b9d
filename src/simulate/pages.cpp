#include "simulate/pages.hpp"

#include <algorithm>

#include "simulate/ticks.hpp"

namespace Atoll::simulate {

Pages::Pages(std::vector<std::uint16_t> memory_of_node, int line_bits)
    : memory_of_node_(std::move(memory_of_node)), line_bits_(line_bits), slots_(1024) {}

std::uint64_t Pages::key_of(std::uint64_t process, std::uint64_t address, PageClass size) {
  const std::uint64_t number = (address & ((std::uint64_t{1} << kAddressBits) - 1)) >>
                               kPageBits[static_cast<std::size_t>(size)];
  return number | process << kNumberBits | static_cast<std::uint64_t>(size) << kSizeShift;
}

std::size_t Pages::slot_of(std::uint64_t key) const {
  const std::uint64_t hash = key * 0x9e37'79b9'7f4a'7c15U;
  auto at = static_cast<std::size_t>(static_cast<UnsignedWide>(hash) * slots_.size() >> 64);
  while (slots_[at] != 0 && (slots_[at] & kKey) != key) at = at + 1 == slots_.size() ? 0 : at + 1;
  return at;
}

bool Pages::find(std::uint64_t process, std::uint64_t address, Page& page) const {
  for (int size = kPageClasses - 1; size >= 0; --size) {
    const auto what = static_cast<PageClass>(size);
    if (there_[static_cast<std::size_t>(size)] == 0) continue;
    const std::uint64_t slot = slots_[slot_of(key_of(process, address, what))];
    if (!is_there(slot)) continue;
    page = {what, static_cast<std::uint16_t>(slot >> kHomeShift & 0xfff),
            (slot >> kReplicatedShift & 1) != 0, (slot >> kZeroShift & 1) != 0};
    return true;
  }
  return false;
}

void Pages::place(std::uint64_t process, std::uint64_t address, const Page& page) {
  if ((used_ + 1) * 4 > slots_.size() * 3) grow();
  const std::uint64_t key = key_of(process, address, page.size);
  std::uint64_t& slot = slots_[slot_of(key)];
  const bool was_zero = (slot >> kZeroShift & 1) != 0, was_there = is_there(slot);
  used_ += slot == 0;
  there_[static_cast<std::size_t>(page.size)] += !was_there;
  if ((!was_there || was_zero) && !page.zero) ++touched_[static_cast<std::size_t>(page.size)];
  const std::uint64_t before = slot;
  slot = key | static_cast<std::uint64_t>(page.home) << kHomeShift |
         static_cast<std::uint64_t>(page.replicated) << kReplicatedShift |
         static_cast<std::uint64_t>(page.zero) << kZeroShift | kUsed;
  if (!frames_.empty() && slot != before && !page.zero)  // new, or moved
    frames_[static_cast<std::size_t>(&slot - slots_.data())] = next_frame(page);
}

bool Pages::has_small(std::uint64_t process, std::uint64_t address) const {
  const std::uint64_t begin = address >> kPageBits[1] << kPageBits[1];
  for (std::uint64_t i = 0; i < 1U << (kPageBits[1] - kPageBits[0]); ++i)
    if (is_there(slots_[slot_of(key_of(process, begin + (i << kPageBits[0]), PageClass::small))]))
      return true;
  return false;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> Pages::spans_in(std::uint64_t process,
                                                                     std::uint64_t begin,
                                                                     std::uint64_t end) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for (const std::uint64_t slot : slots_) {
    if (!is_there(slot) || (slot >> kNumberBits & 1023) != process) continue;
    const int bits = kPageBits[slot >> kSizeShift & 3];
    const std::uint64_t first = (slot & ((std::uint64_t{1} << kNumberBits) - 1)) << bits;
    const std::uint64_t last = first + (std::uint64_t{1} << bits);
    if (first < end && last > begin)
      spans.emplace_back(std::max(first, begin), std::min(last, end));
  }
  std::ranges::sort(spans);
  return spans;
}

void Pages::split(std::uint64_t process, std::uint64_t address) {
  Page page;
  if (!find(process, address, page) || page.size != PageClass::huge) return;
  const std::uint64_t begin = address >> kPageBits[1] << kPageBits[1];
  const std::uint64_t old = key_of(process, begin, PageClass::huge);
  const std::uint32_t frame = frames_.empty() ? 0 : frames_[slot_of(old)];
  remove(process, begin, PageClass::huge);
  page.size = PageClass::small;
  const auto touched = touched_;
  const auto free_frame = free_frame_;
  for (std::uint32_t i = 0; i < 1U << (kPageBits[1] - kPageBits[0]); ++i) {
    const std::uint64_t part = begin + (std::uint64_t{i} << kPageBits[0]);
    place(process, part, page);
    if (!frames_.empty() && !page.zero)
      frames_[slot_of(key_of(process, part, PageClass::small))] = frame + i;
  }
  touched_ = touched;
  free_frame_ = free_frame;
}

void Pages::remap(std::uint64_t process, std::uint64_t begin, std::uint64_t end, std::uint64_t to) {
  std::vector<std::pair<std::uint64_t, Page>> moved;
  for_each(process, begin, end, [&](std::uint64_t first, const Page& page) {
    const bool fits = first >= begin && (to - begin) % bytes_of(page) == 0;
    if (page.size == PageClass::huge && !fits) return split(process, first);
    remove(process, first, page.size);
    moved.emplace_back(first - begin + to, page);
  });
  const auto touched = touched_;
  for (const auto& [address, page] : moved) place(process, address, page);
  touched_ = touched;
}

void Pages::remove(std::uint64_t process, std::uint64_t address, PageClass size) {
  std::uint64_t& slot = slots_[slot_of(key_of(process, address, size))];
  if (!is_there(slot)) return;
  slot |= kGone;
  --there_[static_cast<std::size_t>(size)];
}

void Pages::number_pages(std::size_t memories) {
  free_frame_.resize(memories);
  frames_.resize(slots_.size());
}

std::uint32_t Pages::next_frame(const Page& page) {
  const std::uint32_t frames = std::uint32_t{1}
                               << (kPageBits[static_cast<std::size_t>(page.size)] - kPageBits[0]);
  std::uint32_t frame = free_frame_[page.home];
  // All copies are at the same position in their memories.
  if (page.replicated) frame = *std::max_element(free_frame_.begin(), free_frame_.end());
  frame = (frame + frames - 1) & ~(frames - 1);
  if (page.replicated)
    std::fill(free_frame_.begin(), free_frame_.end(), frame + frames);
  else
    free_frame_[page.home] = frame + frames;
  return frame;
}

std::uint64_t Pages::line_in_memory(LineKey line) {
  const std::uint64_t process = process_of(line);
  const std::uint64_t address = address_of(line, line_bits_);
  Page page;
  if (!find(process, address, page)) return 0;
  const std::uint64_t frame = frames_[slot_of(key_of(process, address, page.size))];
  const std::uint64_t within =
      address & ((std::uint64_t{1} << kPageBits[static_cast<std::size_t>(page.size)]) - 1);
  return (frame << kPageBits[0] | within) >> line_bits_;
}

void Pages::grow() {
  std::vector<std::uint64_t> old(slots_.size() + slots_.size() / 2);
  old.swap(slots_);
  std::vector<std::uint32_t> old_frames(frames_.empty() ? 0 : slots_.size());
  old_frames.swap(frames_);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i] == 0) continue;
    const std::size_t at = slot_of(old[i] & kKey);
    slots_[at] = old[i];
    if (!frames_.empty()) frames_[at] = old_frames[i];
  }
}

std::uint16_t Pages::home_of(LineKey line, std::uint32_t node) {
  if (const std::uint64_t copy = copy_of(line); copy != 0)
    return static_cast<std::uint16_t>(copy - 1);
  const std::uint64_t process = process_of(line);
  const std::uint64_t address = address_of(line, line_bits_);
  Page page;
  if (!find(process, address, page)) {
    page.home = memory_of_node_[node];
    for (int size = 0; size < kPageClasses; ++size)  // a late write-back of a removed page
      if (const std::uint64_t gone =
              slots_[slot_of(key_of(process, address, static_cast<PageClass>(size)))];
          gone != 0)
        page.home = static_cast<std::uint16_t>(gone >> kHomeShift & 0xfff);
    // A prefetched line may lie outside all pages.
    if (process == kTables) place(process, address, page);
  }
  return page.home;
}

}  // namespace Atoll::simulate
