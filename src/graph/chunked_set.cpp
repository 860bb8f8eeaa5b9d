// Operations of ChunkedSet.
#include "atoll/graph/chunked_set.hpp"

#include <algorithm>
#include <iterator>

namespace Atoll::graph {

namespace {

std::uint16_t low_of(std::uint64_t number) {
  return static_cast<std::uint16_t>(number);
}

std::uint16_t bit_of(std::uint16_t low) {
  return static_cast<std::uint16_t>(1U << (low % 16U));
}

}  // namespace

bool ChunkedSet::Chunk::has(std::uint16_t low) const noexcept {
  if (dense) return (words[low / kWordBits] & bit_of(low)) != 0;
  return std::ranges::binary_search(words, low);
}

bool ChunkedSet::Chunk::add(std::uint16_t low) {
  if (!dense) {
    const auto at = std::ranges::lower_bound(words, low);
    if (at != words.end() && *at == low) return false;
    if (size < kWords) {
      words.insert(at, low);
      ++size;
      return true;
    }
    make_dense();
  }
  std::uint16_t& word = words[low / kWordBits];
  if ((word & bit_of(low)) != 0) return false;
  word |= bit_of(low);
  ++size;
  return true;
}

bool ChunkedSet::Chunk::remove(std::uint16_t low) {
  if (!has(low)) return false;
  if (dense)
    words[low / kWordBits] &= static_cast<std::uint16_t>(~bit_of(low));
  else
    words.erase(std::ranges::lower_bound(words, low));
  --size;
  return true;
}

void ChunkedSet::Chunk::make_dense() {
  if (dense) return;
  std::vector<std::uint16_t> bits(kWords);
  for (const std::uint16_t low : words) bits[low / kWordBits] |= bit_of(low);
  words = std::move(bits);
  dense = true;
}

void ChunkedSet::Chunk::count_bits() {
  size = 0;
  for (const std::uint16_t word : words) size += static_cast<std::uint32_t>(std::popcount(word));
}

void ChunkedSet::Chunk::unite(const Chunk& other) {
  if (dense || other.dense || size + other.size > kWords) {
    make_dense();
    if (other.dense) {
      for (std::size_t i = 0; i < kWords; ++i) words[i] |= other.words[i];
      count_bits();
    } else {
      for (const std::uint16_t low : other.words) add(low);
    }
    return;
  }
  std::vector<std::uint16_t> all;
  all.reserve(size + other.size);
  std::ranges::set_union(words, other.words, std::back_inserter(all));
  words = std::move(all);
  size = static_cast<std::uint32_t>(words.size());
}

/// Keeps the members that are in the other chunk (or aren't, if !in_other).
void ChunkedSet::Chunk::keep_bits(bool in_other, const Chunk& other) {
  if (!dense) {
    std::erase_if(words, [&](std::uint16_t low) { return other.has(low) != in_other; });
    size = static_cast<std::uint32_t>(words.size());
    return;
  }
  const unsigned flip = in_other ? 0U : 0xFFFFU;
  for (std::size_t i = 0; i < kWords; ++i)
    words[i] &= static_cast<std::uint16_t>(other.words[i] ^ flip);
  count_bits();
}

void ChunkedSet::Chunk::intersect(const Chunk& other) {
  if (dense && !other.dense) {  // the result is at most as large as the other chunk
    Chunk result = other;
    result.keep_bits(true, *this);
    *this = std::move(result);
  } else {
    keep_bits(true, other);
  }
}

void ChunkedSet::Chunk::subtract(const Chunk& other) {
  if (dense && !other.dense)
    for (const std::uint16_t low : other.words) remove(low);
  else
    keep_bits(false, other);
}

bool ChunkedSet::Chunk::is_subset_of(const Chunk& other) const noexcept {
  if (size > other.size) return false;
  if (!dense) return std::ranges::all_of(words, [&](std::uint16_t low) { return other.has(low); });
  for (std::size_t i = 0; i < kWords; ++i)
    if (other.dense) {
      if ((words[i] & ~unsigned{other.words[i]}) != 0) return false;
    } else {
      for (std::uint32_t bits = words[i]; bits != 0; bits &= bits - 1)
        if (!other.has(static_cast<std::uint16_t>(
                i * kWordBits + static_cast<std::uint32_t>(std::countr_zero(bits)))))
          return false;
    }
  return true;
}

std::size_t ChunkedSet::position_of(std::uint64_t key) const noexcept {
  return static_cast<std::size_t>(std::ranges::lower_bound(chunks_, key, {}, &Chunk::key) -
                                  chunks_.begin());
}

const ChunkedSet::Chunk* ChunkedSet::find(std::uint64_t key) const noexcept {
  const std::size_t at = position_of(key);
  return at < chunks_.size() && chunks_[at].key == key ? &chunks_[at] : nullptr;
}

ChunkedSet::Chunk& ChunkedSet::find_or_make(std::uint64_t key) {
  const std::size_t at = position_of(key);
  if (at == chunks_.size() || chunks_[at].key != key)
    chunks_.emplace(chunks_.begin() + static_cast<std::ptrdiff_t>(at), key);
  return chunks_[at];
}

bool ChunkedSet::has(std::uint64_t number) const noexcept {
  const Chunk* chunk = find(number >> kLowBits);
  return chunk != nullptr && chunk->has(low_of(number));
}

bool ChunkedSet::add(std::uint64_t number) {
  const bool is_new = find_or_make(number >> kLowBits).add(low_of(number));
  size_ += is_new ? 1 : 0;
  return is_new;
}

bool ChunkedSet::remove(std::uint64_t number) {
  const std::size_t at = position_of(number >> kLowBits);
  if (at == chunks_.size() || chunks_[at].key != number >> kLowBits ||
      !chunks_[at].remove(low_of(number)))
    return false;
  if (chunks_[at].size == 0) chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(at));
  --size_;
  return true;
}

template <class Change>
void ChunkedSet::change_all(Change&& change) {
  for (Chunk& chunk : chunks_) {
    size_ -= chunk.size;
    change(chunk);
    size_ += chunk.size;
  }
  std::erase_if(chunks_, [](const Chunk& chunk) { return chunk.size == 0; });
}

void ChunkedSet::unite(const ChunkedSet& other) {
  for (const Chunk& theirs : other.chunks_) {
    Chunk& mine = find_or_make(theirs.key);
    const std::uint32_t before = mine.size;
    mine.unite(theirs);
    size_ += mine.size - before;
  }
}

void ChunkedSet::intersect(const ChunkedSet& other) {
  change_all([&](Chunk& mine) {
    const Chunk* theirs = other.find(mine.key);
    if (theirs != nullptr)
      mine.intersect(*theirs);
    else
      mine = Chunk(mine.key);
  });
}

void ChunkedSet::subtract(const ChunkedSet& other) {
  change_all([&](Chunk& mine) {
    if (const Chunk* theirs = other.find(mine.key)) mine.subtract(*theirs);
  });
}

bool ChunkedSet::is_subset_of(const ChunkedSet& other) const noexcept {
  return size_ <= other.size_ && std::ranges::all_of(chunks_, [&](const Chunk& mine) {
           const Chunk* theirs = other.find(mine.key);
           return theirs != nullptr && mine.is_subset_of(*theirs);
         });
}

}  // namespace Atoll::graph
