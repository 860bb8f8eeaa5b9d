// Rounding of an object's parts to its pages, as functions that allocate no memory: the library
// that is preloaded into programs (apply/inside) uses them, too. page_map.hpp is the equivalent for
// values that own their lists.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::detail {

/// Returns the page boundary of an object of `pages` pages that is nearest to the end of unit `end`
/// of its `units`. A boundary in the middle of a page is rounded up. `units` may be pages of
/// another size, bytes or parts.
[[nodiscard]] constexpr std::uint64_t nearest_page(std::uint64_t end, std::uint64_t units,
                                                   std::uint64_t pages) {
  __extension__ using Wide = unsigned __int128;  // product of two 64-bit numbers
  if (end >= units) return pages;
  return static_cast<std::uint64_t>((Wide{pages} * end + units / 2) / units);
}

/// Returns the part that contains page `page`, if `pages` pages are divided into `parts` equal
/// parts with boundaries rounded as by nearest_page().
[[nodiscard]] constexpr std::uint64_t part_of_page(std::uint64_t page, std::uint64_t pages,
                                                   std::uint64_t parts) {
  __extension__ using Wide = unsigned __int128;
  if (page >= pages) return parts - 1;
  auto part = static_cast<std::uint64_t>(Wide{page} * parts / pages);
  while (part > 0 && nearest_page(part, parts, pages) > page) --part;
  while (part + 1 < parts && nearest_page(part + 1, parts, pages) <= page) ++part;
  return part;
}

/// Returns the first element of part `part` of `parts` equal parts of `elements`. No product
/// overflows.
[[nodiscard]] constexpr std::uint64_t share_of(std::uint64_t elements, std::uint64_t part,
                                               std::uint64_t parts) {
  return elements / parts * part + elements % parts * part / parts;
}

/// Calls visit(begin, end, run) for each run that has pages, from the previous run's boundary to
/// its own. A run's `end` is in units; the object has `units` of them. The last run gets all
/// remaining pages.
template <typename Run, typename Visit>
constexpr void for_each_run(const Run* runs, std::size_t count, std::uint64_t units,
                            std::uint64_t pages, Visit visit) {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t end = i + 1 == count ? pages : nearest_page(runs[i].end, units, pages);
    if (end > begin) visit(begin, end, runs[i]);
    if (end > begin) begin = end;
  }
}

/// Maximum number of pieces into which granules divide one object of a program. Each piece is a
/// memory mapping, and a process has at most 65530 of them.
inline constexpr std::uint64_t kMaxPieces = 1024;

/// Returns the pages of a granule, increased so that the object has at most `max_pieces` granules.
/// 0 means no limit.
[[nodiscard]] constexpr std::uint64_t granule_in_pages(std::uint64_t granule, std::uint64_t pages,
                                                       std::uint64_t max_pieces) {
  const std::uint64_t least = max_pieces == 0 ? 1 : (pages + max_pieces - 1) / max_pieces;
  return granule < least ? least : (granule == 0 ? 1 : granule);
}

/// Calls visit(begin, end, turn) for each granule of `granule` pages; granule i has turn i mod
/// `turns`.
template <typename Visit>
constexpr void for_each_granule(std::size_t turns, std::uint64_t granule, std::uint64_t pages,
                                Visit visit) {
  std::size_t turn = 0;
  for (std::uint64_t begin = 0; begin < pages; begin += granule) {
    visit(begin, pages - begin < granule ? pages : begin + granule, turn);
    turn = turn + 1 == turns ? 0 : turn + 1;
  }
}

}  // namespace Atoll::detail
