// Prints the report: the verdict, the reasons, recommendations, and limits of the data.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "atoll/base/units.hpp"
#include "cli/profile_text.hpp"
#include "profile/memory_local_share.hpp"
#include "profile/places_in_words.hpp"
#include "recording/limits_text.hpp"

namespace Atoll::cli {
namespace {

using profile::ObjectSummary;
using profile::Summary;

constexpr std::size_t kObjects = 6;
constexpr std::size_t kRemoteObjects = 3;  ///< those of them that are chosen by remote accesses
constexpr std::size_t kCells = 16;

void append(Lines& to, const Lines& lines) {
  to.insert(to.end(), lines.begin(), lines.end());
}

void add_head(Lines& lines, const Summary& summary, const std::string& path) {
  lines.push_back(fit(path + ": " + summary.command, 80));
  const std::string processes =
      summary.processes.size() == 1
          ? ""
          : " of " + counted(summary.processes.size(), "process", "processes");
  append(lines, wrap(fmt::format(
                         "  {}{}, {}, {}; seen for {}, {}", counted(summary.threads, "thread"),
                         processes, counted(summary.pages, "page"),
                         counted(summary.accesses, summary.counted_as.one, summary.counted_as.many),
                         summary.machine, counted(summary.places.nodes.size(), "node")),
                     2));
  if (const std::string words = profile::places_in_words(summary.places); !words.empty())
    append(lines, wrap("  " + words, 2));
  if (summary.traffic > 0 && !summary.intervals)
    lines.push_back(fmt::format("  {:.0f} % of what passes the last-level caches is local",
                                100 * profile::memory_local_share(summary)));
}

/// Returns true if the object belongs to the recorder instead of the program.
bool own_memory(const ObjectSummary& object) {
  return object.name.starts_with("Atoll::process::inside::") ||
         object.name.starts_with("Atoll::record::inside::") ||  // from older profiles
         object.name.substr(object.name.rfind('/') + 1).starts_with("libatoll-");
}

/// The objects of one allocation site.
struct Group {
  const ObjectSummary* first = nullptr;  ///< the object with the most remote accesses
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  double share = 0, local = 0, exclusive = 0;  ///< fractions of all accesses
  /// Bounds of these fractions in a sampled profile, for the group's objects together.
  profile::Interval sure_share{0, 0}, sure_local{0, 0}, sure_exclusive{0, 0};

  /// Converts a fraction of all accesses to a fraction of the group's accesses.
  [[nodiscard]] double of_own(double accesses) const { return share == 0 ? 0 : accesses / share; }
};

/// Returns the groups in descending order of remote accesses.
std::vector<Group> groups_of(const Summary& summary) {
  std::map<std::tuple<std::string, std::string, std::string>, Group> by_place;
  for (const ObjectSummary& object : summary.objects) {
    if (own_memory(object)) continue;
    Group& group = by_place[{object.kind, object.name, object.place}];
    if (group.count++ == 0) group.first = &object;
    group.bytes += object.bytes;
    group.share += object.share;
    group.local += object.share * object.local_share();
    group.exclusive += object.share * object.exclusivity;
    if (!object.intervals) continue;
    const auto add = [](profile::Interval& to, const profile::Interval& more, double part) {
      to.low += part * more.low;
      to.high += part * more.high;
    };
    add(group.sure_share, object.intervals->share, 1);
    add(group.sure_local, object.intervals->local[0], object.share);
    add(group.sure_exclusive, object.intervals->exclusivity, object.share);
  }
  std::vector<Group> groups;
  groups.reserve(by_place.size());
  for (const auto& [place, group] : by_place) groups.push_back(group);
  std::ranges::stable_sort(groups, std::greater{}, [](const Group& group) {
    return std::pair(group.share - group.local, group.share);
  });
  return groups;
}

/// Moves the groups with the most remote accesses to the front, followed by those with the most
/// accesses, because well-placed objects matter, too.
void choose(std::vector<Group>& groups) {
  if (groups.size() <= kObjects) return;
  std::ranges::stable_sort(groups.begin() + kRemoteObjects, groups.end(), std::greater{},
                           &Group::share);
}

/// Adds the processes by accesses, if there are several.
void add_processes(Lines& lines, const Summary& summary) {
  if (summary.processes.size() < 2) return;
  lines.emplace_back();
  lines.push_back(fmt::format("processes, those with most {} first", summary.weighed_as.many));
  lines.push_back(fmt::format("     share  threads  {:>12}  program", summary.counted_as.many));
  std::vector<profile::ProcessSummary> rows = summary.processes;
  std::ranges::stable_sort(rows, std::greater{}, &profile::ProcessSummary::traffic);
  for (std::size_t i = 0; i < std::min(kObjects, rows.size()); ++i)
    lines.push_back(fmt::format(
        "  {:>8}  {:>7}  {:>12}  {}",
        profile::format_share(static_cast<double>(rows[i].traffic) /
                                  static_cast<double>(std::max<std::uint64_t>(1, summary.traffic)),
                              rows[i].interval ? &*rows[i].interval : nullptr),
        format_count(rows[i].threads), format_count(rows[i].accesses), fit(rows[i].name, 45)));
  if (rows.size() > kObjects)
    lines.push_back(fmt::format("  and {} more: --json has all", rows.size() - kObjects));
}

void add_objects(Lines& lines, const Summary& summary) {
  if (summary.objects.empty()) return;
  std::vector<Group> groups = groups_of(summary);
  choose(groups);
  lines.emplace_back();
  lines.push_back(
      fmt::format("objects, by remote {0}, from the fourth on by {0}", summary.weighed_as.many));
  // In a sampled profile, a share has the width of "89-100 %".
  const std::size_t wide = summary.intervals ? 8 : 5;
  lines.push_back(fmt::format("  (excl.: the part of its {} that comes from each page's main node)",
                              summary.weighed_as.many));
  if (summary.intervals) lines.emplace_back("  (90 % sure; -: too few samples)");
  lines.push_back(fmt::format("  {:>{wide}}  {:>{wide}}  {:>{wide}}      size  object", "share",
                              "local", "excl.", fmt::arg("wide", wide)));
  for (std::size_t i = 0; i < std::min(kObjects, groups.size()); ++i) {
    const Group& group = groups[i];
    const ObjectSummary& object = *group.first;
    const std::string count = group.count == 1 ? "" : fmt::format(", {} objects", group.count);
    const auto of_own = [&](double share, const profile::Interval& sure) {
      const profile::Interval own{group.of_own(sure.low), group.of_own(sure.high)};
      return profile::format_share(group.of_own(share), summary.intervals ? &own : nullptr);
    };
    const std::string row = fmt::format(
        "  {:>{wide}}  {:>{wide}}  {:>{wide}}  {:>8}  ",
        profile::format_share(group.share, summary.intervals ? &group.sure_share : nullptr),
        of_own(group.local, group.sure_local), of_own(group.exclusive, group.sure_exclusive),
        format_bytes(group.bytes), fmt::arg("wide", wide));
    const std::size_t room = 80 - row.size();
    lines.push_back(fmt::format("{}{}{}", row, fit(object.name, room - count.size()), count));
    if (!object.place.empty())
      lines.push_back(fmt::format("{:{}}{}", "", row.size(), fit("at " + object.place, room)));
    for (const std::string& line : wrap((group.count > 1 ? "each " : "") + object.use, 0, room))
      lines.push_back(fmt::format("{:{}}{}", "", row.size(), line));
  }
  if (groups.size() > kObjects)
    lines.push_back(fmt::format("  and {} more: --json has all", groups.size() - kObjects));
}

Lines what_if_table(const Summary& summary) {
  Lines table{"what if pages were mapped by …", "                    local  busiest time"};
  for (const profile::Mapping mapping : profile::kMappings) {
    const profile::Outcome& outcome = summary.outcome(mapping);
    const auto at = static_cast<std::size_t>(mapping);
    const profile::ShareIntervals* sure = summary.intervals ? &summary.intervals->program : nullptr;
    const bool timed =
        sure == nullptr || (sure->local[at].is_narrow() && sure->busiest[at].is_narrow());
    table.push_back(fmt::format(
        "  {:<14} {:>8} {:>8} {:>4}", to_string(mapping),
        profile::format_share(outcome.local_share(), sure == nullptr ? nullptr : &sure->local[at]),
        profile::format_share(outcome.busiest_share(),
                              sure == nullptr ? nullptr : &sure->busiest[at]),
        timed ? fmt::format("{:.2f}", outcome.time) : "-"));
  }
  const profile::Sharing& sharing = summary.sharing;
  const auto share = [](std::uint64_t part, std::uint64_t all) {
    return percent(all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all));
  };
  const std::uint64_t lines = sharing.private_lines + sharing.read_shared_lines +
                              sharing.write_shared_lines + sharing.falsely_shared_lines +
                              sharing.spinning_lines;
  const std::uint64_t traffic = sharing.private_traffic + sharing.read_shared_traffic +
                                sharing.write_shared_traffic + sharing.falsely_shared_traffic +
                                sharing.spinning_traffic;
  table.emplace_back();
  if (lines == 0 && sharing.unknown_pages > 0) {
    table.emplace_back("lines by use: unknown, as only pages");
    table.emplace_back("  were recorded");
    return table;
  }
  table.push_back(fmt::format("lines by use      lines  {}", summary.weighed_as.key));
  const auto row = [&](std::string_view name, std::uint64_t of_lines, std::uint64_t of_traffic) {
    table.push_back(fmt::format("  {:<14}  {:>5}     {:>5}", name, share(of_lines, lines),
                                share(of_traffic, traffic)));
  };
  row("one thread's", sharing.private_lines, sharing.private_traffic);
  row("read shared", sharing.read_shared_lines, sharing.read_shared_traffic);
  row("write shared", sharing.write_shared_lines, sharing.write_shared_traffic);
  row("falsely shared", sharing.falsely_shared_lines, sharing.falsely_shared_traffic);
  row("spinning", sharing.spinning_lines, sharing.spinning_traffic);
  return table;
}

void add_figures(Lines& lines, const Summary& summary) {
  lines.emplace_back();
  Lines left{"communication of " + counted(summary.threads, "thread")};
  const Lines cells =
      heat_map(summary.communication, heat_scale(summary.communication, kCells), kCells);
  // A row's label is the number of its block's first thread.
  const std::size_t counted_threads =
      std::min<std::size_t>(summary.threads, profile::kCommunicatingThreads);
  const auto blocks = [](std::size_t of, std::size_t into) { return (of + into - 1) / into; };
  const std::size_t block = blocks(counted_threads, Summary::kMatrixCells) *
                            blocks(summary.communication.threads(), kCells);
  const auto label = [&](std::size_t row) { return fmt::format("{}", row * block); };
  if (!cells.empty())
    left.push_back(cells.size() == 1 ? fmt::format("{:>8}", label(0))
                                     : fmt::format("      {:<2}{:>{}}", label(0),
                                                   label(cells.size() - 1), 2 * cells.size() - 2));
  for (std::size_t row = 0; row < cells.size(); ++row)
    left.push_back(fmt::format("{:>5}│{}│", label(row), cells[row]));
  left.emplace_back(block > 1 ? fmt::format("  in blocks of {} threads; darker: more", block)
                              : "  by thread; darker: more; ░ is some");
  append(lines, beside(left, what_if_table(summary), 40));
  lines.emplace_back();
  lines.emplace_back("the mappings; local: to the memory of the thread's own node");
  for (const profile::Mapping mapping : profile::kMappings)
    lines.push_back(fmt::format("  {:<15}{}", to_string(mapping), in_words(mapping)));
}

/// Adds the number of pages in use over time as a row of bars.
void add_footprint(Lines& lines, const Summary& summary) {
  static constexpr std::array kBars{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (summary.footprint.size() < 2) return;
  const std::uint64_t most = std::ranges::max(summary.footprint);
  if (most == 0) return;
  std::string bars;
  for (const std::uint64_t pages : summary.footprint)
    bars += kBars.at((8 * pages + most - 1) / most);
  lines.emplace_back();
  lines.push_back(fmt::format("pages in use over time, epochs of {}, at most {}",
                              format_seconds(static_cast<double>(summary.epoch_ns) * 1e-9),
                              format_count(most)));
  lines.push_back("  " + bars);
}

/// Adds the limits of the report's data.
void add_limits(Lines& lines, const Summary& summary) {
  lines.emplace_back();
  lines.emplace_back("what to keep in mind");
  const auto say = [&](const std::string& text) { append(lines, wrap("  " + text, 4)); };
  say(fmt::format("front end: {}{}", summary.frontend,
                  summary.frontend_reason.empty() ? "" : ", " + summary.frontend_reason));
  if (const auto slowdown = summary.slowdown())
    say(fmt::format("slowdown: {:.1f} times ({} against {})", *slowdown,
                    format_seconds(summary.elapsed_seconds),
                    format_seconds(*summary.native_seconds)));
  else
    say(fmt::format("slowdown: not measured, the run took {}; 'atoll profile --native' measures it",
                    format_seconds(summary.elapsed_seconds)));
  if (summary.losses.empty()) say("dropped: nothing");
  for (const recording::Loss& loss : summary.losses)
    say(fmt::format("dropped: {}: {}", in_words(loss, summary.counted_as),
                    format_count(loss.count)));
  if (summary.sharing.unknown_pages > 0)
    say(fmt::format("without lines, as one line each, of which sharing isn't known: {}",
                    counted(summary.sharing.unknown_pages, "page")));
  for (const recording::Unseen& unseen : summary.cant_see)
    say("not seen: " + in_words(unseen, summary.counted_as));
}

}  // namespace

Lines report_text(const Summary& summary, const std::string& path, const std::string& next) {
  Lines lines;
  add_head(lines, summary, path);
  lines.emplace_back();
  for (const std::string& line : summary.verdict()) append(lines, wrap(line, 2));
  add_processes(lines, summary);
  add_objects(lines, summary);
  if (summary.accesses > 0) add_figures(lines, summary);
  add_footprint(lines, summary);
  if (summary.accesses > 0) {
    lines.emplace_back();
    lines.emplace_back("next");
    lines.push_back("  " + next);
  }
  add_limits(lines, summary);
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

}  // namespace Atoll::cli
