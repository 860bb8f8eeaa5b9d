// A processing-in-memory device's memory, given out as rectangles of rows and subarrays [imi §4].
// shape.hpp says which shapes there are and how bytes become one, docs/pim.md how it works.
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

/// A handle that owns a block: its destructor gives the block back. It is empty when made, moved
/// from, given back or released. The device must outlive it.
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
  /// The bytes that were requested; 0 for a raw block.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// Gives up ownership without giving the block back, which Device::free(Rectangle) does.
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

  // The members aren't a Rectangle: compilers copy one in other pieces than it was written in,
  // which stalls.
  Device* device_ = nullptr;
  Place first_;
  Extent extent_;
  std::uint32_t bank_ = 0;
  Orientation orientation_ = Orientation::raw;
  std::uint64_t bytes_ = 0;
};

/// How full a device is. Blocks that were given back count as free.
struct Usage {
  /// How full one bank is.
  struct Bank {
    std::uint64_t free_units = 0;
    Rectangle largest_free;  ///< the one with most units; extent 0 x 0 if the bank is full
  };
  std::vector<Bank> banks;
  std::uint64_t units = 0, free_units = 0;
  /// The share of the free units that isn't in its bank's largest free rectangle. It is 0 if each
  /// bank's free units are one rectangle, as in an empty device, and if nothing is free.
  double fragmentation = 0;
};

/// Several threads may call every function at once. An error leaves the device as it was.
class Device {
 public:
  /// Throws Error (input) in the cases of check(), Error (failed) if there is no memory for the
  /// masks.
  explicit Device(const Geometry& geometry);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const Geometry& geometry() const { return geometry_; }

  /// Returns a block for the request, or an empty one if no bank has a free rectangle of that
  /// extent. While other threads free blocks, one that is freed during the search may be missed.
  /// Throws Error (input) if no empty device could fulfil the request (extent_of).
  [[nodiscard]] Block try_allocate(Request request);
  /// Does the same, but throws Error (failed) if there is none.
  [[nodiscard]] Block allocate(Request request);

  /// Returns a block in the operand's bank that begins at its first subarray, so that the two line
  /// up, or an empty block if there is none. Throws Error (input) as above, or if the operand isn't
  /// in the device.
  [[nodiscard]] Block try_allocate_beside(Request request, const Rectangle& operand);

  /// Returns blocks for the operands of one operation: all in one bank, beginning at the same
  /// subarray. Returns an empty vector if that isn't possible. Throws Error (input) as
  /// try_allocate().
  [[nodiscard]] std::vector<Block> try_allocate_together(std::span<const Request> requests);

  /// Gives a block back. It is empty then, and isn't touched once others may have its units. Throws
  /// Error (input) if it is empty (given back already, for example), is of another device (it stays
  /// as it is), or its rectangle was freed by hand.
  void free(Block& block);
  /// Frees a block that was released. The rectangle alone is its identity: if one was freed and has
  /// since been given out again in the very same shape, the two can't be distinguished. Throws
  /// Error (input) if it isn't exactly a block.
  void free(const Rectangle& where);

  [[nodiscard]] Usage usage() const;
  /// All blocks, by bank, band of 64 rows, subarray and row.
  [[nodiscard]] std::vector<Rectangle> blocks() const;

  /// All memory that the device uses, this object included. (A thread needs 64 bytes more, for all
  /// devices.)
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

  // The fast paths of a thread that requests what it just gave back: inline for the C calls too.
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
