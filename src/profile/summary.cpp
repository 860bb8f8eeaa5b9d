// From a profile and a machine to all that a report shows.
#include "profile/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "atoll/base/units.hpp"
#include "profile/object_names.hpp"
#include "profile/sharing.hpp"
#include "profile/thresholds.hpp"

namespace Atoll::profile {
namespace {

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", format_count(count), what, count == 1 ? "" : "s");
}

/// How threads use an object, in some words.
std::string use_of(const ObjectSummary& object, const Summary& summary) {
  const bool tells_writes = summary.tells_writes;
  std::string use;
  if (object.threads == 1)
    use = "used by one thread";
  else if (tells_writes && object.writes == 0)
    use = fmt::format("read by {} threads, never written", object.threads);
  else if ((object.intervals ? object.intervals->exclusivity.low : object.exclusivity) >=
           kExclusive)
    use = fmt::format("shared by {} threads, each page mostly by one node", object.threads);
  else
    use = fmt::format("shared {}by {} threads", tells_writes ? "and written " : "", object.threads);
  if (object.sharing.falsely_shared_lines > 0)
    use += fmt::format(", {} falsely shared with {} of its {}",
                       counted(object.sharing.falsely_shared_lines, "line"),
                       percent(share_of(object.sharing.falsely_shared_traffic, object.traffic)),
                       summary.weighed_as.many);
  if (object.sharing.spinning_lines > 0)
    use += fmt::format(", {} spinning: threads poll {} for another's write",
                       counted(object.sharing.spinning_lines, "line"),
                       object.sharing.spinning_lines == 1 ? "it" : "them");
  return use;
}

/// Accesses and threads by object, and what the recording says of it.
std::vector<ObjectSummary> objects_of(const Profile& profile) {
  const trace::Recording& run = profile.recording;
  std::vector<ObjectSummary> objects(run.objects.size());
  std::vector<std::set<std::uint32_t>> threads(objects.size());
  for (const PackedChunk& chunk : profile.chunks) {
    objects[chunk.object].reads += chunk.reads;
    objects[chunk.object].writes += chunk.writes;
    objects[chunk.object].traffic += chunk.traffic;
    threads[chunk.object].insert(chunk.thread);
  }
  const SameLine same_line(run);
  for (const trace::Object& from : run.objects) {
    ObjectSummary& object = objects[from.id];
    object.id = from.id;
    object.kind = to_string(from.kind);
    object.name = name_of(run, from) + same_line.words(from);
    if (const trace::Frame* place = place_of(run, from); place != nullptr && !place->file.empty())
      object.place = fmt::format("{}:{}", place->file, place->line);
    object.bytes = from.bytes;
    object.allocations = from.allocations;
    object.threads = static_cast<std::uint32_t>(threads[from.id].size());
    object.sharing = profile.sharing[from.id];
  }
  return objects;
}

void add_analyses(const Profile& profile, const Machine& machine, Summary& summary,
                  std::vector<ObjectSummary>& objects) {
  summary.by_node = pages_by_node(profile, summary.places);
  const PagesByNode& pages = summary.by_node;
  const Exclusivity exclusive = exclusivity(pages, objects.size());
  const Balances balances = balance(pages, summary.places, objects.size());
  Footprint by_epoch = footprint(pages, profile.recording.epochs, objects.size());
  summary.exclusivity = exclusive.program;
  summary.grid = ExclusivityGrid::of(pages, summary.places);
  summary.balance = balances.program;
  summary.footprint = std::move(by_epoch.program);
  const PredictedTime predicted(machine, summary.places.nodes);
  for (const Mapping mapping : kMappings) {
    const Places places =
        mapping == Mapping::compact ? compact_places_of(profile, machine) : summary.places;
    const bool moved = places.nodes_of_threads != summary.places.nodes_of_threads;
    const PagesByNode of_moved = moved ? pages_by_node(profile, places) : PagesByNode{};
    const PagesByNode& by_node = moved ? of_moved : pages;
    WhatIf outcome = what_if(mapping, by_node, places, objects.size());
    const double seconds = predicted.seconds(outcome.traffic, by_node.busiest_part);
    if (mapping == Mapping::os) summary.os_seconds = seconds;
    outcome.program.time = summary.os_seconds > 0 ? seconds / summary.os_seconds : 1;
    summary.outcomes.push_back(std::move(outcome.program));
    for (std::size_t i = 0; i < objects.size(); ++i)
      objects[i].outcomes.push_back(std::move(outcome.of_objects[i]));
  }
  for (std::size_t row = 0; row < pages.rows.size(); row = pages.page_end(row)) ++summary.pages;
  for (const PageRow& row : pages.rows) ++objects[row.object].pages;
  for (ObjectSummary& object : objects) {
    object.exclusivity = exclusive.of_objects[object.id];
    object.balance = balances.of_objects[object.id];
    object.footprint = std::move(by_epoch.of_objects[object.id]);
    object.share = share_of(object.traffic, summary.traffic);
  }
}

/// "62 % (90 % sure: 56-71 %)".
std::string sure(double share, const Interval& interval) {
  return fmt::format("{} (90 % sure: {})", percent(share), said(share, &interval));
}

void add_sampled_verdict(const Summary& summary, std::vector<std::string>& lines) {
  const ShareIntervals& program = summary.intervals->program;
  const double equal = 1 / static_cast<double>(summary.places.nodes.size());
  const Outcome& os = summary.outcome(Mapping::os);
  const auto at = [](Mapping mapping) { return static_cast<std::size_t>(mapping); };
  if (program.exclusivity.is_said()) {
    const std::optional<bool> exclusive = summary.tells_exclusive();
    lines.push_back(fmt::format("Exclusivity is {}, and {} if all nodes shared every page: {}.",
                                sure(summary.exclusivity, program.exclusivity), percent(equal),
                                !exclusive   ? "that is too close to 80 % for a verdict"
                                : *exclusive ? "pages belong to nodes"
                                             : "nodes share pages"));
  }
  if (const Interval& busiest = program.busiest[at(Mapping::os)]; busiest.is_said()) {
    const std::optional<bool> balanced = summary.tells_balanced();
    lines.push_back(
        fmt::format("{} {}balanced: by first touch, one node serves {}, equal would be {}.",
                    trace::capital(summary.weighed_as.many),
                    !balanced   ? "may be "
                    : *balanced ? "are "
                                : "are not ",
                    sure(os.busiest_share(), busiest), percent(equal)));
  }
  if (const Interval& local = program.local[at(Mapping::os)]; local.is_said()) {
    const Mapping best = summary.best();
    lines.push_back(fmt::format(
        "By first touch, {} are local; at best {}.", sure(os.local_share(), local),
        best == Mapping::os ? "as many"
                            : sure(summary.outcome(best).local_share(), program.local[at(best)]) +
                                  fmt::format(", by {}", to_string(best))));
  }
  if (const std::string why = summary.why_too_few(); !why.empty()) lines.push_back(why);
}

}  // namespace

double ObjectSummary::local_share() const {
  return outcomes.front().local_share();
}

std::optional<bool> Summary::tells_structured() const {
  if (intervals) return std::nullopt;  // pages are no lines, and few of them are seen
  // Of hardly any communication the score says something, but not what would gain.
  const double communicated = 2 * static_cast<double>(sharing.communication);
  return structure >= kStructured && communicated >= kWorthwhile * static_cast<double>(traffic);
}

bool Summary::pair_is_apart() const {
  return pair && places.nodes_of_threads[pair->first] != places.nodes_of_threads[pair->second];
}

bool Summary::pair_belongs_together() const {
  return pair_is_apart() && !exclusive();
}

Mapping Summary::best() const {
  return *std::ranges::max_element(kMappings, {}, [&](Mapping mapping) {
    const bool known =
        !intervals || intervals->program.local[static_cast<std::size_t>(mapping)].is_said();
    return known ? outcome(mapping).local_share() : -1;
  });
}

std::optional<bool> Summary::tells_exclusive() const {
  if (!intervals) return exclusivity >= kExclusive;
  const Interval& sure = intervals->program.exclusivity;
  if (!sure.is_said() || (sure.low < kExclusive && sure.high >= kExclusive)) return std::nullopt;
  return sure.low >= kExclusive;
}

std::optional<bool> Summary::tells_balanced() const {
  const double most = kImbalanced / static_cast<double>(places.nodes.size());
  if (!intervals) return outcome(Mapping::os).busiest_share() <= most;
  const Interval& sure = intervals->program.busiest[static_cast<std::size_t>(Mapping::os)];
  if (!sure.is_said() || (sure.low <= most && sure.high > most)) return std::nullopt;
  return sure.high <= most;
}

const Outcome& Summary::outcome(Mapping mapping) const {
  return outcomes.at(static_cast<std::size_t>(mapping));
}

std::optional<double> Summary::slowdown() const {
  if (!native_seconds || *native_seconds <= 0) return std::nullopt;
  return elapsed_seconds / *native_seconds;
}

std::string Summary::why_nothing() const {
  const auto outside = std::ranges::find_if(losses, [](const trace::Loss& loss) {
    return loss.what.starts_with("accesses not recorded: outside");
  });
  if (outside != losses.end())
    return fmt::format(
        ": all {} were outside of what was asked for. The marks weren't reached, or --after is "
        "longer "
        "than the run of {}",
        format_count(outside->count), format_seconds(elapsed_seconds));
  const std::string all = fmt::format("{}: ", counted_as.many);
  const auto obstacle = std::ranges::find_if(
      cant_see, [&](const std::string& line) { return line.starts_with(all); });
  if (obstacle != cant_see.end()) return ": " + obstacle->substr(all.size());
  return "";
}

std::vector<std::string> Summary::verdict() const {
  if (accesses == 0) return {fmt::format("No {} was recorded{}.", counted_as.one, why_nothing())};
  const std::size_t nodes = places.nodes.size();
  std::vector<std::string> lines;
  if (intervals)
    lines.push_back(
        "Samples of pages don't tell whether threads communicate: --frontend dbi tells.");
  else if (sharing.communication == 0)
    lines.emplace_back("Threads don't communicate: where they run doesn't matter for that.");
  else if (pair)
    lines.push_back(fmt::format("Only threads {} and {} communicate: {}.", pair->first,
                                pair->second,
                                pair_belongs_together() ? "put them on one node"
                                : pair_is_apart()       ? "most of what each uses is its own"
                                                        : "they are on one node"));
  else if (structured())
    lines.push_back(fmt::format(
        "Communication is structured (score {:.2f}): some threads belong together.", structure));
  else
    lines.push_back(fmt::format(
        "Communication is unstructured (score {:.2f}): {}.", structure,
        outcome(Mapping::compact).local_share() < outcome(Mapping::os).local_share() + kWorthwhile
            ? "moving threads helps little"
            : "threads belong together only if all do, on neighbouring cores"));
  if (nodes == 1) {
    lines.push_back(fmt::format("One node: all {} {} local, wherever pages lie.", weighed_as.many,
                                weighed_as == trace::kTraffic ? "is" : "are"));
    return lines;
  }
  if (intervals) {
    add_sampled_verdict(*this, lines);
    return lines;
  }
  lines.push_back(fmt::format("Exclusivity is {} ({} if all nodes shared every page): {}.",
                              percent(exclusivity), percent(1 / static_cast<double>(nodes)),
                              exclusive() ? "pages belong to nodes" : "nodes share pages"));
  const Outcome& os = outcome(Mapping::os);
  const auto busiest =
      static_cast<std::size_t>(std::ranges::max_element(os.loads) - os.loads.begin());
  const std::string how = best() == Mapping::os ? "" : fmt::format(" ({})", to_string(best()));
  lines.push_back(
      fmt::format("{} {} {}: by first touch, node {} serves {} (equal: {}); {} of it is local, at "
                  "best {}{}.",
                  trace::capital(weighed_as.many), weighed_as.are,
                  balanced() ? "balanced" : "not balanced", places.nodes[busiest].value,
                  percent(os.busiest_share()), percent(1 / static_cast<double>(nodes)),
                  percent(os.local_share()), percent(outcome(best()).local_share()), how));
  return lines;
}

std::string Summary::why_too_few() const {
  if (!intervals || (intervals->suffice() && tells_exclusive() && tells_balanced())) return "";
  constexpr double kMost = 0.1;
  constexpr std::size_t kEnough = 20;  // stretches
  if (intervals->unwatched > kMost && intervals->stretches >= kEnough)
    return fmt::format(
        "Too little is known for {}: {} of the pages can't be sampled (small allocations, "
        "variables, stacks). For these: --frontend dbi.",
        intervals->suffice() ? "all verdicts" : "shares", percent(intervals->unwatched));
  return fmt::format(
      "Too few samples for {}: {}, in {} of the run's time. More come of a longer run (this "
      "one took {}; 5 s are mostly enough) and of --overhead 10.",
      intervals->suffice() ? "all verdicts" : "all shares", counted(intervals->samples, "sample"),
      fmt::format("{} {}", intervals->stretches,
                  intervals->stretches == 1 ? "stretch" : "stretches"),
      format_seconds(elapsed_seconds));
}

Summary summarise(const Profile& profile, const Machine& machine) {
  const trace::Recording& run = profile.recording;
  Summary summary;
  if (!run.processes.empty())
    summary.command = fmt::format("{}", fmt::join(run.processes.front().command, " "));
  summary.frontend = to_string(run.frontend);
  summary.counted_as = trace::counted_as(run.frontend);
  summary.weighed_as = trace::weighed_as(run.frontend);
  summary.frontend_reason = run.frontend_reason;
  summary.elapsed_seconds = run.elapsed_seconds;
  summary.native_seconds = run.native_seconds;
  summary.losses = run.losses;
  summary.cant_see = run.cant_see;
  for (const trace::Process& process : run.processes)
    summary.processes.push_back({.name = program_of(process)});
  for (const trace::Thread& thread : run.threads) ++summary.processes[thread.process].threads;
  summary.threads = run.threads.size();
  summary.epoch_ns = run.epoch_ns;
  summary.machine = machine.name();
  if (!profile.machine.empty()) {
    const Machine recorded = Machine::from_json(profile.machine, "the profile's machine");
    summary.recorded_machine = recorded.name();
    summary.recorded_about = recorded.about();
  }
  summary.other_machine = !recorded_on(profile, machine);
  summary.places = places_of(profile, machine);
  // Samples of pages tell nothing, but those of some processors do.
  summary.tells_writes = run.frontend != trace::Frontend::sample;
  for (const PackedChunk& chunk : profile.chunks) {
    summary.accesses += chunk.reads + chunk.writes;
    summary.traffic += chunk.traffic;
    ProcessSummary& process = summary.processes[run.threads[chunk.thread].process];
    process.accesses += chunk.reads + chunk.writes;
    process.traffic += chunk.traffic;
    summary.tells_writes = summary.tells_writes || chunk.writes > 0;
  }

  const CommunicationMatrix matrix = communication_of(profile);
  summary.structure = structure_score(matrix);
  if (2 * matrix.total() >= kWorthwhile * static_cast<double>(summary.traffic))
    summary.pair = main_pair(matrix, kPair);
  summary.communication = matrix.binned(Summary::kMatrixCells);
  summary.write_communication = CommunicationMatrix(profile.write_communication, matrix.threads())
                                    .binned(Summary::kMatrixCells);
  summary.sharing = sharing_of_program(profile);

  std::vector<ObjectSummary> objects = objects_of(profile);
  add_analyses(profile, machine, summary, objects);
  if (run.frontend == trace::Frontend::sample) {
    summary.intervals =
        intervals(profile, summary.by_node, summary.places, compact_places_of(profile, machine));
    for (ObjectSummary& object : objects)
      object.intervals = summary.intervals->of_objects[object.id];
    for (std::size_t i = 0; i < summary.processes.size(); ++i)
      summary.processes[i].interval = summary.intervals->of_processes[i];
  }
  for (ObjectSummary& object : objects) object.use = use_of(object, summary);
  std::erase_if(objects,
                [](const ObjectSummary& object) { return object.reads + object.writes == 0; });
  std::ranges::stable_sort(objects, std::greater{}, [](const ObjectSummary& object) {
    const Outcome& os = object.outcomes.front();
    return std::pair(os.all() - os.local, object.traffic);
  });
  summary.objects = std::move(objects);
  return summary;
}

}  // namespace Atoll::profile
