// Computes bounds of parts from weights and owners.
#include "atoll/plan/partition.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "atoll/base/error.hpp"

namespace Atoll {
namespace {

void check_counts(std::size_t nodes, std::size_t weights) {
  if (nodes != weights)
    throw Error::input("partition",
                       std::to_string(weights) + " weights for " + std::to_string(nodes) + " nodes",
                       "give a weight for each node");
}

Error no_weight() {
  return Error::input("partition", "no weight is above 0", "give at least one that is");
}

}  // namespace

Partitioned partition_by_weights(std::vector<NodeId> nodes, std::uint64_t elements,
                                 std::span<const double> weights) {
  check_counts(nodes.size(), weights.size());
  double total = 0;
  for (const double weight : weights) {
    if (!std::isfinite(weight) || weight < 0)
      throw Error::input("partition", "a weight of " + std::to_string(weight),
                         "give finite weights, none below 0");
    total += weight;
  }
  if (!(total > 0) || !std::isfinite(total)) throw no_weight();
  Partitioned parts{std::move(nodes), {}};
  double sum = 0;
  for (const double weight : weights) {
    sum += weight;
    const double end = std::round(sum / total * static_cast<double>(elements));
    parts.ends.push_back(end >= static_cast<double>(elements) ? elements
                                                              : static_cast<std::uint64_t>(end));
  }
  parts.ends.back() = elements;
  return parts;
}

Partitioned partition_by_prefix(std::vector<NodeId> nodes, std::span<const std::uint64_t> begins) {
  if (nodes.empty()) throw Error::input("partition", "there is no node", "name at least one");
  if (begins.empty() || !std::ranges::is_sorted(begins))
    throw Error::input("partition", "the prefix sums are empty or descend",
                       "give one more than there are elements, ascending");
  const std::uint64_t elements = begins.size() - 1;
  const std::uint64_t total = begins.back() - begins.front();
  const std::uint64_t count = nodes.size();
  Partitioned parts{std::move(nodes), {}};
  for (std::uint64_t part = 1; part < count; ++part) {
    const std::uint64_t target =
        begins.front() + total / count * part + total % count * part / count;
    // the bound nearest to the target
    auto at = static_cast<std::uint64_t>(std::ranges::lower_bound(begins, target) - begins.begin());
    if (at > 0 && at <= elements && target - begins[at - 1] < begins[at] - target) --at;
    at = std::min(at, elements);
    parts.ends.push_back(parts.ends.empty() ? at : std::max(at, parts.ends.back()));
  }
  parts.ends.push_back(elements);
  return parts;
}

Partitioned partition_by_owners(std::span<const NodeId> owners, std::uint32_t element_bytes,
                                PageSize pages) {
  if (owners.empty() || element_bytes == 0)
    throw Error::input("partition", "there are no elements, or elements of no bytes",
                       "give an owner for each element");
  const std::uint64_t page = page_bytes(pages);
  const std::uint64_t bytes = owners.size() * element_bytes;
  Partitioned parts;
  for (std::uint64_t begin = 0; begin < bytes; begin += page) {
    const std::uint64_t end = std::min(bytes, begin + page);
    std::map<NodeId, std::uint64_t> has;
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t element = at / element_bytes;
      const std::uint64_t next = std::min(end, (element + 1) * element_bytes);
      has[owners[element]] += next - at;
      at = next;
    }
    const NodeId most =
        std::ranges::max_element(has, {}, [](const auto& of) { return of.second; })->first;
    // The bound is the end of the page; when the layout is applied, bounds are rounded to the
    // nearest page.
    const std::uint64_t last =
        end == bytes ? owners.size() : (end + element_bytes / 2) / element_bytes;
    if (!parts.nodes.empty() && parts.nodes.back() == most) {
      parts.ends.back() = last;
    } else {
      parts.nodes.push_back(most);
      parts.ends.push_back(last);
    }
  }
  return parts;
}

std::vector<NodeId> weighted(std::span<const NodeId> nodes,
                             std::span<const std::uint32_t> weights) {
  check_counts(nodes.size(), weights.size());
  std::vector<NodeId> cycle;
  for (std::size_t i = 0; i < nodes.size(); ++i) cycle.insert(cycle.end(), weights[i], nodes[i]);
  if (cycle.empty()) throw no_weight();
  return cycle;
}

}  // namespace Atoll
