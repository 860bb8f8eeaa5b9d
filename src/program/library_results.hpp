// Results of a library procedure's run, for any width of ids. They remain where the run placed
// them.
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

/// An array of the caller; for a map, its keys and its values.
struct Given {
  MemoryType type = MemoryType::id32;
  const void* data = nullptr;
  MemoryType value_type = MemoryType::id32;
  const void* values = nullptr;
  std::size_t count = 0;
};

/// A collection's items, copied to arrays.
struct Copied {
  std::vector<std::byte> keys, values;
  std::size_t count = 0;
};

/// Results of a call's last run.
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

/// Returns the type in memory of a procedure's type, for ids of these widths.
[[nodiscard]] MemoryType memory_type(ValueType type, graph::IdWidths widths);
[[nodiscard]] std::size_t bytes_of(MemoryType type);
[[nodiscard]] std::string_view to_string(MemoryType type);
/// Throws Error (input) unless an array of type `given` may contain values of this type.
void check_type(const std::string& name, ValueType type, MemoryType given);

/// Reads a value from an array, and converts NIL to the run's. Throws Error (input) if an id is not
/// below `limit`.
[[nodiscard]] Scalar read_element(const std::string& name, MemoryType type, const void* data,
                                  std::size_t i, ValueType as, graph::IdWidths widths,
                                  std::uint64_t limit);
/// Writes a value to an array of that type.
void write_element(MemoryType type, void* data, std::size_t i, Scalar value, std::uint64_t run_nil);

/// Copies the caller's arrays to inputs.
void fill_elements(const Elements& elements, const Given& given, graph::IdWidths widths,
                   std::uint64_t limit);
void fill_items(const Items& items, const Given& given, graph::IdWidths widths);
[[nodiscard]] Copied copy_items(const Items& items, graph::IdWidths widths);

}  // namespace Atoll::program
