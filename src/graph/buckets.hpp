// Distributes (key, value) entries over ranges of keys, in parallel and stably. The later work on
// one range (counting, placing, sorting) then fits into the cache, whatever the total size.
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
      begin;      ///< begin of each bucket in `entries`, then the end of the last
  int shift = 0;  ///< bucket of a key: key >> shift
};

/// 1024 write streams: about as many as a second-level TLB has entries. Their lines fit into L2.
inline constexpr int kBucketBits = 10;

/// Calls body(i) for each i in 0 … count-1, scheduled dynamically. It is meant for coarse parts of
/// uneven size.
template <class Body>
void for_each_part(const Team& team, std::size_t count, Body&& body) {
  detail::for_each_chunk_number(team, count, LoopSchedule::dynamic, body);
}

/// Returns the entries sorted by bucket, within a bucket by part, within a part as visited.
/// visit(part, last, sink) calls sink(key, value) for each entry of the part, with keys below
/// `keys`. It is called twice with the same result, the second time with `last` set.
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
    for (auto& count : counts) {  // becomes the position of the part's first entry in this bucket
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
