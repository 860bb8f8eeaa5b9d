// Groups are grown greedily, beginning with the thread with the least communication, which is at an
// end of the structure, if any. Then pairs of threads exchange groups while that increases the
// communication inside groups. The exchanges are also made from the initial grouping, and the
// better result is kept. Finally each group is assigned a node.
#include "plan/group_threads.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace Atoll::detail {
namespace {

using Groups = std::vector<std::uint32_t>;

constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};
constexpr int kPasses = 20;  ///< maximum passes over all pairs; three are mostly enough
/// Limits of tabu_search(): the maximum number of threads, and the number of exchanges for each
/// thread.
constexpr std::size_t kSearchedThreads = 128, kStepsEach = 3;

Groups grown(const AffinityMatrix& matrix, const std::vector<std::size_t>& sizes) {
  const std::size_t threads = matrix.threads();
  Groups groups(threads, kNoGroup);
  std::vector<double> left(threads);  // communication with threads that have no group yet
  for (std::size_t i = 0; i < threads; ++i) left[i] = matrix.of(i);
  const auto put = [&](std::size_t thread, std::size_t group) {
    groups[thread] = static_cast<std::uint32_t>(group);
    for (std::size_t i = 0; i < threads; ++i) left[i] -= matrix.at(thread, i);
  };
  for (std::size_t group = 0; group < sizes.size(); ++group) {
    std::vector<double> with(threads);  // communication with this group
    for (std::size_t size = 0; size < sizes[group]; ++size) {
      std::size_t best = threads;
      for (std::size_t i = 0; i < threads; ++i) {
        if (groups[i] != kNoGroup) continue;
        // Threads that don't communicate are last, and fill the remaining room.
        const auto better = [&] {
          if (size > 0 && with[i] != with[best]) return with[i] > with[best];
          if ((left[i] > 0) != (left[best] > 0)) return left[i] > 0;
          return left[i] < left[best];
        };
        if (best == threads || better()) best = i;
      }
      if (best == threads) return groups;
      put(best, group);
      for (std::size_t i = 0; i < threads; ++i) with[i] += matrix.at(best, i);
    }
  }
  return groups;
}

/// Exchanges the groups of pairs of threads. The communication of threads with groups is stored by
/// group, then thread, so that a pass accesses memory sequentially: with 2,048 threads, memory
/// access is its main cost.
void exchange(const AffinityMatrix& matrix, std::size_t group_count, Groups& groups) {
  const std::size_t threads = matrix.threads();
  std::vector<double> with(group_count * threads);
  std::vector<double> of_a(group_count);
  std::vector<double> own(threads);  // with the thread's own group
  for (std::size_t i = 0; i < threads; ++i)
    for (std::size_t j = 0; j < threads; ++j) with[groups[j] * threads + i] += matrix.at(i, j);
  for (std::size_t i = 0; i < threads; ++i) own[i] = with[groups[i] * threads + i];
  const double least_gain = matrix.total() * 1e-9;  // smaller gains are rounding errors
  for (int pass = 0; pass < kPasses; ++pass) {
    bool better = false;
    for (std::size_t a = 0; a < threads; ++a) {
      const auto read_a = [&] {
        for (std::size_t group = 0; group < group_count; ++group)
          of_a[group] = with[group * threads + a];
      };
      read_a();
      for (std::size_t b = 0; b < a; ++b) {
        const std::uint32_t from = groups[a], to = groups[b];
        if (from == to) continue;
        const double most = of_a[to] - own[a] + with[from * threads + b] - own[b];
        if (most <= least_gain || most - 2 * matrix.at(a, b) <= least_gain) continue;
        std::swap(groups[a], groups[b]);
        for (std::size_t i = 0; i < threads; ++i) {
          const double moved = matrix.at(a, i) - matrix.at(b, i);
          with[to * threads + i] += moved;
          with[from * threads + i] -= moved;
          own[i] = with[groups[i] * threads + i];
        }
        read_a();
        better = true;
      }
    }
    if (!better) return;
  }
}

/// Tabu search from a local optimum. Each step makes the best exchange even if it improves nothing,
/// except of threads that were exchanged just before. The best grouping of all steps is kept. This
/// finds improvements that take several exchanges at once, such as a straight cut through a grid.
void tabu_search(const AffinityMatrix& matrix, std::size_t group_count, Groups& best) {
  const std::size_t threads = matrix.threads();
  Groups groups = best;
  std::vector<double> with(threads * group_count);
  for (std::size_t i = 0; i < threads; ++i)
    for (std::size_t j = 0; j < threads; ++j) with[i * group_count + groups[j]] += matrix.at(i, j);
  std::vector<std::size_t> free_from(
      threads);  // by thread: the step from which it may be exchanged again
  const double least_gain = matrix.total() * 1e-9;
  double gained = 0, most_gained = 0;
  for (std::size_t step = 1; step <= kStepsEach * threads; ++step) {
    double most = -INFINITY;
    std::size_t first = 0, second = 0;
    for (std::size_t a = 0; a < threads; ++a) {
      if (free_from[a] > step) continue;
      for (std::size_t b = 0; b < a; ++b) {
        const std::uint32_t from = groups[a], to = groups[b];
        if (from == to || free_from[b] > step) continue;
        const double gain = with[a * group_count + to] - with[a * group_count + from] +
                            with[b * group_count + from] - with[b * group_count + to] -
                            2 * matrix.at(a, b);
        if (gain > most + least_gain) {
          most = gain;
          first = a;
          second = b;
        }
      }
    }
    if (first == second) return;
    for (std::size_t i = 0; i < threads; ++i) {
      const double moved = matrix.at(i, first) - matrix.at(i, second);
      with[i * group_count + groups[second]] += moved;
      with[i * group_count + groups[first]] -= moved;
    }
    std::swap(groups[first], groups[second]);
    free_from[first] = free_from[second] = step + 2 + threads / 8 + step % 5;
    gained += most;
    if (gained > most_gained + least_gain) {
      most_gained = gained;
      best = groups;
    }
  }
}

/// Numbers groups of equal size in the order of their first threads.
void number(const std::vector<std::size_t>& sizes, Groups& groups) {
  std::map<std::size_t, std::vector<std::uint32_t>> of_size;
  for (std::uint32_t group = 0; group < sizes.size(); ++group)
    of_size[sizes[group]].push_back(group);
  std::vector<std::uint32_t> renamed(sizes.size(), kNoGroup);
  std::map<std::size_t, std::size_t> used;
  for (const std::uint32_t group : groups)
    if (renamed[group] == kNoGroup) renamed[group] = of_size[sizes[group]][used[sizes[group]]++];
  for (std::uint32_t& group : groups) group = renamed[group];
}

/// Chooses a node for each group by the communication between groups.
void put_near(const AffinityMatrix& matrix, const std::vector<std::size_t>& sizes,
              const DistanceMatrix& distances, bool room, Groups& groups) {
  AffinityMatrix between(sizes.size());
  for (std::size_t i = 0; i < matrix.threads(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (groups[i] != groups[j]) between.add(groups[i], groups[j], matrix.at(i, j));
  const std::vector<std::size_t> alike(sizes.size());
  const Groups nodes = assign_near(between, distances, room ? alike : sizes);
  for (std::uint32_t& group : groups) group = nodes[group];
}

}  // namespace

double inside_share(const AffinityMatrix& matrix, const Groups& groups) {
  double inside = 0;
  for (std::size_t i = 0; i < matrix.threads(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (groups[i] == groups[j]) inside += matrix.at(i, j);
  const double all = matrix.total();
  return all == 0 ? 1 : inside / all;
}

Groups best_groups(const AffinityMatrix& matrix, const std::vector<std::size_t>& sizes) {
  Groups kept, fresh = grown(matrix, sizes);
  for (std::uint32_t group = 0; group < sizes.size(); ++group)
    kept.insert(kept.end(), sizes[group], group);
  exchange(matrix, sizes.size(), kept);
  exchange(matrix, sizes.size(), fresh);
  if (matrix.threads() <= kSearchedThreads)
    for (Groups* groups : {&kept, &fresh}) tabu_search(matrix, sizes.size(), *groups);
  return inside_share(matrix, fresh) > inside_share(matrix, kept) ? fresh : kept;
}

Groups group_threads(const AffinityMatrix& matrix, const std::vector<std::size_t>& sizes,
                     const Groups& start, const DistanceMatrix& distances, bool room) {
  Groups kept = start, fresh = grown(matrix, sizes);
  exchange(matrix, sizes.size(), kept);
  exchange(matrix, sizes.size(), fresh);
  number(sizes, fresh);
  for (Groups* groups : {&kept, &fresh}) put_near(matrix, sizes, distances, room, *groups);
  const double kept_cost = cost_of(matrix, distances, kept);
  return cost_of(matrix, distances, fresh) < kept_cost * (1 - 1e-9) ? fresh : kept;
}

}  // namespace Atoll::detail
