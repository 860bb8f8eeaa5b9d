#include "apply/plan_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <set>
#include <span>

#include "atoll/base/error.hpp"
#include "atoll/base/page_size.hpp"
#include "atoll/recording/recording.hpp"
#include "plan/page_map.hpp"

namespace Atoll::apply {
namespace {

using inside::Group;
using inside::Header;
using inside::kNothing;
using inside::Rule;
using inside::Run;
using inside::Target;
using inside::Units;
using Kind = PlannedObject::Kind;

static_assert(process::kMaxFunctionHash < inside::kMaxNumbers, "a word has room for three of them");

/// A growing byte array with a Header; its parts are addressed by offsets.
class Table {
 public:
  Table() : bytes_(sizeof(Header)) { new (bytes_.data()) Header; }

  template <typename T>
  inside::Offset append(std::size_t count) {
    const std::size_t offset = (bytes_.size() + alignof(T) - 1) / alignof(T) * alignof(T);
    bytes_.resize(offset + count * sizeof(T));
    return offset;
  }
  template <typename T>
  T& at(inside::Offset offset, std::size_t i = 0) {
    return reinterpret_cast<T*>(bytes_.data() + offset)[i];
  }
  Header& header() { return at<Header>(0); }

  std::vector<std::byte> take() {
    header().bytes = bytes_.size();
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
};

void add_unit(Units& units, int unit) {
  if (unit < 1024) units.words[unit / 64] |= std::uint64_t{1} << (unit % 64);
}

void add_target(Table& table, inside::Offset targets, std::size_t number,
                const PlannedObject& object, const Machine& machine) {
  const detail::PageMap map = detail::page_map(object, machine);
  const bool in_turn = !map.turns.empty();
  const std::size_t count = in_turn ? map.turns.size() : map.runs.size();
  const inside::Offset list =
      in_turn ? table.append<std::uint32_t>(count) : table.append<Run>(count);
  for (std::size_t i = 0; i < count; ++i)
    if (in_turn)
      table.at<std::uint32_t>(list, i) = map.turns[i].value;
    else
      table.at<Run>(list, i) = {map.runs[i].end, map.runs[i].node.value_or(NodeId{kNothing}).value};
  auto& target = *new (&table.at<Target>(targets, number)) Target{};
  target.list = list;
  target.count = static_cast<std::uint32_t>(count);
  target.rule = map.is_interleaved() ? Rule::interleave : in_turn ? Rule::granules : Rule::runs;
  target.pages = in_turn ? map.granule : map.units;
  target.group = kNothing;
  if (object.kind == Kind::heap || object.kind == Kind::mapping)
    target.planned_pages = (object.bytes + kPageBytes - 1) / kPageBytes;
  target.mapping = object.kind == Kind::mapping ? 1 : 0;
  target.function = process::function_hash(object.stack);
  target.huge = object.layout.pages == PageSize::small ? 0 : 1;
}

/// The large objects, or mappings, of each call site, by order.
using Orders = std::map<process::StackNumber, std::map<std::uint32_t, std::uint32_t>>;

void add_group(Table& table, Group& group, const std::map<std::uint32_t, std::uint32_t>& objects,
               const ProgramPlan& plan) {
  const std::uint32_t count = objects.rbegin()->first + 1;
  const inside::Offset list = table.append<std::uint32_t>(count);
  std::fill_n(&table.at<std::uint32_t>(list), count, kNothing);
  const PlannedObject& first = plan.objects[objects.begin()->second];
  bool alike = objects.size() == count;
  for (const auto& [order, object] : objects) {
    table.at<std::uint32_t>(list, order) = object;
    alike = alike && plan.objects[object].layout == first.layout &&
            plan.objects[object].runs == first.runs;
  }
  group = {list, count, alike ? objects.begin()->second : kNothing};
}

void add_units(Table& table, const PlannedThread& thread, bool bind, inside::Offset threads,
               std::size_t number, const Machine& machine) {
  if (!bind) return;
  const auto named = [&](const Processor& processor) {
    return std::ranges::find(thread.pus, processor.os_index) != thread.pus.end();
  };
  const bool by_name = std::ranges::any_of(machine.processors(), named);
  Units& units = table.at<Units>(threads, number);
  for (const Processor& processor : machine.processors())
    if (by_name ? named(processor) : processor.node == thread.node)
      add_unit(units, processor.os_index);
}

void set_allowed(Header& header, const Machine& machine) {
  for (const Processor& processor : machine.processors())
    add_unit(header.allowed, processor.os_index);
}

}  // namespace

PlanTable table_of_plan(const ProgramPlan& plan, const Machine& machine) {
  if (std::max(plan.objects.size(), plan.threads.size()) >= inside::kMaxNumbers)
    throw Error::input("plan", "has more threads or objects than can be placed",
                       fmt::format("leave fewer than {}", inside::kMaxNumbers));
  PlanTable result;
  Orders heap, mappings;
  for (std::uint32_t i = 0; i < plan.objects.size(); ++i) {
    const PlannedObject& object = plan.objects[i];
    if (object.order >= inside::kMaxNumbers)
      throw Error::input("plan",
                         fmt::format("object {} is number {} of its place", i, object.order),
                         fmt::format("leave numbers below {}", inside::kMaxNumbers));
    if (object.kind == Kind::heap)
      heap[result.heap.stacks.add(object.stack)].emplace(object.order, i);
    if (object.kind == Kind::mapping)
      mappings[result.mappings.stacks.add(object.stack)].emplace(object.order, i);
    if (object.kind == Kind::pool)
      result.heap.pools.emplace(result.heap.stacks.add(object.stack), i);
  }

  Table table;
  const inside::Offset targets = table.append<Target>(plan.objects.size());
  const inside::Offset groups = table.append<Group>(heap.size() + mappings.size());
  const inside::Offset threads = table.append<Units>(plan.threads.size());
  for (std::size_t i = 0; i < plan.objects.size(); ++i)
    add_target(table, targets, i, plan.objects[i], machine);
  std::uint32_t group_count = 0;
  const auto add_groups = [&](const Orders& orders, PlanTable::Places& places) {
    for (const auto& [stack, objects] : orders) {
      const std::uint32_t number = group_count++;
      places.groups.emplace(stack, number);
      Group group;
      add_group(table, group, objects, plan);
      table.at<Group>(groups, number) = group;
      for (const auto& [order, object] : objects) table.at<Target>(targets, object).group = number;
    }
  };
  add_groups(heap, result.heap);
  add_groups(mappings, result.mappings);
  for (std::size_t i = 0; i < plan.threads.size(); ++i)
    add_units(table, plan.threads[i], plan.bind_threads, threads, i, machine);

  Header& header = table.header();
  header.target_count = static_cast<std::uint32_t>(plan.objects.size());
  header.group_count = group_count;
  header.thread_count = static_cast<std::uint32_t>(plan.threads.size());
  header.targets = targets;
  header.groups = groups;
  header.threads = threads;
  header.large = heap.empty() ? 0 : 1;
  header.pools = result.heap.pools.empty() ? 0 : 1;
  header.mappings = mappings.empty() ? 0 : 1;
  set_allowed(header, machine);
  result.bytes = table.take();
  return result;
}

PlanTable table_of_units(const std::vector<int>& units, const Machine& machine) {
  Table table;
  const inside::Offset list = table.append<inside::Unit>(units.size());
  for (std::size_t i = 0; i < units.size(); ++i)
    (new (&table.at<inside::Unit>(list, i)) inside::Unit)->number = units[i];
  table.header().units = list;
  table.header().unit_count = static_cast<std::uint32_t>(units.size());
  set_allowed(table.header(), machine);
  PlanTable result;
  result.bytes = table.take();
  return result;
}

std::vector<NodeId> named_nodes(const Layout& layout) {
  return std::visit(
      [](const auto& where) {
        if constexpr (requires { where.nodes; })
          return where.nodes;
        else
          return std::vector{where.node};
      },
      layout.where);
}

std::vector<NodeId> missing_nodes(const ProgramPlan& plan, const Machine& machine) {
  std::set<NodeId> named;
  const auto add = [&](const Layout& layout) {
    const auto nodes = named_nodes(layout);
    named.insert(nodes.begin(), nodes.end());
  };
  if (plan.bind_threads)
    for (const PlannedThread& thread : plan.threads) named.insert(thread.node);
  for (const PlannedObject& object : plan.objects) {
    for (const PageRun& run : object.runs) named.insert(run.node);
    if (object.runs.empty()) add(object.layout);
  }
  if (plan.rest) add(*plan.rest);
  std::erase_if(named, [&](NodeId node) { return machine.has_memory(node); });
  return {named.begin(), named.end()};
}

}  // namespace Atoll::apply
