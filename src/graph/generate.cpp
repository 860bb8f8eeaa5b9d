// Generates synthetic graphs. The random numbers of an edge depend only on the seed and the edge's
// number, so any thread may generate it.
#include "atoll/graph/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/hash.hpp"
#include "atoll/base/progress.hpp"
#include "atoll/base/units.hpp"
#include "atoll/threads/in_turn.hpp"
#include "base/activity.hpp"
#include "graph/budget.hpp"
#include "graph/build.hpp"

namespace Atoll::graph {
namespace {

/// The random number generator of one edge.
class EdgeRandom {
 public:
  EdgeRandom(std::uint64_t seed, std::uint64_t edge)
      : state_(mix_bits(mix_bits(seed + kGoldenRatio) + edge)) {}
  std::uint64_t next() { return mix_bits(state_ += kGoldenRatio); }

 private:
  std::uint64_t state_;
};

/// A permutation of the numbers of `bits` bits. Each round is invertible.
class Shuffle {
 public:
  Shuffle(std::uint64_t seed, int bits)
      : mask_((std::uint64_t{1} << bits) - 1), shift_((bits + 1) / 2) {
    EdgeRandom random(seed, UINT64_MAX);
    for (auto& [factor, addend] : rounds_) {
      factor = random.next() | 1;
      addend = random.next();
    }
  }
  [[nodiscard]] std::uint64_t operator()(std::uint64_t x) const {
    for (const auto& [factor, addend] : rounds_) {
      x = (x * factor + addend) & mask_;
      x ^= x >> shift_;
    }
    return x;
  }

 private:
  struct Round {
    std::uint64_t factor;
    std::uint64_t addend;
  };
  std::uint64_t mask_;
  int shift_;
  std::array<Round, 4> rounds_{};
};

struct Edge {
  std::uint64_t from;
  std::uint64_t to;
};

/// At each level, an edge falls into one of the four quadrants of the adjacency matrix: a b above c
/// d.
class Rmat {
 public:
  explicit Rmat(const GenerateOptions& options)
      : scale_(options.scale),
        a_(threshold(options.a)),
        ab_(threshold(options.a + options.b)),
        abc_(threshold(options.a + options.b + options.c)) {}

  Edge operator()(EdgeRandom& random) const {
    Edge edge{0, 0};
    std::uint64_t numbers = 0;
    for (int level = 0; level < scale_; ++level) {
      numbers = level % 2 == 0 ? random.next() : numbers >> 32;
      const std::uint64_t number = numbers & 0xffffffff;
      const bool below = number >= ab_;
      const bool right = below ? number >= abc_ : number >= a_;
      edge.from = edge.from * 2 + (below ? 1 : 0);
      edge.to = edge.to * 2 + (right ? 1 : 0);
    }
    return edge;
  }

 private:
  static std::uint64_t threshold(double probability) {
    return static_cast<std::uint64_t>(std::llround(probability * 0x1p32));
  }
  int scale_;
  std::uint64_t a_;
  std::uint64_t ab_;
  std::uint64_t abc_;
};

class Uniform {
 public:
  explicit Uniform(const GenerateOptions& options) : shift_(64 - options.scale) {}
  Edge operator()(EdgeRandom& random) const {
    const std::uint64_t from = random.next() >> shift_;
    return {from, random.next() >> shift_};
  }

 private:
  int shift_;
};

std::uint64_t checked_edges(const GenerateOptions& options) {
  const auto refuse = [](const std::string& what, std::string_view way_out) {
    return Error::input("generate", what, way_out);
  };
  if (options.scale < 1 || options.scale > 40)
    throw refuse(fmt::format("the scale {} is out of range", options.scale),
                 "choose a scale of 1 to 40: there are 2^scale nodes");
  const double edges = std::round(std::ldexp(options.edge_factor, options.scale));
  if (!(edges >= 0 && edges < 0x1p62))
    throw refuse(fmt::format("the edge factor {} is out of range", options.edge_factor),
                 "choose the edges per node, e.g. 16");
  if (!(options.a >= 0 && options.b >= 0 && options.c >= 0 &&
        options.a + options.b + options.c <= 1))
    throw refuse("a, b and c are no probabilities", "choose them so that their sum is at most 1");
  const auto pairs = static_cast<std::uint64_t>(edges);
  const std::uint64_t nodes = std::uint64_t{1} << options.scale;
  const std::uint64_t id_bytes = nodes < kNarrowBelow && !options.wide_ids ? 4 : 8;
  const double needed =
      static_cast<double>(build_bytes(nodes, 0, id_bytes)) +
      static_cast<double>(build_bytes(0, 1, id_bytes)) * edges * (options.symmetrise ? 2 : 1);
  if (const std::uint64_t available = available_memory(); needed > static_cast<double>(available))
    throw refuse(fmt::format("scale {} with edge factor {} takes {} to build, {} are available",
                             options.scale, options.edge_factor,
                             format_bytes(static_cast<std::uint64_t>(std::min(needed, 0x1p63))),
                             format_bytes(available)),
                 "choose a smaller scale or edge factor");
  return pairs;
}

/// Generates the edges; each thread appends to its own list.
template <class Id, class Draw>
std::vector<EdgeList<Id>> draw_edges(const GenerateOptions& options, std::uint64_t edges,
                                     const Draw& draw, const Team& team) {
  constexpr std::uint64_t kAtATime = std::uint64_t{1} << 13;
  const Shuffle shuffle(options.seed, options.scale);
  std::vector<EdgeList<Id>> lists(static_cast<std::size_t>(team.size()));
  std::atomic<std::uint64_t> next{0};
  Progress progress("drawing edges", edges);
  team.run([&](int thread) {
    auto& list = lists[static_cast<std::size_t>(thread)];
    const auto take = [&] {
      const Atoll::detail::InTurn turn;
      return next.fetch_add(kAtATime);
    };
    for (std::uint64_t first; (first = take()) < edges;) {
      const std::uint64_t count = std::min(kAtATime, edges - first);
      EdgePair<Id>* const out = list.room(count);
      for (std::uint64_t i = 0; i < count; ++i) {
        EdgeRandom random(options.seed, first + i);
        Edge edge = draw(random);
        if (options.permute) edge = {shuffle(edge.from), shuffle(edge.to)};
        out[i] = {static_cast<Id>(edge.from), static_cast<Id>(edge.to)};
      }
      list.commit(count);
      progress.add(count);
    }
  });
  return lists;
}

template <class Draw>
Graph generate(const GenerateOptions& options, const Draw& draw, const Team& team) {
  const std::uint64_t edges = checked_edges(options);
  const std::uint64_t nodes = std::uint64_t{1} << options.scale;
  const BuildOptions build{.symmetrise = options.symmetrise,
                           .deduplicate = options.deduplicate,
                           .drop_self_loops = options.deduplicate,
                           .wide_ids = options.wide_ids};
  std::vector<EdgeList<std::uint32_t>> narrow;
  std::vector<EdgeList<std::uint64_t>> wide;
  if (nodes < kNarrowBelow)
    narrow = draw_edges<std::uint32_t>(options, edges, draw, team);
  else
    wide = draw_edges<std::uint64_t>(options, edges, draw, team);
  const Activity activity("building the graph");
  return Graph(build_rows(std::move(narrow), std::move(wide), nodes, team, build));
}

}  // namespace

Graph generate_rmat(const GenerateOptions& options, const Team& team) {
  return generate(options, Rmat(options), team);
}

Graph generate_uniform(const GenerateOptions& options, const Team& team) {
  return generate(options, Uniform(options), team);
}

}  // namespace Atoll::graph
