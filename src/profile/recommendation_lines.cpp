#include "profile/recommendation_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profile/thresholds.hpp"

namespace Atoll::profile {
namespace {

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

bool does(const Advice& advice, Action action) {
  return std::ranges::find(advice.recommendations, action, &Recommendation::action) !=
         advice.recommendations.end();
}

/// Describes the plan as instructions for a programmer.
std::string plan_in_words(const Advice& advice) {
  const bool locality = does(advice, Action::locality), balance = does(advice, Action::balance);
  if (locality || balance) {
    std::string words = "Bind each thread and put its part on its node";
    if (!locality) words += " where that has room";
    if (does(advice, Action::interleave)) words += ", and spread what all use over the nodes";
    return words;
  }
  if (does(advice, Action::interleave))
    return advice.plan.bind_threads ? "Bind the threads, and spread what they share over the nodes"
                                    : "Spread what threads share over the nodes";
  return "Bind the threads near each other";
}

std::string on_places(const Advice& advice) {
  const Summary& summary = advice.summary;
  const recording::CountedAs& as = summary.weighed_as;
  if (summary.intervals && !summary.intervals->are_sufficient())
    return "Change nothing for now: there are too few samples to advise.";
  const Prediction &before = *advice.plan.before, &after = *advice.plan.after;
  if (!advice.changes()) {
    const std::string why =
        fmt::format("no plan would take {} less time of the memory", percent(kMinGain));
    if (summary.intervals) return fmt::format("Change nothing: {}.", why);
    return fmt::format("Change nothing: {} of the {} {} local, and {}.",
                       percent(before.local_share), as.many, as.are, why);
  }
  const std::string faster = fmt::format("{} less time", percent(1 - after.time));
  if (summary.intervals)
    return fmt::format("{}: samples predict about {}.", plan_in_words(advice), faster);
  if (after.local_share > before.local_share + kMinGain)
    return fmt::format("{}: {} of the {} {} local, {} possible, in {}.", plan_in_words(advice),
                       percent(before.local_share), as.many, as.are, percent(after.local_share),
                       faster);
  if (after.busiest_share < before.busiest_share - kMinGain)
    return fmt::format("{}: one memory serves {} of the {}, {} possible, in {}.",
                       plan_in_words(advice), percent(before.busiest_share), as.many,
                       percent(after.busiest_share), faster);
  return fmt::format("{}: that takes {}.", plan_in_words(advice), faster);
}

/// Maximum characters of a name or a path; of a path the end is kept, which is the most specific.
constexpr std::size_t kName = 40;

std::string name_and_place(const ObjectSummary& object) {
  const std::string& place = object.place;
  std::string name = object.name.size() <= kName ? object.name : object.name.substr(0, kName) + "…";
  if (place.empty()) return name;
  return fmt::format("{} ({})", name,
                     place.size() <= kName ? place : "…" + place.substr(place.size() - kName));
}

/// Names the object with the most false sharing, if its share is large enough for the first lines.
std::string on_false_sharing(const Summary& summary) {
  const auto of = [](const ObjectSummary& object) { return object.sharing.falsely_shared_traffic; };
  const auto most = std::ranges::max_element(summary.objects, {}, of);
  if (most == summary.objects.end() || summary.traffic == 0) return "";
  const double share = static_cast<double>(of(*most)) / static_cast<double>(summary.traffic);
  if (share < kMinGain) return "";
  return fmt::format(
      "Pad {}: {} of the {} is false sharing, of lines in which each thread uses words of its own.",
      name_and_place(*most), percent(share), summary.weighed_as.many);
}

}  // namespace

std::vector<std::string> recommendation_lines(const Advice& advice) {
  const Summary& summary = advice.summary;
  if (summary.accesses == 0) return {};
  std::vector<std::string> lines;
  if (summary.places.nodes.size() > 1) lines.push_back(on_places(advice));
  if (const std::string line = on_false_sharing(summary); !line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace Atoll::profile
