// Distributes pairs stably over ranges of sources, as build.cpp does. Within a range, each pair is
// matched with its edge.
#include "graph/edge_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <string>
#include <type_traits>

#include "atoll/base/error.hpp"
#include "graph/buckets.hpp"

namespace Atoll::graph {
namespace {

template <class Node>
struct DirectedEdge {
  const std::uint64_t* values;
  Node to;
  bool mirrored;
};

/// Gives each column the same type in all chunks. It is std::int64_t if all values are integers and
/// a double would round some of them, else double. Returns for each column whether it is
/// std::int64_t.
std::vector<std::uint8_t> unify_column_types(std::vector<FieldChunk>& chunks, std::size_t names,
                                             const Team& team) {
  std::vector<std::uint8_t> whole(names);
  for (std::size_t name = 0; name < names; ++name) {
    const auto is_whole = [&](const FieldChunk& chunk) { return chunk.columns[name].whole; };
    const auto is_exact = [&](const FieldChunk& chunk) { return chunk.columns[name].exact; };
    whole[name] = static_cast<std::uint8_t>(std::ranges::all_of(chunks, is_whole) &&
                                            !std::ranges::all_of(chunks, is_exact));
  }
  for_each_part(team, chunks.size(), [&](std::size_t c) {
    FieldChunk& chunk = chunks[c];
    for (std::size_t name = 0; name < names; ++name) {
      if (!chunk.columns[name].whole || whole[name] != 0) continue;
      for (std::size_t i = name; i < chunk.values.size(); i += names)
        chunk.values[i] = whole_as_double(chunk.values[i]);
      chunk.columns[name].whole = false;
    }
  });
  return whole;
}

/// Returns the value for the opposite direction; `factor` is 1 or -1.
std::uint64_t mirror(std::uint64_t bits, double factor, bool whole) {
  if (!whole) return std::bit_cast<std::uint64_t>(std::bit_cast<double>(bits) * factor);
  if (factor < 0 && std::bit_cast<std::int64_t>(bits) == INT64_MIN)
    throw Error::input("--value", fmt::format("the negative of {} has over 64 bits", INT64_MIN),
                       "leave the column out");
  return factor < 0 ? 0 - bits : bits;
}

template <class Number>
Number merged(Number before, Number now, Duplicates rule) {
  switch (rule) {
    case Duplicates::first:
    case Duplicates::error:
      return before;
    case Duplicates::last:
      return now;
    case Duplicates::min:
      return now < before || before != before ? now : before;  // NaN counts as a missing value
    case Duplicates::max:
      return now > before || before != before ? now : before;
    case Duplicates::sum:
      break;
  }
  if constexpr (std::is_integral_v<Number>) {
    Number sum = 0;
    if (__builtin_add_overflow(before, now, &sum))
      throw Error::input("--duplicates",
                         fmt::format("the sum of {} and {} has over 64 bits", before, now),
                         "choose another value of edges with the same ends");
    return sum;
  } else {
    return before + now;
  }
}

std::uint64_t merged_bits(std::uint64_t before, std::uint64_t now, Duplicates rule, bool whole) {
  const auto as = [&]<class Number>(Number) {
    return std::bit_cast<std::uint64_t>(
        merged(std::bit_cast<Number>(before), std::bit_cast<Number>(now), rule));
  };
  return whole ? as(std::int64_t{}) : as(double{});
}

/// Origin of an edge's current values.
enum class From : std::uint8_t { nowhere, other_direction, text };

template <class Node, class Edge>
DroppedEdges add_values(Graph::State& state, std::vector<FieldChunk>& chunks,
                        const std::vector<double>& mirrored, const Team& team,
                        const BuildOptions& options) {
  const std::size_t names = state.value_names.size();
  const std::vector<std::uint8_t> whole = unify_column_types(chunks, names, team);
  const auto buckets = distribute<Node, DirectedEdge<Node>>(
      team, state.nodes, chunks.size(), [&](std::size_t c, bool, auto&& sink) {
        for (std::size_t i = 0; i < chunks[c].pairs.size(); ++i) {
          const auto [from, to] = chunks[c].pairs[i];
          if (from == to && options.drop_self_loops) continue;
          const std::uint64_t* const values = chunks[c].values.data() + i * names;
          const auto source = static_cast<Node>(from), target = static_cast<Node>(to);
          sink(source, DirectedEdge<Node>{values, target, false});
          if (options.symmetrise && from != to)
            sink(target, DirectedEdge<Node>{values, source, true});
        }
      });
  Buffer<std::uint64_t> values(names * state.edges);
  const auto* const begin =
      reinterpret_cast<const Edge*>(state.section(Section::begin).bytes.data());
  const auto* const targets =
      reinterpret_cast<const Node*>(state.section(Section::node_idx).bytes.data());
  std::mutex mutex;
  DroppedEdges dropped;
  for_each_part(team, buckets.begin.size() - 1, [&](std::size_t b) {
    const std::uint64_t first_node = std::uint64_t{b} << buckets.shift;
    const std::uint64_t first_edge = begin[std::min(state.nodes, first_node)];
    const std::uint64_t end_edge =
        begin[std::min(state.nodes, (std::uint64_t{b} + 1) << buckets.shift)];
    std::vector<std::uint64_t> used;  // for each edge, the number of pairs placed at it
    std::vector<From> from;           // for each edge, used if pairs with the same ends are merged
    if (options.deduplicate)
      from.resize(end_edge - first_edge);
    else
      used.resize(end_edge - first_edge);
    DroppedEdges dropped_here;
    for (std::uint64_t i = buckets.begin[b]; i < buckets.begin[b + 1]; ++i) {
      const auto& [node, half] = buckets.entries[i];
      const Node* const row = targets + begin[node];
      auto edge = static_cast<std::uint64_t>(
          std::lower_bound(row, targets + begin[node + 1], half.to) - targets);
      bool merges = false;
      if (options.deduplicate) {
        const From now = half.mirrored ? From::other_direction : From::text;
        From& before = from[edge - first_edge];
        if (before > now) continue;
        merges = before == now;
        before = now;
        if (merges && now == From::text) dropped_here.add({1, node, half.to});
      } else {
        edge += used[edge - first_edge]++;
      }
      for (std::size_t name = 0; name < names; ++name) {
        const bool is_whole = whole[name] != 0;
        const std::uint64_t value = half.mirrored && !mirrored.empty()
                                        ? mirror(half.values[name], mirrored[name], is_whole)
                                        : half.values[name];
        std::uint64_t& slot = values[name * state.edges + edge];
        slot = merges ? merged_bits(slot, value, options.duplicates, is_whole) : value;
      }
    }
    const std::scoped_lock lock(mutex);
    dropped.add(dropped_here);
  });
  if (names == 0) return dropped;
  adopt(state.values, std::move(values));
  if (std::ranges::find(whole, 1) != whole.end()) {
    Buffer<std::uint8_t> kinds(names);
    std::ranges::copy(whole, kinds.data());
    adopt(state.value_kinds, std::move(kinds));
  }
  std::string text;
  for (const std::string& name : state.value_names) (text += name) += '\0';
  Buffer<char> letters(text.size());
  std::copy(text.begin(), text.end(), letters.data());
  adopt(state.value_text, std::move(letters));
  return dropped;
}

}  // namespace

DroppedEdges add_values(Graph::State& state, std::vector<FieldChunk>& chunks,
                        const std::vector<double>& mirrored, const Team& team,
                        const BuildOptions& options) {
  if (state.node_width == IdWidth::wide)
    return add_values<std::uint64_t, std::uint64_t>(state, chunks, mirrored, team, options);
  if (state.edge_width == IdWidth::wide)
    return add_values<std::uint32_t, std::uint64_t>(state, chunks, mirrored, team, options);
  return add_values<std::uint32_t, std::uint32_t>(state, chunks, mirrored, team, options);
}

}  // namespace Atoll::graph
