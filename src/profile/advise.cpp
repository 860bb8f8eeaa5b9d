// Finds the plan with the least predicted time and describes its effect on each object.
#include "profile/advise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "atoll/base/units.hpp"
#include "profile/gain.hpp"
#include "profile/map_threads.hpp"
#include "profile/notes_on_recording.hpp"
#include "profile/option_in_words.hpp"
#include "profile/plan_object.hpp"
#include "profile/plan_search.hpp"
#include "profile/recommendation_lines.hpp"
#include "profile/source_change.hpp"
#include "profile/thresholds.hpp"

namespace Atoll::profile {
namespace {

/// Below this fraction of an object's accesses, writes are taken to be its initialisation.
constexpr double kFilling = 0.05;
/// Maximum number of objects in a plan; more would make the plan unreadable.
constexpr std::size_t kMaxObjects = 4096;
/// A smaller loss of local accesses isn't reported.
constexpr double kNoticed = 0.005;

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

/// Returns the shares of a traffic matrix; `time` keeps its default.
Prediction shares_of(const TrafficMatrix& traffic) {
  const double all = traffic.all();
  if (all <= 0) return {};
  return {.local_share = traffic.local() / all, .busiest_share = traffic.busiest() / all};
}

/// Identifies the place of the program that allocates an object: its allocation site, or the
/// object's own id if it has none.
using PlaceKey = std::pair<std::uint32_t, std::uint32_t>;
PlaceKey place_key(const recording::Object& object) {
  if (object.site == recording::kNone) return {recording::kNone, object.id};
  return {object.site, 0};
}

/// True if the action is only reported, since no plan can do it.
bool is_report_only(Action action) {
  return action == Action::annotate || action == Action::pad;
}

/// A mapping of threads to nodes, with its reason.
struct ThreadPlacement {
  Places places;
  std::vector<std::vector<int>> units;  ///< by thread; threads beyond its end aren't bound
  std::string why;                      ///< "" if threads stay where they are
};

class Advisor {
 public:
  Advisor(const Profile& profile, const Machine& machine)
      : profile_(profile),
        run_(profile.recording),
        machine_(machine),
        summary_(summarise(profile, machine)),
        time_(machine, summary_.places.nodes),
        nodes_(static_cast<double>(summary_.places.nodes.size())) {}

  Advice advise() {
    advice_.plan.machine = machine_.name();
    if (!run_.processes.empty()) advice_.plan.command = run_.processes.front().command;
    if (summary_.intervals && !summary_.intervals->are_sufficient()) return abstain();
    find_placings();
    find_units();
    std::vector<SearchedPlacement> searched;
    for (std::size_t i = 0; i < placements_.size(); ++i) {
      const Places& places = placements_[i].places;
      PagesByNode pages = i == 0 ? summary_.by_node : pages_by_node(profile_, places);
      MemoryTraffic memory =
          i == 0 ? summary_.memory : memory_traffic(profile_, machine_, places, pages);
      options_.push_back(std::make_unique<PlanOptions>(run_, machine_, units_, std::move(pages),
                                                       std::move(memory), places));
      searched.push_back({options_.back().get(), i > 0});
    }
    found_ = search_plan(searched, units_.size(), time_, kMinGain);
    advice_.notes = notes_on_recording(run_, machine_, summary_, time_, timed_as_is());
    drop_unreliable_plan();
    say_objects();
    finish();
    advice_.summary = std::move(summary_);
    return std::move(advice_);
  }

 private:
  /// Advises no change because there are too few samples.
  Advice abstain() {
    add_nothing("too few samples to advise: change nothing for now");
    advice_.plan.reasons.push_back(advice_.recommendations.front().text);
    advice_.summary = std::move(summary_);
    return std::move(advice_);
  }

  /// Finds the thread placements to try: the current one, one by communication, and all threads
  /// close together.
  void find_placings() {
    placements_.push_back({.places = summary_.places, .units = {}, .why = ""});
    if (summary_.places.nodes.size() < 2 || summary_.accesses == 0) return;
    const auto add = [&](ThreadPlacement placement) {
      if (std::ranges::none_of(placements_, [&](const ThreadPlacement& known) {
            return known.places.nodes_of_threads == placement.places.nodes_of_threads;
          }))
        placements_.push_back(std::move(placement));
    };
    if (summary_.pair_is_apart()) {
      const auto [first, second] = *summary_.pair;
      ThreadPlacement joined = placements_.front();
      joined.places.nodes_of_threads[second] = joined.places.nodes_of_threads[first];
      joined.why = fmt::format(
          "bind threads {} and {} to one node: nearly all communication is theirs", first, second);
      add(std::move(joined));
    } else if (summary_.structured()) {
      ThreadMap map = map_threads(communication_of(profile_), machine_, summary_.places);
      ThreadPlacement mapped = placements_.front();
      std::ranges::copy(map.nodes, mapped.places.nodes_of_threads.begin());
      mapped.units = std::move(map.units);
      mapped.why = fmt::format(
          "bind threads to nodes by communication, which is structured (score {:.2f}): {}",
          summary_.structure, map.outcome);
      add(std::move(mapped));
    }
    add({.places = compact_places_of(profile_, machine_),
         .units = {},
         .why = "bind threads to neighbouring cores, one node filled before the next: what "
                "several of them use is then on their node"});
  }

  /// Groups objects by allocation site, to be planned alike. Sites with few accesses form one
  /// common group.
  void find_units() {
    std::map<PlaceKey, PlanUnit> by_place;
    std::vector<const ObjectSummary*> by_share;
    by_share.reserve(summary_.objects.size());
    for (const ObjectSummary& object : summary_.objects) by_share.push_back(&object);
    std::ranges::stable_sort(by_share, std::greater{}, &ObjectSummary::share);
    for (const ObjectSummary* of : by_share) {
      const recording::Object& object = run_.objects[of->id];
      share_of_place_[place_key(object)] += of->share;
      // Falsely shared lines are transferred between caches, so the node of their memory doesn't
      // matter.
      if (has_no_place(object) || 2 * of->sharing.falsely_shared_traffic > of->traffic) continue;
      const bool named = recognised(run_, object).has_value();
      if (!named || planned_.size() == kMaxObjects) {
        unnamed_.emplace_back(of,
                              named ? fmt::format("it names {} already", format_count(kMaxObjects))
                                    : why_not_recognised(object));
        continue;
      }
      planned_.insert(of->id);
      PlanUnit& unit = by_place[place_key(object)];
      unit.objects.push_back(of->id);
      unit.share += of->share;
    }
    PlanUnit rest;
    for (auto& [place, unit] : by_place) {
      if (unit.share >= kMinObjectShare) {
        units_.push_back(std::move(unit));
        continue;
      }
      rest.objects.insert(rest.objects.end(), unit.objects.begin(), unit.objects.end());
      rest.share += unit.share;
    }
    std::ranges::stable_sort(units_, std::greater{}, &PlanUnit::share);
    if (!rest.objects.empty()) units_.push_back(std::move(rest));
  }

  [[nodiscard]] const PlanOptions& options() const { return *options_[found_.placement]; }

  [[nodiscard]] PhasedTraffic timed_as_is() const {
    PhasedTraffic traffic = options_[0]->timed_fixed();
    for (std::size_t unit = 0; unit < units_.size(); ++unit)
      traffic += options_[0]->of(unit)[0].timed;
    return traffic;
  }

  /// Drops the plan if its gain isn't reliable.
  void drop_unreliable_plan() {
    if (found_.changes == 0 || summary_.intervals) return;  // samples have their own intervals
    const auto drawn = [&](std::size_t placement, const std::vector<std::size_t>& chosen) {
      const PlanOptions& of = *options_[placement];
      const MemoryTraffic by_epoch = memory_traffic(
          profile_, machine_, placements_[placement].places, of.pages(), Division::epochs);
      DrawnTraffic traffic{of.timed_fixed(by_epoch), &of.memory()};
      for (std::size_t unit = 0; unit < units_.size(); ++unit)
        traffic.by_epoch += of.timed(unit, of.of(unit)[chosen[unit]], by_epoch);
      return traffic;
    };
    const std::vector<std::size_t> nothing(units_.size());
    const Gain gain = gain_of(time_, drawn(0, nothing), drawn(found_.placement, found_.options));
    advice_.gain = gain.in_words();
    if (!gain.is_reliable()) found_ = {.options = nothing, .saved = found_.saved};
  }

  void say_objects() {
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      const PlanOption& option = options().of(unit)[found_.options[unit]];
      if (option.kind == PlanOption::Kind::first_touch) continue;
      // The prediction without this part of the plan.
      const Prediction before = shares_of(options().of(unit)[0].traffic);
      Prediction after = shares_of(option.traffic);
      after.time = 1 - found_.saved[unit];
      for (const std::uint32_t id : units_[unit].objects) plan_object(id, option, before, after);
    }
    std::set<std::uint32_t> said;
    for (const auto& [of, why] : unnamed_) {
      if (share_of_place_[place_key(run_.objects[of->id])] < kMinObjectShare ||
          !is_badly_placed(*of))
        continue;
      said.insert(of->id);
      recommend(Action::annotate, *of,
                fmt::format("lies badly ({} local), but no plan can name it: {}",
                            percent(of->local_share()), why));
    }
    for (const ObjectSummary& of : summary_.objects) {
      padded(of);
      if (!said.contains(of.id)) annotated(of);
    }
  }

  void plan_object(std::uint32_t id, const PlanOption& option, const Prediction& before,
                   const Prediction& after) {
    const auto of = std::ranges::find(summary_.objects, id, &ObjectSummary::id);
    PlannedObject planned = *recognised(run_, run_.objects[id]);
    planned.name = of->name;  // unique among objects of the same line
    options().place(planned, id, option);
    OptionInWords words =
        in_words(option, *of, placements_[found_.placement].places.nodes, before, after);
    planned.reason = std::move(words.reason);
    recommend(words.action, *of, std::move(words.text),
              source_change(option, *of, profile_, summary_.by_node));
    advice_.plan.objects.push_back(std::move(planned));
  }

  /// True if the object is placed badly enough for a recommendation, if only a plan could name it.
  [[nodiscard]] bool is_badly_placed(const ObjectSummary& of) const {
    const Outcome& now = of.outcomes.front();
    if (of.exclusivity >= kExclusive) {
      const Outcome& then = of.outcomes[static_cast<std::size_t>(Mapping::locality)];
      return then.local_share() >= now.local_share() + kMinGain;
    }
    return !summary_.balanced() && now.busiest_share() * nodes_ > kImbalanced &&
           now.busiest_share() > now.local_share();
  }

  void annotated(const ObjectSummary& of) {
    const auto writes = static_cast<double>(of.writes);
    if (has_no_place(run_.objects[of.id]) || !summary_.tells_writes || of.threads < 2 ||
        of.share < kMinGain || of.exclusivity >= kExclusive || summary_.places.nodes.size() < 2 ||
        writes > kFilling * static_cast<double>(of.reads + of.writes))
      return;
    recommend(Action::annotate, of,
              fmt::format("is hardly written after it was filled, and {} local: a copy for each "
                          "node would be best, which an unmodified program can't have; as an "
                          "Atoll::Array it can",
                          percent(of.local_share())));
  }

  /// Recommends padding for falsely shared lines; no plan can fix them.
  void padded(const ObjectSummary& of) {
    if (of.traffic == 0) return;
    const double own =
        static_cast<double>(of.sharing.falsely_shared_traffic) / static_cast<double>(of.traffic);
    if (of.share * own < kPadding || run_.objects[of.id].kind == recording::ObjectKind::other)
      return;
    recommend(Action::pad, of,
              fmt::format("pad it, so that each thread's words have lines of {} bytes to "
                          "themselves: {} of its traffic is on falsely shared lines",
                          recording::kLineBytes, percent(own)),
              source_change_to_pad(of));
  }

  /// Adds a recommendation, one for all objects of an allocation site.
  void recommend(Action action, const ObjectSummary& of, std::string text,
                 std::string source = {}) {
    const auto key = place_key(run_.objects[of.id]);
    const auto found = std::ranges::find_if(groups_, [&](const RecommendationGroup& said) {
      return said.action == action && said.place == key;
    });
    if (found != groups_.end()) {
      found->share += of.share;
      ++found->objects;
      return;
    }
    const std::string place = of.place.empty() ? "" : fmt::format(" ({})", of.place);
    groups_.push_back(
        {action, key, of.share, 1, of.name + place, std::move(text), std::move(source)});
  }

  /// True if placement doesn't apply to the object: memory that no record covers, or a stack. A
  /// stack is on its thread's node. The exception is a stack that other threads use more than its
  /// own thread.
  [[nodiscard]] bool has_no_place(const recording::Object& object) const {
    if (object.kind != recording::ObjectKind::stack)
      return object.kind == recording::ObjectKind::other;
    std::uint64_t own = 0, all = 0;
    for (const PackedChunk& chunk :
         std::ranges::equal_range(profile_.chunks, object.id, {}, &PackedChunk::object)) {
      all += chunk.reads + chunk.writes;
      if (chunk.thread == object.thread) own += chunk.reads + chunk.writes;
    }
    return object.thread == recording::kNone || own >= all - own;
  }

  /// Returns the traffic of all objects under the `chosen` option of each unit.
  [[nodiscard]] TrafficMatrix traffic_of(const PlanOptions& of,
                                         const std::vector<std::size_t>& chosen) const {
    TrafficMatrix traffic = of.fixed();
    for (std::size_t unit = 0; unit < units_.size(); ++unit)
      traffic += of.of(unit)[chosen[unit]].traffic;
    return traffic;
  }

  void finish() {
    ProgramPlan& plan = advice_.plan;
    const recording::CountedAs& as = summary_.weighed_as;
    const TrafficMatrix now = traffic_of(*options_[0], std::vector<std::size_t>(units_.size()));
    plan.before = plan.after = shares_of(now);
    plan.bind_threads = found_.binds;
    const ThreadPlacement& placement = placements_[found_.placement];
    const std::string held =
        summary_.os_seconds == 0 ? "" : time_.bottleneck(timed_as_is(), options_[0]->memory());
    if (found_.changes > 0) {
      plan.after = shares_of(traffic_of(options(), found_.options));
      plan.after->time = found_.seconds / summary_.os_seconds;
      advice_.why = fmt::format(
          "{}; by this plan, that takes {}", held,
          advice_.gain.empty() ? percent(1 - plan.after->time) + " less time" : advice_.gain);
      if (!placement.why.empty())
        advice_.recommendations.push_back({Action::map_threads, 1, placement.why,
                                           source_change_to_bind(placement.units.empty())});
    } else {
      add_nothing(why_nothing());
      if (summary_.os_seconds > 0)
        advice_.why =
            advice_.gain.empty()
                ? fmt::format("{}, and no plan would take {} less time", held, percent(kMinGain))
                : fmt::format("{}; the best plan is predicted to take {}", held, advice_.gain);
    }
    if (plan.bind_threads) plan.threads = planned_threads(run_, placement.places, placement.units);
    add_recommendations();
    if (!advice_.why.empty()) plan.reasons.push_back(advice_.why);
    for (const Recommendation& one : advice_.recommendations) plan.reasons.push_back(one.text);
    if (plan.after->local_share > plan.before->local_share - kNoticed) return;
    advice_.trade = fmt::format("{} {} {} local, for balance: {}", as.fewer, as.many, as.are,
                                change(*plan.before, *plan.after));
    plan.reasons.push_back(advice_.trade);
  }

  void add_nothing(std::string why) {
    advice_.recommendations.push_back({Action::nothing, 1, std::move(why)});
  }

  [[nodiscard]] std::string why_nothing() const {
    if (summary_.accesses == 0)
      return fmt::format("there is nothing to advise on, as no {} was recorded",
                         summary_.counted_as.one);
    const Prediction& before = *advice_.plan.before;
    return fmt::format(
        "no reliable gain, change nothing: {} of the {} {} local (at best {} with threads as they "
        "are), and the "
        "busiest memory serves {} (equal: {})",
        percent(before.local_share), summary_.weighed_as.many, summary_.weighed_as.are,
        percent(summary_.outcome(Mapping::locality).local_share()), percent(before.busiest_share),
        percent(1 / nodes_));
  }

  /// Sorts recommendations: those that the plan implements first, then by share of accesses.
  void add_recommendations() {
    std::ranges::stable_sort(groups_, {}, [](const RecommendationGroup& said) {
      return std::pair(is_report_only(said.action), -said.share);
    });
    for (const RecommendationGroup& said : groups_) {
      const std::string objects =
          said.objects == 1 ? "" : fmt::format(", {} objects", said.objects);
      advice_.recommendations.push_back(
          {said.action, said.share,
           fmt::format("{}{}, {} of the {}: {}", said.what, objects, percent(said.share),
                       summary_.weighed_as.many, said.text),
           said.source});
    }
  }

  struct RecommendationGroup {
    Action action;
    PlaceKey place;
    double share;
    std::size_t objects;
    std::string what, text, source;
  };

  const Profile& profile_;
  const recording::Recording& run_;
  const Machine& machine_;
  Summary summary_;
  PredictedTime time_;
  const double nodes_;
  std::vector<ThreadPlacement> placements_;
  std::vector<PlanUnit> units_;
  std::set<std::uint32_t> planned_;                                    ///< objects in `units_`
  std::vector<std::pair<const ObjectSummary*, std::string>> unnamed_;  ///< not in a plan; reason
  std::vector<std::unique_ptr<PlanOptions>> options_;                  ///< by placing
  FoundPlan found_;
  std::map<PlaceKey, double> share_of_place_;
  std::vector<RecommendationGroup> groups_;
  Advice advice_;
};

}  // namespace

Advice advise(const Profile& profile, const Machine& machine) {
  Advice advice = Advisor(profile, machine).advise();
  advice.summary.to_do = recommendation_lines(advice);
  return advice;
}

}  // namespace Atoll::profile
