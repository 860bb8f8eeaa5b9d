// `atoll diff`: shows two profiles on one scale, as the paper's Figures 1 and 2 compare a baseline
// with an optimised version [hashsieve §V.C].
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "atoll/base/units.hpp"
#include "atoll/program/options.hpp"
#include "cli/profile_text.hpp"
#include "cli/verb.hpp"

namespace Atoll::cli {
namespace {

using profile::Mapping;
using profile::Summary;

struct DiffOptions {
  std::string before, after;
  std::string machine;
  bool json = false;
};

constexpr std::size_t kCells = 16;

void print_trimmed(const Lines& lines) {
  for (const std::string& line : lines)
    fmt::print("{}\n", printable(line.substr(0, line.find_last_not_of(' ') + 1)));
}

void print_figures(const Summary& before, const Summary& after) {
  const auto row = [](std::string_view name, const std::string& from, const std::string& to) {
    fmt::print("  {:<34}{:>18}{:>18}\n", name, from, to);
  };
  using profile::Interval;
  using profile::ShareIntervals;
  const auto share = [](double value, const Interval* interval) {
    return interval == nullptr ? fmt::format("{:.1f} %", 100 * value)
                               : profile::format_share(value, interval);
  };
  const auto interval = [](const Summary& summary, auto&& of) -> const Interval* {
    return summary.intervals ? &of(summary.intervals->program) : nullptr;
  };
  const auto shares = [&](std::string_view name, auto&& value, auto&& of) {
    row(name, share(value(before), interval(before, of)), share(value(after), interval(after, of)));
  };
  const auto structure = [](const Summary& summary) {
    return summary.has_structure() ? fmt::format("{:.2f}", summary.structure) : "-";
  };
  row("", "before", "after");
  row("threads", format_count(before.threads), format_count(after.threads));
  row("pages", format_count(before.pages), format_count(after.pages));
  const recording::CountedAs& as = before.counted_as;
  if (as == after.counted_as) {
    row(as.many, format_count(before.accesses), format_count(after.accesses));
  } else {
    row(as.many, format_count(before.accesses), "-");
    row(after.counted_as.many, "-", format_count(after.accesses));
  }
  row("structure of communication", structure(before), structure(after));
  const auto at = [](Mapping mapping) { return static_cast<std::size_t>(mapping); };
  shares(
      "exclusivity", [](const Summary& of) { return of.exclusivity; },
      [](const ShareIntervals& of) -> const Interval& { return of.exclusivity; });
  shares(
      "busiest memory, first touch",
      [](const Summary& of) { return of.outcome(Mapping::os).busiest_share(); },
      [&](const ShareIntervals& of) -> const Interval& { return of.busiest[at(Mapping::os)]; });
  for (const Mapping mapping : {Mapping::os, Mapping::interleave, Mapping::locality})
    shares(
        fmt::format("local share, {}", to_string(mapping)),
        [&](const Summary& of) { return of.outcome(mapping).local_share(); },
        [&](const ShareIntervals& of) -> const Interval& { return of.local[at(mapping)]; });
  if (before.intervals || after.intervals)
    fmt::print("  (sampled shares: 90 % sure; -: too few samples)\n");
  row("falsely shared lines", format_count(before.sharing.falsely_shared_lines),
      format_count(after.sharing.falsely_shared_lines));
}

void print_communication(const Summary& before, const Summary& after) {
  const double scale =
      std::max(heat_scale(before.communication, kCells), heat_scale(after.communication, kCells));
  fmt::print("\ncommunication between threads (darker: more, on one scale)\n");
  const auto framed = [&](std::string_view title, const Summary& summary) {
    Lines lines{fmt::format("  {}", title)};
    for (const std::string& row : heat_map(summary.communication, scale, kCells))
      lines.push_back("  │" + row + "│");
    return lines;
  };
  print_trimmed(beside(framed("before", before), framed("after", after), 40));
}

void print_exclusivity(const Summary& before, const Summary& after) {
  const double scale = std::max(exclusivity_scale(before.grid), exclusivity_scale(after.grid));
  const std::string as =
      before.counted_as == after.counted_as
          ? std::string(before.counted_as.many)
          : fmt::format("{} or {}", before.counted_as.many, after.counted_as.many);
  fmt::print("\npages by exclusivity and {}, by the node of their first touch\n", as);
  for (const auto& [title, summary] : {std::pair("before", &before), std::pair("after", &after)}) {
    fmt::print("  {}\n", title);
    print_trimmed(exclusivity_plot(*summary, summary->grid.decades, scale));
  }
}

void diff(const DiffOptions& options) {
  const OpenProfile first(options.before, options.machine);
  const OpenProfile second(options.after, options.machine);
  Summary before = summarise(first.profile, first.machine);
  Summary after = summarise(second.profile, second.machine);
  // Accesses are on a common scale, too.
  const double decades = std::max(before.grid.decades, after.grid.decades);
  for (Summary* summary : {&before, &after})
    summary->grid = profile::ExclusivityGrid::of(summary->by_node, summary->places, decades);
  if (options.json) {
    fmt::print("{{\"atoll_diff\": 1, \"before\": {}, \"after\": {}}}\n", to_json(before),
               to_json(after));
    return;
  }
  for (const auto& [title, path, summary] : {std::tuple("before", &options.before, &before),
                                             std::tuple("after", &options.after, &after)})
    print_trimmed({fit(fmt::format("{:<7} {}: {}", title, *path, summary->command), 80)});
  fmt::print("seen for {}, {} nodes\n\n", before.machine, before.places.nodes.size());
  for (const auto& [path, summary] :
       {std::pair(&options.before, &before), std::pair(&options.after, &after)})
    if (summary->accesses == 0)
      print_trimmed(wrap(
          fmt::format("There is nothing to compare with {}. {}", *path, summary->verdict().front()),
          2));
  if (before.accesses == 0 || after.accesses == 0) return;
  print_figures(before, after);
  print_communication(before, after);
  print_exclusivity(before, after);
}

}  // namespace

void add_diff(options::Command app) {
  auto options = std::make_shared<DiffOptions>();
  const options::Command verb = app.add_verb("diff", "Compare two profiles, on one scale");
  verb.add_option("before", options->before, "A profile").required().type_name("P");
  verb.add_option("after", options->after, "A profile to compare with it")
      .required()
      .type_name("Q");
  program::add_machine_option(
      verb, options->machine,
      "See both for this machine (this computer; xeon-x7550\nif this computer has one node)");
  verb.add_flag("--json", options->json, "One JSON object: both reports, on one scale");
  verb.footer(
      "Shows a program before and after a change: how structured communication is, how\n"
      "far pages belong to nodes, and how equally busy the memories are.\n\n"
      "  atoll diff baseline.profile optimised.profile --machine xeon-x7550");
  verb.run([options] { diff(*options); });
}

}  // namespace Atoll::cli
