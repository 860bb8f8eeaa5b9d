// Converts objects and threads of a recording to those of a plan.
#include "profile/plan_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "atoll/base/page_size.hpp"
#include "atoll/plan/layout.hpp"
#include "recording/objects/object_names.hpp"

namespace Atoll::profile {
namespace {

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename();
}

/// Accesses by node of consecutive pages, in granules that begin at the object's first page.
/// Granules without accesses are left out.
struct Granules {
  std::size_t nodes = 0;
  std::uint64_t pages = 1;             ///< pages of one granule
  std::vector<std::uint64_t> numbers;  ///< ascending
  std::vector<std::uint64_t> counts;   ///< by position in `numbers` and node

  void add(std::uint64_t number) {
    if (!numbers.empty() && numbers.back() == number) return;
    numbers.push_back(number);
    counts.resize(counts.size() + nodes);
  }
  /// Doubles the size of granules.
  void double_size() {
    Granules next{.nodes = nodes, .pages = 2 * pages};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      next.add(numbers[i] / 2);
      for (std::size_t node = 0; node < nodes; ++node)
        next.counts[next.counts.size() - nodes + node] += counts[i * nodes + node];
    }
    *this = std::move(next);
  }
  [[nodiscard]] std::vector<PageRun> runs(std::uint64_t page_count, const Places& places) const {
    std::vector<PageRun> found;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto own = std::span(counts).subspan(i * nodes, nodes);
      const NodeId node =
          places.nodes[static_cast<std::size_t>(std::ranges::max_element(own) - own.begin())];
      if (!found.empty()) found.back().end_page = numbers[i] * pages;
      if (found.empty() || found.back().node != node) found.push_back({.node = node});
    }
    if (!found.empty()) found.back().end_page = page_count;
    return found;
  }
};

std::vector<PlanFrame> plan_stack(const recording::Site& site) {
  std::vector<PlanFrame> stack;
  stack.reserve(site.frames.size());
  for (const recording::Frame& frame : site.frames)
    stack.push_back({.function = frame.function,
                     .file = frame.file,
                     .line = frame.line,
                     .module = base_name(frame.module),
                     .build_id = frame.build_id,
                     .offset = frame.offset,
                     .inlined = frame.inlined});
  return stack;
}

}  // namespace

std::uint64_t page_count(const recording::Object& object) {
  if (object.bytes == 0) return 1;
  return (object.address % kPageBytes + object.bytes - 1) / kPageBytes + 1;
}

std::vector<PageRun> runs_by_node(const PagesByNode& pages, const std::vector<std::size_t>& rows,
                                  const recording::Object& object, const Places& places,
                                  std::size_t most, const std::vector<std::uint32_t>* nodes_of_rows,
                                  std::uint64_t granule_pages) {
  const std::uint64_t first = object.address / kPageBytes, count = page_count(object);
  Granules granules{.nodes = pages.nodes};
  for (const std::size_t row : rows) {
    // The pages of a pool's other slabs count for its first or last page, as in a plan's runs.
    const std::uint64_t page = std::max(pages.rows[row].page, first) - first;
    granules.add(std::min(page, count - 1));
    const auto own = pages.of(row);
    for (std::size_t node = 0; node < pages.nodes; ++node)
      granules.counts[granules.counts.size() - pages.nodes +
                      (nodes_of_rows == nullptr ? node : (*nodes_of_rows)[row])] += own[node];
  }
  while (granules.pages < granule_pages) granules.double_size();
  while (true) {
    std::vector<PageRun> runs = granules.runs(count, places);
    if (runs.size() <= most) return runs;
    granules.double_size();
  }
}

std::vector<PlannedThread> planned_threads(const recording::Recording& run, const Places& places,
                                           const std::vector<std::vector<int>>& units) {
  std::vector<PlannedThread> threads;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> created;
  std::map<std::uint32_t, std::uint32_t> first_of;  // by process
  for (const recording::Thread& thread : run.threads)
    first_of.try_emplace(thread.process, thread.id);
  for (const recording::Thread& thread : run.threads) {
    PlannedThread planned{
        .name = thread.name.empty() ? fmt::format("thread {}", thread.id) : thread.name,
        .node = places.nodes[places.nodes_of_threads[thread.id]]};
    if (thread.id < units.size()) planned.pus = units[thread.id];
    if (const std::uint32_t first = first_of[thread.process]; first != thread.id) {
      // The creator isn't always recorded; it is mostly the first thread.
      planned.creator = thread.creator == recording::kNone ? first : thread.creator;
      if (thread.creation_site != recording::kNone)
        planned.stack = plan_stack(run.sites[thread.creation_site]);
      planned.order = created[{*planned.creator, thread.creation_site}]++;
    } else if (run.processes.size() > 1) {
      planned.command = run.processes[thread.process].command;
    }
    threads.push_back(std::move(planned));
  }
  return threads;
}

std::optional<PlannedObject> recognised(const recording::Recording& run,
                                        const recording::Object& object) {
  using recording::ObjectKind;
  PlannedObject planned{.name = name_of(run, object), .bytes = object.bytes, .order = object.order};
  switch (object.kind) {
    case ObjectKind::heap:
    case ObjectKind::pool:
    case ObjectKind::mapping:
      planned.kind = object.kind == ObjectKind::heap   ? PlannedObject::Kind::heap
                     : object.kind == ObjectKind::pool ? PlannedObject::Kind::pool
                                                       : PlannedObject::Kind::mapping;
      if (object.site == recording::kNone || run.sites[object.site].frames.empty())
        return std::nullopt;
      planned.stack = plan_stack(run.sites[object.site]);
      return planned;
    case ObjectKind::global:
      planned.kind = PlannedObject::Kind::global;
      planned.stack = {{.function = object.name,
                        .module = base_name(object.module),
                        .build_id = object.build_id,
                        .offset = object.offset}};
      return planned;
    case ObjectKind::stack:
    case ObjectKind::other:
      break;
  }
  return std::nullopt;
}

std::string why_not_recognised(const recording::Object& object) {
  using recording::ObjectKind;
  if (object.kind == ObjectKind::stack)
    return "it is a thread's stack, and lies where its thread runs, but others use it more; on the "
           "heap or as a global it could be placed";
  if (!object.module.empty()) return "it is a part of a program's or library's file";
  return "no stack of its allocation is known";
}

}  // namespace Atoll::profile
