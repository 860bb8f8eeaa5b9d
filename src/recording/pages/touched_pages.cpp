#include "recording/pages/touched_pages.hpp"

#include <algorithm>

#include "record/stream_words.hpp"

namespace Atoll::recording {

void TouchedPages::add(record::Offset process, std::span<const std::uint64_t> words) {
  using record::WordKind;
  Process& of = processes_[process];
  std::uint64_t last = ~std::uint64_t{0};
  for (std::size_t i = 0; i < words.size();) {
    const std::uint64_t word = words[i];
    const std::uint64_t address = record::address_of(word);
    if (record::kind_of(word) == WordKind::access) {
      ++i;
      const std::uint64_t page = address / kPageBytes;
      if (page != last) note(of, page);
      last = page;
      continue;
    }
    const std::uint64_t following = record::following_of(word);
    if (following >= words.size() - i) return;  // the program has overwritten its stream
    if (record::kind_of(word) == WordKind::range)
      note_range(of, address, words[i + 1], words[i + 2], record::bytes_of(word));
    i += 1 + following;
  }
}

void TouchedPages::note_range(Process& process, std::uint64_t address, std::uint64_t step,
                              std::uint64_t n, std::uint64_t bytes) {
  if (n == 0) return;
  constexpr std::uint64_t kMaxPages = std::uint64_t{1} << 24;  // 64 GiB; no module is larger
  const bool down = step >> 63 != 0;
  const std::uint64_t stride = down ? -step : step;
  if (stride > kPageBytes) {
    for (std::uint64_t i = 0; i < std::min(n, kMaxPages); ++i)
      note(process, (address + i * step) / kPageBytes);
    return;
  }
  const std::uint64_t length = (std::min(n, kMaxPages) - 1) * stride;
  const std::uint64_t begin = down ? address - length : address;
  const std::uint64_t end = (down ? address : address + length) + bytes;
  for (std::uint64_t page = begin / kPageBytes; page * kPageBytes < end; ++page)
    note(process, page);
}

void TouchedPages::note(Process& process, std::uint64_t page) {
  const std::uint64_t number = page / kPagesOfPart;
  if (number != process.last_number) {
    std::unique_ptr<Part>& part = process.parts[number];
    if (part == nullptr) part = std::make_unique<Part>();
    process.last = part.get();
    process.last_number = number;
  }
  process.last->bits[page % kPagesOfPart / 64] |= std::uint64_t{1} << (page % 64);
}

StreamedPages TouchedPages::take() const {
  StreamedPages all;
  for (const auto& [offset, process] : processes_) {
    std::vector<std::uint64_t>& pages = all[offset];
    for (const auto& [number, part] : process.parts)
      for (std::uint64_t page = 0; page < kPagesOfPart; ++page)
        if ((part->bits[page / 64] >> (page % 64) & 1U) != 0)
          pages.push_back(number * kPagesOfPart + page);
  }
  return all;
}

}  // namespace Atoll::recording
