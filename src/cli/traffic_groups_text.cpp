// Prints a profile's traffic by object, function, file, thread or process, one per line.
#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/units.hpp"
#include "cli/profile_text.hpp"

namespace Atoll::cli {
namespace {

constexpr std::size_t kRows = 40;

}  // namespace

Lines traffic_groups_text(profile::GroupKey by, const std::vector<profile::TrafficGroup>& rows,
                          const profile::Summary& summary) {
  Lines lines{
      fmt::format("{} by {}, those with most of it remote first", summary.weighed_as.many,
                  to_string(by)),
      fmt::format("  share  local  {:>16}  objects  {}", summary.counted_as.many, to_string(by))};
  lines.front()[0] = static_cast<char>(std::toupper(lines.front()[0]));
  // Sampled shares have known confidence intervals only for objects and the whole program.
  const auto share = [&](double value) { return summary.intervals ? "-" : percent(value); };
  const auto all = static_cast<double>(std::max<std::uint64_t>(1, summary.traffic));
  for (std::size_t i = 0; i < std::min(kRows, rows.size()); ++i) {
    const profile::TrafficGroup& row = rows[i];
    lines.push_back(fmt::format("  {:>5}  {:>5}  {:>16}  {:>7}  {}", share(row.traffic / all),
                                share(row.local_share()), format_count(row.accesses),
                                format_count(row.objects), fit(row.name, 36)));
  }
  if (rows.size() > kRows)
    lines.push_back(fmt::format("  and {} more: --json has all", rows.size() - kRows));
  if (rows.empty()) lines.emplace_back("  nothing was recorded");
  return lines;
}

}  // namespace Atoll::cli
