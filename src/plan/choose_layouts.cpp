// Handles the cases common to all policies: arrays that take no memory, a check that the others fit
// into all memories together, and sizes.
#include "atoll/plan/choose_layouts.hpp"

#include <fmt/format.h>

#include <cassert>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "plan/cost_model.hpp"
#include "plan/footprint.hpp"
#include "plan/policies.hpp"

namespace Atoll {
namespace {

void check_total(std::span<const ArrayRequest> requests, const Machine& machine,
                 const ChoiceOptions& options) {
  std::uint64_t needed = 0;
  for (const ArrayRequest& request : requests) {
    if (request.element_bytes != 0 && request.elements > UINT64_MAX / request.element_bytes)
      throw Error::memory("choosing layouts",
                          fmt::format("array {} has {} elements of {} bytes", request.name,
                                      request.elements, request.element_bytes),
                          "less than 2^64 bytes are possible");
    needed = detail::saturating_add(needed, request.bytes());
  }
  const bool pools = options.policy == LayoutPolicy::cost && !options.pages;
  std::uint64_t available = detail::free_in_all(machine, options.pages.value_or(PageSize::small));
  if (pools)
    available += detail::free_in_all(machine, PageSize::pool_2m) +
                 detail::free_in_all(machine, PageSize::pool_1g);
  if (needed > available && options.pages && from_pool(*options.pages))
    throw Error::memory(
        "choosing layouts",
        fmt::format("the arrays need {}, the pools of {} pages of {} have {} free",
                    format_bytes(needed), format_bytes(page_bytes(*options.pages)), machine.name(),
                    format_bytes(available)),
        "set pages aside (as root: docs/guide.md), or leave their size to the policy");
  if (needed > available)
    throw Error::memory("choosing layouts",
                        fmt::format("the arrays need {}, all memories of {} have {} free",
                                    format_bytes(needed), machine.name(), format_bytes(available)),
                        "use a smaller input or a larger machine");
}

bool takes_memory(const ArrayRequest& request) {
  return request.pattern.used() && request.elements > 0 && request.element_bytes > 0;
}

}  // namespace

std::string_view to_string(LayoutPolicy policy) {
  return policy == LayoutPolicy::shoal ? "shoal" : "cost";
}

std::string_view to_string(LayoutKind kind) {
  switch (kind) {
    case LayoutKind::automatic:
      return "auto";
    case LayoutKind::single:
      return "single";
    case LayoutKind::distributed:
      return "distributed";
    case LayoutKind::partitioned:
      return "partitioned";
    case LayoutKind::replicated:
      return "replicated";
  }
  return "?";
}

std::vector<Choice> choose_layouts(std::span<const ArrayRequest> requests, const Machine& machine,
                                   const ThreadPlaces& team, const ChoiceOptions& options) {
  assert(!team.empty());
  std::vector<ArrayRequest> used;
  for (const ArrayRequest& request : requests)
    if (takes_memory(request)) used.push_back(request);
  check_total(used, machine, options);
  std::vector<Choice> placed = options.policy == LayoutPolicy::shoal
                                   ? detail::choose_shoal(used, machine, team, options)
                                   : detail::choose_cost(used, machine, team, options);

  std::vector<Choice> choices;
  auto next = placed.begin();
  for (const ArrayRequest& request : requests) {
    if (takes_memory(request)) {
      next->bytes = request.bytes() * next->layout.copies();
      choices.push_back(std::move(*next++));
      continue;
    }
    Choice& choice = choices.emplace_back();
    choice.name = request.name;
    choice.allocated = false;
    choice.why = request.pattern.used() ? "empty: takes no memory" : "unused: takes no memory";
  }
  return choices;
}

std::vector<double> estimate_layouts(std::span<const ArrayRequest> requests,
                                     std::span<const Layout> layouts, const Machine& machine,
                                     const ThreadPlaces& team, const Bindings& bindings) {
  assert(!team.empty() && layouts.size() == requests.size());
  const detail::CostModel model(requests, machine, team, bindings);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < requests.size(); ++i)
    seconds.push_back(takes_memory(requests[i]) ? model.seconds(i, layouts[i]) : 0);
  return seconds;
}

}  // namespace Atoll
