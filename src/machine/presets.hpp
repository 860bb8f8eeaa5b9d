// The machine files that are built into the library (src/machine/presets/*.json).
#pragma once

#include <span>
#include <string_view>

namespace Atoll::detail {

struct PresetText {
  std::string_view name;
  std::string_view text;  ///< a machine file
};

/// The presets by name, ascending.
[[nodiscard]] std::span<const PresetText> preset_texts();

}  // namespace Atoll::detail
