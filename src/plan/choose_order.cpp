// Estimates the cost of each order from its misses, and takes an order only if it is faster.
#include "atoll/plan/choose_order.hpp"

#include <algorithm>
#include <numeric>

#include "plan/memory_price.hpp"

namespace Atoll {
namespace {

constexpr double kWorth = 0.97;  ///< maximum ratio of times for a new order
constexpr std::uint32_t kLocationBytes = 8;

double price(const OrderCost& cost, double accesses, const Machine& machine) {
  const NodeId node = machine.initiators().front();
  const NodeId memory = machine.order(node, Ordering::latency).front();
  return detail::stream_seconds(accesses * detail::kStreamedBytes,
                                static_cast<double>(detail::caches_of(machine).cache_bytes),
                                machine, node, memory) +
         cost.l1_misses * detail::kFirstMissSeconds + cost.l2_misses * detail::kInnerMissSeconds +
         (cost.line_misses + cost.tlb_misses) * detail::miss_seconds(machine, node, memory);
}

}  // namespace

std::vector<std::uint32_t> places_of(std::span<const std::uint32_t> order) {
  std::vector<std::uint32_t> places(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) places[order[k]] = static_cast<std::uint32_t>(k);
  return places;
}

OrderCost order_cost(const TaskLocations& tasks, std::span<const std::uint32_t> order,
                     std::uint32_t location_bytes, const Machine& machine,
                     std::span<const std::uint32_t> place_of) {
  const LocationPlaces lie{place_of, {}};
  const ReuseEstimate reuse =
      estimate_reuse(tasks, order, location_bytes, detail::caches_of(machine), lie);
  // A line that is prefetched into an inner cache doesn't wait for the next cache level.
  const auto waits = [](const ReuseEstimate& of) { return of.line_misses - of.streamed_lines; };
  const auto inner_waits = [&](ReuseCaches caches) {
    caches.streamed_bytes = detail::kStreamedBytes;
    return waits(estimate_reuse(tasks, order, location_bytes, caches, lie));
  };
  const double last = waits(reuse),
               second = std::max(0.0, inner_waits(detail::inner_caches_of(machine)) - last),
               first = inner_waits(detail::first_caches_of(machine));
  OrderCost cost{.line_misses = reuse.line_misses,
                 .l2_misses = second,
                 .tlb_misses = reuse.tlb_misses,
                 .l1_misses = std::max(0.0, first - second - last)};
  cost.seconds = price(cost, static_cast<double>(tasks.locations.size()), machine);
  return cost;
}

ChosenOrder choose_order(const OrderQuestion& question, const Machine& machine,
                         std::optional<TaskOrder> only) {
  const TaskLocations& tasks = question.tasks;
  const auto cost_of = [&](const std::vector<std::uint32_t>& order) {
    if (!question.locations_follow)
      return order_cost(tasks, order, kLocationBytes, machine, places_of(order));
    std::vector<std::uint32_t> rows, columns;
    const auto count = static_cast<std::uint32_t>(tasks.tasks());
    for (const std::uint32_t vertex : order)
      if (vertex < count)
        rows.push_back(vertex);
      else
        columns.push_back(vertex - count);
    return order_cost(tasks, rows, kLocationBytes, machine, places_of(columns));
  };
  ChosenOrder chosen;
  chosen.order = order_graph(question.graph, TaskOrder::created);
  chosen.before = chosen.after = cost_of(chosen.order);
  chosen.candidates.tried.push_back({TaskOrder::created, chosen.before});
  if (!only) {
    OrderCost least;  // misses each line once and no page, as if all locations were used
    least.line_misses =
        tasks.location_count * double{kLocationBytes} /
        static_cast<double>(std::max<std::uint64_t>(8, machine.caches().line_bytes));
    least.line_misses = std::min(least.line_misses, chosen.before.line_misses);
    least.seconds = price(least, static_cast<double>(tasks.locations.size()), machine);
    if (least.seconds > kWorth * chosen.before.seconds) {
      chosen.candidates.least_seconds = least.seconds;
      return chosen;
    }
  }
  for (const TaskOrder kind : kTaskOrders) {
    if (kind == TaskOrder::created || (only && kind != *only)) continue;
    std::vector<std::uint32_t> order = order_graph(question.graph, kind);
    const OrderCost cost = cost_of(order);
    chosen.candidates.tried.push_back({kind, cost});
    if (!only && cost.seconds > kWorth * chosen.after.seconds) continue;
    chosen.kind = kind;
    chosen.order = std::move(order);
    chosen.after = cost;
  }
  return chosen;
}

}  // namespace Atoll
