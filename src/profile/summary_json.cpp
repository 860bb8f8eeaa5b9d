// Converts a summary to JSON; docs/report.md describes its members.
#include <fmt/format.h>

#include "atoll/base/json.hpp"
#include "profile/memory_local_share.hpp"
#include "profile/thresholds.hpp"
#include "profile/unknown_nodes.hpp"
#include "recording/limits_text.hpp"

namespace Atoll::profile {
namespace {

Json json_of(const CommunicationMatrix& matrix) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < matrix.threads(); ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < matrix.threads(); ++j) row.push_back(matrix.at(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json json_of(const Sharing& sharing, const Summary& summary) {
  const recording::CountedAs& as = summary.weighed_as;
  const auto of = [&](std::string_view use) { return fmt::format("{}_{}", use, as.key); };
  return {{"private_lines", sharing.private_lines},
          {"read_shared_lines", sharing.read_shared_lines},
          {"write_shared_lines", sharing.write_shared_lines},
          {"falsely_shared_lines", sharing.falsely_shared_lines},
          {"spinning_lines", sharing.spinning_lines},
          {"unknown_pages", sharing.unknown_pages},
          {"communication", sharing.communication},
          {"write_communication", sharing.write_communication},
          {of("private"), sharing.private_traffic},
          {of("read_shared"), sharing.read_shared_traffic},
          {of("write_shared"), sharing.write_shared_traffic},
          {of("falsely_shared"), sharing.falsely_shared_traffic},
          {of("spinning"), sharing.spinning_traffic},
          {fmt::format("spinning_{}", summary.counted_as.key), sharing.spinning_accesses}};
}

/// Adds a share. A sampled share with a wide interval is null; its interval is added next to it.
void add_share(Json& to, const std::string& name, double share, const Interval* interval) {
  to[name] = interval == nullptr || interval->is_narrow() ? Json(share) : Json();
  if (interval != nullptr) to[name + "_interval"] = {interval->low, interval->high};
}

Json json_of(const std::vector<Outcome>& outcomes, const ShareIntervals* intervals) {
  Json rows = Json::array();
  for (const Mapping mapping : kMappings) {
    const auto at = static_cast<std::size_t>(mapping);
    Json row{{"mapping", to_string(mapping)}};
    add_share(row, "local_share", outcomes[at].local_share(),
              intervals != nullptr ? &intervals->local[at] : nullptr);
    add_share(row, "busiest_share", outcomes[at].busiest_share(),
              intervals != nullptr ? &intervals->busiest[at] : nullptr);
    row["loads"] = outcomes[at].loads;
    const bool timed = !row["local_share"].is_null() && !row["busiest_share"].is_null();
    if (outcomes[at].time > 0 && timed) row["time"] = outcomes[at].time;
    rows.push_back(std::move(row));
  }
  return rows;
}

Json json_of(std::optional<bool> verdict) {
  return verdict ? Json(*verdict) : Json();
}

Json json_of(const Balance& balance, const recording::CountedAs& as) {
  return {{"pages", balance.pages}, {as.key, balance.accesses}};
}

Json json_of(const ObjectSummary& object, const Summary& summary) {
  const recording::CountedAs& as = summary.counted_as;
  Json json{{"id", object.id},       {"kind", object.kind},
            {"name", object.name},   {"place", object.place},
            {"bytes", object.bytes}, {"allocations", object.allocations},
            {"pages", object.pages}, {as.key, object.reads + object.writes}};
  json[summary.weighed_as.key] = object.traffic;
  if (summary.tells_writes) {
    json["reads"] = object.reads;
    json["writes"] = object.writes;
  }
  json["threads"] = object.threads;
  const ShareIntervals* sure = object.intervals ? &*object.intervals : nullptr;
  add_share(json, "share", object.share, sure != nullptr ? &sure->share : nullptr);
  add_share(json, "exclusivity", object.exclusivity,
            sure != nullptr ? &sure->exclusivity : nullptr);
  json["balance"] = json_of(object.balance, summary.weighed_as);
  json["what_if"] = json_of(object.outcomes, sure);
  json["sharing"] = json_of(object.sharing, summary);
  json["footprint"] = object.footprint;
  json["use"] = object.use;
  return json;
}

}  // namespace

std::string to_json(const Summary& summary) {
  Json json{{"atoll_report", 1},
            {"command", summary.command},
            {"frontend", summary.frontend},
            {"frontend_reason", summary.frontend_reason},
            {"elapsed_seconds", summary.elapsed_seconds}};
  json["native_seconds"] = summary.native_seconds ? Json(*summary.native_seconds) : Json();
  json["slowdown"] = summary.slowdown() ? Json(*summary.slowdown()) : Json();
  json["losses"] = Json::array();
  for (const recording::Loss& loss : summary.losses)
    json["losses"].push_back({{"kind", to_string(loss.kind)},
                              {"count", loss.count},
                              {"what", in_words(loss, summary.counted_as)}});
  json["cant_see"] = Json::array();
  for (const recording::Unseen& unseen : summary.cant_see)
    json["cant_see"].push_back({{"kind", to_string(unseen.kind)},
                                {"count", unseen.count},
                                {"what", in_words(unseen, summary.counted_as)}});
  json["processes"] = summary.processes.size();
  const std::string as(summary.counted_as.key);
  json["counted_as"] = summary.counted_as.many;
  json["weighed_as"] = summary.weighed_as.many;
  json["process_list"] = Json::array();
  for (const ProcessSummary& process : summary.processes)
    json["process_list"].push_back({{"name", process.name},
                                    {"threads", process.threads},
                                    {as, process.accesses},
                                    {summary.weighed_as.key, process.traffic}});
  json["threads"] = summary.threads;
  json["pages"] = summary.pages;
  json[as] = summary.accesses;
  json[summary.weighed_as.key] = summary.traffic;
  const UnknownNodes unknown = unknown_nodes(summary);
  json["pages_of_unknown_node"] = unknown.pages;
  json[fmt::format("{}_of_unknown_node", summary.weighed_as.key)] = unknown.traffic;
  json["tells_writes"] = summary.tells_writes;
  json["machine"] = summary.machine;
  json["recorded_machine"] = summary.recorded_machine;
  json["recorded_about"] = summary.recorded_about;
  json["other_machine"] = summary.other_machine;
  Json nodes = Json::array();
  for (const NodeId node : summary.places.nodes) nodes.push_back(node.value);
  json["nodes"] = std::move(nodes);
  json["nodes_of_threads"] = summary.places.nodes_of_threads;
  json["memory_local_share"] = memory_local_share(summary);
  json["threads_were_bound"] = summary.places.recorded;
  json["verdict"] = {{"text", summary.verdict()},
                     {"structured", json_of(summary.has_structure())},
                     {"exclusive", json_of(summary.has_exclusive_pages())},
                     {"balanced", json_of(summary.has_balanced_memories())}};
  json["structure"] = summary.has_structure() ? Json(summary.structure) : Json();
  const ShareIntervals* sure = summary.intervals ? &summary.intervals->program : nullptr;
  if (summary.intervals) {
    json["samples"] = summary.intervals->samples;
    json["stretches"] = summary.intervals->stretches;
    json["unwatched_share"] = summary.intervals->unwatched;
  }
  add_share(json, "exclusivity", summary.exclusivity,
            sure != nullptr ? &sure->exclusivity : nullptr);
  json["balance"] = json_of(summary.balance, summary.weighed_as);
  json["what_if"] = json_of(summary.outcomes, sure);
  json["sharing"] = json_of(summary.sharing, summary);
  json["epoch_ns"] = summary.epoch_ns;
  json["footprint"] = summary.footprint;
  json["communication"] = json_of(summary.communication);
  json["write_communication"] = json_of(summary.write_communication);
  json["exclusivity_grid"] = {{"columns", ExclusivityGrid::kColumns},
                              {"rows", ExclusivityGrid::kRows},
                              {"decades", summary.grid.decades},
                              {"pages_by_node", summary.grid.cells}};
  json["objects"] = Json::array();
  const std::vector<UnknownNodes> of_objects = unknown_nodes(summary.by_node, summary.places, [&] {
    std::size_t objects = 0;
    for (const ObjectSummary& object : summary.objects)
      objects = std::max<std::size_t>(objects, object.id + 1);
    return objects;
  }());
  for (const ObjectSummary& object : summary.objects) {
    json["objects"].push_back(json_of(object, summary));
    json["objects"].back()["pages_of_unknown_node"] = of_objects[object.id].pages;
  }
  json["thresholds"] = Json::array();
  for (const Threshold& threshold : kThresholds)
    json["thresholds"].push_back(
        {{"name", threshold.name}, {"value", threshold.value}, {"reason", threshold.reason}});
  // Names are from programs: bytes that aren't UTF-8 become U+FFFD.
  return json.dump(2);
}

}  // namespace Atoll::profile
