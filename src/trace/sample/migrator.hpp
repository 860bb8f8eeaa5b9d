// Which pages an online migrator moves, after kMAF [hashsieve §VI.A.2]: page faults tell which node
// accesses a page, a history of them for each page says whether moving it is worth it. Pure:
// samples in, moves out.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace Atoll::trace::sample {

struct MigratorOptions {
  /// Samples of a page before it is moved the first time, and as many times two for each further
  /// move: a page that several nodes use settles.
  std::uint32_t history = 4;
  /// One node has more than this share of a page's history …
  double majority = 0.5;
  /// … and this many times the share of the node where the page lies.
  double advantage = 2;
};

struct PageId {
  std::int32_t pid = 0;
  std::uint64_t page = 0;  ///< address / 4096
  friend bool operator==(const PageId&, const PageId&) = default;
};

struct Move {
  PageId id;
  int from = -1, to = 0;
  friend bool operator==(const Move&, const Move&) = default;
};

class Migrator {
 public:
  explicit Migrator(int nodes, const MigratorOptions& options = {});

  /// A thread on `node` accessed the page.
  void sampled(const PageId& id, int node);
  /// Pages with a node that they may belong on; each once, until it is sampled again. Ask where
  /// they are, then choose().
  [[nodiscard]] std::vector<Move> candidates();
  /// Those of the candidates that are to be moved. `from` is filled in: the node where the page is,
  /// < 0 where that isn't known. `room`: pages that each node may be given; what is chosen is taken
  /// off it.
  [[nodiscard]] std::vector<Move> choose(std::span<const Move> candidates,
                                         std::span<std::uint64_t> room) const;
  /// The page has been moved.
  void moved(const PageId& id);
  /// The process has ended, or runs another program.
  void forget(std::int32_t pid);

  [[nodiscard]] std::uint64_t pages() const { return histories_.size(); }

 private:
  struct History {
    std::vector<std::uint32_t> counts;  ///< by node; halved when they get old
    std::uint32_t total = 0;            ///< their sum
    std::uint32_t since_move = 0;       ///< samples
    std::uint32_t moves = 0;
    bool waits = false;  ///< in touched_
  };
  struct Hash {
    std::size_t operator()(const PageId& id) const {
      return (id.page * 0x9e3779b97f4a7c15 ^ static_cast<std::uint32_t>(id.pid)) *
             0xd6e8feb86659fd93;
    }
  };
  [[nodiscard]] std::uint32_t needed(const History& history) const;

  std::size_t nodes_;
  MigratorOptions options_;
  std::unordered_map<PageId, History, Hash> histories_;
  std::vector<PageId> touched_;
};

}  // namespace Atoll::trace::sample
