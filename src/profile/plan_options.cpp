// Makes one pass over the pages for each option, and one over the objects.
#include "profile/plan_options.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "atoll/base/page_size.hpp"
#include "plan/page_map.hpp"
#include "profile/plan_object.hpp"
#include "profile/what_if.hpp"

namespace Atoll::profile {
namespace {

using Kind = PlanOption::Kind;

/// Maximum number of nodes on which a unit is tried as a whole: those whose threads use it most.
constexpr std::size_t kSingles = 4;

constexpr std::uint32_t kNoUnit = ~std::uint32_t{0};

}  // namespace

PlanOptions::PlanOptions(const recording::Recording& run, const Machine& machine,
                         const std::vector<PlanUnit>& units, PagesByNode pages,
                         MemoryTraffic memory, const Places& places)
    : run_(run),
      units_(units),
      places_(places),
      small_pages_(run, machine),
      pages_(std::move(pages)),
      memory_(std::move(memory)),
      balanced_(balanced_nodes(pages_, places)),
      rows_(run.objects.size()),
      fixed_(pages_.nodes),
      options_(units.size()) {
  find_owners();
  timed_fixed_ = timed_fixed(memory_);
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    add_option(unit, {});
    const bool has_huge = std::ranges::any_of(units_[unit].objects, [&](std::uint32_t object) {
      return SmallPages::has_huge(run_.objects[object]);
    });
    add_option(unit, {.kind = Kind::interleave});
    if (has_huge) add_option(unit, {.kind = Kind::interleave, .huge = true});
    for (const std::size_t runs : {kFewRuns, kMaxRuns})
      for (const Kind kind : {Kind::locality, Kind::balance}) {
        add_option(unit, {.kind = kind, .most_runs = runs});
        if (has_huge) add_option(unit, {.kind = kind, .most_runs = runs, .huge = true});
      }
    const TrafficMatrix traffic = options_[unit].front().traffic;
    std::vector<std::uint32_t> nodes(pages_.nodes);
    std::iota(nodes.begin(), nodes.end(), 0U);
    std::ranges::stable_sort(nodes, std::greater{},
                             [&](auto node) { return traffic.of_threads(node); });
    nodes.resize(std::min(nodes.size(), kSingles));
    for (const std::uint32_t node : nodes)
      add_option(unit, {.kind = Kind::single, .node = node, .huge = has_huge});
  }
}

/// Attributes each page to an object of the units; the traffic of all other pages is fixed.
void PlanOptions::find_owners() {
  std::vector<std::uint32_t> unit_of(run_.objects.size(), kNoUnit);
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit)
    for (const std::uint32_t object : units_[unit].objects) unit_of[object] = unit;
  for (std::size_t row = 0; row < pages_.rows.size();) {
    const std::size_t end = pages_.page_end(row);
    const std::uint32_t balanced = balanced_[row];
    std::size_t owner = end;
    std::uint64_t most = 0;
    for (std::size_t part = row; part < end; ++part) {
      balanced_[part] = balanced;
      const auto counts = pages_.of(part);
      const auto all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
      if (unit_of[pages_.rows[part].object] == kNoUnit || all <= most) continue;
      most = all;
      owner = part;
    }
    if (owner < end) {
      rows_[pages_.rows[owner].object].push_back(owner);
    } else {
      const std::uint32_t home = static_cast<std::uint32_t>(
          places_.node_of(pages_.rows[row].first_touch, pages_.rows[row].page));
      fixed_.add(counts_of_page(row), home);
      fixed_rows_.emplace_back(row, home);
    }
    row = end;
  }
}

std::vector<std::uint64_t> PlanOptions::counts_of_page(std::size_t row) const {
  row = page_begin(row);
  std::vector<std::uint64_t> counts(pages_.nodes);
  for (std::size_t part = row; part < pages_.page_end(row); ++part)
    for (std::size_t node = 0; node < pages_.nodes; ++node) counts[node] += pages_.of(part)[node];
  return counts;
}

std::size_t PlanOptions::page_begin(std::size_t row) const {
  while (row > 0 && pages_.page_end(row - 1) > row) --row;
  return row;
}

void PlanOptions::add_timed(PhasedTraffic& to, const PlanOption& option, std::size_t row,
                            std::size_t memory, const MemoryTraffic& from) const {
  const PageRow& page = pages_.rows[row];
  const bool is_small = option.kind != Kind::first_touch && !option.huge &&
                        can_be_huge(run_.objects[page.object], page.page);
  if (is_small)
    small_pages_.add_fault(to, from, row,
                           places_.nodes_of_threads[places_.thread_of(page.first_touch)]);
  const std::size_t begin = page_begin(row), end = pages_.page_end(begin);
  for (std::size_t part = begin; part < end; ++part) {
    to.add(from.of(part), memory);
    if (is_small) small_pages_.add_walks(to, from, part);
  }
}

template <class Use>
void PlanOptions::for_each_page(std::size_t unit, const PlanOption& option, Use&& use) const {
  std::map<NodeId, std::size_t> position;
  for (std::size_t node = 0; node < pages_.nodes; ++node) position[places_.nodes[node]] = node;
  for (const std::uint32_t object : units_[unit].objects) {
    if (rows_[object].empty()) continue;
    PlannedObject planned;
    place(planned, object, option);
    const std::uint64_t first = run_.objects[object].address / kPageBytes;
    const std::uint64_t count = page_count(run_.objects[object]);
    const detail::PageMap map = detail::page_map(planned);
    for (const std::size_t row : rows_[object]) {
      const PageRow& page = pages_.rows[row];
      const std::size_t memory =
          option.kind == Kind::first_touch
              ? places_.node_of(page.first_touch, page.page)
              : position.at(*map.node_of(std::max(page.page, first) - first, count));
      use(row, memory);
    }
  }
}

PhasedTraffic PlanOptions::timed(std::size_t unit, const PlanOption& option,
                                 const MemoryTraffic& memory) const {
  PhasedTraffic traffic(memory);
  for_each_page(unit, option, [&](std::size_t row, std::size_t home) {
    add_timed(traffic, option, row, home, memory);
  });
  return traffic;
}

PhasedTraffic PlanOptions::timed_fixed(const MemoryTraffic& memory) const {
  PhasedTraffic traffic(memory);
  for (const auto& [row, home] : fixed_rows_)
    for (std::size_t part = row; part < pages_.page_end(row); ++part)
      traffic.add(memory.of(part), home);
  return traffic;
}

void PlanOptions::place(PlannedObject& planned, std::uint32_t object,
                        const PlanOption& option) const {
  planned.layout.pages = option.huge ? PageSize::huge : PageSize::small;
  planned.runs.clear();
  if (option.kind == Kind::interleave)
    planned.layout.where = Distributed{places_.nodes, page_bytes(planned.layout.pages)};
  if (option.kind == Kind::single) planned.layout.where = SingleNode{places_.nodes[option.node]};
  if (option.most_runs == 0) return;
  const recording::Object& of = run_.objects[object];
  planned.runs = runs_by_node(pages_, rows_[object], of, places_, option.most_runs,
                              option.kind == Kind::balance ? &balanced_ : nullptr,
                              option.huge ? kChunkPages : 1);
  const bool large = std::ranges::all_of(planned.runs, [&](const PageRun& run) {
    return run.end_page % kChunkPages == 0 || &run == &planned.runs.back();
  });
  if (large && page_count(of) >= kChunkPages) planned.layout.pages = PageSize::huge;
  std::vector<NodeId> nodes;
  nodes.reserve(planned.runs.size());
  for (const PageRun& run : planned.runs) nodes.push_back(run.node);
  if (nodes.size() == 1) {
    planned.layout.where = SingleNode{nodes.front()};
    planned.runs.clear();
  } else if (!nodes.empty()) {
    planned.layout.where = Partitioned{nodes};
  }
}

void PlanOptions::add_option(std::size_t unit, PlanOption option) {
  option.traffic = TrafficMatrix(pages_.nodes);
  option.timed = PhasedTraffic(memory_);
  for_each_page(unit, option, [&](std::size_t row, std::size_t memory) {
    const bool alone =
        (row == 0 || pages_.page_end(row - 1) == row) && pages_.page_end(row) == row + 1;
    if (alone)
      option.traffic.add(pages_.of(row), memory);
    else
      option.traffic.add(counts_of_page(row), memory);
    add_timed(option.timed, option, row, memory, memory_);
  });
  for (const std::uint32_t object : units_[unit].objects) {
    if (option.kind == Kind::first_touch || rows_[object].empty()) continue;
    PlannedObject planned;
    place(planned, object, option);
    option.runs += std::max<std::size_t>(1, planned.runs.size());
  }
  options_[unit].push_back(std::move(option));
}

}  // namespace Atoll::profile
