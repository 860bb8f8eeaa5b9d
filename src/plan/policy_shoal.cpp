// The paper's policy: indexed -> partitioned; else read-only and fits all nodes -> replicated; else
// distributed [shoal §3.3, Figure 2]. It ignores the cost and the gain of a copy.
#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/units.hpp"
#include "plan/candidates.hpp"
#include "plan/footprint.hpp"
#include "plan/policies.hpp"

namespace Atoll::detail {

std::vector<Choice> choose_shoal(Requests requests, const Machine& machine,
                                 const ThreadPlaces& team, const ChoiceOptions& options) {
  std::vector<NodeId> parts;  // the memory of each thread
  for (const ThreadPlace& place : team) parts.push_back(home(machine, place.node));
  std::vector<NodeId> nodes = parts;
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());

  const auto copy_of = [&](const ArrayRequest& request) {
    return footprint(replicated(nodes, request.bytes(), options.pages), request.bytes())
        .front()
        .second;
  };
  std::uint64_t replicas = 0;  // bytes of replicas on each node so far
  std::uint64_t others = 0;    // bytes of one copy of each array not replicated so far
  for (const ArrayRequest& request : requests) others = saturating_add(others, copy_of(request));
  std::vector<Choice> choices;
  for (const ArrayRequest& request : requests) {
    const std::uint64_t bytes = request.bytes(), copy = copy_of(request);
    const Layout copies = replicated(nodes, bytes, options.pages);
    const auto full = std::ranges::find_if(nodes, [&](NodeId node) {
      return free_bytes(machine.memory(node), copies.pages) < saturating_add(replicas, copy);
    });
    // If all memories together have a limit, arrays with one copy count towards it, too.
    const bool fits_limit =
        !machine.free_bytes() || saturating_add(others - copy, nodes.size() * (replicas + copy)) <=
                                     free_in_all(machine, copies.pages);
    const bool copies_fit = full == nodes.end() && fits_limit;

    LayoutKind kind = options.force;
    if (kind == LayoutKind::automatic)
      kind = request.pattern.indexed() ? LayoutKind::partitioned : LayoutKind::replicated;
    if (kind == LayoutKind::replicated && !(request.pattern.read_only() && copies_fit))
      kind = LayoutKind::distributed;

    Choice choice;
    choice.name = request.name;
    std::string reason;
    switch (kind) {
      case LayoutKind::single:
        choice.layout = single(parts.front(), bytes, options.pages);
        break;
      case LayoutKind::partitioned:
        choice.layout = partitioned(parts, bytes, options.pages);
        reason = "indexed";
        break;
      case LayoutKind::replicated:
        choice.layout = copies;
        replicas += copy;
        others -= copy;
        reason = fmt::format("read-only and fits all nodes ({})", nodes.size());
        break;
      case LayoutKind::automatic:
      case LayoutKind::distributed:
        choice.layout = distributed(nodes, bytes, options.pages);
        reason = copies_fit            ? "written and not indexed"
                 : full != nodes.end() ? fmt::format("node {} has no room for a copy", full->value)
                                       : "the memories together have no room for the copies";
        break;
    }
    if (kind == options.force) reason = "as asked";
    choice.why = fmt::format("{}: {}", reason, to_string(kind));
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace Atoll::detail
