// Describes a summary in words: the recommendations, then their reasons, without terms that need
// the paper.
#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/units.hpp"
#include "profile/summary.hpp"
#include "profile/thresholds.hpp"
#include "profile/unknown_nodes.hpp"

namespace Atoll::profile {
namespace {

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", format_count(count), what, count == 1 ? "" : "s");
}

/// Returns the fraction of the traffic on lines that another thread used, too.
double communicated(const Summary& summary) {
  return 2 * static_cast<double>(summary.sharing.communication) /
         static_cast<double>(std::max<std::uint64_t>(1, summary.traffic));
}

/// Returns "62 % (90 % sure: 56-71 %)".
std::string sure(double share, const Interval& interval) {
  return fmt::format("{} (90 % sure: {})", percent(share), format_share(share, &interval));
}

void add_sampled_verdict(const Summary& summary, std::vector<std::string>& lines) {
  const ShareIntervals& program = summary.intervals->program;
  const double equal = 1 / static_cast<double>(summary.places.nodes.size());
  const Outcome& os = summary.outcome(Mapping::os);
  const auto at = [](Mapping mapping) { return static_cast<std::size_t>(mapping); };
  if (program.exclusivity.is_narrow()) {
    const std::optional<bool> exclusive = summary.has_exclusive_pages();
    lines.push_back(fmt::format(
        "{}: {} of the {} of each page come from one node (its exclusivity; {} if all nodes shared "
        "every page).",
        !exclusive   ? "Pages may belong to nodes"
        : *exclusive ? "Pages belong to nodes"
                     : "Nodes share pages",
        sure(summary.exclusivity, program.exclusivity), summary.weighed_as.many, percent(equal)));
  }
  if (const Interval& busiest = program.busiest[at(Mapping::os)]; busiest.is_narrow()) {
    const std::optional<bool> balanced = summary.has_balanced_memories();
    lines.push_back(fmt::format(
        "{} {}balanced: pages lie where they were touched first, so that one node serves "
        "{}; equal would be {}.",
        recording::capital(summary.weighed_as.many),
        !balanced   ? "may be "
        : *balanced ? "are "
                    : "are not ",
        sure(os.busiest_share(), busiest), percent(equal)));
  }
  if (const Interval& local = program.local[at(Mapping::os)]; local.is_narrow()) {
    const Mapping best = summary.best();
    lines.push_back(fmt::format(
        "So {} are local; at best {}.", sure(os.local_share(), local),
        best == Mapping::os ? "as many"
                            : sure(summary.outcome(best).local_share(), program.local[at(best)]) +
                                  fmt::format(" ({})", in_words(best))));
  }
  if (const std::string why = summary.why_too_few(); !why.empty()) lines.push_back(why);
}

}  // namespace

std::optional<bool> Summary::has_structure() const {
  if (intervals) return std::nullopt;  // pages aren't lines, and few of them are sampled
  // The score of very little communication is meaningful, but no mapping gains from it.
  return structure >= kStructured && communicated(*this) >= kMinGain;
}

bool Summary::pair_is_apart() const {
  return pair && places.nodes_of_threads[pair->first] != places.nodes_of_threads[pair->second];
}

bool Summary::pair_belongs_together() const {
  return pair_is_apart() && !exclusive();
}

std::optional<bool> Summary::has_exclusive_pages() const {
  if (!intervals) return exclusivity >= kExclusive;
  const Interval& sure = intervals->program.exclusivity;
  if (!sure.is_narrow() || (sure.low < kExclusive && sure.high >= kExclusive)) return std::nullopt;
  return sure.low >= kExclusive;
}

std::optional<bool> Summary::has_balanced_memories() const {
  const double most = kImbalanced / static_cast<double>(places.nodes.size());
  if (!intervals) return outcome(Mapping::os).busiest_share() <= most;
  const Interval& sure = intervals->program.busiest[static_cast<std::size_t>(Mapping::os)];
  if (!sure.is_narrow() || (sure.low <= most && sure.high > most)) return std::nullopt;
  return sure.high <= most;
}

std::string Summary::why_nothing() const {
  const auto outside =
      std::ranges::find(losses, recording::LossKind::accesses_outside, &recording::Loss::kind);
  if (outside != losses.end())
    return fmt::format(
        ": all {} were outside of what was asked for. The marks weren't reached, or --after is "
        "longer "
        "than the run of {}",
        format_count(outside->count), format_seconds(elapsed_seconds));
  const auto obstacle =
      std::ranges::find(cant_see, recording::UnseenKind::everything, &recording::Unseen::kind);
  if (obstacle != cant_see.end()) return ": " + obstacle->detail;
  return "";
}

std::vector<std::string> Summary::verdict() const {
  if (accesses == 0) return {fmt::format("No {} was recorded{}.", counted_as.one, why_nothing())};
  const std::size_t nodes = places.nodes.size();
  std::vector<std::string> lines = to_do;
  if (intervals)
    lines.push_back(
        "Samples of pages don't tell whether threads communicate: --frontend dbi tells.");
  else if (sharing.communication == 0)
    lines.emplace_back("Threads don't communicate: where they run doesn't matter for that.");
  else if (pair)
    lines.push_back(fmt::format("Only threads {} and {} communicate: {}.", pair->first,
                                pair->second,
                                pair_belongs_together() ? "they are on different nodes"
                                : pair_is_apart()       ? "most of what each uses is its own"
                                                        : "they are on one node"));
  else if (structured())
    lines.push_back(fmt::format(
        "Communication is structured: some threads belong together (structure score {:.2f}: groups "
        "of threads keep so much more of it inside than random groups would).",
        structure));
  else
    lines.push_back(communicated(*this) < kMinGain
                        ? fmt::format("Threads communicate little: {} of the {} is on lines that "
                                      "another thread used.",
                                      percent(communicated(*this)), weighed_as.many)
                        : fmt::format("Communication is unstructured: no group of threads belongs "
                                      "together (structure score {:.2f}: groups keep so much more "
                                      "of it inside than random groups would).",
                                      structure));
  if (nodes == 1) {
    lines.push_back(fmt::format("One node: all {} {} local, wherever pages lie.", weighed_as.many,
                                weighed_as == recording::kTraffic ? "is" : "are"));
    return lines;
  }
  if (const std::string unknown = unknown_nodes_in_words(*this); !unknown.empty())
    lines.push_back(unknown);
  if (intervals) {
    add_sampled_verdict(*this, lines);
    return lines;
  }
  lines.push_back(fmt::format(
      "{}: {} of the {} to each page comes from one node (its exclusivity; {} if all nodes shared "
      "every page).",
      exclusive() ? "Pages belong to nodes" : "Nodes share pages", percent(exclusivity),
      weighed_as.many, percent(1 / static_cast<double>(nodes))));
  const Outcome& os = outcome(Mapping::os);
  const auto busiest =
      static_cast<std::size_t>(std::ranges::max_element(os.loads) - os.loads.begin());
  const std::string how = best() == Mapping::os ? "" : fmt::format(" ({})", in_words(best()));
  lines.push_back(
      fmt::format("{} {} {}: pages lie where they were touched first, so that node {} serves {} "
                  "(equal: {}); {} of it is local, at best {}{}.",
                  recording::capital(weighed_as.many), weighed_as.are,
                  balanced() ? "balanced" : "not balanced", places.nodes[busiest].value,
                  percent(os.busiest_share()), percent(1 / static_cast<double>(nodes)),
                  percent(os.local_share()), percent(outcome(best()).local_share()), how));
  return lines;
}

std::string Summary::why_too_few() const {
  if (!intervals ||
      (intervals->are_sufficient() && has_exclusive_pages() && has_balanced_memories()))
    return "";
  constexpr double kMax = 0.1;
  constexpr std::size_t kEnough = 20;  // stretches
  if (intervals->unwatched > kMax && intervals->stretches >= kEnough)
    return fmt::format(
        "Too little is known for {}: {} of the pages can't be sampled (small allocations, "
        "variables, stacks). For these: --frontend dbi.",
        intervals->are_sufficient() ? "all verdicts" : "shares", percent(intervals->unwatched));
  return fmt::format(
      "Too few samples for {}: {}, in {} of the run's time. More come of a longer run (this "
      "one took {}; 5 s are mostly enough) and of --overhead 10.",
      intervals->are_sufficient() ? "all verdicts" : "all shares",
      counted(intervals->samples, "sample"),
      fmt::format("{} {}", intervals->stretches,
                  intervals->stretches == 1 ? "stretch" : "stretches"),
      format_seconds(elapsed_seconds));
}

}  // namespace Atoll::profile
