// Computes all contents of a report from a profile and a machine.
#include "profile/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "atoll/base/units.hpp"
#include "profile/sharing.hpp"
#include "profile/thresholds.hpp"
#include "recording/objects/object_names.hpp"

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

/// Returns a short phrase on how threads use an object.
std::string use_of(const ObjectSummary& object, const Summary& summary) {
  const bool tells_writes = summary.tells_writes;
  // Samples may miss threads that use few pages, or only chunks that are not watched.
  const bool sampled = object.intervals.has_value() && object.threads < summary.threads;
  const std::string threads =
      fmt::format("{}{} threads", sampled ? "at least " : "", object.threads);
  std::string use;
  if (object.threads == 1)
    use = sampled ? "used by one thread, as far as sampled" : "used by one thread";
  else if (tells_writes && object.writes == 0)
    use = fmt::format("read by {}, never written", threads);
  else if (tells_writes && object.sharing.read_shared_traffic > 0 &&
           static_cast<double>(object.sharing.read_shared_traffic) >=
               kExclusive * static_cast<double>(object.traffic))
    use = fmt::format("written once, then read, by {}", threads);
  else if ((object.intervals ? object.intervals->exclusivity.low : object.exclusivity) >=
           kExclusive)
    use = fmt::format("shared by {}, each page mostly by one node", threads);
  else
    use = fmt::format("shared {}by {}", tells_writes ? "and written " : "", threads);
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

/// Returns accesses and threads by object, with the recording's data on it.
std::vector<ObjectSummary> objects_of(const Profile& profile) {
  const recording::Recording& run = profile.recording;
  std::vector<ObjectSummary> objects(run.objects.size());
  std::vector<std::set<std::uint32_t>> threads(objects.size());
  for (const PackedChunk& chunk : profile.chunks) {
    objects[chunk.object].reads += chunk.reads;
    objects[chunk.object].writes += chunk.writes;
    objects[chunk.object].traffic += chunk.traffic;
    threads[chunk.object].insert(chunk.thread);
  }
  const recording::SameLine same_line(run);
  for (const recording::Object& from : run.objects) {
    ObjectSummary& object = objects[from.id];
    object.id = from.id;
    object.kind = to_string(from.kind);
    object.name = name_of(run, from) + same_line.words(from);
    if (const recording::Frame* place = place_of(run, from);
        place != nullptr && !place->file.empty())
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
  summary.memory = memory_traffic(profile, machine, summary.places, pages);
  MemoryTraffic memory_of_moved;
  for (const Mapping mapping : kMappings) {
    const Places places =
        mapping == Mapping::compact ? compact_places_of(profile, machine) : summary.places;
    const bool moved = places.nodes_of_threads != summary.places.nodes_of_threads;
    const PagesByNode of_moved = moved ? pages_by_node(profile, places) : PagesByNode{};
    const PagesByNode& by_node = moved ? of_moved : pages;
    if (moved) memory_of_moved = memory_traffic(profile, machine, places, of_moved);
    const MemoryTraffic& memory = moved ? memory_of_moved : summary.memory;
    WhatIf outcome = what_if(mapping, by_node, places, objects.size(), &memory);
    const double seconds = predicted.seconds(outcome.timed, memory);
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

}  // namespace

double ObjectSummary::local_share() const {
  return outcomes.front().local_share();
}

Mapping Summary::best() const {
  return *std::ranges::max_element(kMappings, {}, [&](Mapping mapping) {
    const bool known =
        !intervals || intervals->program.local[static_cast<std::size_t>(mapping)].is_narrow();
    return known ? outcome(mapping).local_share() : -1;
  });
}

const Outcome& Summary::outcome(Mapping mapping) const {
  return outcomes.at(static_cast<std::size_t>(mapping));
}

std::optional<double> Summary::slowdown() const {
  if (!native_seconds || *native_seconds <= 0) return std::nullopt;
  return elapsed_seconds / *native_seconds;
}

Summary summarise(const Profile& profile, const Machine& machine) {
  const recording::Recording& run = profile.recording;
  Summary summary;
  if (!run.processes.empty())
    summary.command = fmt::format("{}", fmt::join(run.processes.front().command, " "));
  summary.frontend = to_string(run.frontend);
  summary.counted_as = recording::counted_as(run);
  summary.weighed_as = recording::weighed_as(run);
  summary.frontend_reason = run.frontend_reason;
  summary.elapsed_seconds = run.elapsed_seconds;
  summary.native_seconds = run.native_seconds;
  summary.losses = run.losses;
  summary.cant_see = run.cant_see;
  for (const recording::Process& process : run.processes)
    summary.processes.push_back({.name = program_of(process)});
  for (const recording::Thread& thread : run.threads) ++summary.processes[thread.process].threads;
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
  // Samples of page uses don't distinguish writes, but some processors' memory samples do.
  summary.tells_writes = !run.is_sampled();
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
  if (2 * matrix.total() >= kMinGain * static_cast<double>(summary.traffic))
    summary.pair = main_pair(matrix, kPair);
  summary.communication = matrix.binned(Summary::kMatrixCells);
  summary.write_communication = CommunicationMatrix(profile.write_communication, matrix.threads())
                                    .binned(Summary::kMatrixCells);
  summary.sharing = sharing_of_program(profile);

  std::vector<ObjectSummary> objects = objects_of(profile);
  add_analyses(profile, machine, summary, objects);
  if (run.is_sampled()) {
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
