// Matches the run's objects with the plan's objects, then predicts the placement like any mapping.
#include "profile/predict_plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "atoll/base/page_size.hpp"
#include "plan/page_map.hpp"
#include "process/stack_matcher.hpp"
#include "profile/plan_object.hpp"
#include "profile/small_pages.hpp"
#include "profile/what_if.hpp"

namespace Atoll::profile {
namespace {

using ObjectKind = PlannedObject::Kind;

class Recogniser {
 public:
  explicit Recogniser(const ProgramPlan& plan) : plan_(plan) {
    for (const PlannedObject& object : plan.objects)
      if (object.kind != ObjectKind::global)
        of_stacks_[{object.kind, matcher_.add(object.stack)}].push_back(&object);
  }

  [[nodiscard]] const PlannedObject* find(const recording::Recording& run,
                                          const recording::Object& object) const {
    const std::optional<PlannedObject> like = recognised(run, object);
    if (!like) return nullptr;
    if (like->kind == ObjectKind::global) return global(*like);
    const auto found = matcher_.find(run.sites[object.site].frames);
    for (const process::StackNumber stack : found.stacks) {
      const auto planned = of_stacks_.find({like->kind, stack});
      if (planned != of_stacks_.end()) return of_order(planned->second, *like);
    }
    return nullptr;
  }

 private:
  [[nodiscard]] const PlannedObject* global(const PlannedObject& like) const {
    const PlannedObject* by_name = nullptr;
    for (const PlannedObject& object : plan_.objects) {
      if (object.kind != ObjectKind::global || object.stack.empty()) continue;
      if (object.stack == like.stack) return &object;
      if (object.name == like.name && by_name == nullptr) by_name = &object;
    }
    return by_name;
  }

  /// Returns the planned object for an object of the same allocation site. Objects beyond those in
  /// the plan get the plan's layout if all planned ones have the same; otherwise returns nullptr.
  [[nodiscard]] static const PlannedObject* of_order(
      const std::vector<const PlannedObject*>& planned, const PlannedObject& like) {
    if (like.kind == ObjectKind::pool) return planned.front();
    const auto found = std::ranges::find(planned, like.order, &PlannedObject::order);
    if (found != planned.end()) return *found;
    const PlannedObject& first = *planned.front();
    const bool alike = std::ranges::all_of(planned, [&](const PlannedObject* object) {
      return object->layout == first.layout && object->runs == first.runs;
    });
    return alike ? &first : nullptr;
  }

  const ProgramPlan& plan_;
  process::StackMatcher matcher_;
  std::map<std::pair<ObjectKind, process::StackNumber>, std::vector<const PlannedObject*>>
      of_stacks_;
};

Prediction shares_of(const Outcome& outcome) {
  return {.local_share = outcome.local_share(), .busiest_share = outcome.busiest_share()};
}

}  // namespace

PlanOnRun predict_plan(const ProgramPlan& plan, const Profile& profile, const Machine& machine) {
  const recording::Recording& run = profile.recording;
  PlanOnRun result;
  const Places now = places_of(profile, machine);
  Places then = now;
  if (plan.bind_threads)
    for (std::size_t i = 0; i < std::min(run.threads.size(), plan.threads.size()); ++i) {
      const auto node = std::ranges::find(now.nodes, plan.threads[i].node);
      if (node == now.nodes.end()) continue;
      then.nodes_of_threads[i] = static_cast<std::uint32_t>(node - now.nodes.begin());
      ++result.threads;
    }
  const Recogniser recogniser(plan);
  std::vector<const PlannedObject*> planned;
  planned.reserve(run.objects.size());
  for (const recording::Object& object : run.objects)
    planned.push_back(recogniser.find(run, object));
  std::map<const PlannedObject*, detail::PageMap> maps;
  for (const PlannedObject& object : plan.objects)
    maps.emplace(&object, detail::page_map(object, machine));
  const std::set<const PlannedObject*> seen(planned.begin(), planned.end());
  for (const PlannedObject& object : plan.objects) {
    if (seen.contains(&object))
      ++result.recognised;
    else
      result.missing.push_back(object.name);
  }

  std::map<NodeId, std::size_t> position;
  for (std::size_t node = 0; node < now.nodes.size(); ++node) position[now.nodes[node]] = node;
  const PredictedTime time(machine, now.nodes);
  const PagesByNode before = pages_by_node(profile, now), after = pages_by_node(profile, then);
  const MemoryTraffic memory_before = memory_traffic(profile, machine, now, before);
  const MemoryTraffic memory_after = memory_traffic(profile, machine, then, after);
  const WhatIf as_is = what_if(Mapping::os, before, now, run.objects.size(), &memory_before);
  WhatIf placed = what_if(
      after, run.objects.size(),
      [&](std::size_t row, auto, std::span<double> shares) {
        for (std::size_t part = row; part < after.page_end(row); ++part) {
          const PageRow& of = after.rows[part];
          if (planned[of.object] == nullptr) continue;
          const recording::Object& object = run.objects[of.object];
          const std::uint64_t first = object.address / kPageBytes;
          const auto node = maps.at(planned[of.object])
                                .node_of(std::max(of.page, first) - first, page_count(object));
          if (const auto found = node ? position.find(*node) : position.end();
              found != position.end()) {
            shares[found->second] = 1;
            return;
          }
        }
        shares[then.node_of(after.rows[row].first_touch, after.rows[row].page)] = 1;
      },
      &memory_after);
  const SmallPages small_pages(run, machine);
  for (std::size_t row = 0; row < after.rows.size(); row = after.page_end(row))
    for (std::size_t part = row; part < after.page_end(row); ++part) {
      const PageRow& of = after.rows[part];
      if (planned[of.object] == nullptr || planned[of.object]->layout.pages != PageSize::small ||
          !can_be_huge(run.objects[of.object], of.page))
        continue;
      small_pages.add_fault(placed.timed, memory_after, part,
                            then.nodes_of_threads[then.thread_of(of.first_touch)]);
      for (std::size_t walked = row; walked < after.page_end(row); ++walked)
        small_pages.add_walks(placed.timed, memory_after, walked);
      break;
    }
  result.before = shares_of(as_is.program);
  result.after = shares_of(placed.program);
  const double seconds = time.seconds(as_is.timed, memory_before);
  if (seconds > 0) result.after.time = time.seconds(placed.timed, memory_after) / seconds;
  return result;
}

}  // namespace Atoll::profile
