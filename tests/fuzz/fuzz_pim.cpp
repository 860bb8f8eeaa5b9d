// Fuzzes pim's allocators. The input is a trace of allocations and frees on a small device.
// Compared with the brute-force allocator, no possible fit is missed, blocks don't overlap, freed
// units can be allocated again, and errors change nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/pim/contig_allocator.hpp"
#include "atoll/pim/device.hpp"
#include "pim_brute_force.hpp"

namespace {

using namespace Atoll::pim;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

/// Reads the input byte by byte. After its end, all bytes are 0.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  [[nodiscard]] bool empty() const { return at_ == end_; }
  std::uint32_t byte() { return empty() ? 0 : *at_++; }
  /// Returns a size from 1 to `most`; in half of the cases, at most a sixth of `most`.
  std::uint32_t size(std::uint32_t most) {
    const std::uint32_t one = byte(), other = most > 255 ? byte() : 0;
    const std::uint32_t cap = one % 2 == 0 ? most : std::max(1U, most / 6);
    return 1 + (one / 2 + 128 * other) % cap;
  }
  template <std::size_t N>
  std::uint32_t one_of(const std::uint32_t (&values)[N]) {
    return values[byte() % N];
  }

 private:
  const std::uint8_t *at_, *end_;
};

Geometry geometry(Bytes& bytes) {
  const std::uint32_t rows = bytes.one_of({5, 64, 65, 100, 128, 200, 513});
  const std::uint32_t subarrays = bytes.one_of({1, 2, 3, 4, 7, 8, 17});
  return {rows, 64, rows > 200 ? std::min(subarrays, 3U) : subarrays, 1 + bytes.byte() % 2};
}

Request request(Bytes& bytes, const Geometry& g) {
  const std::uint32_t kind = bytes.byte() % 8;
  if (kind == 0) return Request::horizontal(8 * bytes.size(g.subarrays) * bytes.size(8));
  if (kind == 1) return Request::vertical(std::max(1U, bytes.size(g.rows) / 8));
  if (kind == 2) return Request::vertical(bytes.size(200), 1 + bytes.byte() % 12);
  if (kind == 3) return Request::raw(g.subarrays, bytes.size(g.rows));
  const std::uint32_t rows = bytes.size(g.rows);
  return Request::raw(kind < 6 ? 1 : bytes.size(g.subarrays), rows);
}

std::optional<Extent> extent_if_any(const Geometry& g, Request request) {
  try {
    return extent_of(g, request);
  } catch (const Atoll::Error&) {
    return {};
  }
}

class Trace {
 public:
  explicit Trace(const Geometry& g) : g_(g), device_(g), model_(g) {}

  void allocate(Request request) {
    const auto extent = extent_if_any(g_, request);
    if (!extent) {
      require(throws([&] { static_cast<void>(device_.try_allocate(request)); }));
      return;
    }
    Block block = device_.try_allocate(request);
    require(static_cast<bool>(block) == model_.fits_anywhere(*extent));
    if (block) adopt(std::move(block), *extent);
  }
  void allocate_beside(Request request, std::uint32_t which) {
    const auto extent = extent_if_any(g_, request);
    if (blocks_.empty() || !extent) return;
    const Rectangle operand = blocks_[which % blocks_.size()].where();
    Block block = device_.try_allocate_beside(request, operand);
    const auto fit = model_.fit(operand.bank, *extent, operand.first.subarray);
    require(static_cast<bool>(block) == fit.has_value());
    if (!block) return;
    require(block.where().bank == operand.bank);
    require(block.where().first.subarray == operand.first.subarray);
    adopt(std::move(block), *extent);
  }
  void allocate_together(Request one, Request other) {
    const auto e = extent_if_any(g_, one), f = extent_if_any(g_, other);
    if (!e || !f) return;
    std::vector<Block> both = device_.try_allocate_together(std::vector{one, other});
    if (both.empty()) return;  // a check would need another allocator
    require(both.size() == 2 && both[0].where().bank == both[1].where().bank);
    require(both[0].where().first.subarray == both[1].where().first.subarray);
    adopt(std::move(both[0]), *e);
    adopt(std::move(both[1]), *f);
  }
  void free(std::uint32_t which) {
    if (blocks_.empty()) return;
    Block& block = blocks_[which % blocks_.size()];
    const Rectangle where = block.where();
    model_.set(where, 0);
    device_.free(block);
    require(throws([&] { device_.free(block); }) && throws([&] { device_.free(where); }));
    block = std::move(blocks_.back());
    blocks_.pop_back();
  }
  /// Tries to free a rectangle that isn't a block.
  void free_wrongly(Rectangle r) {
    for (const Block& block : blocks_)
      if (block.where() == r) return;
    require(throws([&] { device_.free(r); }));
  }
  void check_report() {
    const Usage usage = device_.usage();
    for (std::uint32_t b = 0; b < g_.banks; ++b)
      require(usage.banks[b].free_units == model_.free_units(b));
    require(device_.blocks().size() == blocks_.size());
  }
  /// Frees all blocks. Afterwards, each bank must be one free rectangle.
  void drain() {
    while (!blocks_.empty()) free(static_cast<std::uint32_t>(blocks_.size() / 2));
    for (std::uint32_t b = 0; b < g_.banks; ++b) allocate(Request::raw(g_.subarrays, g_.rows));
    require(blocks_.size() == g_.banks && !device_.try_allocate(Request::raw(1, 1)));
    blocks_.clear();
    require(device_.usage().free_units == g_.units());
  }

 private:
  template <class F>
  static bool throws(F f) {
    try {
      f();
    } catch (const Atoll::Error&) {
      return true;
    }
    return false;
  }
  void adopt(Block block, Extent extent) {
    require(block.where().extent == extent && model_.is_free(block.where()));
    model_.set(block.where(), 1);
    blocks_.push_back(std::move(block));
  }

  Geometry g_;
  Device device_;
  BruteForce model_;
  std::vector<Block> blocks_;
};

void trace_device(const Geometry& g, Bytes& bytes) {
  Trace trace(g);
  while (!bytes.empty()) {
    const std::uint32_t what = bytes.byte() % 16;
    if (what < 6) {
      trace.allocate(request(bytes, g));
    } else if (what < 11) {
      trace.free(bytes.byte());
    } else if (what == 11) {
      const Request same = request(bytes, g);  // a program that fills the device
      for (std::uint32_t i = bytes.byte() % 32; i > 0; --i) trace.allocate(same);
    } else if (what == 12) {
      trace.allocate_beside(request(bytes, g), bytes.byte());
    } else if (what == 13) {
      const Request one = request(bytes, g);
      trace.allocate_together(one, request(bytes, g));
    } else if (what == 14) {
      const std::uint32_t bank = bytes.byte() % 3, subarray = bytes.byte(), row = bytes.byte();
      const Extent extent{bytes.byte() % 4, bytes.byte() % 8};
      trace.free_wrongly({bank, {subarray % (g.subarrays + 1), row % (g.rows + 1)}, extent});
    } else {
      trace.check_report();
    }
  }
  trace.drain();
}

void trace_contig(const Geometry& g, Bytes& bytes) {
  ContigAllocator allocator(g);
  BruteForce model(g);
  std::vector<Rectangle> blocks;
  while (!bytes.empty()) {
    if (bytes.byte() % 2 == 0 && !blocks.empty()) {
      std::swap(blocks[bytes.byte() % blocks.size()], blocks.back());
      model.set(blocks.back(), 0);
      allocator.free(blocks.back());
      blocks.pop_back();
      continue;
    }
    const Request wanted = request(bytes, g);
    const auto extent = extent_if_any(g, wanted);
    if (!extent) continue;
    std::optional<Rectangle> should;
    std::uint64_t bound = 0;
    for (std::uint32_t b = 0; b < g.banks && !should; ++b) {
      const auto place = model.fit(b, *extent);
      bound += model.equation_1(b, *extent, place);
      if (place) should = Rectangle{b, *place, *extent};
    }
    const auto where = allocator.allocate(wanted);
    require(where == should);
    const auto steps = allocator.last_search();
    require(steps.vector_elements + steps.matrix_bits <= bound);
    if (!where) continue;
    model.set(*where, 1);
    blocks.push_back(*where);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, std::min<std::size_t>(size, 2000));
  const bool contig = bytes.byte() % 8 == 0;
  const Geometry g = geometry(bytes);
  contig ? trace_contig(g, bytes) : trace_device(g, bytes);
  return 0;
}
