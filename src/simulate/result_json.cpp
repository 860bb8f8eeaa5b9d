// Converts the result to JSON (contract: docs/simulate.md).

#include "atoll/base/json.hpp"
#include "atoll/simulate/simulate.hpp"

namespace Atoll::simulate {

std::string to_json(const Result& result) {
  Json json{{"atoll_simulate", 1},
            {"machine", result.machine},
            {"threads", result.threads},
            {"seconds", result.seconds}};
  Json& threads = json["nodes_of_threads"] = Json::array();
  for (const NodeId node : result.nodes_of_threads) threads.push_back(node.value);
  if (result.interval) {
    json["seconds_from"] = result.interval->from;
    json["seconds_to"] = result.interval->to;
  }
  json["accesses"] = result.accesses;
  json["traffic"] = result.traffic;
  Json& controllers = json["controllers"] = Json::array();
  for (const SimulatedController& one : result.controllers)
    controllers.push_back({{"node", one.node.value}, {"bytes", one.bytes}, {"load", one.load}});
  if (!result.memory_side_caches.empty()) {
    Json& caches = json["memory_side_caches"] = Json::array();
    for (const SimulatedController& one : result.memory_side_caches)
      caches.push_back({{"node", one.node.value}, {"bytes", one.bytes}, {"load", one.load}});
  }
  Json& links = json["links"] = Json::array();
  for (const SimulatedLink& one : result.links)
    links.push_back({{"from", one.from}, {"to", one.to}, {"bytes", one.bytes}, {"load", one.load}});
  Json& stack = json["stack"] = Json::object();
  for (const StackPart& part : result.stack) stack[part.name] = part.share;
  Json& objects = json["objects"] = Json::array();
  for (const SimulatedObject& one : result.objects) {
    objects.push_back({{"name", one.name},
                       {"where", one.where},
                       {"bytes", one.bytes},
                       {"accesses", one.accesses},
                       {"share_of_time", one.share_of_time},
                       {"misses",
                        {{"l1", one.l1_misses},
                         {"l2", one.l2_misses},
                         {"l3", one.l3_misses},
                         {"tlb", one.tlb_misses}}}});
    if (!result.memory_side_caches.empty())
      objects.back()["misses"]["memory_side"] = one.memory_side_misses;
    objects.back()["pages_of_unknown_node"] = one.pages_of_unknown_node;
  }
  Json& camat = json["camat"] = Json::object();
  for (const SimulatedLevel& one : result.camat)
    camat[one.name] = {{"camat", one.camat},
                       {"hit_time", one.hit_time},
                       {"hit_concurrency", one.hit_concurrency},
                       {"miss_concurrency", one.miss_concurrency},
                       {"pure_miss_ratio", one.pure_miss_ratio},
                       {"pure_miss_penalty", one.pure_miss_penalty}};
  Json& figures = json["sensitivities"] = Json::array();
  for (const Sensitivity& one : result.sensitivities)
    figures.push_back({{"figure", one.figure}, {"low", one.low}, {"high", one.high}});
  json["assumed"] = result.assumed;
  return json.dump(2);
}

}  // namespace Atoll::simulate
