// A set of ids is a bitmap if that is no larger than the pairs, else a sorted list.
#include "graph/renumber.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "atoll/base/units.hpp"
#include "graph/buckets.hpp"
#include "graph/pages.hpp"

namespace Atoll::graph {
namespace {

/// Bitmaps up to this size are always used.
constexpr std::uint64_t kBitmapAlwaysBytes = 64 * kMiB;
constexpr std::uint64_t kWordsPerRank = 8;

/// Calls visit(span) for each span of pairs, in parallel.
template <class Visit>
void for_each_span(const PairSpans& pairs, const Team& team, Visit&& visit) {
  const std::size_t narrow = pairs.narrow.size();
  for_each_part(team, narrow + pairs.wide.size(), [&](std::size_t i) {
    if (i < narrow)
      visit(pairs.narrow[i]);
    else
      visit(pairs.wide[i - narrow]);
  });
}

class Bitmap {
 public:
  explicit Bitmap(std::uint64_t bound) : words_(bound / 64 + 1) {}

  /// Inserts an id; returns true if it is new. May be called from any thread.
  bool insert(std::uint64_t id) {
    const std::atomic_ref<std::uint64_t> word(words_[id / 64]);
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    if ((word.load(std::memory_order_relaxed) & bit) != 0) return false;
    return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }

  /// Returns all ids, ascending, and enables rank().
  std::vector<std::uint64_t> ids() {
    std::vector<std::uint64_t> all;
    ranks_ = Buffer<std::uint64_t>(words_.size() / kWordsPerRank + 1);
    for (std::uint64_t i = 0; i < words_.size(); ++i) {
      if (i % kWordsPerRank == 0) ranks_[i / kWordsPerRank] = all.size();
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1)
        all.push_back(i * 64 + static_cast<std::uint64_t>(std::countr_zero(word)));
    }
    return all;
  }

  [[nodiscard]] std::uint64_t rank(std::uint64_t id) const {
    const std::uint64_t last = id / 64;
    std::uint64_t rank = ranks_[last / kWordsPerRank];
    for (std::uint64_t i = last / kWordsPerRank * kWordsPerRank; i < last; ++i)
      rank += static_cast<std::uint64_t>(std::popcount(words_[i]));
    const std::uint64_t below = (std::uint64_t{1} << (id % 64)) - 1;
    return rank + static_cast<std::uint64_t>(std::popcount(words_[last] & below));
  }

 private:
  Buffer<std::uint64_t> words_;
  Buffer<std::uint64_t> ranks_;  // for every eighth word, the number of ids below it
};

/// Sorts each span's ids, then merges the lists pairwise.
std::vector<std::uint64_t> sorted_ids(const PairSpans& pairs, const Team& team) {
  std::vector<std::vector<std::uint64_t>> lists(pairs.narrow.size() + pairs.wide.size());
  std::atomic<std::size_t> next{0};
  for_each_span(pairs, team, [&](const auto& span) {
    std::vector<std::uint64_t> ids;
    ids.reserve(2 * span.size());
    for (const auto& [from, to] : span) {
      ids.push_back(from);
      ids.push_back(to);
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    ids.shrink_to_fit();
    lists[next++] = std::move(ids);
  });
  while (lists.size() > 1) {
    std::vector<std::vector<std::uint64_t>> joined((lists.size() + 1) / 2);
    for_each_part(team, joined.size(), [&](std::size_t i) {
      if (2 * i + 1 == lists.size()) {
        joined[i] = std::move(lists[2 * i]);
        return;
      }
      const auto a = std::move(lists[2 * i]), b = std::move(lists[2 * i + 1]);
      joined[i].reserve(a.size() + b.size());
      std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(joined[i]));
    });
    lists = std::move(joined);
  }
  return lists.empty() ? std::vector<std::uint64_t>{} : std::move(lists[0]);
}

/// Replaces each id by number_of(id).
template <class NumberOf>
void replace_ids(const PairSpans& pairs, const Team& team, NumberOf&& number_of) {
  for_each_span(pairs, team, [&](const auto& span) {
    for (auto& [from, to] : span) {
      from = static_cast<std::remove_reference_t<decltype(from)>>(number_of(from));
      to = static_cast<std::remove_reference_t<decltype(to)>>(number_of(to));
    }
  });
}

}  // namespace

std::uint64_t PairSpans::count() const {
  std::uint64_t all = 0;
  for (const auto& span : narrow) all += span.size();
  for (const auto& span : wide) all += span.size();
  return all;
}

bool most_ids_are_unused(const PairSpans& pairs, std::uint64_t bound, const Team& team) {
  if (bound / 4 > pairs.count()) return true;  // a pair has two ids
  constexpr std::size_t kPairsAtOnce = 4096;
  Bitmap used(bound);
  std::atomic<std::uint64_t> count{0};
  for_each_span(pairs, team, [&](const auto& span) {
    for (std::size_t at = 0; at < span.size() && count < (bound + 1) / 2; at += kPairsAtOnce) {
      std::uint64_t found = 0;
      for (const auto& [from, to] : span.subspan(at, std::min(kPairsAtOnce, span.size() - at)))
        found += (used.insert(from) ? 1U : 0U) + (used.insert(to) ? 1U : 0U);
      count += found;
    }
  });
  return count < (bound + 1) / 2;
}

std::vector<std::uint64_t> renumber(const PairSpans& pairs, std::uint64_t bound, const Team& team) {
  if (bound / 8 > std::max(kBitmapAlwaysBytes, 16 * pairs.count())) {
    std::vector<std::uint64_t> ids = sorted_ids(pairs, team);
    replace_ids(pairs, team, [&](std::uint64_t id) {
      return std::lower_bound(ids.begin(), ids.end(), id) - ids.begin();
    });
    return ids;
  }
  Bitmap used(bound);
  for_each_span(pairs, team, [&](const auto& span) {
    for (const auto& [from, to] : span) {
      used.insert(from);
      used.insert(to);
    }
  });
  std::vector<std::uint64_t> ids = used.ids();
  replace_ids(pairs, team, [&](std::uint64_t id) { return used.rank(id); });
  return ids;
}

}  // namespace Atoll::graph
