#include "profile/option_in_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace Atoll::profile {
namespace {

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

/// Returns ", which saves 9 % of the time by itself".
std::string saved_in_words(const Prediction& after) {
  if (after.time >= 1) return "";
  return fmt::format(", which saves {} of the time by itself", percent(1 - after.time));
}

}  // namespace

std::string change(const Prediction& before, const Prediction& after) {
  return fmt::format("local {} -> {}, busiest memory {} -> {}", percent(before.local_share),
                     percent(after.local_share), percent(before.busiest_share),
                     percent(after.busiest_share));
}

OptionInWords in_words(const PlanOption& option, const ObjectSummary& of,
                       std::span<const NodeId> nodes, const Prediction& before,
                       const Prediction& after) {
  const std::string exclusive = percent(of.exclusivity), local = percent(of.local_share());
  const std::string now = fmt::format("exclusivity {}, {} local as it lay", exclusive, local);
  const std::string saves = saved_in_words(after);
  switch (option.kind) {
    case PlanOption::Kind::interleave: {
      std::vector<std::uint32_t> numbers;
      for (const NodeId node : nodes) numbers.push_back(node.value);
      return {Action::interleave,
              fmt::format("nodes share it: exclusivity {}, one memory serves {} of it", exclusive,
                          percent(before.busiest_share)),
              fmt::format("interleave over nodes {}, which share it (exclusivity {}){}: {}",
                          fmt::join(numbers, ", "), exclusive, saves, change(before, after))};
    }
    case PlanOption::Kind::balance:
      return {Action::balance,
              "pages on nodes that use them, as far as none serves too much: " + now,
              fmt::format("each page to a node that uses it and has room (exclusivity {}){}: {}",
                          exclusive, saves, change(before, after))};
    case PlanOption::Kind::single:
      return {Action::locality, fmt::format("all on node {}: {}", nodes[option.node].value, now),
              fmt::format("all of it to node {} (exclusivity {}){}: {}", nodes[option.node].value,
                          exclusive, saves, change(before, after))};
    case PlanOption::Kind::first_touch:
    case PlanOption::Kind::locality:
      break;
  }
  return {Action::locality, "pages belong to nodes: " + now,
          fmt::format("each page to the node that uses it most{}: exclusivity {}, but {} local",
                      saves, exclusive, local)};
}

}  // namespace Atoll::profile
