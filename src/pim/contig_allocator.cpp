// The paper's two-stage search. Details that the paper leaves open are chosen to satisfy its
// Equation 1. If the first cross-section that the vectors suggest isn't free, the search continues
// with the next one. It remembers what it read of a subarray's rows, so that no bit is read twice.
#include "atoll/pim/contig_allocator.hpp"

#include <algorithm>

#include "atoll/base/error.hpp"

namespace Atoll::pim {

ContigAllocator::ContigAllocator(const Geometry& g) : g_(g) {
  check(g);
  banks_.assign(g.banks, Bank{std::vector<bool>(g.units_per_bank()),
                              std::vector<std::uint32_t>(g.rows, g.subarrays),
                              std::vector<std::uint32_t>(g.subarrays, g.rows)});
}

std::optional<Place> ContigAllocator::search(const Bank& bank, Extent extent) {
  // Result of stage two for a subarray so far: rows before `seen` needn't be read (again), and the
  // last row known to be used is before `clear`.
  struct Known {
    std::uint32_t seen = 0, clear = 0;
  };
  std::vector<Known> known(g_.subarrays);
  std::uint32_t read = 0;  // number of elements read of the row contig vector
  std::optional<Place> found;

  std::uint32_t wide_enough = 0;  // consecutive rows, up to this one, that are wide enough
  for (std::uint32_t row = 0; row < g_.rows && !found; ++row) {
    ++steps_.vector_elements;
    wide_enough = bank.subarray_contig[row] >= extent.subarrays ? wide_enough + 1 : 0;
    if (wide_enough < extent.rows) continue;
    const std::uint32_t top = row + 1 - extent.rows;
    std::uint32_t neighbours = 0;
    for (std::uint32_t s = 0; s < g_.subarrays && !found; ++s) {
      if (s == read) {
        ++read;
        ++steps_.vector_elements;
      }
      Known& k = known[s];
      bool free = bank.row_contig[s] >= extent.rows && k.clear <= top;
      for (k.seen = std::max(k.seen, top); free && k.seen <= row; ++k.seen) {
        ++steps_.matrix_bits;
        if (bank.used[std::size_t{k.seen} * g_.subarrays + s]) {
          k.clear = k.seen + 1;
          free = false;
        }
      }
      neighbours = free ? neighbours + 1 : 0;
      if (neighbours == extent.subarrays) found = Place{s + 1 - extent.subarrays, top};
    }
  }
  return found;
}

std::optional<Rectangle> ContigAllocator::allocate(Request request) {
  const Extent extent = extent_of(g_, request);
  steps_ = {};
  for (std::uint32_t b = 0; b < g_.banks; ++b)
    if (const std::optional<Place> place = search(banks_[b], extent)) {
      const Rectangle where{b, *place, extent};
      fill(where, true);
      blocks_[{b, place->subarray, place->row}] = extent;
      return where;
    }
  return {};
}

void ContigAllocator::free(const Rectangle& where) {
  const auto block = blocks_.find({where.bank, where.first.subarray, where.first.row});
  if (block == blocks_.end() || !(block->second == where.extent))
    throw Error::input("pim::free", to_string(where) + " is not a block",
                       "it was given back already, or never allocated here");
  blocks_.erase(block);
  fill(where, false);
}

void ContigAllocator::fill(const Rectangle& where, bool used) {
  Bank& bank = banks_[where.bank];
  const auto [left, top] = where.first;
  const std::uint32_t right = left + where.extent.subarrays, bottom = top + where.extent.rows;
  for (std::uint32_t row = top; row < bottom; ++row)
    for (std::uint32_t s = left; s < right; ++s)
      bank.used[std::size_t{row} * g_.subarrays + s] = used;
  // Longest run of free bits among `count` bits with a distance of `stride`.
  const auto longest = [&](std::size_t first, std::uint32_t count, std::size_t stride) {
    std::uint32_t best = 0, run = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      run = bank.used[first + i * stride] ? 0 : run + 1;
      best = std::max(best, run);
    }
    return best;
  };
  for (std::uint32_t row = top; row < bottom; ++row)
    bank.subarray_contig[row] = longest(std::size_t{row} * g_.subarrays, g_.subarrays, 1);
  for (std::uint32_t s = left; s < right; ++s)
    bank.row_contig[s] = longest(s, g_.rows, g_.subarrays);
}

}  // namespace Atoll::pim
