#include "simulate/directory.hpp"

#include <algorithm>

namespace Atoll::simulate {
namespace {

constexpr int kFirstBits = 12;

}  // namespace

Directory::Directory(std::size_t holders)
    : words_((holders + kOwnerBits + 63) / 64),
      stride_(words_ + 1),
      shift_(64 - kFirstBits),
      mask_((std::size_t{1} << kFirstBits) - 1),
      slots_((mask_ + 1) * stride_, kFree) {}

std::size_t Directory::find_slot(Key line) {
  std::size_t at = home_of(line);
  while (slot(at)[0] != line && slot(at)[0] != kFree) at = (at + 1) & mask_;
  return at;
}

Directory::Entry Directory::find(Key line) {
  std::uint64_t* const found = slot(find_slot(line));
  return Entry(found[0] == line ? found : nullptr);
}

Directory::Entry Directory::find_or_add(Key line) {
  std::uint64_t* found = slot(find_slot(line));
  if (found[0] == line) return Entry(found);
  if ((lines_ + 1) * 2 > mask_ + 1) {
    grow();
    found = slot(find_slot(line));
  }
  ++lines_;
  found[0] = line;
  std::fill(found + 1, found + stride_, 0);
  return Entry(found);
}

void Directory::remove_empty(Key line) {
  std::size_t gap = find_slot(line);
  if (slot(gap)[0] != line || !is_empty(Entry(slot(gap)))) return;
  // Moves later entries of the probe sequence back, so that no search ends at the gap.
  --lines_;
  for (std::size_t at = (gap + 1) & mask_; slot(at)[0] != kFree; at = (at + 1) & mask_) {
    const std::size_t home = home_of(slot(at)[0]);
    if (((at - home) & mask_) < ((at - gap) & mask_)) continue;
    std::copy(slot(at), slot(at) + stride_, slot(gap));
    gap = at;
  }
  slot(gap)[0] = kFree;
}

void Directory::grow() {
  decltype(slots_) old((mask_ + 1) * 2 * stride_, kFree);
  old.swap(slots_);
  mask_ = mask_ * 2 + 1;
  --shift_;
  for (std::size_t at = 0; at < old.size(); at += stride_)
    if (old[at] != kFree)
      std::copy(old.data() + at, old.data() + at + stride_, slot(find_slot(old[at])));
}

}  // namespace Atoll::simulate
