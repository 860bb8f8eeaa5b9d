// Advice for the HTML report.

#include "atoll/base/json.hpp"
#include "profile/html_parts.hpp"
#include "profile/plan_intervals.hpp"

namespace Atoll::profile {
namespace {

/// Maximum number of characters of a text that are shown: a command may have megabytes.
constexpr std::size_t kText = 4000;

std::string shortened(const std::string& text) {
  return text.size() <= kText ? text : text.substr(0, kText) + " …";
}

/// Returns the shares as text: intervals for a sampled profile, or "-".
Json prediction_json(const std::optional<Prediction>& of, const PlanIntervals* sure) {
  if (!of) return nullptr;
  return {{"local", format_share(of->local_share, sure != nullptr ? &sure->local : nullptr)},
          {"busiest", format_share(of->busiest_share, sure != nullptr ? &sure->busiest : nullptr)},
          {"time", of->time}};
}

}  // namespace

Json html_advice(const Advice& advice, std::span<const std::string> commands) {
  Json list = Json::array(), lines = Json::array();
  for (const Recommendation& one : advice.recommendations) {
    if (list.size() == kHtmlRecommendations) break;
    list.push_back({{"action", to_string(one.action)}, {"text", shortened(one.text)}});
  }
  for (const std::string& command : commands) lines.push_back(shortened(command));
  std::optional<PlanIntervals> before, after;
  if (advice.summary.intervals) {
    constexpr auto kOs = static_cast<std::size_t>(Mapping::os);
    const ShareIntervals& program = advice.summary.intervals->program;
    before = {program.local[kOs], program.busiest[kOs]};
    after = plan_intervals(advice);
  }
  return {{"recommendations", list},
          {"left_out", advice.recommendations.size() - list.size()},
          {"why", advice.why},
          {"trade", advice.trade},
          {"changes", advice.changes()},
          {"before", prediction_json(advice.plan.before, before ? &*before : nullptr)},
          {"after", prediction_json(advice.plan.after, after ? &*after : nullptr)},
          {"commands", lines}};
}

}  // namespace Atoll::profile
