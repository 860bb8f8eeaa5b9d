// What a run of a library's procedure leaves, for any width of ids: results stay where the run
// placed them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atoll/program/library.hpp"
#include "program/decide.hpp"
#include "program/elements.hpp"
#include "program/names.hpp"

namespace Atoll::program {

/// An array of the caller's, and the values of a map.
struct Given {
  MemoryType type = MemoryType::id32;
  const void* data = nullptr;
  MemoryType value_type = MemoryType::id32;
  const void* values = nullptr;
  std::size_t count = 0;
};

/// Items of a collection as an array.
struct Copied {
  std::vector<std::byte> keys, values;
  std::size_t count = 0;
};

/// The run behind a call.
class LibraryResults {
 public:
  virtual ~LibraryResults() = default;
  [[nodiscard]] virtual Elements elements(const ArrayUse& use) = 0;
  virtual void sync(const ArrayUse& use) = 0;
  [[nodiscard]] virtual Items items(const CollectionUse& use) = 0;
  [[nodiscard]] virtual std::optional<Scalar> returned() const = 0;
  [[nodiscard]] virtual std::optional<Scalar> output(std::string_view name) const = 0;
  [[nodiscard]] virtual graph::IdWidths widths() const = 0;
};

[[nodiscard]] inline bool is_id(ValueType type) {
  return type == ValueType::node || type == ValueType::edge;
}
/// How a type of the procedure lies in memory, with ids of these widths.
[[nodiscard]] MemoryType memory_type(ValueType type, graph::IdWidths widths);
[[nodiscard]] std::size_t bytes_of(MemoryType type);
[[nodiscard]] std::string_view to_string(MemoryType type);
/// Throws Error (input) unless an array of `given` may hold values of this type.
void check_type(const std::string& name, ValueType type, MemoryType given);

/// Reads a value from an array, with NIL as the run has it. Throws Error (input) for an id that is
/// none of `limit` ones.
[[nodiscard]] Scalar read_element(const std::string& name, MemoryType type, const void* data,
                                  std::size_t i, ValueType as, graph::IdWidths widths,
                                  std::uint64_t limit);
/// Writes a value into an array of that type.
void write_element(MemoryType type, void* data, std::size_t i, Scalar value, std::uint64_t run_nil);

/// Fills inputs from the caller's arrays.
void fill_elements(const Elements& elements, const Given& given, graph::IdWidths widths,
                   std::uint64_t limit);
void fill_items(const Items& items, const Given& given, graph::IdWidths widths);
[[nodiscard]] Copied copy_items(const Items& items, graph::IdWidths widths);

}  // namespace Atoll::program
