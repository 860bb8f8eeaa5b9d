// `atoll machine`: shows a machine's place tree, the figures of its memories and links, and the
// order in which memories are filled. Can also measure this computer.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <sstream>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/separate_files.hpp"
#include "atoll/base/units.hpp"
#include "atoll/machine/machine.hpp"
#include "atoll/measure/hardware.hpp"
#include "atoll/measure/measure.hpp"
#include "atoll/program/options.hpp"
#include "cli/machine_text.hpp"
#include "cli/verb.hpp"
#include "machine/file_of_name.hpp"
#include "machine/machine_file.hpp"
#include "machine/place_tree.hpp"

namespace Atoll::cli {
namespace {

struct MachineOptions {
  std::string machine;
  std::string order;
  std::string hidden;
  std::string output;
  bool measure = false;
  bool quick = false;
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
  throw Error::input("--fill-order", fmt::format("'{}' is not an ordering", name),
                     "one of latency, bandwidth, capacity");
}

/// Checks the options before work that takes seconds or minutes.
void check(const MachineOptions& options) {
  if (options.measure && !options.machine.empty())
    throw Error::input("--measure", "measures this computer", "leave --machine out");
  if (options.quick && !options.measure)
    throw Error::input("--quick", "is a way to measure", "add --measure");
  if (options.output.empty()) return;
  if (!options.output.ends_with(".json"))
    throw Error::input(options.output, "is not a name that --machine would know as a machine file",
                       "name it *.json");
  check_separate_files({options.output}, {machine_file_of_name(options.machine)});
  const AtomicFile writable(options.output);
}

Machine measured(const MachineOptions& options) {
  measure::Options how;
  if (options.quick) {
    how.buffer_bytes = 32 * kMiB;
    how.seconds_a_figure = 0.01;
  }
  measure::Result result = measure::measure_links(Machine::this_computer(), how);
  for (const measure::Unmeasured& memory : result.unmeasured)
    note(fmt::format("memory {} is not measured: {}", memory.memory.value, memory.why));
  if (result.taken_by_others > 0.05)
    note(
        fmt::format("other programs took up to {:.0f} % of a processing unit even in the best "
                    "trials; measure again without them",
                    100 * result.taken_by_others));
  measure::HardwareOptions inside;
  if (options.quick) inside = {.most_bytes = 32 * kMiB, .seconds_a_reading = 0.002};
  measure::HardwareResult hardware = measure::measure_hardware(result.machine, inside);
  for (const std::string& text : hardware.notes) note(text);
  return std::move(hardware.machine);
}

void show(const MachineOptions& options) {
  const std::vector<PlaceKind> hidden = kinds_of(options.hidden);
  const std::optional<Ordering> order = ordering_of(options.order);
  if (options.json && (order || !hidden.empty()))
    throw Error::input("--json", "prints the whole machine file",
                       "leave --fill-order and --hide out");
  check(options);
  const Machine machine = options.measure ? measured(options) : Machine::open(options.machine);
  if (!options.output.empty()) {
    AtomicFile file(options.output);
    file.write(machine.to_json());
    file.commit();
  }
  if (options.json) {
    fmt::print("{}", machine.to_json());
    return;
  }
  fmt::print("{}\n{}\n{}  cache lines of {}\n\n{}\n{}\n{}{}\n{}", wrapped(machine.name(), 0),
             wrapped(machine.about(), 2), places_text(hide(machine.root(), hidden)),
             format_bytes(machine.caches().line_bytes), memories_text(machine), links_text(machine),
             threads_text(machine), orders_text(machine, order), sources_text(machine));
}

}  // namespace

void add_machine(options::Command app) {
  const options::Command verb =
      app.add_verb("machine", "Shows a machine: places, memories, what they cost");
  const auto options = std::make_shared<MachineOptions>();
  program::add_machine_option(verb, options->machine,
                              "A preset, a machine file (*.json), an hwloc\n"
                              "XML file (*.xml) or an hwloc synthetic\n"
                              "description (this computer)");
  verb.add_option("--fill-order,--order", options->order,
                  "Only this order of the memories, but from every\n"
                  "node: latency, bandwidth or capacity")
      .type_name("BY");
  verb.add_option("--hide", options->hidden,
                  "Levels of places to leave out, as l3,l2,l1: group,\n"
                  "package, numa, l3, l2, l1, core, pu")
      .type_name("KIND,...");
  verb.add_flag("--measure", options->measure,
                "Measures this computer first: latency and bandwidths\n"
                "from each node to each memory, by threads; cores,\n"
                "caches, TLBs. Takes some seconds a pair, and half a\n"
                "minute (docs/measure.md)");
  verb.add_flag("--quick", options->quick,
                "With --measure: a trial in small buffers, which\n"
                "caches may hold");
  verb.add_option("-o,--output", options->output, "Also writes the machine file, *.json")
      .type_name("FILE");
  verb.add_flag("--json", options->json, "Prints the machine file (docs/machine-file.md)");
  verb.footer(
      fmt::format("Presets:\n{}\n"
                  "  atoll machine --machine hbm-2s\n"
                  "  atoll machine --machine opteron-8x8 --hide l3,l2,l1,package\n"
                  "  atoll machine --machine 'pack:2 numa:2 core:4 pu:2'\n"
                  "  atoll machine --json > mine.json         to correct by hand\n"
                  "  atoll machine --measure -o mine.json     for --machine mine.json",
                  wrapped(fmt::format("{}", fmt::join(Machine::preset_names(), " ")), 2)));
  verb.run([options] { show(*options); });
}

}  // namespace Atoll::cli
