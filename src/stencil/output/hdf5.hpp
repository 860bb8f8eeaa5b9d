// What output and checkpoints share of HDF5: handles that close themselves, files on open
// descriptors, attributes, arrays.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil::hdf5 {

/// Something of HDF5's that has to be closed.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  /// Takes over `id`; a negative one is a failed call and throws Error (failed) with `where` and
  /// `tried`.
  Handle(hid_t id, Close closes, const std::string& where, const std::string& tried);
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }

  [[nodiscard]] hid_t id() const { return id_; }
  /// True if there was nothing left to fail.
  [[nodiscard]] bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// HDF5 prints no errors of its own while one of these is there.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Throws Error (failed) if `result` says that a call failed.
void require(herr_t result, const std::string& where, const std::string& tried);

/// A file's bytes, on an open descriptor, as HDF5's own drivers can't have them: they want a name,
/// which a file that is not yet whole doesn't have.
struct Medium {
  int descriptor = -1;
  /// The first error of a write. Later writes are dropped, so that HDF5 can close what it has.
  int error = 0;
};

/// Creates an HDF5 file on `medium`, which has to outlive it, behind `user_block` bytes that are
/// left alone. `where` is what errors call it.
[[nodiscard]] Handle create_file(Medium& medium, std::size_t user_block, const std::string& where);
/// Opens one to be read.
[[nodiscard]] Handle open_file(Medium& medium, const std::string& where);

/// The type of numbers in memory, and in the file: it is this computer's.
[[nodiscard]] hid_t native_type(ElementType type);

/// Creates a group; opens one, and returns a Handle without id if there is none of that name.
[[nodiscard]] Handle create_group(hid_t parent, const std::string& name, const std::string& where);
[[nodiscard]] Handle open_group(hid_t parent, const std::string& name, const std::string& where);

/// The value of an attribute.
using Value = std::variant<std::int64_t, double, std::string>;
void write_attribute(hid_t object, const std::string& name, const Value& value,
                     const std::string& where);
/// Reads an attribute of the type that `like` has. Throws Error (input) if there is none of that
/// name and type. Strings of over 4096 bytes are refused.
[[nodiscard]] Value read_attribute(hid_t object, const std::string& name, const Value& like,
                                   const std::string& where);

/// Writes an array as a dataset [z][y][x], or [z][y][x][component], in slabs of a few MiB.
void write_array(hid_t group, const ConstStridedArray& array, const std::string& where);
/// Throws Error (input) if the group has no dataset of the array's name, type and size.
void check_array(hid_t group, const ConstStridedArray& array, const std::string& where);
/// Fills the array from a dataset that check_array() found right.
void read_array(hid_t group, const StridedArray& array, const std::string& where);

}  // namespace Atoll::stencil::hdf5
