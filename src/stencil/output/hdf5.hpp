// Common HDF5 code of output and checkpoints: RAII handles, files on open descriptors, attributes,
// arrays.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil::hdf5 {

/// Owns an HDF5 object.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  /// Takes ownership of `id`. If it is negative, the call that returned it failed: throws Error
  /// (failed) with `where` and `tried`.
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
  /// Closes the object and returns true if that succeeded.
  [[nodiscard]] bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Suppresses HDF5's error messages during its lifetime.
class SilencedErrors {
 public:
  SilencedErrors();
  ~SilencedErrors();
  SilencedErrors(const SilencedErrors&) = delete;
  SilencedErrors& operator=(const SilencedErrors&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Throws Error (failed) if `result` is an error.
void require(herr_t result, const std::string& where, const std::string& tried);

/// A file on an open descriptor. HDF5's own drivers need a file name, which a file that is still
/// being written (AtomicFile) doesn't have.
struct FileTarget {
  int descriptor = -1;
  /// errno of the first failed write. Later writes are dropped, so that HDF5 can close its objects.
  int error = 0;
};

/// Creates an HDF5 file on `medium`, which must outlive it, after `user_block` bytes that HDF5
/// leaves untouched. `where` is the name in error messages.
[[nodiscard]] Handle create_file(FileTarget& medium, std::size_t user_block,
                                 const std::string& where);
/// Opens an HDF5 file for reading.
[[nodiscard]] Handle open_file(FileTarget& medium, const std::string& where);

/// Returns HDF5's native type, used in memory and in the file.
[[nodiscard]] hid_t native_type(ElementType type);

/// Creates a group; opens a group, or returns an empty Handle if it doesn't exist.
[[nodiscard]] Handle create_group(hid_t parent, const std::string& name, const std::string& where);
[[nodiscard]] Handle open_group(hid_t parent, const std::string& name, const std::string& where);

/// Value of an attribute.
using Value = std::variant<std::int64_t, double, std::string>;
void write_attribute(hid_t object, const std::string& name, const Value& value,
                     const std::string& where);
/// Reads an attribute of the same type as `like`. Throws Error (input) if there is no attribute of
/// that name and type, or a string is longer than 4096 bytes.
[[nodiscard]] Value read_attribute(hid_t object, const std::string& name, const Value& like,
                                   const std::string& where);

/// Writes an array as a dataset [z][y][x] or [z][y][x][component], in slabs of a few MiB.
void write_array(hid_t group, const ConstStridedArray& array, const std::string& where);
/// Throws Error (input) if the group has no dataset of the array's name, type and size.
void check_array(hid_t group, const ConstStridedArray& array, const std::string& where);
/// Fills the array from a dataset that check_array() accepted.
void read_array(hid_t group, const StridedArray& array, const std::string& where);

}  // namespace Atoll::stencil::hdf5
