// Machine::open: tells presets, files and synthetic descriptions apart.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "atoll/base/error.hpp"
#include "atoll/machine/machine.hpp"
#include "machine/hwloc_read.hpp"
#include "machine/presets.hpp"

namespace Atoll {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

std::string read_file(const std::string& path) {
  const auto fail = [&](const char* tried) {
    return Error::input(path, std::string(tried) + ": " + std::generic_category().message(errno),
                        "name a machine file (*.json) or an hwloc XML file (*.xml)");
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) throw fail("cannot open");
  std::string text;
  char buffer[65536];
  for (std::size_t read; (read = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;) {
    text.append(buffer, read);
    if (text.size() > kMaxFileBytes)
      throw Error::input(path, "larger than 64 MiB", "no machine takes that much to describe");
  }
  if (std::ferror(file.get()) != 0) throw fail("cannot read");
  return text;
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
  if (what.ends_with(".json")) return from_json(read_file(name), what);
  if (what.ends_with(".xml")) return detail::machine_from_xml(read_file(name), what);
  if (what.find('/') != std::string_view::npos) {
    static_cast<void>(read_file(name));
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
