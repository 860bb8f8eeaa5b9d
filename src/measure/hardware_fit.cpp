#include "measure/hardware_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace Atoll::measure {
namespace {

using enum HardwareFigure;

class Figures {
 public:
  explicit Figures(const HardwareReadings& readings) : readings_(readings) {}

  void add(HardwareFigure figure, double value, const char* how, double step = 0.01) {
    if (!std::isfinite(value)) return;
    const HardwareRow& row = row_of(figure);
    value = std::clamp(std::round(value / step) * step, row.least, row.most);
    value = std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr);  // more is noise
    all_[figure] = {value, value, value, {Origin::measured, how}};
  }

  std::map<HardwareFigure, RangedFigure> find() {
    if (readings_.clock_ghz > 0) add(clock, readings_.clock_ghz, "a chain of additions");
    if (readings_.instructions_a_cycle > 0)
      add(width, readings_.instructions_a_cycle, "additions and loads that wait for nothing", 0.1);
    caches();
    tlbs();
    in_flight();
    contention();
    if (readings_.handoff_ns > 0)  // invalidation of the other core's copy, then a read
      add(near_transfer, readings_.handoff_ns / 2, "a line that two cores write in turns", 0.1);
    if (readings_.fault_4k_ns > 0) add(page_fault_4k, readings_.fault_4k_ns, "first touches", 1);
    if (readings_.fault_2m_ns > 0) add(page_fault_2m, readings_.fault_2m_ns, "first touches", 1);
    return all_;
  }

 private:
  [[nodiscard]] double cycles(double ns) const { return ns * readings_.clock_ghz; }

  void caches() {
    const Curve curve = ascending(readings_.chase_2m);
    const auto l1 = plateau(curve, 0, static_cast<double>(readings_.l1_bytes) / 2);
    l2_ = plateau(curve, static_cast<double>(readings_.l1_bytes) * 2,
                  static_cast<double>(readings_.l2_bytes) / 2);
    if (l1) add(l1_latency, cycles(*l1), "chases within level 1", 0.1);
    if (l2_) add(l2_latency, cycles(*l2_), "chases within level 2", 0.1);
    const auto l3 = l3_latency_of(readings_);
    if (l3) add(l3_latency, *l3, "chases within a quarter of level 3");
  }
  void tlbs() {
    const Curve extra = ascending(beyond_lines(
        ascending(readings_.page_chase), ascending(readings_.chase_2m), readings_.line_bytes));
    if (extra.empty() || readings_.clock_ghz <= 0) return;
    // The first-level TLB has at most a few hundred entries. The second has a thousand or more on
    // machines of the last fifteen years. For page counts in between, a load's additional time is
    // the look-up in the second.
    const auto second = plateau(extra, 192, 512);
    const auto walked = plateau(extra, 4096, 8192);
    if (!second || *second * readings_.clock_ghz < 2) return;  // no clear step
    add(tlb2_latency, cycles(*second), "a line of each of 192 to 512 pages", 0.1);
    Curve first;
    for (const Reading& reading : extra)
      if (reading.size <= 512) first.push_back(reading);
    if (const auto at = knee(first, 0, *second)) add(tlb1_4k, *at, "where that begins", 8);
    if (!walked || *walked < 1.5 * *second) return;
    if (const auto at = knee(extra, *second, *walked)) add(tlb2_4k, *at, "where walks begin", 64);
    // Page table entries take 32 to 64 KiB, so they are in level 2.
    const double reads = l2_.value_or(0);
    add(walk_latency, std::max(0.0, cycles(*walked - *second - reads)),
        "a line of each of 4096 to 8192 pages, beyond a read of level 2", 0.1);
  }
  void prefetcher(double memory) {
    if (readings_.stream_2m_ns <= 0) return;
    const double along = readings_.stream_2m_ns, pieces = readings_.pieces_2m_ns;
    if (readings_.loaded_ns > 0)
      add(loaded_latency, readings_.loaded_ns, "a chase while all other cores read", 0.1);
    constexpr double kMaxAhead = 96;  // higher values mean that caches held the stream
    add(prefetch_distance, std::min(kMaxAhead, std::ceil(memory / along)),
        "a stream in memory, by its latency", 1);
    if (pieces > 0) {
      // Streams that restart every 4 KiB are slower only if the prefetcher crosses 4 KiB boundaries
      // otherwise.
      const bool goes_on = pieces > 1.3 * along;
      const bool in_small_ones =
          readings_.stream_4k_ns > 0 && readings_.stream_4k_ns < (along + pieces) / 2;
      add(prefetch_crosses, goes_on ? in_small_ones ? 2 : 1 : 0,
          "streams by their pages, and pieces of 4 KiB", 1);
      const Curve curve = ascending(readings_.streams);
      if (const auto at = knee(curve, along, pieces); at && goes_on)
        add(prefetch_streams, *at, "streams that take turns, by their number", 1);
    }
  }
  void contention() {
    if (readings_.atomic_ns <= 0) return;
    const double width_now = std::max(1.0, readings_.instructions_a_cycle);
    // Without the loop's other four instructions.
    const double cycles_of_one = cycles(readings_.atomic_ns) - 4 / width_now;
    add(atomic, std::max(0.0, cycles_of_one), "additions to a counter", 0.1);
    if (readings_.operations_a_stay < 2 || readings_.contended_ns < 1.2 * readings_.atomic_ns)
      return;
    // Each of the two threads holds the line for a stay, waits for the other's stay, and waits for
    // the line's transfer twice.
    const double stay = readings_.operations_a_stay * readings_.atomic_ns;
    const double turn = readings_.operations_a_stay * readings_.contended_ns / 2;
    add(near_hold, stay, "a counter that two cores add to", 0.1);
    add(near_take, std::max(0.1, turn - stay), "a counter that two cores add to", 0.1);
  }
  void in_flight() {
    const double l3 = l3_latency_of(readings_).value_or(0);
    if (readings_.chase_2m.empty()) return;
    const double memory = readings_.chase_2m.back().ns;
    // Gathers in level 3 may be limited by their instructions, so the greater value is used.
    double of_l1 = 0, of_l2 = 0;
    if (readings_.gather_l3_ns > 0) of_l1 = l3 / readings_.gather_l3_ns;
    if (readings_.gather_memory_ns > 0) of_l2 = memory / readings_.gather_memory_ns;
    if (of_l1 > 0 || of_l2 > 0)
      add(lines_in_flight, std::max(of_l1, of_l2), "gathers, by their latency", 0.1);
    if (readings_.sweep_l2_ns > 0)
      add(l1_fill, cycles(readings_.sweep_l2_ns), "lines of four times level 1", 0.1);
    if (readings_.sweep_l3_ns > 0)
      add(l2_fill, cycles(readings_.sweep_l3_ns), "lines of four times level 2", 0.1);
    if (readings_.sweep_l3_all_ns > 0)
      add(l3_line, readings_.sweep_l3_all_ns / readings_.l3_threads,
          "lines of four times level 2, by all cores at once");
    prefetcher(memory);
    // Duration of a walk to memory, divided by the time between the ends of two walks.
    const double walk = readings_.chase_4k.empty() ? 0 : readings_.chase_4k.back().ns - memory;
    if (walk > 0 && readings_.gather_4k_ns > 0)
      add(walkers, std::max(1.0, std::round(walk / readings_.gather_4k_ns)),
          "gathers and chases in pages of 4 KiB", 1);
    if (of_l2 > 0) add(l2_lines_in_flight, of_l2, "a gather in memory, by its latency", 0.1);
    if (readings_.stream_bytes_per_second > 0)
      add(prefetch_lines,
          readings_.stream_bytes_per_second * memory * 1e-9 /
              static_cast<double>(readings_.line_bytes),
          "what one thread reads of memory, by its latency", 0.1);
    // Two misses overlap in one latency if few instructions are between them; if many, they take
    // two.
    const Curve pairs = ascending(readings_.pairs);
    if (pairs.size() < 4 || pairs.back().ns < 1.5 * pairs.front().ns) return;
    if (const auto at = knee(pairs, pairs.front().ns, 2 * pairs.front().ns))
      add(window, *at, "two misses, by instructions between them", 4);
  }

  static std::optional<double> l3_latency_of(const HardwareReadings& readings) {
    if (readings.l3_bytes == 0) return std::nullopt;
    const double l2 = static_cast<double>(readings.l2_bytes);
    return plateau(ascending(readings.chase_2m), 2 * l2,
                   std::max(3 * l2, static_cast<double>(readings.l3_bytes) / 4));
  }
  friend std::optional<double> Atoll::measure::usable_l3_bytes(const HardwareReadings& readings);

  const HardwareReadings& readings_;
  std::optional<double> l2_;
  std::map<HardwareFigure, RangedFigure> all_;
};

}  // namespace

HardwareReadings shorter_of(HardwareReadings one, const HardwareReadings& other) {
  using Readings = HardwareReadings;
  const auto shorten = [](double& mine, double its) {
    if (its > 0 && (mine <= 0 || its < mine)) mine = its;
  };
  if (other.contended_ns > 0 && (one.contended_ns <= 0 || other.contended_ns < one.contended_ns))
    one.operations_a_stay = other.operations_a_stay;
  for (double Readings::*const ns :
       {&Readings::gather_l3_ns, &Readings::sweep_l2_ns, &Readings::sweep_l3_ns,
        &Readings::sweep_l3_all_ns, &Readings::stream_2m_ns, &Readings::stream_4k_ns,
        &Readings::pieces_2m_ns, &Readings::gather_memory_ns, &Readings::gather_4k_ns,
        &Readings::handoff_ns, &Readings::atomic_ns, &Readings::contended_ns, &Readings::loaded_ns,
        &Readings::fault_4k_ns, &Readings::fault_2m_ns})
    shorten(one.*ns, other.*ns);
  for (Curve Readings::*const curve :
       {&Readings::chase_2m, &Readings::chase_4k, &Readings::page_chase, &Readings::streams,
        &Readings::pairs}) {
    if ((one.*curve).empty()) one.*curve = other.*curve;
    for (const Reading& its : other.*curve) {
      const auto mine = std::ranges::find(one.*curve, its.size, &Reading::size);
      if (mine != (one.*curve).end()) shorten(mine->ns, its.ns);
    }
  }
  one.clock_ghz = std::max(one.clock_ghz, other.clock_ghz);
  one.instructions_a_cycle = std::max(one.instructions_a_cycle, other.instructions_a_cycle);
  return one;
}

std::optional<double> plateau(const Curve& curve, double from, double to) {
  std::vector<double> values;
  for (const Reading& reading : curve)
    if (reading.size >= from && reading.size <= to) values.push_back(reading.ns);
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::optional<double> knee(const Curve& curve, double low, double high) {
  const double half = (low + high) / 2;
  for (std::size_t i = curve.size(); i-- > 1;) {
    const Reading &before = curve[i - 1], &after = curve[i];
    if (before.ns > half || after.ns <= half) continue;
    const double part = (half - before.ns) / (after.ns - before.ns);
    return before.size * std::pow(after.size / before.size, part);
  }
  return std::nullopt;
}

Curve ascending(Curve curve) {
  for (std::size_t i = curve.size(); i-- > 1;)
    curve[i - 1].ns = std::min(curve[i - 1].ns, curve[i].ns);
  return curve;
}

Curve beyond_lines(const Curve& pages, const Curve& lines, std::uint64_t line_bytes) {
  Curve extra;
  for (const Reading& reading : pages) {
    const double bytes = reading.size * static_cast<double>(line_bytes);
    const auto same = std::find_if(lines.begin(), lines.end(),
                                   [&](const Reading& one) { return one.size >= bytes; });
    if (same != lines.end()) extra.push_back({reading.size, std::max(0.0, reading.ns - same->ns)});
  }
  return extra;
}

std::map<HardwareFigure, RangedFigure> figures_from(const HardwareReadings& readings) {
  return Figures(readings).find();
}

std::optional<double> memory_latency_ns(const HardwareReadings& readings) {
  if (readings.chase_2m.empty()) return std::nullopt;
  const Reading& last = readings.chase_2m.back();
  const std::uint64_t caches = std::max(readings.l3_bytes, readings.l2_bytes);
  if (last.size < 4 * static_cast<double>(caches)) return std::nullopt;
  return last.ns;
}

std::optional<double> usable_l3_bytes(const HardwareReadings& readings) {
  const auto l3 = Figures::l3_latency_of(readings);
  if (!l3 || readings.chase_2m.empty()) return std::nullopt;
  return knee(ascending(readings.chase_2m), *l3, readings.chase_2m.back().ns);
}

}  // namespace Atoll::measure
