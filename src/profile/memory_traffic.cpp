// Makes three passes over the chunks. The first finds the threads' activity in each epoch, which
// divides the run into phases. The second finds the working set of each last-level cache, and the
// third its misses.
#include "profile/memory_traffic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

#include "atoll/base/page_size.hpp"
#include "atoll/machine/hardware.hpp"
#include "machine/last_level_caches.hpp"
#include "machine/place_tree.hpp"
#include "plan/traffic_load.hpp"
#include "profile/page_uses.hpp"
#include "profile/run_phases.hpp"

namespace Atoll::profile {
namespace {

/// Instructions of a thread per memory access, including those around it.
constexpr double kInstructionsOfAccess = 4;
/// A stream over less than kAllFits of a cache's size hits in it on each pass; over more than
/// kNoneFits, it always misses.
constexpr double kAllFits = 0.85, kNoneFits = 1.15;

double fit(double lines, double cache_lines, bool is_stream) {
  const double part = lines / cache_lines;
  if (!is_stream) return std::min(1.0, 1 / part);
  return std::clamp((kNoneFits - part) / (kNoneFits - kAllFits), 0.0, 1.0);
}

/// Above this number of pages, epochs are not distinguished and caches are not modelled, as that
/// would take minutes: all traffic reaches memory.
constexpr std::size_t kManyPages = std::size_t{1} << 18;

class Builder {
 public:
  Builder(const Profile& profile, const Machine& machine, const Places& places,
          const PagesByNode& pages, Division division)
      : profile_(profile),
        run_(profile.recording),
        machine_(machine),
        places_(places),
        pages_(pages),
        division_(division),
        is_sampled_(run_.is_sampled()),
        epochs_(is_sampled_ || pages.rows.size() > kManyPages
                    ? 1
                    : static_cast<std::size_t>(std::max(run_.epochs, 1))),
        uses_(profile, pages, epochs_) {
    result_.nodes = pages.nodes;
    find_caches();
    if (is_large())
      for (Cache& cache : caches_) cache.lines = 0;
  }

  MemoryTraffic build() {
    set_phases();
    if (!is_large()) find_working_sets();
    for (const PageRow& row : pages_.rows)
      result_.first_phase.push_back(
          result_.phase_of_epoch[row.epochs == 0 || is_sampled_
                                     ? 0
                                     : std::min<std::size_t>(std::countr_zero(row.epochs),
                                                             epochs_ - 1)]);
    waits_.assign(result_.phases, std::vector<double>(run_.threads.size()));
    work_ = waits_;
    uses_.for_each_page(
        [&](std::size_t row, std::span<const PageUse> uses) { add_misses(row, uses); });
    sort_entries();
    if (!is_sampled_) add_faults();
    sum_threads();
    const std::vector<double>& fills = waits_.back();
    if (!result_.is_alone.empty() && !fills.empty())
      result_.is_alone.push_back(fills.size() > 1 &&
                                 std::ranges::max(fills) >=
                                     kAlone * std::accumulate(fills.begin(), fills.end(), 0.0));
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_large() const { return pages_.rows.size() > kManyPages; }

  struct Cache {
    double lines = 0;                        ///< capacity; 0: all traffic reaches memory
    double all = 0;                          ///< distinct lines that its threads use
    std::vector<double> of_epoch, of_phase;  ///< the same by epoch and by phase
  };

  void find_caches() {
    const detail::LastLevelCaches known = detail::last_level_caches(machine_);
    std::map<std::pair<int, std::uint32_t>, std::size_t> numbers;
    std::map<std::size_t, std::set<int>> l2s;  // by cache
    for (std::size_t thread = 0; thread < run_.threads.size(); ++thread) {
      const auto unit = known.of_unit.find(places_.pus_of_threads[thread]);
      const int cache = is_sampled_ || unit == known.of_unit.end() ? -1 : unit->second;
      const auto key = std::pair(cache, cache < 0 ? places_.nodes_of_threads[thread] : 0);
      const auto [number, fresh] = numbers.emplace(key, caches_.size());
      if (fresh)
        caches_.push_back(
            {.lines = cache < 0
                          ? 0
                          : static_cast<double>(known.l3_bytes[static_cast<std::size_t>(cache)]) /
                                static_cast<double>(recording::kLineBytes)});
      cache_of_.push_back(number->second);
      const auto l2 = known.l2_of_unit.find(places_.pus_of_threads[thread]);
      if (cache >= 0 && l2 != known.l2_of_unit.end()) l2s[number->second].insert(l2->second);
    }
    // An exclusive L3 keeps lines only while no L2 has them, so the L2s add to the capacity.
    const auto caches = detail::caches_of(machine_.root());
    if (machine_.hardware()[HardwareFigure::l3_inclusive].value == 0)
      for (const auto& [number, its] : l2s)
        if (caches_[number].lines > 0)
          caches_[number].lines += static_cast<double>(its.size() * caches.l2_bytes) /
                                   static_cast<double>(recording::kLineBytes);
    const auto figure = [&](HardwareFigure which) { return machine_.hardware()[which].value; };
    in_flight_ = figure(HardwareFigure::lines_in_flight);
    stream_in_flight_ = std::max(in_flight_, figure(HardwareFigure::prefetch_lines));
    seconds_of_access_ = kInstructionsOfAccess /
                         (figure(HardwareFigure::clock) * 1e9 * figure(HardwareFigure::width));
    seconds_of_hit_ = figure(HardwareFigure::l3_latency) * 1e-9 / in_flight_;
    seconds_of_transfer_ = figure(HardwareFigure::far_transfer) * 1e-9 / in_flight_;
    small_fault_ = figure(HardwareFigure::page_fault_4k) * 1e-9;
    huge_fault_ = figure(HardwareFigure::page_fault_2m) * 1e-9 / kChunkPages;
  }

  void set_phases() {
    phases_ = run_phases(profile_, pages_, uses_, epochs_);
    result_.window_of_epoch = phases_.window;
    if (division_ == Division::epochs) {
      result_.phases = epochs_;
      for (std::size_t epoch = 0; epoch < epochs_; ++epoch)
        result_.phase_of_epoch.push_back(static_cast<std::uint16_t>(epoch));
    } else {
      result_.phases = phases_.count;
      result_.phase_of_epoch = phases_.of_epoch;
      result_.is_alone = phases_.is_alone;
    }
    result_.phase_of_epoch.push_back(static_cast<std::uint16_t>(result_.phases++));
    result_.window_of_epoch.push_back(1);
  }

  void find_working_sets() {
    for (Cache& cache : caches_) {
      cache.of_epoch.assign(epochs_, 0);
      cache.of_phase.assign(phases_.count, 0);
    }
    std::vector<double> in_all(caches_.size());
    std::vector<std::vector<double>> in_phase(phases_.count, in_all), in_epoch(epochs_, in_all);
    uses_.for_each_page([&](std::size_t, std::span<const PageUse> uses) {
      std::uint64_t used = 0;
      for (const PageUse& use : uses) {
        used |= use.epochs;
        in_all[cache_of_[use.thread]] += use.lines;
        std::uint64_t phases = 0;
        for_each_epoch(use.epochs, [&](std::size_t epoch) {
          in_epoch[epoch][cache_of_[use.thread]] += use.lines_in(epoch);
          phases |= std::uint64_t{1} << phases_.of_epoch[epoch];
        });
        for_each_epoch(phases, [&](std::size_t phase) {
          in_phase[phase][cache_of_[use.thread]] += use.lines;
        });
      }
      const auto take = [](double& from, double& to) {
        to += std::min<double>(from, recording::kLinesOfPage);
        from = 0;
      };
      for (std::size_t i = 0; i < caches_.size(); ++i) {
        take(in_all[i], caches_[i].all);
        for (std::size_t phase = 0; phase < phases_.count; ++phase)
          take(in_phase[phase][i], caches_[i].of_phase[phase]);
        for_each_epoch(
            used, [&](std::size_t epoch) { take(in_epoch[epoch][i], caches_[i].of_epoch[epoch]); });
      }
    });
  }

  /// Returns the number of distinct lines that pass through the cache while each thread of the
  /// epoch's phase runs once.
  [[nodiscard]] double lines_around(const Cache& cache, std::size_t epoch) const {
    double sum = 0;
    for (std::size_t back = 0; back < phases_.window[epoch] && back <= epoch; ++back)
      if (phases_.of_epoch[epoch - back] == phases_.of_epoch[epoch])
        sum += cache.of_epoch[epoch - back];
    return std::min(sum, cache.of_phase[phases_.of_epoch[epoch]]);
  }

  /// Returns the number of distinct lines that pass through the cache from one epoch in which a
  /// page is used to the next such epoch.
  [[nodiscard]] double lines_between(const Cache& cache, std::size_t from, std::size_t to) const {
    double sum = std::max(cache.of_epoch[from], cache.of_epoch[to]);
    if (to > from + 1) {
      sum = 0;
      for (std::size_t epoch = from; epoch < to; ++epoch) sum += cache.of_epoch[epoch];
    }
    if (phases_.of_epoch[from] == phases_.of_epoch[to])
      sum = std::min(sum, cache.of_phase[phases_.of_epoch[to]]);
    return std::min(sum, cache.all);
  }

  void add_misses(std::size_t row, std::span<const PageUse> uses) {
    sums_.assign(result_.phases * result_.nodes, {});
    for (const PageUse& use : uses)
      if (use.filled > 0) add_fill(row, use);
    std::vector<bool> seen(caches_.size());
    for (const PageUse& first : uses) {
      const std::size_t number = cache_of_[first.thread];
      if (seen[number]) continue;
      seen[number] = true;
      std::uint64_t epochs = 0;
      for (const PageUse& use : uses)
        if (cache_of_[use.thread] == number) epochs |= use.epochs;
      std::size_t before = epochs_;
      for_each_epoch(epochs, [&](std::size_t epoch) {
        add_misses_of(uses, number, epoch, before);
        before = epoch;
      });
    }
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].waits <= 0) continue;
      MemoryTraffic::Entry entry = sums_[i];
      entry.phase = static_cast<std::uint16_t>(i / result_.nodes);
      entry.node = static_cast<std::uint16_t>(i % result_.nodes);
      found_.emplace_back(row, entry);
    }
  }

  /// Adds the filling of a page, as a stream in a phase of its own.
  void add_fill(std::size_t row, const PageUse& use) {
    const std::size_t phase = result_.phases - 1;
    result_.first_phase[row] = static_cast<std::uint16_t>(phase);
    const double waits = use.filled / stream_in_flight_;
    MemoryTraffic::Entry& sum = sums_[phase * result_.nodes + places_.nodes_of_threads[use.thread]];
    const Cache& cache = caches_[cache_of_[use.thread]];
    const double stays = cache.lines > 0 ? fit(cache.all, cache.lines, true) : 0;
    sum.lines += static_cast<float>(use.filled);
    sum.written += static_cast<float>(use.filled * (1 - stays));
    sum.waits += static_cast<float>(waits);
    waits_[phase][use.thread] += waits;
    work_[phase][use.thread] += use.accesses * use.filled / use.traffic * seconds_of_access_;
  }

  /// Adds the misses of a cache for a page in one epoch. `before` is the last earlier epoch in
  /// which its threads used the page, or epochs_ if there is none.
  void add_misses_of(std::span<const PageUse> uses, std::size_t number, std::size_t epoch,
                     std::size_t before) {
    const Cache& cache = caches_[number];
    double all = 0, most = 0, lines = 0, to_pass = 0, streamed = 0, taken_away = 0;
    const auto is_now = [&](const PageUse& use) { return (use.epochs >> epoch & 1) != 0; };
    for (const PageUse& use : uses) {
      if (!is_now(use)) continue;
      const double traffic = use.traffic_in(epoch);
      if (cache_of_[use.thread] != number) {
        taken_away += traffic * use.written_part;
        continue;
      }
      all += traffic;
      most = std::max(most, traffic);
      lines += use.lines_in(epoch);
      // A stream uses all lines of a page at once, other accesses use them gradually.
      to_pass +=
          use.is_stream ? std::min(use.lines, use.traffic - use.filled) : use.lines_in(epoch);
      if (use.is_stream) streamed += traffic;
      if (before == epochs_ && use.filled > 0) before = epoch;
    }
    if (all <= 0) return;
    lines = std::min<double>(lines, recording::kLinesOfPage);
    to_pass = std::min<double>(to_pass, recording::kLinesOfPage);
    const bool is_stream = 2 * streamed >= all;
    double misses = all, loaded = all;  // loaded: from memory, not from another cache
    double stays = 0;                   // fraction of the written lines that stay cached
    if (cache.lines > 0) {
      const double again = fit(lines_around(cache, epoch), cache.lines, is_stream);
      stays = fit(cache.of_phase[phases_.of_epoch[epoch]], cache.lines, is_stream);
      const double still =
          before == epochs_ ? 0 : fit(lines_between(cache, before, epoch), cache.lines, is_stream);
      // Threads that stream over the same lines at the same time share the loaded lines.
      misses = again * lines * (1 - still) +
               (1 - again) * (is_stream ? std::max(most, lines * (1 - still)) : all);
      loaded = std::min(all, misses);
      misses = std::max(loaded, std::min(all, taken_away));
    }
    const double passed =
        cache.lines > 0 ? modified_share_supplied(uses, number, epoch, before) : 0;
    const double read_all = loaded * (1 - passed);
    misses = std::max(misses, read_all + passed * to_pass);
    const double from_memory = read_all / std::max(misses, 1e-9);
    const double in_flight = is_stream ? stream_in_flight_ : in_flight_;
    const std::size_t phase = result_.phase_of_epoch[epoch];
    for (const PageUse& use : uses) {
      if (!is_now(use) || cache_of_[use.thread] != number) continue;
      const double own = use.traffic_in(epoch) * misses / all;
      const double read = own * from_memory, moved = own - read;
      const double waits = read / in_flight + moved / in_flight_;
      MemoryTraffic::Entry& sum =
          sums_[phase * result_.nodes + places_.nodes_of_threads[use.thread]];
      sum.lines += static_cast<float>(read);
      sum.written += static_cast<float>(read * use.written_part * (1 - stays));
      sum.waits += static_cast<float>(waits);
      sum.random += static_cast<float>(is_stream || is_sampled_ ? 0 : read);
      sum.passed += static_cast<float>(own * passed * to_pass / std::max(misses, 1e-9));
      sum.moved += static_cast<float>(moved * (1 + use.written_part));  // read, then invalidated
      waits_[phase][use.thread] += waits;
      if (!is_sampled_)
        work_[phase][use.thread] += use.accesses * use.part_in(epoch) * seconds_of_access_ +
                                    (use.traffic_in(epoch) - own) * seconds_of_hit_ +
                                    moved * seconds_of_transfer_;
    }
  }

  /// Returns the fraction of a page's lines that another cache has modified and supplies to this
  /// one in an epoch. Each modified line is supplied once, to one of the caches that use the page
  /// afterwards. `before` is the last earlier epoch in which this cache's threads used the page, or
  /// epochs_ if there is none.
  [[nodiscard]] double modified_share_supplied(std::span<const PageUse> uses, std::size_t number,
                                               std::size_t epoch, std::size_t before) const {
    const std::uint64_t earlier = (std::uint64_t{1} << epoch) - 1;
    std::size_t latest = 0, writer = caches_.size();
    double dirty = 0;
    for (const PageUse& use : uses) {
      const std::size_t other = cache_of_[use.thread];
      // The page's first thread also precedes others in the same epoch.
      const std::uint64_t epochs = use.epochs & (use.is_first ? 2 * earlier + 1 : earlier);
      if (other == number || use.written_part == 0 || caches_[other].lines == 0 || epochs == 0)
        continue;
      const auto last = static_cast<std::size_t>(std::bit_width(epochs)) - 1;
      if ((before != epochs_ && last < before) || (dirty > 0 && last < latest)) continue;
      latest = last;
      writer = other;
      dirty = use.written_part *
              fit(lines_between(caches_[other], last, epoch), caches_[other].lines, true);
    }
    if (dirty == 0) return 0;
    reads_.assign(caches_.size(), false);
    for (const PageUse& use : uses)
      if (cache_of_[use.thread] != writer && use.epochs >> latest != 0)
        reads_[cache_of_[use.thread]] = true;
    const auto readers = std::ranges::count(reads_, true);
    return readers == 0 ? 0 : dirty / static_cast<double>(readers);
  }

  void sort_entries() {
    result_.begin.assign(pages_.rows.size() + 1, 0);
    for (const auto& [row, entry] : found_) ++result_.begin[row + 1];
    std::partial_sum(result_.begin.begin(), result_.begin.end(), result_.begin.begin());
    result_.entries.resize(found_.size());
    std::vector<std::size_t> next(result_.begin.begin(), result_.begin.end() - 1);
    for (const auto& [row, entry] : found_) result_.entries[next[row]++] = entry;
  }

  /// Adds page faults: of 2 MiB pages where can_be_huge(), of 4 KiB pages elsewhere.
  void add_faults() {
    for (std::size_t row = 0; row < pages_.rows.size(); row = pages_.page_end(row)) {
      const PageRow& page = pages_.rows[row];
      work_[result_.first_phase[row]][places_.thread_of(page.first_touch)] +=
          can_be_huge(run_.objects[page.object], page.page) ? huge_fault_ : small_fault_;
    }
  }

  void sum_threads() {
    const std::vector<double> none(result_.nodes);
    result_.busiest_part.assign(result_.phases, none);
    result_.work.assign(result_.phases, none);
    for (std::size_t phase = 0; phase < result_.phases; ++phase) {
      std::vector<double> most(result_.nodes), all(result_.nodes);
      for (std::size_t thread = 0; thread < run_.threads.size(); ++thread) {
        const std::uint32_t node = places_.nodes_of_threads[thread];
        most[node] = std::max(most[node], waits_[phase][thread]);
        all[node] += waits_[phase][thread];
        result_.work[phase][node] = std::max(result_.work[phase][node], work_[phase][thread]);
      }
      for (std::size_t node = 0; node < result_.nodes; ++node)
        if (all[node] > 0) result_.busiest_part[phase][node] = most[node] / all[node];
    }
  }

  const Profile& profile_;
  const recording::Recording& run_;
  const Machine& machine_;
  const Places& places_;
  const PagesByNode& pages_;
  const Division division_;
  const bool is_sampled_;
  const std::size_t epochs_;
  mutable std::vector<char>
      reads_;  ///< by cache: scratch of modified_share_supplied(), which is called often
  double in_flight_ = 0, stream_in_flight_ = 0;
  double seconds_of_access_ = 0, seconds_of_hit_ = 0, seconds_of_transfer_ = 0;
  double small_fault_ = 0, huge_fault_ = 0;  ///< seconds for each 4 KiB
  std::vector<Cache> caches_;
  std::vector<std::size_t> cache_of_;  ///< by thread
  PageUses uses_;
  RunPhases phases_;
  std::vector<std::vector<double>> waits_, work_;  ///< by phase and thread
  std::vector<MemoryTraffic::Entry> sums_;         ///< of one page, by phase and node
  std::vector<std::pair<std::size_t, MemoryTraffic::Entry>> found_;
  MemoryTraffic result_;
};

}  // namespace

bool can_be_huge(const recording::Object& object, std::uint64_t page) {
  if (object.kind != recording::ObjectKind::heap && object.kind != recording::ObjectKind::mapping)
    return false;
  const std::uint64_t begin = page / kChunkPages * kChunkPages * kPageBytes;
  return begin >= object.address &&
         begin + kChunkPages * kPageBytes <= object.address + object.bytes;
}

MemoryTraffic memory_traffic(const Profile& profile, const Machine& machine, const Places& places,
                             const PagesByNode& pages, Division division) {
  return Builder(profile, machine, places, pages, division).build();
}

}  // namespace Atoll::profile
