// Devices: consecutive banks in one memory block, and the choice of a thread's bank.
#include "atoll/pim/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "atoll/base/error.hpp"
#include "pim/at_once.hpp"
#include "pim/bank.hpp"

namespace Atoll::pim {
namespace {

constexpr std::size_t kLine = 64;       // banks share no cache line
std::atomic<std::uint64_t> last_id{0};  // unique: no thread may mistake a new device for an old one

}  // namespace

Device::Device(const Geometry& g) : geometry_(g), id_(++last_id) {
  check(g);
  bank_bytes_ = (Bank::bytes(grid()) + kLine - 1) / kLine * kLine;
  banks_ = static_cast<std::byte*>(
      ::operator new(bank_bytes_* g.banks, std::align_val_t{kLine}, std::nothrow));
  if (banks_ == nullptr)
    throw Error::failed("pim::Device",
                        fmt::format("no memory for {} bytes of masks", bank_bytes_ * g.banks),
                        "make a smaller device");
  for (std::uint32_t b = 0; b < g.banks; ++b)
    (new (banks_ + b * bank_bytes_) Bank)->prepare(grid());
  BiasedLock::bias_works();
}

Device::~Device() {
  ::operator delete(banks_, std::align_val_t{kLine});
}  // Bank has no destructor to run

std::size_t Device::metadata_bytes() const {
  return sizeof *this + bank_bytes_ * geometry_.banks;
}

Block Device::try_allocate(Request request) {
  return allocate_at_once(
      request, [&](const Rectangle& where) { return Block(this, where, request); },
      [&](Visitor* at_home) { return allocate_otherwise(request, at_home); });
}

/// `at_home`: thread that has entered its home bank already; null if none.
Block Device::allocate_otherwise(Request request, Visitor* at_home) {
  return at_home != nullptr ? allocate_in_window(*at_home) : allocate_slowly(request);
}

// Separate functions, so that their callers needn't save registers.

/// The lock of the home bank is held.
[[gnu::noinline]] Block Device::allocate_in_window(Visitor& self) {
  const Place place = bank(self.bank).take_from_window(self.extent);
  if (place == kNowhere) return allocate_at_home(self);
  bank(self.bank).lock.leave_biased(self);
  return {this, {self.bank, place, self.extent}, self.request};
}

/// The lock of the home bank is held.
[[gnu::noinline]] Block Device::allocate_at_home(Visitor& self) {
  Bank& home = bank(self.bank);
  const Place place = home.take_by_search(grid(), self.extent);
  home.lock.leave_biased(self);
  if (place != kNowhere) [[likely]]
    return {this, {self.bank, place, self.extent}, self.request};
  return allocate_slowly(self.request);
}

/// Values remembered for another device aren't valid for this one: the same request may have
/// another extent here, or none.
static void remember(Visitor& self, Request request, Extent extent) {
  self.extent = extent;
  self.slot = Bank::slot_of(extent);
  self.request = request;
}

[[gnu::noinline]] Block Device::allocate_slowly(Request request) {
  Visitor& self = Visitor::current();
  if (self.device != id_ || !(self.request == request))
    remember(self, request, extent_of(geometry_, request));
  Block block;
  try_banks(self, self.extent, [&](std::uint32_t index) {
    const Place place = bank(index).take(grid(), self.extent);
    if (place == kNowhere) return false;
    block = {this, {index, place, self.extent}, request};
    return true;
  });
  return block;
}

/// Calls attempt(bank) for banks that may have a free block of `extent`, each under its lock, until
/// it returns true. Starts with the thread's home bank; banks that are biased to other threads are
/// last. The bank in which it succeeds becomes the home.
template <class Try>
bool Device::try_banks(Visitor& self, Extent extent, Try attempt) {
  if (self.device != id_) {
    self.device = id_;
    self.bank = self.number % geometry_.banks;
  }
  for (const bool others :
       {false, true})  // the second round tries all banks, as biases may have changed
    for (std::uint32_t i = 0; i < geometry_.banks; ++i) {
      const auto index =
          static_cast<std::uint32_t>((std::uint64_t{self.bank} + i) % geometry_.banks);
      Bank& candidate = bank(index);
      if (candidate.is_known_to_fail(extent)) continue;
      if (!others && candidate.lock.biased_to_another(self)) continue;
      const BankLockGuard turn(candidate.lock, self);
      if (!attempt(index)) continue;
      self.bank = index;
      return true;
    }
  return false;
}

Block Device::allocate(Request request) {
  Block block = try_allocate(request);
  if (block) return block;
  const Extent e = extent_of(geometry_, request);
  throw Error::failed(
      "pim::allocate",
      fmt::format("no bank has {} rows free in {} neighbouring subarrays", e.rows, e.subarrays),
      "free blocks, or make the device larger");
}

Block Device::try_allocate_beside(Request request, const Rectangle& operand) {
  if (!contains(operand))
    throw Error::input("pim::allocate", to_string(operand) + " is not in the device");
  const Extent extent = extent_of(geometry_, request);
  Bank& home = bank(operand.bank);
  const BankLockGuard turn(home.lock, Visitor::current());
  const Place place = home.take_at(grid(), extent, operand.first.subarray);
  if (place == kNowhere) return {};
  return {this, {operand.bank, place, extent}, request};
}

std::vector<Block> Device::try_allocate_together(std::span<const Request> requests) {
  std::vector<Extent> extents;
  Extent all{1, 0};  // the blocks on top of each other
  for (const Request& request : requests) {
    extents.push_back(extent_of(geometry_, request));
    all.subarrays = std::max(all.subarrays, extents.back().subarrays);
    if (extents.back().rows > geometry_.rows - all.rows) return {};
    all.rows += extents.back().rows;
  }
  std::vector<Block> blocks;
  if (requests.empty()) return blocks;
  std::vector<Place> places(extents.size());
  blocks.reserve(extents.size());
  // The blocks needn't be adjacent, so a bank without one rectangle for all may still have room.
  // The extent 1 x 1 excludes only full banks.
  Visitor& self = Visitor::current();
  if (self.device != id_) remember(self, requests.front(), extents.front());
  try_banks(self, {1, 1}, [&](std::uint32_t index) {
    if (!bank(index).take_together(grid(), extents, places)) return false;
    for (std::size_t i = 0; i < extents.size(); ++i)
      blocks.push_back(Block(this, {index, places[i], extents[i]}, requests[i]));
    return true;
  });
  return blocks;
}

bool Device::contains(const Rectangle& r) const {
  const auto within = [](std::uint32_t first, std::uint32_t count, std::uint32_t all) {
    return count != 0 && first < all && count <= all - first;
  };
  return r.bank < geometry_.banks &&
         within(r.first.subarray, r.extent.subarrays, geometry_.subarrays) &&
         within(r.first.row, r.extent.rows, geometry_.rows);
}

void Device::free(Block& block) {
  if (block.device_ != this) [[unlikely]]
    throw Error::input("pim::free",
                       block ? "the block belongs to another device" : "the block is empty",
                       block ? "free it there" : "it was given back already, or never allocated");
  if (free_at_once(block)) [[likely]]
    return;
  block.device_ = nullptr;  // it owns no block afterwards, even if free() throws
  free(block.where());
}

void Device::free(const Rectangle& where) {
  if (!contains(where) || !give_back(where))
    throw Error::input("pim::free", to_string(where) + " is not a block",
                       "it was given back already, or never allocated here");
}

bool Device::give_back(const Rectangle& where) {
  Bank& home = bank(where.bank);
  const BankLockGuard turn(home.lock, Visitor::current());
  return home.give_back(grid(), where);
}

void Block::drop() noexcept {
  [[maybe_unused]] const bool was_there = device_->give_back(where());
}

}  // namespace Atoll::pim
