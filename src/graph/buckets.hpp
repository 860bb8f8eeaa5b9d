// Distributes (key, value) entries over ranges of keys, in parallel and stably. The work within one
// range afterwards - counting, placing, sorting - stays in the cache, however large the whole.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/parallel/for_each.hpp"
#include "graph/pages.hpp"

namespace Atoll::graph {

template <class Key, class Value>
struct Entry {
  Key key;
  [[no_unique_address]] Value value;
};

template <class Key, class Value>
struct Buckets {
  Buffer<Entry<Key, Value>> entries;
  std::vector<std::uint64_t>
      begin;      ///< where each bucket begins in `entries`, and the end of the last
  int shift = 0;  ///< bucket of a key: key >> shift
};

/// As many streams as the second level of a TLB has entries for. Their lines fit into L2.
inline constexpr int kBucketBits = 10;

/// Calls body(i) for each i in 0 … count-1; each free thread takes the next. It is meant for
/// coarse, uneven parts.
template <class Body>
void for_each_part(const Team& team, std::size_t count, Body&& body) {
  detail::for_each_chunk_number(team, count, LoopSchedule::dynamic, body);
}

/// Returns the entries in the order of their buckets, within a bucket in the order of `parts`,
/// within a part as visited. visit(part, last, sink) calls sink(key, value), keys below `keys`, for
/// each entry of the part. It is called twice with the same result, the second time with `last`
/// set.
template <class Key, class Value, class Visit>
[[nodiscard]] Buckets<Key, Value> distribute(const Team& team, std::uint64_t keys,
                                             std::size_t parts, Visit&& visit) {
  Buckets<Key, Value> result;
  const int bits = keys == 0 ? 0 : static_cast<int>(std::bit_width(keys - 1));
  const int shift = result.shift = bits > kBucketBits ? bits - kBucketBits : 0;
  const std::size_t buckets = keys == 0 ? 0 : ((keys - 1) >> shift) + 1;

  std::vector<std::vector<std::uint64_t>> counts(parts);
  for_each_part(team, parts, [&](std::size_t part) {
    std::vector<std::uint64_t> count(buckets);
    visit(part, false, [&](Key key, Value) { ++count[key >> shift]; });
    counts[part] = std::move(count);
  });
  std::uint64_t total = 0;
  result.begin.reserve(buckets + 1);
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    result.begin.push_back(total);
    for (auto& count : counts) {  // becomes where the part's entries of this bucket begin
      const std::uint64_t start = total;
      total += count[bucket];
      count[bucket] = start;
    }
  }
  result.begin.push_back(total);

  result.entries = Buffer<Entry<Key, Value>>(total);
  Entry<Key, Value>* const entries = result.entries.data();
  for_each_part(team, parts, [&](std::size_t part) {
    std::uint64_t* const next = counts[part].data();
    visit(part, true, [&](Key key, Value value) { entries[next[key >> shift]++] = {key, value}; });
  });
  return result;
}

}  // namespace Atoll::graph
