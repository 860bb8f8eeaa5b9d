#include "machine/memory_side_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "atoll/base/units.hpp"
#include "machine/check.hpp"
#include "machine/node_set.hpp"
#include "machine/quantity.hpp"

namespace Atoll::detail {
namespace {

using Parse = std::optional<double> (*)(std::string_view);
using Write = std::string (*)(double);

/// One of the three figures with a range.
struct Row {
  const char* name;
  RangedFigure MemorySideCache::*figure;
  Parse parse;
  Write write;
  double least, most;
  const char* example;
};
constexpr Row kRows[] = {
    {"latency", &MemorySideCache::latency_ns, parse_latency, write_latency, 0.1, 1e6, "150 ns"},
    {"check", &MemorySideCache::check_ns, parse_latency, write_latency, 0, 1e6, "60 ns"},
    {"bandwidth", &MemorySideCache::bytes_per_second, parse_bandwidth, write_bandwidth, 1e6, 1e15,
     "290 GB/s"},
};

RangedFigure read_ranged(const JsonCursor& at, const Row& row, const FindSource& source) {
  const std::vector<JsonCursor> parts = at.elements();
  if (parts.size() != 2 && parts.size() != 4)
    throw at.wrong("must be a figure and its source, and perhaps the least and the most it can be",
                   fmt::format(R"(write ["{}", "key of a source"])", row.example));
  const auto value = [&](const JsonCursor& part) {
    const auto read = row.parse(part.string());
    if (!read)
      throw part.wrong(fmt::format("'{}' isn't a figure of this kind", part.string()),
                       fmt::format("write for example {}", row.example));
    if (*read < row.least || *read > row.most)
      throw part.wrong(fmt::format("{} is out of range", part.string()),
                       fmt::format("from {} to {}", row.write(row.least), row.write(row.most)));
    return *read;
  };
  RangedFigure figure;
  figure.value = figure.low = figure.high = value(parts[0]);
  figure.source = source(parts[1]);
  if (parts.size() == 4) {
    figure.low = value(parts[2]);
    figure.high = value(parts[3]);
  } else if (figure.source.origin == Origin::estimated) {
    throw at.wrong("an estimate without a range", "add the least and the most it can be");
  }
  if (figure.low > figure.value || figure.value > figure.high)
    throw at.wrong("isn't between the least and the most it can be",
                   "the order is: figure, source, least, most");
  return figure;
}

std::optional<std::pair<std::string, std::string>> find_wrong(const MemorySideCache& cache,
                                                              const Machine::Data& data) {
  const auto wrong = [&](const std::string& what, std::string way_out) {
    return std::pair(fmt::format("of memory {}: {}", cache.memory.value, what), std::move(way_out));
  };
  const auto memory = std::find_if(data.memories.begin(), data.memories.end(),
                                   [&](const auto& one) { return one.id == cache.memory; });
  if (memory == data.memories.end()) {
    std::vector<NodeId> all;
    for (const MemoryNode& one : data.memories) all.push_back(one.id);
    return wrong("there is no such memory", "memories are " + format_nodes(all));
  }
  if (!std::has_single_bit(cache.line_bytes) || cache.line_bytes < data.caches.line_bytes ||
      cache.line_bytes > kMaxMemorySideLine)
    return wrong(fmt::format("a line of {} bytes", cache.line_bytes),
                 fmt::format("a power of two from {}, the processors' caches' line, to {}",
                             data.caches.line_bytes, kMaxMemorySideLine));
  if (cache.ways < 1 || cache.ways > kMaxMemorySideWays)
    return wrong(fmt::format("{} ways", cache.ways),
                 fmt::format("from 1 to {}", kMaxMemorySideWays));
  if (cache.bytes < kLeastMemorySideBytes || cache.bytes > kMaxBytes)
    return wrong(fmt::format("a size of {}", format_bytes(cache.bytes)),
                 "from 64 KiB to 4 PiB; leave it out if there is none");
  const std::uint64_t set_bytes = cache.line_bytes * cache.ways;
  if (cache.bytes % set_bytes != 0 || cache.bytes / set_bytes < kLeastMemorySideSets)
    return wrong("its size is no whole number of sets, or less than 256",
                 "a multiple of its line and its ways");
  if (memory->capacity_bytes > 0 && cache.bytes > memory->capacity_bytes)
    return wrong("it is larger than the memory", "were they exchanged?");
  return std::nullopt;
}

}  // namespace

std::vector<MemorySideCache> read_memory_side(const JsonCursor& caches, const FindSource& source) {
  std::vector<MemorySideCache> all;
  for (const JsonCursor& group : caches.elements()) {
    group.with_keys({"nodes", "size", "ways", "line", "latency", "check", "bandwidth"});
    MemorySideCache cache;
    const std::vector<JsonCursor> size = group.get("size").elements();
    if (size.size() != 2)
      throw group.get("size").wrong("must be a size and its source",
                                    R"(write ["16 GiB", "key of a source"])");
    cache.bytes = parse_bytes(size[0].string(), size[0].where());
    cache.source = source(size[1]);
    if (const auto ways = group.find("ways")) cache.ways = ways->whole_number(kMaxMemorySideWays);
    if (const auto line = group.find("line"))
      cache.line_bytes = parse_bytes(line->string(), line->where());
    for (const Row& row : kRows) cache.*row.figure = read_ranged(group.get(row.name), row, source);
    const JsonCursor nodes = group.get("nodes");
    for (const int node :
         parse_numbers(nodes.string(), nodes.where(), static_cast<int>(kMaxNodes) - 1)) {
      cache.memory = NodeId{static_cast<std::uint32_t>(node)};
      const auto at = std::lower_bound(
          all.begin(), all.end(), cache.memory,
          [](const MemorySideCache& one, NodeId memory) { return one.memory < memory; });
      if (at != all.end() && at->memory == cache.memory)
        throw group.wrong(fmt::format("a second cache in front of memory {}", node),
                          "give one, the nearest to the processors");
      all.insert(at, cache);
    }
  }
  return all;
}

Json write_memory_side(const Hardware& hardware, const KeyOfSource& key) {
  auto list = Json::array();
  std::vector<MemorySideCache> written;
  for (MemorySideCache first : hardware.memory_side_caches) {
    std::vector<NodeId> nodes;  // the nodes with an equal cache
    for (MemorySideCache other : hardware.memory_side_caches) {
      const NodeId node = std::exchange(other.memory, first.memory);
      if (other == first) nodes.push_back(node);
    }
    if (nodes.front() != first.memory) continue;
    Json group{{"nodes", format_nodes(nodes)},
               {"size", {write_bytes(first.bytes), key(first.source)}},
               {"ways", first.ways},
               {"line", write_bytes(first.line_bytes)}};
    for (const Row& row : kRows) {
      const RangedFigure& figure = first.*row.figure;
      Json one = {row.write(figure.value), key(figure.source)};
      if (figure.low != figure.high || figure.source.origin == Origin::estimated) {
        one.push_back(row.write(figure.low));
        one.push_back(row.write(figure.high));
      }
      group[row.name] = std::move(one);
    }
    list.push_back(std::move(group));
  }
  return list;
}

std::optional<std::pair<std::string, std::string>> find_wrong_memory_side(
    const Machine::Data& data) {
  for (const MemorySideCache& cache : data.hardware.memory_side_caches)
    if (auto wrong = find_wrong(cache, data)) return wrong;
  return std::nullopt;
}

}  // namespace Atoll::detail
