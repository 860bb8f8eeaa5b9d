// A summary as JSON: docs/report.md has the members.
#include <nlohmann/json.hpp>

#include "profile/summary.hpp"
#include "profile/thresholds.hpp"

namespace Atoll::profile {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const CommunicationMatrix& matrix) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < matrix.threads(); ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < matrix.threads(); ++j) row.push_back(matrix.at(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json json_of(const Sharing& sharing) {
  return {{"private_lines", sharing.private_lines},
          {"read_shared_lines", sharing.read_shared_lines},
          {"write_shared_lines", sharing.write_shared_lines},
          {"falsely_shared_lines", sharing.falsely_shared_lines},
          {"unknown_pages", sharing.unknown_pages},
          {"communication", sharing.communication},
          {"write_communication", sharing.write_communication},
          {"private_accesses", sharing.private_accesses},
          {"read_shared_accesses", sharing.read_shared_accesses},
          {"write_shared_accesses", sharing.write_shared_accesses},
          {"falsely_shared_accesses", sharing.falsely_shared_accesses}};
}

Json json_of(const std::vector<Outcome>& outcomes) {
  Json rows = Json::array();
  for (const Mapping mapping : kMappings) {
    const Outcome& outcome = outcomes[static_cast<std::size_t>(mapping)];
    rows.push_back({{"mapping", to_string(mapping)},
                    {"local_share", outcome.local_share()},
                    {"busiest_share", outcome.busiest_share()},
                    {"loads", outcome.loads}});
  }
  return rows;
}

Json json_of(const Balance& balance) {
  return {{"pages", balance.pages}, {"accesses", balance.accesses}};
}

Json json_of(const ObjectSummary& object) {
  return {{"id", object.id},
          {"kind", object.kind},
          {"name", object.name},
          {"place", object.place},
          {"bytes", object.bytes},
          {"allocations", object.allocations},
          {"pages", object.pages},
          {"reads", object.reads},
          {"writes", object.writes},
          {"threads", object.threads},
          {"share", object.share},
          {"exclusivity", object.exclusivity},
          {"balance", json_of(object.balance)},
          {"what_if", json_of(object.outcomes)},
          {"sharing", json_of(object.sharing)},
          {"footprint", object.footprint},
          {"use", object.use}};
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
  for (const trace::Loss& loss : summary.losses)
    json["losses"].push_back({{"what", loss.what}, {"count", loss.count}});
  json["cant_see"] = summary.cant_see;
  json["processes"] = summary.processes.size();
  json["process_list"] = Json::array();
  for (const ProcessSummary& process : summary.processes)
    json["process_list"].push_back(
        {{"name", process.name}, {"threads", process.threads}, {"accesses", process.accesses}});
  json["threads"] = summary.threads;
  json["pages"] = summary.pages;
  json["accesses"] = summary.accesses;
  json["tells_writes"] = summary.tells_writes;
  json["machine"] = summary.machine;
  json["recorded_machine"] = summary.recorded_machine;
  json["recorded_about"] = summary.recorded_about;
  json["other_machine"] = summary.other_machine;
  Json nodes = Json::array();
  for (const NodeId node : summary.places.nodes) nodes.push_back(node.value);
  json["nodes"] = std::move(nodes);
  json["nodes_of_threads"] = summary.places.nodes_of_threads;
  json["threads_were_bound"] = summary.places.recorded;
  json["verdict"] = {{"text", summary.verdict()},
                     {"structured", summary.structured()},
                     {"exclusive", summary.exclusive()},
                     {"balanced", summary.balanced()}};
  json["structure"] = summary.structure;
  json["exclusivity"] = summary.exclusivity;
  json["balance"] = json_of(summary.balance);
  json["what_if"] = json_of(summary.outcomes);
  json["sharing"] = json_of(summary.sharing);
  json["epoch_ns"] = summary.epoch_ns;
  json["footprint"] = summary.footprint;
  json["communication"] = json_of(summary.communication);
  json["write_communication"] = json_of(summary.write_communication);
  json["exclusivity_grid"] = {{"columns", ExclusivityGrid::kColumns},
                              {"rows", ExclusivityGrid::kRows},
                              {"decades", summary.grid.decades},
                              {"pages_by_node", summary.grid.cells}};
  json["objects"] = Json::array();
  for (const ObjectSummary& object : summary.objects) json["objects"].push_back(json_of(object));
  json["thresholds"] = Json::array();
  for (const Threshold& threshold : kThresholds)
    json["thresholds"].push_back(
        {{"name", threshold.name}, {"value", threshold.value}, {"reason", threshold.reason}});
  // Names come from programs: bytes that aren't UTF-8 become U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace Atoll::profile
