// Threads first, since where they run decides whose pages are whose; then each object by itself;
// then the whole plan's outcome, by the same what-if as every other mapping's.
#include "profile/advise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "atoll/plan/choose_layouts.hpp"
#include "profile/map_threads.hpp"
#include "profile/plan_object.hpp"
#include "profile/thresholds.hpp"

namespace Atoll::profile {
namespace {

/// Writes of less than this share of its accesses are taken for the object's filling.
constexpr double kFilling = 0.05;
/// Objects that a plan names; more would make it unreadable.
constexpr std::size_t kMostObjects = 4096;

/// A loss of local accesses that isn't kept quiet.
constexpr double kNoticed = 0.005;

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

Prediction prediction_of(const Outcome& outcome) {
  return {.local_share = outcome.local_share(), .busiest_share = outcome.busiest_share()};
}

std::string change(const Prediction& before, const Prediction& after) {
  return fmt::format("local {} -> {}, busiest memory {} -> {}", percent(before.local_share),
                     percent(after.local_share), percent(before.busiest_share),
                     percent(after.busiest_share));
}

class Advisor {
 public:
  Advisor(const Profile& profile, const Machine& machine)
      : profile_(profile),
        run_(profile.recording),
        machine_(machine),
        summary_(summarise(profile, machine)),
        places_(summary_.places),
        nodes_(static_cast<double>(places_.nodes.size())) {}

  Advice advise() {
    map_threads();
    const bool moved = places_.nodes_of_threads != summary_.places.nodes_of_threads;
    pages_ = moved ? pages_by_node(profile_, places_) : summary_.by_node;
    group_objects();
    before_ = prediction_of(summary_.outcome(Mapping::os));
    decide_objects();
    finish();
    advice_.summary = std::move(summary_);
    return std::move(advice_);
  }

 private:
  /// Structured communication: new places for the threads.
  void map_threads() {
    if (summary_.pair_belongs_together()) join_pair();
    if (!summary_.structured() || summary_.pair || places_.nodes.size() < 2) return;
    ThreadMap map = Atoll::profile::map_threads(communication_of(profile_), machine_, places_);
    std::ranges::copy(map.nodes, places_.nodes_of_threads.begin());
    units_of_threads_ = std::move(map.units);
    advice_.plan.bind_threads = true;
    advice_.recommendations.push_back(
        {Action::map_threads, 1,
         fmt::format("bind threads to nodes by communication, which is structured (score {:.2f}): "
                     "{}",
                     summary_.structure, map.outcome)});
  }

  /// Two threads that communicate alone: too few for a structure, but the second can join the
  /// first.
  void join_pair() {
    const auto [first, second] = *summary_.pair;
    places_.nodes_of_threads[second] = places_.nodes_of_threads[first];
    advice_.plan.bind_threads = true;
    advice_.recommendations.push_back(
        {Action::map_threads, 1,
         fmt::format("bind threads {} and {} to one node: nearly all communication is theirs",
                     first, second)});
  }

  /// What is made at one place of the program counts together.
  void group_objects() {
    rows_.resize(run_.objects.size());
    for (std::size_t row = 0; row < pages_.rows.size(); ++row)
      rows_[pages_.rows[row].object].push_back(row);
    for (const ObjectSummary& object : summary_.objects)
      share_of_place_[place_key(run_.objects[object.id])] += object.share;
  }

  [[nodiscard]] static std::pair<std::uint32_t, std::uint32_t> place_key(
      const trace::Object& object) {
    return object.site == trace::kNone ? std::pair(trace::kNone, object.id)
                                       : std::pair(object.site, std::uint32_t{0});
  }

  void decide_objects() {
    const std::size_t objects = run_.objects.size();
    const Exclusivity exclusive = exclusivity(pages_, objects);
    const WhatIf os = what_if(Mapping::os, pages_, places_, objects);
    const WhatIf locality = what_if(Mapping::locality, pages_, places_, objects);
    const WhatIf turns = what_if(Mapping::interleave, pages_, places_, objects);
    for (const ObjectSummary& of : summary_.objects) {
      const trace::Object& object = run_.objects[of.id];
      padded(of);
      if (share_of_place_[place_key(object)] < kObjectMatters) continue;
      const Outcome& lies = os.of_objects[of.id];
      if (exclusive.of_objects[of.id] >= kExclusive) {
        const double gain = locality.of_objects[of.id].local_share() - lies.local_share();
        if (gain >= kWorthwhile) by_locality(of, object, lies.local_share());
        continue;
      }
      // Shared. Interleaved, a part 1/N is local, and each memory serves 1/N.
      const bool imbalanced = os.program.busiest_share() * nodes_ > kImbalanced &&
                              lies.busiest_share() * nodes_ > kImbalanced;
      if (imbalanced && lies.busiest_share() > lies.local_share())
        interleaved(of, lies, turns.of_objects[of.id]);
      annotated(of, lies);
    }
  }

  void by_locality(const ObjectSummary& of, const trace::Object& object, double local) {
    auto planned = to_plan(of);
    if (!planned) return;
    planned->runs = runs_by_node(pages_, rows_[of.id], object, places_);
    if (planned->runs.empty()) return;
    const bool large = std::ranges::all_of(planned->runs, [&](const PageRun& run) {
      return run.end_page % kChunkPages == 0 || &run == &planned->runs.back();
    });
    planned->layout.pages =
        large && page_count(object) >= kChunkPages ? PageSize::huge : PageSize::small;
    std::vector<NodeId> nodes;
    for (const PageRun& run : planned->runs) nodes.push_back(run.node);
    if (nodes.size() == 1) planned->runs.clear();
    if (nodes.size() == 1)
      planned->layout.where = SingleNode{nodes.front()};
    else
      planned->layout.where = Partitioned{nodes};
    planned->reason = fmt::format("pages belong to nodes: exclusivity {}, {} local as it lay",
                                  percent(of.exclusivity), percent(local));
    recommend(Action::locality, of,
              fmt::format("each page to the node that uses it most: exclusivity {}, but {} local",
                          percent(of.exclusivity), percent(local)));
    add_to_plan(of, std::move(*planned));
  }

  void interleaved(const ObjectSummary& of, const Outcome& lies, const Outcome& then) {
    auto planned = to_plan(of);
    if (!planned) return;
    planned->layout = {.where = Distributed{places_.nodes}, .pages = PageSize::small};
    planned->reason = fmt::format("nodes share it: exclusivity {}, one memory serves {} of it",
                                  percent(of.exclusivity), percent(lies.busiest_share()));
    if (const auto layout = by_cost(of)) {
      const auto* distributed = std::get_if<Distributed>(&layout->where);
      const bool known =
          distributed != nullptr && std::ranges::all_of(distributed->nodes, [&](NodeId node) {
            return std::ranges::find(places_.nodes, node) != places_.nodes.end();
          });
      if (known && distributed->granule_bytes * distributed->nodes.size() <= of.bytes)
        planned->layout = *layout;
    }
    std::vector<std::uint32_t> nodes;
    for (const NodeId node : std::get<Distributed>(planned->layout.where).nodes)
      nodes.push_back(node.value);
    recommend(Action::interleave, of,
              fmt::format("interleave over nodes {}, which share it (exclusivity {}): {}",
                          fmt::join(nodes, ", "), percent(of.exclusivity),
                          change(prediction_of(lies), prediction_of(then))));
    add_to_plan(of, std::move(*planned));
  }

  /// What the cost policy would do; replicas aren't possible, so it is never told of a read-only
  /// array.
  [[nodiscard]] std::optional<Layout> by_cost(const ObjectSummary& of) const {
    AccessPattern pattern;
    pattern.accesses = {
        {.write = false, .count = static_cast<double>(of.reads)},
        {.write = true, .count = static_cast<double>(std::max<std::uint64_t>(1, of.writes))}};
    const ArrayRequest request{.name = of.name,
                               .elements = std::max<std::uint64_t>(1, of.bytes / 8),
                               .pattern = std::move(pattern)};
    try {
      const ThreadPlaces team = spread_places(machine_, static_cast<int>(run_.threads.size()));
      return choose_layouts(std::span(&request, 1), machine_, team, {}).front().layout;
    } catch (const Error&) {  // it doesn't fit into that machine
      return std::nullopt;
    }
  }

  void annotated(const ObjectSummary& of, const Outcome& lies) {
    const auto writes = static_cast<double>(of.writes);
    if (has_no_place(run_.objects[of.id]) || !summary_.tells_writes || of.threads < 2 ||
        of.share < kWorthwhile || writes > kFilling * static_cast<double>(of.reads + of.writes))
      return;
    recommend(Action::annotate, of,
              fmt::format("is hardly written after it was filled, and {} local: a copy for each "
                          "node would be best, which an unmodified program can't have; as an "
                          "Atoll::Array it can",
                          percent(lies.local_share())));
  }

  /// Falsely shared lines: nothing that a plan can do.
  void padded(const ObjectSummary& of) {
    if (of.traffic == 0) return;
    const double own =
        static_cast<double>(of.sharing.falsely_shared_traffic) / static_cast<double>(of.traffic);
    if (of.share * own < kPadding || run_.objects[of.id].kind == trace::ObjectKind::other) return;
    recommend(Action::pad, of,
              fmt::format("pad it, so that each thread's words have lines of {} bytes to "
                          "themselves: {} of its accesses are to falsely shared lines",
                          trace::kLineBytes, percent(own)));
  }

  /// Objects that one place makes get one line.
  void recommend(Action action, const ObjectSummary& of, std::string text) {
    const auto key = place_key(run_.objects[of.id]);
    const auto found = std::ranges::find_if(
        said_, [&](const Said& said) { return said.action == action && said.place == key; });
    if (found != said_.end()) {
      found->share += of.share;
      ++found->objects;
      return;
    }
    const std::string place = of.place.empty() ? "" : fmt::format(" ({})", of.place);
    said_.push_back({action, key, of.share, 1, of.name + place, std::move(text)});
  }

  /// What no record covers has no name; and stacks follow their threads, but for those that other
  /// threads use more than their own.
  [[nodiscard]] bool has_no_place(const trace::Object& object) const {
    if (object.kind != trace::ObjectKind::stack) return object.kind == trace::ObjectKind::other;
    std::uint64_t own = 0, all = 0;
    for (const PackedChunk& chunk :
         std::ranges::equal_range(profile_.chunks, object.id, {}, &PackedChunk::object)) {
      all += chunk.reads + chunk.writes;
      if (chunk.thread == object.thread) own += chunk.reads + chunk.writes;
    }
    return object.thread == trace::kNone || own >= all - own;
  }

  /// How a plan names it; says so where none can.
  std::optional<PlannedObject> to_plan(const ObjectSummary& of) {
    if (has_no_place(run_.objects[of.id])) return std::nullopt;
    const bool full = advice_.plan.objects.size() == kMostObjects;
    std::optional<PlannedObject> planned;
    if (!full) planned = recognised(run_, run_.objects[of.id]);
    if (planned) {
      planned->name = of.name;  // which tells it from others of the same line
      return planned;
    }
    const std::string why = full ? fmt::format("it names {} already", format_count(kMostObjects))
                                 : why_not_recognised(run_.objects[of.id]);
    recommend(Action::annotate, of,
              fmt::format("lies badly ({} local), but no plan can name it: {}",
                          percent(of.local_share()), why));
    return std::nullopt;
  }

  void add_to_plan(const ObjectSummary& of, PlannedObject planned) {
    planned_ids_.push_back(of.id);
    advice_.plan.objects.push_back(std::move(planned));
  }

  /// Where the plan puts pages, and everything else by first touch.
  [[nodiscard]] Outcome predicted() const {
    std::vector<const PlannedObject*> planned(run_.objects.size());
    for (std::size_t i = 0; i < planned_ids_.size(); ++i)
      planned[planned_ids_[i]] = &advice_.plan.objects[i];
    std::map<NodeId, std::size_t> position;
    for (std::size_t node = 0; node < places_.nodes.size(); ++node)
      position[places_.nodes[node]] = node;
    return what_if(pages_, run_.objects.size(),
                   [&](std::size_t row, auto, std::span<double> shares) {
                     for (std::size_t part = row; part < pages_.page_end(row); ++part) {
                       const PageRow& of = pages_.rows[part];
                       if (planned[of.object] == nullptr) continue;
                       const std::uint64_t first =
                           run_.objects[of.object].address / trace::kPageBytes;
                       const NodeId node =
                           planned_node(*planned[of.object], of.page - std::min(of.page, first));
                       shares[position.at(node)] = 1;
                       return;
                     }
                     shares[places_.nodes_of_threads[pages_.rows[row].first_touch]] = 1;
                   })
        .program;
  }

  void finish() {
    ProgramPlan& plan = advice_.plan;
    const bool mapped = plan.bind_threads;
    const Prediction placed = prediction_of(predicted());
    const double gain =
        placed.local_share - before_.local_share + before_.busiest_share - placed.busiest_share;
    if (!plan.objects.empty() && gain < kWorthwhile) {  // not worth it all together
      plan.objects.clear();
      planned_ids_.clear();
      std::erase_if(said_, [](const Said& said) { return !only_said(said.action); });
    }
    plan.bind_threads = mapped || std::ranges::any_of(said_, [](const Said& said) {
                          return said.action == Action::locality;
                        });
    plan.machine = machine_.name();
    if (!run_.processes.empty()) plan.command = run_.processes.front().command;
    if (plan.bind_threads) plan.threads = planned_threads(run_, places_, units_of_threads_);
    const bool changes = plan.bind_threads || !plan.objects.empty();
    plan.before = before_;
    plan.after = changes ? prediction_of(predicted()) : before_;
    if (!changes) add_nothing();
    add_said();
    for (const Recommendation& one : advice_.recommendations) plan.reasons.push_back(one.text);
    if (plan.after->local_share > before_.local_share - kNoticed) return;
    advice_.trade = "fewer accesses are local, for balance: " + change(before_, *plan.after);
    plan.reasons.push_back(advice_.trade);
  }

  /// No plan can do it.
  [[nodiscard]] static bool only_said(Action action) {
    return action == Action::annotate || action == Action::pad;
  }

  void add_nothing() {
    if (summary_.accesses == 0) {
      advice_.recommendations.push_back(
          {Action::nothing, 1, "there is nothing to advise on, as no access was recorded"});
      return;
    }
    advice_.recommendations.push_back(
        {Action::nothing, 1,
         fmt::format(
             "change nothing: {} of the accesses are local (at best {} with threads as they "
             "are), and the busiest memory serves {} (equal: {})",
             percent(before_.local_share),
             percent(summary_.outcome(Mapping::locality).local_share()),
             percent(before_.busiest_share), percent(1 / nodes_))});
  }

  /// What a plan does first, then what it can't do; in each, what most accesses are about.
  void add_said() {
    std::ranges::stable_sort(
        said_, {}, [](const Said& said) { return std::pair(only_said(said.action), -said.share); });
    for (const Said& said : said_) {
      const std::string objects =
          said.objects == 1 ? "" : fmt::format(", {} objects", said.objects);
      advice_.recommendations.push_back({said.action, said.share,
                                         fmt::format("{}{}, {} of the accesses: {}", said.what,
                                                     objects, percent(said.share), said.text)});
    }
  }

  using PlaceKey = std::pair<std::uint32_t, std::uint32_t>;
  struct Said {
    Action action;
    PlaceKey place;
    double share;
    std::size_t objects;
    std::string what, text;
  };

  const Profile& profile_;
  const trace::Recording& run_;
  const Machine& machine_;
  Summary summary_;
  Places places_;
  std::vector<std::vector<int>> units_of_threads_;  ///< fewer than threads: the others have none
  const double nodes_;
  PagesByNode pages_;
  std::vector<std::vector<std::size_t>> rows_;  ///< by object
  std::map<PlaceKey, double> share_of_place_;
  std::vector<Said> said_;
  std::vector<std::uint32_t> planned_ids_;  ///< by position in the plan: the object
  Prediction before_;
  Advice advice_;
};

}  // namespace

std::string_view to_string(Action action) {
  static constexpr std::array<std::string_view, 6> kWords{"map threads", "locality", "interleave",
                                                          "annotate",    "pad",      "nothing"};
  return kWords.at(static_cast<std::size_t>(action));
}

Advice advise(const Profile& profile, const Machine& machine) {
  return Advisor(profile, machine).advise();
}

}  // namespace Atoll::profile
