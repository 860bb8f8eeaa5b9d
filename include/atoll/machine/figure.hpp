// A figure and where it comes from.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace Atoll {

/// How a figure is known.
enum class Origin {
  measured,   ///< by `atoll machine --measure` or a person
  firmware,   ///< told by the system: hwloc, ACPI HMAT, sysfs
  datasheet,  ///< a maker's document or a published measurement
  paper,      ///< one of the papers that Atoll implements
  estimated,  ///< derived by a stated rule, for want of better
  user,       ///< written by hand in a machine file
};

[[nodiscard]] std::string_view to_string(Origin origin);

/// Where a figure comes from.
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
