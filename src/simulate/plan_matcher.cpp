#include "simulate/plan_matcher.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace Atoll::simulate {
namespace {

std::optional<PlannedObject::Kind> planned_kind(recording::ObjectKind kind) {
  switch (kind) {
    case recording::ObjectKind::heap:
      return PlannedObject::Kind::heap;
    case recording::ObjectKind::pool:
      return PlannedObject::Kind::pool;
    case recording::ObjectKind::mapping:
      return PlannedObject::Kind::mapping;
    default:
      return std::nullopt;
  }
}

}  // namespace

PlanMatcher::PlanMatcher(const ProgramPlan& plan, const Machine& machine) : plan_(&plan) {
  const auto note = [&](const Layout& layout) {
    std::visit(
        [&](const auto& where) {
          if constexpr (requires { where.nodes; }) {
            for (const NodeId node : where.nodes)
              if (!machine.has_memory(node)) nodes_missing_.insert(node.value);
          } else if (!machine.has_memory(where.node)) {
            nodes_missing_.insert(where.node.value);
          }
        },
        layout.where);
  };
  for (std::size_t i = 0; i < plan.objects.size(); ++i) {
    const PlannedObject& object = plan.objects[i];
    pages_.push_back(detail::page_map(object, machine));
    for (const PageRun& run : object.runs)
      if (!machine.has_memory(run.node)) nodes_missing_.insert(run.node.value);
    if (object.runs.empty()) note(object.layout);
    if (object.kind == Kind::global || object.kind == Kind::stack) continue;
    Places& places = places_[object.kind];
    places.of[places.stacks.add(object.stack)].objects.emplace(object.order, i);
  }
  for (auto& [kind, places] : places_)
    for (auto& [stack, place] : places.of) {
      const PlannedObject& first = plan.objects[place.objects.begin()->second];
      place.alike = place.objects.size() == place.objects.rbegin()->first + 1;
      for (const auto& [order, object] : place.objects)
        place.alike = place.alike && plan.objects[object].layout == first.layout &&
                      plan.objects[object].runs == first.runs;
    }
  for (const PlannedThread& thread : plan.threads) {
    stack_of_thread_.push_back(threads_.add(thread.stack));
    std::set<int>& allowed = allowed_.emplace_back();
    for (const Processor& pu : machine.processors())
      if (std::ranges::find(thread.pus, pu.os_index) != thread.pus.end())
        allowed.insert(pu.os_index);
    const bool by_name = !allowed.empty();
    for (const Processor& pu : machine.processors())
      if (!by_name && pu.node == thread.node) allowed.insert(pu.os_index);
    if (plan.bind_threads && allowed.empty()) nodes_missing_.insert(thread.node.value);
  }
  if (plan.rest) {
    note(*plan.rest);
    // Partitioned puts memory on each thread's node, as first touch does.
    if (!std::holds_alternative<Partitioned>(plan.rest->where))
      rest_ = detail::page_map(PlannedObject{.layout = *plan.rest}, machine);
  }
}

const PageMap* PlanMatcher::found(std::size_t object) {
  objects_found_.insert(object);
  return &pages_[object];
}

std::optional<process::StackNumber> PlanMatcher::place_of(std::uint64_t process, std::uint32_t site,
                                                          Kind kind, const Frames& frames) {
  const auto [known, is_new] = known_.try_emplace({process, site, kind});
  if (!is_new) return known->second;
  const auto places = places_.find(kind);
  if (places == places_.end()) return std::nullopt;
  const process::StackMatcher::Found stacks = places->second.stacks.find(frames());
  if (stacks.stacks.empty()) return std::nullopt;
  // If several places match equally well, takes the first one in the plan that isn't used yet.
  known->second = stacks.stacks.front();
  for (std::size_t i = stacks.best; i > 0; --i)
    if (!given_.contains({process, kind, stacks.stacks[i - 1]}))
      known->second = stacks.stacks[i - 1];
  given_.insert({process, kind, *known->second});
  return known->second;
}

const PageMap* PlanMatcher::allocated(std::uint64_t process, std::uint32_t site,
                                      recording::ObjectKind kind, const Frames& frames) {
  const auto planned = planned_kind(kind);
  if (!planned || site == 0) return nullptr;
  const auto stack = place_of(process, site, *planned, frames);
  if (!stack) return nullptr;
  const Place& place = places_[*planned].of.at(*stack);
  if (*planned == Kind::pool) return found(place.objects.begin()->second);
  const std::uint32_t order = allocated_[{process, *planned, *stack}]++;
  if (const auto object = place.objects.find(order); object != place.objects.end())
    return found(object->second);
  const bool is_further = order > place.objects.rbegin()->first;
  return is_further && place.alike ? found(place.objects.begin()->second) : nullptr;
}

const PageMap* PlanMatcher::global(const std::string& build_id, std::uint64_t offset,
                                   const std::string& name) {
  for (std::size_t i = 0; i < plan_->objects.size(); ++i) {
    const PlannedObject& object = plan_->objects[i];
    if (object.kind != Kind::global) continue;
    const PlanFrame place = object.stack.empty() ? PlanFrame{} : object.stack.front();
    const bool is_exact = !place.build_id.empty() && place.build_id == build_id;
    if (is_exact ? place.offset == offset : !name.empty() && object.name == name) return found(i);
  }
  return nullptr;
}

const PageMap* PlanMatcher::stack_of(std::uint32_t thread) {
  if (thread == kNone) return nullptr;
  const PlannedThread& its = plan_->threads[thread];
  for (std::size_t i = 0; i < plan_->objects.size(); ++i) {
    const PlannedObject& object = plan_->objects[i];
    if (object.kind != Kind::stack) continue;
    if (!object.name.empty() ? object.name == its.name
                             : object.stack == its.stack && object.order == its.order)
      return found(i);
  }
  return nullptr;
}

std::uint32_t PlanMatcher::first_thread(std::uint64_t process) {
  std::vector<std::uint32_t> firsts;
  for (std::uint32_t i = 0; i < plan_->threads.size(); ++i)
    if (!plan_->threads[i].creator) firsts.push_back(i);
  // A plan for one process applies to all processes.
  if (firsts.size() == 1) process = 0;
  if (process >= firsts.size()) return kNone;
  threads_found_.insert({process, firsts[process]});
  return firsts[process];
}

std::uint32_t PlanMatcher::created(std::uint64_t process, std::uint32_t creator,
                                   const std::vector<process::Frame>& frames) {
  if (creator == kNone) return kNone;
  const process::StackMatcher::Found places = threads_.find(frames);
  std::vector<std::uint32_t> first;  // of the best place, sorted by `order`
  for (const process::StackNumber stack : places.stacks) {
    std::vector<std::uint32_t> here;
    for (std::uint32_t i = 0; i < plan_->threads.size(); ++i)
      if (plan_->threads[i].creator == creator && stack_of_thread_[i] == stack) here.push_back(i);
    std::ranges::stable_sort(here, {}, [&](std::uint32_t i) { return plan_->threads[i].order; });
    for (const std::uint32_t i : here)
      if (threads_found_.insert({process, i}).second) return i;
    if (first.empty()) first = std::move(here);
  }
  if (first.empty()) return kNone;
  // More threads than planned for the place: reuses the planned ones cyclically.
  return first[further_[{process, first.front()}]++ % first.size()];
}

bool PlanMatcher::wants(int pu) const {
  return pins() && std::ranges::any_of(allowed_, [&](const auto& pus) { return pus.contains(pu); });
}

std::vector<std::string> PlanMatcher::missing() const {
  std::vector<std::string> lines;
  if (!nodes_missing_.empty()) {
    std::string list;
    for (const std::uint32_t node : nodes_missing_)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", node);
    lines.push_back(fmt::format(
        "the machine has no node {}: what is planned there goes where nothing places it", list));
  }
  std::set<std::uint32_t> threads;
  for (const auto& [process, thread] : threads_found_) threads.insert(thread);
  const std::size_t objects = plan_->objects.size() - objects_found_.size();
  if (objects > 0)
    lines.push_back(
        fmt::format("{} of the plan's {} objects never came", objects, plan_->objects.size()));
  if (const std::size_t lost = plan_->threads.size() - threads.size(); pins() && lost > 0)
    lines.push_back(
        fmt::format("{} of the plan's {} threads never came", lost, plan_->threads.size()));
  return lines;
}

}  // namespace Atoll::simulate
