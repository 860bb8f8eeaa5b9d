// Memory of a processing-in-memory device, allocated as rectangles of rows and subarrays [imi §4].
// shape.hpp defines the shapes and the conversion from bytes; docs/pim.md describes the algorithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "atoll/pim/shape.hpp"

namespace Atoll::pim {

class Bank;
class Device;
struct DefaultDevice;
struct Grid;
struct Visitor;

/// A handle that owns a block: its destructor frees the block. It is empty if default-constructed,
/// moved from, freed or released. The device must outlive it.
class Block {
 public:
  Block() = default;
  Block(Block&& other) noexcept { take(other); }
  Block& operator=(Block&& other) noexcept {
    if (this == &other) return *this;
    if (device_ != nullptr) drop();
    take(other);
    return *this;
  }
  ~Block() {
    if (device_ != nullptr) drop();
  }

  explicit operator bool() const { return device_ != nullptr; }
  [[nodiscard]] Rectangle where() const { return {bank_, first_, extent_}; }
  [[nodiscard]] Orientation orientation() const { return orientation_; }
  /// Number of bytes requested; 0 for a raw block.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// Gives up ownership without freeing the block. Device::free(Rectangle) frees it.
  Rectangle release() {
    device_ = nullptr;
    return where();
  }

 private:
  friend class Device;
  friend struct DefaultDevice;
  Block(Device* device, const Rectangle& where, Request request)
      : device_(device),
        first_(where.first),
        extent_(where.extent),
        bank_(where.bank),
        orientation_(request.orientation()),
        bytes_(request.bytes()) {}
  void take(Block& other) noexcept {
    device_ = std::exchange(other.device_, nullptr);
    first_ = other.first_;
    extent_ = other.extent_;
    bank_ = other.bank_;
    orientation_ = other.orientation_;
    bytes_ = other.bytes_;
  }
  void drop() noexcept;

  // Separate members and not a Rectangle: compilers copy a Rectangle in other parts than it was
  // written in, which stalls store forwarding.
  Device* device_ = nullptr;
  Place first_;
  Extent extent_;
  std::uint32_t bank_ = 0;
  Orientation orientation_ = Orientation::raw;
  std::uint64_t bytes_ = 0;
};

/// Occupancy of a device. Freed blocks count as free.
struct Usage {
  /// Occupancy of one bank.
  struct Bank {
    std::uint64_t free_units = 0;
    Rectangle largest_free;  ///< the one with the most units; extent 0 x 0 if the bank is full
  };
  std::vector<Bank> banks;
  std::uint64_t units = 0, free_units = 0;
  /// Share of the free units outside the largest free rectangle of their bank, 0 to 1. It is 0 if
  /// the free units of each bank form one rectangle, as in an empty device, and if no unit is free.
  double fragmentation = 0;
};

/// All functions are thread-safe. If a function throws, the device is unchanged.
class Device {
 public:
  /// Throws Error (input) in the cases of check(), and Error (failed) if there is no memory for the
  /// masks.
  explicit Device(const Geometry& geometry);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const Geometry& geometry() const { return geometry_; }

  /// Returns a block for the request, or an empty one if no bank has a free rectangle of that
  /// extent. May miss a block that another thread frees during the search. Throws Error (input) if
  /// even an empty device couldn't satisfy the request (extent_of).
  [[nodiscard]] Block try_allocate(Request request);
  /// As try_allocate(), but throws Error (failed) if no bank has a free rectangle.
  [[nodiscard]] Block allocate(Request request);

  /// Returns a block that begins at the first subarray of `operand`, in the same bank, so that the
  /// two are aligned. Returns an empty block if none is free. Throws Error (input) as above, or if
  /// the operand isn't in the device.
  [[nodiscard]] Block try_allocate_beside(Request request, const Rectangle& operand);

  /// Returns blocks for the operands of one operation: all in one bank and beginning at the same
  /// subarray. Returns an empty vector if that isn't possible. Throws Error (input) as
  /// try_allocate().
  [[nodiscard]] std::vector<Block> try_allocate_together(std::span<const Request> requests);

  /// Frees a block. `block` is emptied before other threads can get its units. Throws Error (input)
  /// if it is empty (freed before, for example) or if its rectangle was freed by the overload
  /// below. Also throws if it belongs to another device; then it is unchanged.
  void free(Block& block);
  /// Frees a released block, identified by its rectangle. If it was freed and then allocated again
  /// with the same shape, the two blocks can't be distinguished. Throws Error (input) if the
  /// rectangle isn't exactly an allocated block.
  void free(const Rectangle& where);

  [[nodiscard]] Usage usage() const;
  /// All blocks, sorted by bank, band of 64 rows, subarray and row.
  [[nodiscard]] std::vector<Rectangle> blocks() const;

  /// All memory used by the device, including this object. (Each thread needs 64 bytes more, for
  /// all devices together.)
  [[nodiscard]] std::size_t metadata_bytes() const;

 private:
  [[nodiscard]] Grid grid() const;
  [[nodiscard]] Bank& bank(std::uint32_t index) const;
  Block allocate_otherwise(Request request, Visitor* at_home);
  Block allocate_in_window(Visitor& self);
  Block allocate_at_home(Visitor& self);
  Block allocate_slowly(Request request);
  template <class Try>
  bool try_banks(Visitor& self, Extent extent, Try attempt);
  [[nodiscard]] bool give_back(const Rectangle& where);
  [[nodiscard]] bool contains(const Rectangle& where) const;

  // Fast paths for a thread that requests what it just freed: inlined also into the C calls.
  template <class Made, class Other>
  auto allocate_at_once(Request request, Made made, Other other);
  [[nodiscard]] bool free_at_once(Block& block);

  friend class Block;
  friend struct DefaultDevice;  // implements the C calls

  Geometry geometry_;
  std::uint64_t id_;
  std::size_t bank_bytes_;  // bytes from one bank to the next
  std::byte* banks_;
};

}  // namespace Atoll::pim
