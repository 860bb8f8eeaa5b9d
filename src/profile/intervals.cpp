// The bootstrap. In each round, a stretch is weighted by how often it was drawn. The same holds for
// each chunk of an object that is watched only in part.
#include "profile/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "profile/exclusivity.hpp"
#include "profile/thresholds.hpp"
#include "profile/unwatched.hpp"
#include "profile/watched_chunks.hpp"

namespace Atoll::profile {
namespace {

constexpr std::size_t kRounds = 200;
/// Maximum number of objects with intervals: those with the most uses.
constexpr std::size_t kMaxObjects = 500;
/// If pages with two samples have at least this share of all uses, they represent the other pages.
constexpr double kPairedEnough = 0.25;
constexpr std::array kFixed{Mapping::os, Mapping::compact, Mapping::interleave};

/// Uses of one page by one node in one stretch.
struct Use {
  std::uint32_t page, part, process, stretch, node, chunk;
  std::array<std::uint32_t, kFixed.size()> by, at;  ///< by kFixed: nodes of user and page
  double uses;
};

/// Returns the upper bound of exclusivity, as a mean over pages, if two uses of a page are by the
/// same node with probability `same`. A page reaches the bound with one large share and N-1 equal
/// ones. The mean doesn't exceed it, since the root is concave.
double most_exclusive(double same, double nodes) {
  return 1 / nodes + std::sqrt((1 - 1 / nodes) * std::max(0.0, same - 1 / nodes));
}

/// Lower and upper bound of one share in each round.
class Rounds {
 public:
  /// Adds a round. `low` and `high` are bounds of the counted part of `all`. `unseen` uses are of
  /// unknown kind; at least the fraction `least` of them counts.
  void add(double low, double high, double all, double unseen, double least = 0) {
    if (all + unseen <= 0) {
      lows_.push_back(0);
      highs_.push_back(1);
      return;
    }
    lows_.push_back((low + unseen * least) / (all + unseen));
    highs_.push_back((high + unseen) / (all + unseen));
  }
  /// Returns the interval, extended by the `unwatched` fraction and by the share that was counted.
  Interval interval(double unwatched, double least, double counted) {
    if (lows_.empty()) return {};
    const auto at = [](std::vector<double>& values, double quantile) {
      const auto nth = values.begin() + static_cast<std::ptrdiff_t>(
                                            quantile * static_cast<double>(values.size() - 1));
      std::ranges::nth_element(values, nth);
      return *nth;
    };
    const double low = (1 - unwatched) * at(lows_, 0.05) + unwatched * least;
    const double high = (1 - unwatched) * at(highs_, 0.95) + unwatched;
    return {std::min(low, counted), std::max(high, counted)};
  }

 private:
  std::vector<double> lows_, highs_;
};

struct Part {
  double uses = 0;  ///< in the whole run
  std::size_t stretches = 0;
  Rounds share, exclusivity;
  std::array<Rounds, kFixed.size()> local;
  // Sums of the current round.
  double unseen = 0;  ///< uses in chunks that have no samples
  double all = 0, paired = 0, same = 0, chosen = 0, near = 0;
  std::array<double, kFixed.size()> of_local{};

  void begin_round() {
    unseen = all = paired = same = chosen = near = 0;
    of_local.fill(0);
  }
  void end_round(double drawn, double nodes) {
    if (stretches != 0) unseen += drawn * uses / static_cast<double>(stretches);
    for (std::size_t i = 0; i < kFixed.size(); ++i)
      local[i].add(of_local[i], of_local[i], all, unseen);
    // Pages with a second sample represent those without one, if they have enough uses.
    const double same_most =
        paired >= kPairedEnough * all && paired > 0 ? all * same / paired : same + all - paired;
    const double most = all > 0 ? all * std::min(1.0, most_exclusive(same_most / all, nodes)) : 0;
    exclusivity.add(std::max({same + (all - paired) / nodes, chosen, near}), most, all, unseen,
                    1 / nodes);
  }
};

class Bootstrap {
 public:
  Bootstrap(const Profile& profile, const PagesByNode& pages, const Places& places,
            const Places& compact)
      : profile_(profile),
        pages_(pages),
        places_(places),
        compact_(compact),
        nodes_(static_cast<double>(pages.nodes)),
        chunks_(profile) {
    collect();
  }

  Intervals run() {
    result_.of_objects.resize(profile_.recording.objects.size());
    result_.of_processes.resize(profile_.recording.processes.size());
    result_.samples = profile_.samples.size();
    result_.stretches = stretches_;
    result_.unwatched = unwatched_share(profile_, pages_);
    if (uses_.empty()) return std::move(result_);
    std::mt19937_64 random(20150908);
    for (std::size_t round = 0; round < kRounds; ++round) one_round(random);
    finish();
    return std::move(result_);
  }

 private:
  void collect() {
    const recording::Recording& run = profile_.recording;
    std::map<std::uint32_t, std::uint32_t> stretch_of;
    std::vector<std::pair<double, std::uint32_t>> by_uses(run.objects.size());
    for (std::uint32_t i = 0; i < by_uses.size(); ++i) by_uses[i] = {0, i};
    for (const SampledUse& one : profile_.samples) {
      stretch_of.try_emplace(one.epoch, static_cast<std::uint32_t>(stretch_of.size()));
      by_uses[one.object].first += static_cast<double>(one.uses);
    }
    stretches_ = stretch_of.size();
    std::ranges::sort(by_uses, std::greater{});
    part_of_.assign(run.objects.size(), 0);
    parts_.resize(1);  // part 0: all objects without their own part
    for (const auto& [uses, object] : by_uses) {
      if (uses == 0 || parts_.size() > kMaxObjects) break;
      part_of_[object] = static_cast<std::uint32_t>(parts_.size());
      parts_.emplace_back();
    }
    std::uint32_t page = 0;
    const SampledUse* last = nullptr;
    for (const SampledUse& one : profile_.samples) {
      const std::uint32_t process = run.objects[one.object].process;
      const auto row = std::ranges::lower_bound(
          pages_.rows, std::tuple(process, one.page, one.object), {},
          [](const PageRow& of) { return std::tuple(of.process, of.page, of.object); });
      if (row == pages_.rows.end() || row->process != process || row->page != one.page) continue;
      if (last != nullptr && (last->page != one.page || last->object != one.object)) ++page;
      last = &one;
      const std::uint32_t node = places_.nodes_of_threads[one.thread];
      const std::uint32_t packed = compact_.nodes_of_threads[one.thread];
      uses_.push_back({.page = page,
                       .part = part_of_[one.object],
                       .process = run.threads[one.thread].process,
                       .stretch = stretch_of.at(one.epoch),
                       .node = node,
                       .chunk = chunks_.chunk_of(one.object, one.page),
                       .by = {node, packed, node},
                       .at = {places_.node_of(row->first_touch, row->page),
                              compact_.node_of(row->first_touch, row->page),
                              static_cast<std::uint32_t>(one.page % pages_.nodes)},
                       .uses = static_cast<double>(one.uses)});
    }
    std::ranges::sort(uses_, {},
                      [](const Use& use) { return std::tuple(use.page, use.stretch, use.node); });
    std::vector<std::vector<bool>> seen(parts_.size() + 1, std::vector<bool>(stretches_));
    for (const Use& use : uses_)
      for (Part* part : {&parts_[use.part], &program_}) {
        part->uses += use.uses;
        std::vector<bool>& in = seen[part == &program_ ? parts_.size() : use.part];
        if (!in[use.stretch]) ++part->stretches;
        in[use.stretch] = true;
      }
    processes_.resize(run.processes.size());
    of_process_.resize(run.processes.size());
    for (auto& loads : loads_) loads.resize(pages_.nodes);
  }

  void one_round(std::mt19937_64& random) {
    // The draws have one stretch more than was observed: it represents behaviour that wasn't
    // sampled.
    std::vector<double> times(stretches_ + 1);
    std::uniform_int_distribution<std::size_t> draw(0, stretches_);
    for (std::size_t i = 0; i <= stretches_; ++i) ++times[draw(random)];
    for (Part& part : parts_) part.begin_round();
    program_.begin_round();
    chunks_.draw(random, chunk_times_, chunks_unseen_);
    for (std::size_t i = 0; i < chunks_.groups().size(); ++i)
      for (Part* part : {&parts_[part_of_[chunks_.groups()[i].object]], &program_})
        part->unseen += chunks_unseen_[i];
    std::ranges::fill(of_process_, 0);
    for (auto& loads : loads_) std::ranges::fill(loads, 0);
    for (const Use& use : uses_) {
      const double uses = times_of(use, times) * use.uses;
      of_process_[use.process] += uses;
      for (Part* part : {&parts_[use.part], &program_}) {
        part->all += uses;
        for (std::size_t i = 0; i < kFixed.size(); ++i)
          if (use.by[i] == use.at[i]) part->of_local[i] += uses;
      }
      for (std::size_t i = 0; i < kFixed.size(); ++i) loads_[i][use.at[i]] += uses;
    }
    add_pages(times);
    add_near(times);
    const double drawn = times.back();
    for (Part& part : parts_) part.end_round(drawn, nodes_);
    program_.end_round(drawn, nodes_);
    const double unseen = program_.unseen;
    for (std::size_t i = 0; i < kFixed.size(); ++i) {
      const double most = std::ranges::max(loads_[i]);
      busiest_[i].add(most, most, program_.all, unseen, 1 / nodes_);
    }
    unsampled_.add(0, 0, program_.all, unseen);
    for (Part& part : parts_) part.share.add(part.all, part.all, program_.all, unseen);
    for (std::size_t i = 0; i < processes_.size(); ++i)
      processes_[i].add(of_process_[i], of_process_[i], program_.all, unseen);
  }

  /// Returns the weight of a use in this round: how often it was drawn.
  [[nodiscard]] double times_of(const Use& use, const std::vector<double>& times) const {
    return times[use.stretch] * chunk_times_[use.chunk];
  }

  /// Adds the probability that two uses of a page, from different stretches, are by the same node.
  /// It is independent of the number of the page's samples. The busiest node's share isn't: with
  /// one sample it is 100 %.
  void add_pages(const std::vector<double>& times) {
    std::vector<double> sum(pages_.nodes), half(pages_.nodes);
    for (std::size_t begin = 0, end = 0; begin < uses_.size(); begin = end) {
      std::ranges::fill(sum, 0);
      std::ranges::fill(half, 0);
      double all = 0, of_half = 0, alone = 0, alone_same = 0;
      for (end = begin; end < uses_.size() && uses_[end].page == uses_[begin].page;) {
        const std::uint32_t stretch = uses_[end].stretch;
        double together = 0;
        while (end < uses_.size() && uses_[end].page == uses_[begin].page &&
               uses_[end].stretch == stretch) {
          const std::uint32_t node = uses_[end].node;
          double of_node = 0;
          for (; end < uses_.size() && uses_[end].page == uses_[begin].page &&
                 uses_[end].stretch == stretch && uses_[end].node == node;
               ++end)
            of_node += times_of(uses_[end], times) * uses_[end].uses;
          sum[node] += of_node;
          if (stretch % 2 == 0) half[node] += of_node;
          alone_same += of_node * of_node;
          together += of_node;
        }
        all += together;
        if (stretch % 2 == 0) of_half += together;
        alone += together * together;
      }
      if (all == 0) continue;
      double same = -alone_same;
      for (const double of_node : sum) same += of_node * of_node;
      const double pairs = all * all - alone;
      const bool known = pairs > 1e-9 * all * all;
      const double share = known ? std::max(0.0, same / pairs) : 0;
      for (Part* part : {&parts_[uses_[begin].part], &program_}) {
        if (known) part->paired += all;
        part->same += all * share;
        part->chosen += chosen(sum, half, all, of_half);
      }
    }
  }

  /// Returns the uses by the page's busiest node, where each half of the stretches selects the node
  /// for the other half. This overestimates no node's share.
  [[nodiscard]] double chosen(const std::vector<double>& sum, const std::vector<double>& half,
                              double all, double of_half) const {
    std::size_t first = 0, second = 0;
    for (std::size_t node = 1; node < sum.size(); ++node) {
      if (half[node] > half[first]) first = node;
      if (sum[node] - half[node] > sum[second] - half[second]) second = node;
    }
    const double by_first = of_half > 0 ? sum[first] - half[first] : all / nodes_;
    const double by_second = all > of_half ? half[second] : all / nodes_;
    return by_first + by_second;
  }

  /// Adds the uses by the node of the nearest sample from another stretch, of this page or of
  /// nearby ones: threads mostly use neighbouring pages alike.
  void add_near(const std::vector<double>& times) {
    constexpr std::ptrdiff_t kFar = 8;
    const auto count = static_cast<std::ptrdiff_t>(uses_.size());
    const auto tells = [&](std::ptrdiff_t from, std::ptrdiff_t at) {
      if (at < 0 || at >= count) return false;
      const Use &use = uses_[from], &other = uses_[at];
      return other.part == use.part && other.stretch != use.stretch && times_of(other, times) > 0;
    };
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const Use& use = uses_[i];
      if (times_of(use, times) == 0) continue;
      for (std::ptrdiff_t far = 1; far <= kFar; ++far) {
        const bool before = tells(i, i - far), after = tells(i, i + far);
        if (!before && !after) continue;
        const auto apart = [&](std::ptrdiff_t at) {
          return std::max(use.page, uses_[at].page) - std::min(use.page, uses_[at].page);
        };
        const bool first = before && (!after || apart(i - far) <= apart(i + far));
        if (uses_[first ? i - far : i + far].node == use.node)
          for (Part* part : {&parts_[use.part], &program_})
            part->near += times_of(use, times) * use.uses;
        break;
      }
    }
  }

  void finish() {
    const double unwatched = result_.unwatched;
    const recording::Recording& run = profile_.recording;
    const std::size_t objects = run.objects.size();
    const Exclusivity counted = exclusivity(pages_, objects);
    std::array<WhatIf, kFixed.size()> outcomes;
    const PagesByNode packed = pages_by_node(profile_, compact_);
    for (std::size_t i = 0; i < kFixed.size(); ++i)
      outcomes[i] = kFixed[i] == Mapping::compact ? what_if(kFixed[i], packed, compact_, objects)
                                                  : what_if(kFixed[i], pages_, places_, objects);
    const auto fill = [&](Part& part, ShareIntervals& to, double of_unwatched, double exclusive,
                          const auto& outcome) {
      to.exclusivity = part.exclusivity.interval(of_unwatched, 1 / nodes_, exclusive);
      to.local[static_cast<std::size_t>(Mapping::locality)] = to.exclusivity;
      for (std::size_t i = 0; i < kFixed.size(); ++i)
        to.local[static_cast<std::size_t>(kFixed[i])] =
            part.local[i].interval(of_unwatched, 0, outcome(i).local_share());
    };
    fill(program_, result_.program, unwatched, counted.program,
         [&](std::size_t i) -> const Outcome& { return outcomes[i].program; });
    result_.program.share = {1, 1};
    for (std::size_t i = 0; i < kFixed.size(); ++i)
      result_.program.busiest[static_cast<std::size_t>(kFixed[i])] =
          busiest_[i].interval(unwatched, 1 / nodes_, outcomes[i].program.busiest_share());
    const double all = outcomes[0].program.all();
    for (std::size_t object = 0; object < objects; ++object) {
      ShareIntervals& to = result_.of_objects[object];
      const double share = outcomes[0].of_objects[object].all() / all;
      if (part_of_[object] == 0) {
        to.share =
            parts_.size() > kMaxObjects ? Interval{} : unsampled_.interval(unwatched, 0, share);
        continue;
      }
      Part& part = parts_[part_of_[object]];
      fill(part, to, 0, counted.of_objects[object],
           [&](std::size_t i) -> const Outcome& { return outcomes[i].of_objects[object]; });
      to.share = part.share.interval(unwatched, 0, share);
    }
    std::vector<double> of_processes(run.processes.size());
    for (const PackedChunk& chunk : profile_.chunks)
      of_processes[run.threads[chunk.thread].process] += static_cast<double>(chunk.traffic);
    for (std::size_t i = 0; i < of_processes.size(); ++i)
      result_.of_processes[i] = processes_[i].interval(unwatched, 0, of_processes[i] / all);
  }

  const Profile& profile_;
  const PagesByNode& pages_;
  const Places& places_;
  const Places& compact_;
  const double nodes_;
  std::vector<Use> uses_;
  std::vector<std::uint32_t> part_of_;  ///< by object; 0: without its own part
  std::vector<Part> parts_;
  Part program_;
  std::vector<Rounds> processes_;
  std::vector<double> of_process_;
  std::array<Rounds, kFixed.size()> busiest_;
  std::array<std::vector<double>, kFixed.size()> loads_;
  Rounds unsampled_;
  std::size_t stretches_ = 0;
  const WatchedChunks chunks_;
  std::vector<double> chunk_times_, chunks_unseen_;  ///< of this round
  Intervals result_;
};

}  // namespace

bool Interval::is_narrow() const {
  return high - low <= kWidest;
}

bool Intervals::are_sufficient() const {
  const auto os = static_cast<std::size_t>(Mapping::os);
  return program.exclusivity.is_narrow() && program.local[os].is_narrow() &&
         program.busiest[os].is_narrow();
}

Intervals intervals(const Profile& profile, const PagesByNode& pages, const Places& places,
                    const Places& compact) {
  return Bootstrap(profile, pages, places, compact).run();
}

std::string format_share(double share, const Interval* interval) {
  if (interval == nullptr) return fmt::format("{:.0f} %", 100 * share);
  if (!interval->is_narrow()) return "-";
  return fmt::format("{:.0f}-{:.0f} %", 100 * interval->low, 100 * interval->high);
}

}  // namespace Atoll::profile
