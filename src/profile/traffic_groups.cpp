// Groups traffic: by object from the summary's sums, by thread from the chunks, page by page.
#include "profile/traffic_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "atoll/base/json.hpp"
#include "profile/pack.hpp"
#include "recording/objects/object_names.hpp"

namespace Atoll::profile {
namespace {

constexpr std::array<std::pair<GroupKey, std::string_view>, kGroupKeys.size()> kWords{
    {{GroupKey::object, "object"},
     {GroupKey::function, "function"},
     {GroupKey::file, "file"},
     {GroupKey::thread, "thread"},
     {GroupKey::process, "process"}}};

std::string name_by(GroupKey by, const recording::Recording& run, const ObjectSummary& object) {
  const recording::Object& of = run.objects[object.id];
  const recording::Frame* place = place_of(run, of);
  switch (by) {
    case GroupKey::function:
      if (place == nullptr) return fmt::format("none: {}", object.kind);
      return place->function.empty() ? place->module : place->function;
    case GroupKey::file:
      if (place == nullptr) return fmt::format("none: {}", object.kind);
      return place->file.empty() ? place->module : place->file;
    default:
      return object.place.empty() ? object.name : fmt::format("{} ({})", object.name, object.place);
  }
}

std::vector<TrafficGroup> of_objects(GroupKey by, const Profile& profile, const Summary& summary) {
  std::map<std::string, TrafficGroup> rows;
  for (const ObjectSummary& object : summary.objects) {
    TrafficGroup& row = rows[name_by(by, profile.recording, object)];
    ++row.objects;
    row.accesses += object.reads + object.writes;
    row.traffic += static_cast<double>(object.traffic);
    row.local += object.outcomes.front().local;
  }
  std::vector<TrafficGroup> result;
  for (auto& [name, row] : rows) {
    row.name = name;
    result.push_back(std::move(row));
  }
  return result;
}

/// Returns the local part of a chunk's traffic, in lines, if each page is on its first toucher's
/// node.
std::uint64_t local_of(const Chunk& chunk, const FirstTouch* touch, const Places& places) {
  std::uint64_t local = 0;
  for (std::size_t i = 0; i < chunk.pages.size() && touch != nullptr; ++i) {
    const auto found = std::ranges::lower_bound(touch->pages, chunk.pages[i]);
    if (found == touch->pages.end() || *found != chunk.pages[i]) continue;
    const std::uint32_t first =
        touch->threads[static_cast<std::size_t>(found - touch->pages.begin())];
    if (places.node_of(first, chunk.first_page + chunk.pages[i]) ==
        places.nodes_of_threads[chunk.thread])
      local += chunk.traffic[i];
  }
  return local;
}

std::vector<TrafficGroup> of_threads(GroupKey by, const Profile& profile, const Summary& summary) {
  const recording::Recording& run = profile.recording;
  std::vector<TrafficGroup> rows(by == GroupKey::thread ? run.threads.size()
                                                        : run.processes.size());
  std::vector<std::set<std::uint32_t>> objects(rows.size());
  Unpacker unpacker;
  for (const PackedChunk& packed : profile.chunks) {
    const std::size_t at =
        by == GroupKey::thread ? packed.thread : run.threads[packed.thread].process;
    rows[at].accesses += packed.reads + packed.writes;
    rows[at].traffic += static_cast<double>(packed.traffic);
    objects[at].insert(packed.object);
    const std::pair key(run.objects[packed.object].process, packed.first_page);
    const auto touch = std::ranges::lower_bound(
        profile.first_touch, key, {},
        [](const FirstTouch& one) { return std::pair(one.process, one.first_page); });
    const bool found = touch != profile.first_touch.end() && touch->process == key.first &&
                       touch->first_page == key.second;
    rows[at].local += static_cast<double>(
        local_of(unpacker.unpack(packed), found ? &*touch : nullptr, summary.places));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].objects = objects[i].size();
    if (by == GroupKey::process) {
      rows[i].name = fmt::format("{} {}", i, summary.processes[i].name);
      continue;
    }
    const recording::Thread& thread = run.threads[i];
    rows[i].name = fmt::format(
        "{}{}{}", i, thread.name.empty() ? "" : " " + thread.name,
        run.processes.size() < 2 ? "" : " of " + summary.processes[thread.process].name);
  }
  std::erase_if(rows, [](const TrafficGroup& row) { return row.accesses == 0; });
  return rows;
}

}  // namespace

std::string_view to_string(GroupKey by) {
  return kWords.at(static_cast<std::size_t>(by)).second;
}

std::optional<GroupKey> group_key_from_string(std::string_view word) {
  const auto* const found =
      std::ranges::find(kWords, word, &std::pair<GroupKey, std::string_view>::second);
  if (found == kWords.end()) return std::nullopt;
  return found->first;
}

std::vector<TrafficGroup> traffic_groups(GroupKey by, const Profile& profile,
                                         const Summary& summary) {
  std::vector<TrafficGroup> rows = by == GroupKey::thread || by == GroupKey::process
                                       ? of_threads(by, profile, summary)
                                       : of_objects(by, profile, summary);
  std::ranges::stable_sort(rows, std::greater{}, [](const TrafficGroup& row) {
    return std::pair(row.remote(), row.traffic);
  });
  return rows;
}

std::string to_json(GroupKey by, const std::vector<TrafficGroup>& rows, const Summary& summary) {
  const std::string key(summary.weighed_as.key);
  // Sampled shares have intervals only for objects and for the program, so rows have no shares.
  const auto share = [&](double value) { return summary.intervals ? Json() : Json(value); };
  Json list = Json::array();
  for (const TrafficGroup& row : rows)
    list.push_back(
        {{"name", row.name},
         {"objects", row.objects},
         {std::string(summary.counted_as.key), row.accesses},
         {key, row.traffic},
         {"local_share", share(row.local_share())},
         {"share",
          share(summary.traffic == 0 ? 0.0 : row.traffic / static_cast<double>(summary.traffic))}});
  const Json all{{"atoll_report_by", 1},
                 {"by", to_string(by)},
                 {"command", summary.command},
                 {"machine", summary.machine},
                 {"rows", std::move(list)}};
  return all.dump(2);
}

}  // namespace Atoll::profile
