// Converts values between the caller's arrays and a run's arrays.
#include "program/library_results.hpp"
#include "atoll/program/library.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>

namespace Atoll::program {
namespace {

std::uint64_t nil_of(ValueType type, graph::IdWidths widths) {
  const graph::IdWidth width = type == ValueType::node ? widths.node : widths.edge;
  return width == graph::IdWidth::wide ? UINT64_MAX : UINT32_MAX;
}

std::uint64_t limit_of(ValueType type, const Names* names) {
  return type == ValueType::node ? names->nodes() : names->edges();
}

template <class T>
T at(const void* data, std::size_t i) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void put(void* data, std::size_t i, T value) {
  std::memcpy(static_cast<std::byte*>(data) + i * sizeof(T), &value, sizeof(T));
}

}  // namespace

MemoryType memory_type(ValueType type, graph::IdWidths widths) {
  if (!is_id(type)) return static_cast<MemoryType>(type);
  const graph::IdWidth width = type == ValueType::node ? widths.node : widths.edge;
  return width == graph::IdWidth::wide ? MemoryType::id64 : MemoryType::id32;
}

std::size_t bytes_of(MemoryType type) {
  switch (type) {
    case MemoryType::boolean:
      return 1;
    case MemoryType::int32:
    case MemoryType::float32:
    case MemoryType::id32:
      return 4;
    default:
      return 8;
  }
}

std::string_view to_string(MemoryType type) {
  switch (type) {
    case MemoryType::id32:
      return "ids of 32 bits";
    case MemoryType::id64:
      return "ids of 64 bits";
    default:
      return to_string(static_cast<ValueType>(type));
  }
}

void check_type(const std::string& name, ValueType type, MemoryType given) {
  const bool fits = is_id(type) ? given == MemoryType::id32 || given == MemoryType::id64
                                : given == static_cast<MemoryType>(type);
  if (!fits)
    throw Error::input(name, fmt::format("its elements are of type {}", to_string(type)),
                       is_id(type) ? "use ids of 32 or 64 bits" : "use that type");
}

Scalar read_element(const std::string& name, MemoryType type, const void* data, std::size_t i,
                    ValueType as, graph::IdWidths widths, std::uint64_t limit) {
  switch (type) {
    case MemoryType::int32:
      return to_scalar(at<std::int32_t>(data, i));
    case MemoryType::int64:
      return to_scalar(at<std::int64_t>(data, i));
    case MemoryType::float32:
      return to_scalar(at<float>(data, i));
    case MemoryType::float64:
      return to_scalar(at<double>(data, i));
    case MemoryType::boolean:
      return to_scalar(at<std::uint8_t>(data, i) != 0);
    default:
      break;
  }
  const bool narrow = type == MemoryType::id32;
  const std::uint64_t id = narrow ? at<std::uint32_t>(data, i) : at<std::uint64_t>(data, i);
  if (id == (narrow ? UINT32_MAX : UINT64_MAX)) return to_scalar(nil_of(as, widths));
  if (id >= limit)
    throw Error::input(name,
                       fmt::format("element {} is {}, which is no {}", i, id,
                                   as == ValueType::node ? "node" : "edge"),
                       fmt::format("they are numbered from 0 below {}", limit));
  return to_scalar(id);
}

void write_element(MemoryType type, void* data, std::size_t i, Scalar value,
                   std::uint64_t run_nil) {
  switch (type) {
    case MemoryType::int32:
      return put(data, i, from_scalar<std::int32_t>(value));
    case MemoryType::int64:
      return put(data, i, from_scalar<std::int64_t>(value));
    case MemoryType::float32:
      return put(data, i, from_scalar<float>(value));
    case MemoryType::float64:
      return put(data, i, from_scalar<double>(value));
    case MemoryType::boolean:
      return put(data, i, static_cast<std::uint8_t>(from_scalar<bool>(value)));
    default:
      break;
  }
  const auto id = from_scalar<std::uint64_t>(value);
  if (type == MemoryType::id32)
    put(data, i, id == run_nil ? UINT32_MAX : static_cast<std::uint32_t>(id));
  else
    put(data, i, id == run_nil ? UINT64_MAX : id);
}

void fill_elements(const Elements& elements, const Given& given, graph::IdWidths widths,
                   std::uint64_t limit) {
  if (given.count != elements.count)
    throw Error::input(elements.name,
                       fmt::format("{} elements were given for {} {}", given.count, elements.count,
                                   elements.edges ? "edges" : "nodes"),
                       "give one for each");
  if (!is_id(elements.type) && elements.type != ValueType::boolean) {
    if (given.count != 0) std::memcpy(elements.bytes.data(), given.data, elements.bytes.size());
    return;
  }
  for (std::size_t i = 0; i < given.count; ++i)
    elements.set(
        i, read_element(elements.name, given.type, given.data, i, elements.type, widths, limit));
}

void fill_items(const Items& items, const Given& given, graph::IdWidths widths) {
  const CollectionUse& use = *items.use;
  const bool map = use.kind == CollectionKind::map;
  const ValueType key = map ? use.key : ValueType::node;
  const bool ids = is_id(key);
  const std::uint64_t keys = ids ? limit_of(key, items.names) : 0;
  const std::uint64_t values = map && is_id(use.value) ? limit_of(use.value, items.value_names) : 0;
  for (std::size_t i = 0; i < given.count; ++i) {
    const Scalar item = read_element(use.name, given.type, given.data, i, key, widths, keys);
    if (!map && from_scalar<std::uint64_t>(item) == nil_of(key, widths))
      throw Error::input(use.name, fmt::format("item {} is NIL", i), "give nodes");
    const Scalar value =
        map ? read_element(use.name, given.value_type, given.values, i, use.value, widths, values)
            : item;
    if (!items.add(item, value))
      throw Error::input(use.name, fmt::format("item {} is there twice", i), "give each once");
  }
}

Copied copy_items(const Items& items, graph::IdWidths widths) {
  const CollectionUse& use = *items.use;
  const bool map = use.kind == CollectionKind::map;
  const ValueType key = map ? use.key : ValueType::node;
  const MemoryType key_type = memory_type(key, widths);
  const MemoryType value_type = memory_type(use.value, widths);
  Copied copied{.keys = std::vector<std::byte>(items.count * bytes_of(key_type)),
                .values = std::vector<std::byte>(map ? items.count * bytes_of(value_type) : 0),
                .count = items.count};
  std::size_t i = 0;
  items.visit(items.count, [&](Scalar item, Scalar value) {
    write_element(key_type, copied.keys.data(), i, item, nil_of(key, widths));
    if (map) write_element(value_type, copied.values.data(), i, value, nil_of(use.value, widths));
    ++i;
  });
  return copied;
}

}  // namespace Atoll::program
