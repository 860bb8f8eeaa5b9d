// Machine::open: distinguishes presets, files and synthetic descriptions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "atoll/base/error.hpp"
#include "atoll/base/read_file.hpp"
#include "atoll/machine/machine.hpp"
#include "machine/hwloc_read.hpp"
#include "machine/presets.hpp"

namespace Atoll {
namespace {

std::string text_of(const std::string& path) {
  return read_file(path, {.way_out = "name a machine file (*.json) or an hwloc XML file (*.xml)"});
}

}  // namespace

std::vector<std::string> Machine::preset_names() {
  std::vector<std::string> names;
  for (const detail::PresetText& preset : detail::preset_texts()) names.emplace_back(preset.name);
  return names;
}

Machine Machine::open(std::string_view what) {
  if (what.empty()) return this_computer();
  for (const detail::PresetText& preset : detail::preset_texts())
    if (preset.name == what) return from_json(preset.text, preset.name);
  const std::string name(what);
  if (what.ends_with(".json")) return from_json(text_of(name), what);
  if (what.ends_with(".xml")) return detail::machine_from_xml(text_of(name), what);
  if (what.find('/') != std::string_view::npos) {
    static_cast<void>(text_of(name));
    throw Error::input(name, "a file of neither kind",
                       "name it *.json (machine file) or *.xml (hwloc)");
  }
  if (auto machine = detail::machine_from_synthetic(name)) return *std::move(machine);
  throw Error::input(
      name,
      "not a preset, a machine file (*.json), an hwloc XML file (*.xml) or a synthetic description",
      fmt::format("presets are {}; a description is like 'pack:2 core:4 pu:2'",
                  fmt::join(preset_names(), ", ")));
}

}  // namespace Atoll
