// A figure with its source.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace Atoll {

/// The kind of source of a figure.
enum class Origin {
  measured,   ///< by `atoll machine --measure` or a person
  firmware,   ///< reported by the system: hwloc, ACPI HMAT, sysfs
  datasheet,  ///< a vendor's document or a published measurement
  paper,      ///< a paper that Atoll implements
  estimated,  ///< derived by a documented rule, because no other source is known
  user,       ///< written by a user in a machine file
};

[[nodiscard]] std::string_view to_string(Origin origin);

/// The source of a figure.
struct Source {
  Origin origin = Origin::estimated;
  std::string text;  ///< the document, file or rule
  friend auto operator<=>(const Source&, const Source&) = default;
};

/// One figure with its source.
struct Figure {
  double value = 0;
  Source source;
  friend auto operator<=>(const Figure&, const Figure&) = default;
};

}  // namespace Atoll
