// The default policy: chooses the layouts of all arrays together with the least time by the cost
// model, within the free bytes of each memory. It also gives a reason in words for each choice.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "plan/assignment.hpp"
#include "plan/candidates.hpp"
#include "plan/cost_model.hpp"
#include "plan/footprint.hpp"
#include "plan/policies.hpp"

namespace Atoll::detail {
namespace {

constexpr double kNoDifference = 1e-3;  // fraction of the time: a smaller difference isn't reported
// Minimum saving, as a fraction of the time, for using reserved huge pages while other memory is
// free: they are scarce.
constexpr double kPoolReluctance = 0.01;

struct Candidate {
  Layout layout;
  double seconds = 0;
  std::string tiers;  ///< "hbm", "dram+hbm"; "" if the machine has only one tier
};

// One array with all its candidates.
struct Item {
  std::vector<Candidate> candidates;
  std::vector<Option> options;     ///< candidates that fit on their own
  std::vector<std::size_t> which;  ///< by option: its candidate's position
};

std::vector<std::string> distinct(std::vector<std::string> words) {
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

// Page sizes with separate pools of free memory.
constexpr std::array kPoolPageSizes{PageSize::small, PageSize::pool_2m, PageSize::pool_1g};

// Returns the index of a resource. Resources are each memory's ordinary pages, followed by its
// pools, size by size. If all memories together have a limit of ordinary pages, that is the last
// one.
std::size_t resource(std::size_t memories, std::ptrdiff_t memory, PageSize pages) {
  const std::size_t kind = pages == PageSize::pool_2m ? 1 : pages == PageSize::pool_1g ? 2 : 0;
  return kind * memories + static_cast<std::size_t>(memory);
}

std::vector<Item> items_of(Requests requests, const Machine& machine, const ThreadPlaces& team,
                           const ChoiceOptions& options, const CostModel& model, bool by_free) {
  const auto memories = machine.memories();
  std::vector<std::string> all_tiers;
  for (const MemoryNode& memory : memories)
    if (holds_arrays(memory)) all_tiers.push_back(memory.tier);
  const bool one_tier = distinct(all_tiers).size() == 1;
  const Candidates candidates(machine, team);

  std::vector<Item> items;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Item& item = items.emplace_back();
    for (const Layout& layout : candidates.of(requests[i], options.force, options.pages, by_free)) {
      Candidate candidate{layout, model.seconds(i, layout), ""};
      Option option{candidate.seconds * (from_pool(layout.pages) ? 1 + kPoolReluctance : 1), {}};
      std::vector<std::string> tiers;
      bool fits = true;
      std::uint64_t in_all = 0;
      for (const auto& [node, bytes] : footprint(layout, requests[i].bytes())) {
        const auto memory = std::ranges::lower_bound(memories, node, {}, &MemoryNode::id);
        fits = fits && bytes <= free_bytes(*memory, layout.pages);
        option.takes.emplace_back(
            resource(memories.size(), memory - memories.begin(), layout.pages), bytes);
        tiers.push_back(memory->tier);
        in_all = saturating_add(in_all, bytes);
      }
      if (machine.free_bytes() && !from_pool(layout.pages)) {
        fits = fits && in_all <= *machine.free_bytes();
        option.takes.emplace_back(3 * memories.size(), in_all);
      }
      if (!one_tier) candidate.tiers = fmt::format("{}", fmt::join(distinct(tiers), "+"));
      if (fits) {
        item.options.push_back(std::move(option));
        item.which.push_back(item.candidates.size());
      }
      item.candidates.push_back(std::move(candidate));
    }
  }
  return items;
}

// Returns a short form of a count, "29.4 G", for a line of reasons.
std::string short_count(double count) {
  static constexpr std::array units{"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  for (; unit + 1 < units.size() && count >= 999.5; ++unit) count /= 1000;
  return fmt::format("{:.3g}{}", count, units.at(unit));
}

// Returns "read-only, 29.4 G random reads": the use of the array, with its most frequent access.
std::string use_of(std::size_t array, const ArrayRequest& request, const CostModel& model) {
  std::tuple<double, bool, Order> most{-1, false, Order::own};
  for (const bool write : {false, true})
    for (const Order order : {Order::own, Order::near, Order::stream, Order::random})
      if (const double count = model.count(array, write, order); count > std::get<0>(most))
        most = {count, write, order};
  const auto& [count, write, order] = most;
  return fmt::format("{}, {} {} {}",
                     model.cached(array) >= 1      ? "cached"
                     : request.pattern.read_only() ? "read-only"
                                                   : "written",
                     short_count(count), to_string(order), write ? "writes" : "reads");
}

std::string place_of(const Candidate& candidate) {
  const std::string tiers = candidate.tiers.empty() ? "" : candidate.tiers + ' ';
  const auto& where = candidate.layout.where;
  if (const auto* single = std::get_if<SingleNode>(&where))
    return fmt::format("all on {}node {}", tiers, single->node.value);
  if (const auto* distributed = std::get_if<Distributed>(&where)) {
    auto nodes = distributed->nodes;
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    return fmt::format("spread over {} {}nodes", nodes.size(), tiers);
  }
  if (std::holds_alternative<Partitioned>(where))
    return fmt::format("a part {}beside each thread", tiers.empty() ? "" : "in " + tiers);
  return fmt::format("a copy on each of {} {}nodes", candidate.layout.copies(), tiers);
}

std::string described(const Item& item, const Candidate& candidate) {
  const PageSize pages = candidate.layout.pages;
  const bool no_choice = std::ranges::all_of(
      item.candidates, [&](const Candidate& other) { return other.layout.pages == pages; });
  if (!from_pool(pages) || no_choice) return place_of(candidate);
  return fmt::format("{} in {} pages", place_of(candidate),
                     format_bytes(page_bytes(candidate.layout.pages)));
}

// Compares with the best candidate of another kind or other tiers. If the best of all candidates
// had no room, compares with that one.
std::string why(const std::string& use, const Item& item, const Candidate& chosen) {
  const double least_saving = chosen.seconds * kNoDifference;
  const Candidate* best = &chosen;
  const Candidate* rival = nullptr;
  for (const Candidate& other : item.candidates) {
    if (other.seconds < best->seconds) best = &other;
    const bool alike = kind_of(other.layout) == kind_of(chosen.layout) &&
                       other.tiers == chosen.tiers &&
                       from_pool(other.layout.pages) == from_pool(chosen.layout.pages);
    const bool slower = other.seconds - chosen.seconds > least_saving;
    if (!alike && slower && (rival == nullptr || other.seconds < rival->seconds)) rival = &other;
  }
  if (const double loss = chosen.seconds - best->seconds; loss > least_saving) {
    const std::string tiers = best->tiers.empty() ? "" : " in " + best->tiers;
    return fmt::format("{}: no room: {}{} saves {}", use, to_string(kind_of(best->layout)), tiers,
                       format_seconds(loss));
  }
  if (!rival) return fmt::format("{}: {} is as good as any", use, described(item, chosen));
  return fmt::format("{}: {} saves {}", use, described(item, chosen),
                     format_seconds(rival->seconds - chosen.seconds));
}

Error does_not_fit(Requests requests, const Machine& machine, const ChoiceOptions& options) {
  std::uint64_t needed = 0, available = 0;
  for (const ArrayRequest& request : requests) needed = saturating_add(needed, request.bytes());
  for (const PageSize pages : kPoolPageSizes)
    available = saturating_add(available, free_in_all(machine, pages));
  return Error::memory(
      "choosing layouts",
      fmt::format("arrays of {} do not fit into what each memory has free ({} in all)",
                  format_bytes(needed), format_bytes(available)),
      options.force != LayoutKind::automatic ? "leave the layout to the policy"
      : options.pages                        ? "leave the size of pages to the policy"
                                             : "free memory, or use a smaller input");
}

}  // namespace

std::vector<Choice> choose_cost(Requests requests, const Machine& machine, const ThreadPlaces& team,
                                const ChoiceOptions& options) {
  const CostModel model(requests, machine, team, options.bindings);
  std::vector<std::uint64_t> capacity;
  for (const PageSize pages : kPoolPageSizes)
    for (const MemoryNode& memory : machine.memories())
      capacity.push_back(free_bytes(memory, pages));
  if (machine.free_bytes()) capacity.push_back(*machine.free_bytes());
  std::vector<Item> items;
  std::optional<std::vector<std::size_t>> chosen;
  for (const bool by_free : {false, true}) {
    items = items_of(requests, machine, team, options, model, by_free);
    std::vector<std::vector<Option>> choices_of;
    choices_of.reserve(items.size());
    for (const Item& item : items) choices_of.push_back(item.options);
    chosen = cheapest(choices_of, capacity);
    if (chosen) break;
  }
  if (!chosen) throw does_not_fit(requests, machine, options);

  std::vector<Choice> choices;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Candidate& candidate = items[i].candidates[items[i].which[(*chosen)[i]]];
    Choice choice;
    choice.name = requests[i].name;
    choice.layout = candidate.layout;
    choice.estimated_seconds = candidate.seconds;
    const LayoutKind kind = kind_of(candidate.layout);
    choice.why = kind == options.force ? fmt::format("as asked: {}", to_string(kind))
                                       : why(use_of(i, requests[i], model), items[i], candidate);
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace Atoll::detail
