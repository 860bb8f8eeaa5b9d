// Handles, groups and attributes of HDF5 files.
#include "stencil/output/hdf5.hpp"

#include <fmt/format.h>

#include <array>

#include "atoll/base/error.hpp"
#include "base/overloaded.hpp"

namespace Atoll::stencil::hdf5 {
namespace {

constexpr std::size_t kLongestString = 4096;

/// Returns HDF5's type of a string of this length, without a terminating zero.
Handle string_type(std::size_t length, const std::string& where) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, where, "preparing HDF5");
  // HDF5 has no strings of length 0. At least one byte is used; readers take a zero byte as the
  // end.
  require(H5Tset_size(type.id(), length == 0 ? 1 : length), where, "preparing HDF5");
  require(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), where, "preparing HDF5");
  return type;
}

void write_one(hid_t object, const std::string& name, hid_t type, const void* value,
               const std::string& where) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, where, "preparing HDF5");
  const Handle attribute(
      H5Acreate2(object, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, where,
      "writing '" + name + "'");
  require(H5Awrite(attribute.id(), type, value), where, "writing '" + name + "'");
}

[[noreturn]] void throw_other(const std::string& where, const std::string& name,
                              const std::string& what) {
  throw Error::input(where, fmt::format("'{}' {}", name, what),
                     "use a file of this program and version");
}

}  // namespace

Handle::Handle(hid_t id, Close closes, const std::string& where, const std::string& tried)
    : id_(id), close_(closes) {
  if (id < 0) throw Error::failed(where, tried + " failed", "");
}

SilencedErrors::SilencedErrors() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

SilencedErrors::~SilencedErrors() {
  H5Eset_auto2(H5E_DEFAULT, print_, data_);
}

void require(herr_t result, const std::string& where, const std::string& tried) {
  if (result < 0) throw Error::failed(where, tried + " failed", "");
}

hid_t native_type(ElementType type) {
  switch (type) {
    case ElementType::float32:
      return H5T_NATIVE_FLOAT;
    case ElementType::float64:
      return H5T_NATIVE_DOUBLE;
    case ElementType::int8:
      return H5T_NATIVE_INT8;
    case ElementType::int16:
      return H5T_NATIVE_INT16;
    case ElementType::int32:
      return H5T_NATIVE_INT32;
    case ElementType::int64:
      return H5T_NATIVE_INT64;
    case ElementType::uint8:
      return H5T_NATIVE_UINT8;
    case ElementType::uint16:
      return H5T_NATIVE_UINT16;
    case ElementType::uint32:
      return H5T_NATIVE_UINT32;
    case ElementType::uint64:
      break;
  }
  return H5T_NATIVE_UINT64;
}

Handle create_group(hid_t parent, const std::string& name, const std::string& where) {
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, where,
          "writing '" + name + "'"};
}

Handle open_group(hid_t parent, const std::string& name, const std::string& where) {
  const hid_t id = H5Gopen2(parent, name.c_str(), H5P_DEFAULT);
  if (id < 0) throw_other(where, name, "isn't there, or is no group");
  return {id, H5Gclose, where, ""};
}

void write_attribute(hid_t object, const std::string& name, const Value& value,
                     const std::string& where) {
  std::visit(
      Atoll::detail::Overloaded{
          [&](std::int64_t whole) { write_one(object, name, H5T_NATIVE_INT64, &whole, where); },
          [&](double number) { write_one(object, name, H5T_NATIVE_DOUBLE, &number, where); },
          [&](const std::string& text) {
            if (text.size() > kLongestString)
              throw Error::input(where, "the text of '" + name + "' is too long",
                                 fmt::format("at most {} bytes", kLongestString));
            const Handle type = string_type(text.size(), where);
            write_one(object, name, type.id(), text.c_str(), where);
          }},
      value);
}

Value read_attribute(hid_t object, const std::string& name, const Value& like,
                     const std::string& where) {
  const hid_t id = H5Aopen(object, name.c_str(), H5P_DEFAULT);
  if (id < 0) throw_other(where, name, "isn't there");
  const Handle attribute(id, H5Aclose, where, "");
  const Handle space(H5Aget_space(id), H5Sclose, where, "reading '" + name + "'");
  const Handle type(H5Aget_type(id), H5Tclose, where, "reading '" + name + "'");
  if (H5Sget_simple_extent_type(space.id()) != H5S_SCALAR)
    throw_other(where, name, "isn't one value");
  const auto read = [&](hid_t as, void* to) {
    require(H5Aread(id, as, to), where, "reading '" + name + "'");
  };
  const auto must_be = [&](hid_t wanted) {
    if (H5Tequal(type.id(), wanted) <= 0) throw_other(where, name, "is of another type");
  };
  return std::visit(
      Atoll::detail::Overloaded{[&](std::int64_t) {
                                  must_be(H5T_NATIVE_INT64);
                                  std::int64_t whole = 0;
                                  read(H5T_NATIVE_INT64, &whole);
                                  return Value(whole);
                                },
                                [&](double) {
                                  must_be(H5T_NATIVE_DOUBLE);
                                  double number = 0;
                                  read(H5T_NATIVE_DOUBLE, &number);
                                  return Value(number);
                                },
                                [&](const std::string&) {
                                  const std::size_t length = H5Tget_size(type.id());
                                  if (H5Tget_class(type.id()) != H5T_STRING ||
                                      H5Tis_variable_str(type.id()) != 0 || length > kLongestString)
                                    throw_other(where, name, "is no text of fixed length");
                                  std::string text(length, '\0');
                                  read(string_type(length, where).id(), text.data());
                                  text.resize(text.find_last_not_of('\0') + 1);
                                  return Value(text);
                                }},
      like);
}

}  // namespace Atoll::stencil::hdf5
