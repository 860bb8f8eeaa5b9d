// `atoll machine`: what a machine is made of, what its memories cost from each place, and in which
// order they are filled.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <sstream>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "atoll/machine/machine.hpp"
#include "cli/machine_text.hpp"
#include "cli/verb.hpp"
#include "machine/machine_file.hpp"
#include "machine/place_tree.hpp"

namespace Atoll::cli {
namespace {

struct Options {
  std::string machine;
  std::string order;
  std::string hidden;
  bool json = false;
};

std::vector<PlaceKind> kinds_of(const std::string& names) {
  std::vector<PlaceKind> kinds;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    const auto kind = detail::place_kind(name);
    if (!kind || *kind == PlaceKind::machine)
      throw Error::input("--hide", fmt::format("'{}' is not a level of places", name),
                         "some of group, package, numa, l3, l2, l1, core, pu, with commas between");
    kinds.push_back(*kind);
  }
  return kinds;
}

std::optional<Ordering> ordering_of(const std::string& name) {
  for (const Ordering ordering : detail::kOrderings)
    if (to_string(ordering) == name) return ordering;
  if (name.empty()) return std::nullopt;
  throw Error::input("--order", fmt::format("'{}' is not an ordering", name),
                     "one of latency, bandwidth, capacity");
}

void show(const Options& options) {
  const std::vector<PlaceKind> hidden = kinds_of(options.hidden);
  const std::optional<Ordering> order = ordering_of(options.order);
  if (options.json && (order || !hidden.empty()))
    throw Error::input("--json", "prints the whole machine file", "leave --order and --hide out");
  const Machine machine = Machine::open(options.machine);
  if (options.json) {
    fmt::print("{}", machine.to_json());
    return;
  }
  fmt::print("{}\n{}\n{}  cache lines of {}\n\n{}\n{}\n{}\n{}", wrapped(machine.name(), 0),
             wrapped(machine.about(), 2), places_text(hide(machine.root(), hidden)),
             format_bytes(machine.caches().line_bytes), memories_text(machine), links_text(machine),
             orders_text(machine, order), sources_text(machine));
}

}  // namespace

void add_machine(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("machine", "Shows a machine: places, memories, what they cost");
  const auto options = std::make_shared<Options>();
  verb->add_option("--machine", options->machine,
                   "A preset, a machine file (*.json), an hwloc\n"
                   "XML file (*.xml) or an hwloc synthetic\n"
                   "description; left out: this computer")
      ->type_name("M");
  verb->add_option("--order", options->order,
                   "Only this order of the memories, but from every\n"
                   "node: latency, bandwidth or capacity")
      ->type_name("BY");
  verb->add_option("--hide", options->hidden,
                   "Levels of places to leave out, as l3,l2,l1: group,\n"
                   "package, numa, l3, l2, l1, core, pu")
      ->type_name("KIND,...");
  verb->add_flag("--json", options->json, "Prints the machine file (docs/machine-file.md)");
  verb->footer(
      fmt::format("Presets:\n{}\n"
                  "  atoll machine --machine hbm-2s\n"
                  "  atoll machine --machine opteron-8x8 --hide l3,l2,l1,package\n"
                  "  atoll machine --machine 'pack:2 numa:2 core:4 pu:2'\n"
                  "  atoll machine --json > mine.json     to correct by hand",
                  wrapped(fmt::format("{}", fmt::join(Machine::preset_names(), " ")), 2)));
  verb->callback([options] { show(*options); });
}

}  // namespace Atoll::cli
