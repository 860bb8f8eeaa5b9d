#include "simulate/memory_side.hpp"

#include <algorithm>

namespace Atoll::simulate {

MemorySide::MemorySide(const MemorySideShape& shape)
    : sets_(shape.cache.entries / std::max<std::uint64_t>(shape.cache.ways, 1)),
      ways_(static_cast<std::uint32_t>(std::max<std::uint64_t>(shape.cache.ways, 1))),
      line_bits_(shape.line_bits) {}

MemorySide::Entry* MemorySide::set_of(std::uint64_t set) {
  const std::uint64_t chunk = set / kSetsOfChunk;
  if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
  if (chunks_[chunk].empty()) {
    const std::uint64_t sets = std::min(kSetsOfChunk, sets_ - chunk * kSetsOfChunk);
    chunks_[chunk].resize(sets * ways_);
  }
  return chunks_[chunk].data() + set % kSetsOfChunk * ways_;
}

MemorySide::Met MemorySide::use(std::uint64_t line, bool write) {
  const std::uint64_t number = (line >> line_bits_) % sets_;
  Entry* const set = set_of(number);
  const Entry name = name_of(line);
  std::uint32_t way = 0;
  while (way < ways_ && (set[way] & ~kChanged) != name) ++way;
  Met met;
  Entry entry = name;
  if (way < ways_) {
    entry = set[way];
  } else {
    way = ways_ - 1;
    const Entry last = set[way];
    met.result =
        (last & kChanged) != 0 ? MemorySideResult::missed_changed : MemorySideResult::missed;
    if (last != 0) met.victim = ((std::uint64_t{last >> 1} - 1) * sets_ + number) << line_bits_;
  }
  std::copy_backward(set, set + way, set + way + 1);
  set[0] = write ? entry | kChanged : entry;
  return met;
}

MemorySideResult MemorySide::look(std::uint64_t line) const {
  const std::uint64_t number = (line >> line_bits_) % sets_;
  const std::uint64_t chunk = number / kSetsOfChunk;
  if (chunk >= chunks_.size() || chunks_[chunk].empty()) return MemorySideResult::missed;
  const Entry* const set = chunks_[chunk].data() + number % kSetsOfChunk * ways_;
  const Entry name = name_of(line);
  for (std::uint32_t way = 0; way < ways_; ++way)
    if ((set[way] & ~kChanged) == name) return MemorySideResult::hit;
  return (set[ways_ - 1] & kChanged) != 0 ? MemorySideResult::missed_changed
                                          : MemorySideResult::missed;
}

std::size_t MemorySide::bytes() const {
  std::size_t bytes = chunks_.capacity() * sizeof chunks_[0];
  for (const auto& chunk : chunks_) bytes += chunk.capacity() * sizeof chunk[0];
  return bytes;
}

}  // namespace Atoll::simulate
