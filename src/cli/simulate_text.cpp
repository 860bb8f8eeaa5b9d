#include "cli/simulate_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "atoll/base/units.hpp"
#include "atoll/machine/os_places.hpp"
#include "cli/profile_text.hpp"

namespace Atoll::cli {
namespace {

constexpr std::size_t kMaxRows = 10;

std::string seconds(double value) {
  if (value >= 1) return fmt::format("{:.3g} s", value);
  if (value >= 1e-3) return fmt::format("{:.3g} ms", value * 1e3);
  return fmt::format("{:.3g} us", value * 1e6);
}

std::string share(double value) {
  return fmt::format("{:.1f} %", 100 * value);
}

void add_stack(Lines& lines, const simulate::Result& result) {
  lines.push_back("");
  lines.push_back("where the threads' time goes");
  std::vector<simulate::StackPart> parts = result.stack;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  double rest = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i >= kMaxRows || parts[i].share < 5e-4) {
      rest += parts[i].share;
      continue;
    }
    const auto bar = static_cast<std::size_t>(parts[i].share * 30 + 0.5);
    lines.push_back(fmt::format("  {:<34}{:>8}  {}", fit(parts[i].name, 33), share(parts[i].share),
                                std::string(bar, '#')));
  }
  if (rest > 0) lines.push_back(fmt::format("  {:<34}{:>8}", "everything else", share(rest)));
}

void add_traffic(Lines& lines, const simulate::Result& result) {
  if (result.nodes.size() > 8 || result.memories.size() > 8) return;
  lines.push_back("");
  lines.push_back("traffic in MB: rows are nodes of threads, columns memories");
  std::string head = "      ";
  for (const NodeId memory : result.memories) head += fmt::format("{:>9}", memory.value);
  lines.push_back(head);
  for (std::size_t node = 0; node < result.nodes.size(); ++node) {
    std::string row = fmt::format("  {:>4}", result.nodes[node].value);
    for (const std::uint64_t bytes : result.traffic[node])
      row += fmt::format("{:>9.1f}", static_cast<double>(bytes) / 1e6);
    lines.push_back(row);
  }
  std::string load = "  load";
  for (const simulate::SimulatedController& one : result.controllers)
    load += fmt::format("{:>9}", share(one.load));
  lines.push_back(load);
}

void add_memory_sides(Lines& lines, const simulate::Result& result) {
  if (result.memory_side_caches.empty()) return;
  lines.push_back("");
  lines.push_back(fmt::format("{:<14}{:>12}{:>9}", "caches in front", "MB", "load"));
  for (const simulate::SimulatedController& one :
       std::span(result.memory_side_caches)
           .first(std::min(kMaxRows, result.memory_side_caches.size())))
    lines.push_back(fmt::format("  {:<13}{:>12.1f}{:>9}",
                                fmt::format("of memory {}", one.node.value),
                                static_cast<double>(one.bytes) / 1e6, share(one.load)));
}

void add_links(Lines& lines, const simulate::Result& result) {
  std::vector<simulate::SimulatedLink> links = result.links;
  std::stable_sort(links.begin(), links.end(),
                   [](const auto& a, const auto& b) { return a.load > b.load; });
  if (links.size() > kMaxRows) links.resize(kMaxRows);
  if (links.empty()) return;
  lines.push_back("");
  lines.push_back(fmt::format("{:<14}{:>12}{:>9}", "busiest links", "MB", "load"));
  for (const simulate::SimulatedLink& link : links)
    lines.push_back(fmt::format("  {:<12}{:>12.1f}{:>9}",
                                fmt::format("{} to {}", link.from, link.to),
                                static_cast<double>(link.bytes) / 1e6, share(link.load)));
}

void add_objects(Lines& lines, const simulate::Result& result) {
  // With memory-side caches there is one more column, and names are shorter.
  const bool has_sides = !result.memory_side_caches.empty();
  const std::size_t width = has_sides ? 18 : 24;
  lines.push_back("");
  lines.push_back(fmt::format("{:<{}}{:>10}{:>8}{:>10}{:>8}{:>8}{:>8}{}", "objects", width + 2,
                              "size", "time", "accesses", "L1", "L2", "L3",
                              has_sides ? "    side" : ""));
  lines.push_back(fmt::format("{:>54}{:>24}", "", "misses per 100"));
  const auto of_100 = [](std::uint64_t misses, std::uint64_t accesses) {
    return fmt::format("{:.1f}", 100 * static_cast<double>(misses) / static_cast<double>(accesses));
  };
  for (std::size_t i = 0; i < std::min(result.objects.size(), kMaxRows); ++i) {
    const simulate::SimulatedObject& one = result.objects[i];
    lines.push_back(fmt::format(
        "  {:<{}}{:>10}{:>8}{:>10}{:>8}{:>8}{:>8}{}", fit(one.name, width - 1), width,
        format_bytes(one.bytes), share(one.share_of_time),
        fmt::format("{:.3g}", static_cast<double>(one.accesses)),
        of_100(one.l1_misses, one.accesses), of_100(one.l2_misses, one.accesses),
        of_100(one.l3_misses, one.accesses),
        has_sides ? fmt::format("{:>8}", of_100(one.memory_side_misses, one.accesses)) : ""));
  }
  if (result.objects.size() > kMaxRows)
    lines.push_back(fmt::format("  and {} more: --json", result.objects.size() - kMaxRows));
}

void add_camat(Lines& lines, const simulate::Result& result) {
  lines.push_back("");
  lines.push_back(fmt::format("{:<8}{:>12}{:>12}{:>10}{:>12}{:>12}{:>12}", "C-AMAT", "ns/access",
                              "hit ns", "hits at", "pure miss", "its ns", "misses at"));
  lines.push_back(fmt::format("{:>42}{:>12}{:>24}", "a time", "ratio", "a time"));
  for (const simulate::SimulatedLevel& one : result.camat)
    lines.push_back(fmt::format("  {:<6}{:>12.3f}{:>12.2f}{:>10.2f}{:>12.4f}{:>12.1f}{:>12.2f}",
                                one.name == "memory_side" ? "side" : one.name, one.camat,
                                one.hit_time, one.hit_concurrency, one.pure_miss_ratio,
                                one.pure_miss_penalty, one.miss_concurrency));
}

}  // namespace

Lines simulate_text(const simulate::Result& result) {
  Lines lines;
  std::string head = fmt::format("{} on {}, {}", seconds(result.seconds), result.machine,
                                 counted(static_cast<std::uint64_t>(result.threads), "thread"));
  if (result.interval)
    head += fmt::format("; between {} and {}", seconds(result.interval->from),
                        seconds(result.interval->to));
  lines.push_back(head);
  lines.push_back(fmt::format(
      "{} accesses, {:.3g} a second", format_count(result.accesses),
      result.seconds > 0 ? static_cast<double>(result.accesses) / result.seconds : 0.0));
  if (!result.nodes_of_threads.empty())
    for (const std::string& line : wrap(threads_by_node(result.nodes_of_threads), 2))
      lines.push_back(line);
  if (!result.sensitivities.empty()) {
    const simulate::Sensitivity& most = result.sensitivities.front();
    lines.push_back(fmt::format("what matters most: {} (times {:.2f} to {:.2f})", most.figure,
                                std::min(most.low, most.high), std::max(most.low, most.high)));
  }
  add_stack(lines, result);
  add_traffic(lines, result);
  add_memory_sides(lines, result);
  add_links(lines, result);
  add_objects(lines, result);
  add_camat(lines, result);
  lines.push_back("");
  lines.push_back("assumed");
  for (const std::string& text : result.assumed)
    for (const std::string& line : wrap(text, 2, 78)) lines.push_back("  " + line);
  return lines;
}

}  // namespace Atoll::cli
