// Decides which pages an online migrator moves, after kMAF [hashsieve §VI.A.2]. Page faults sample
// the nodes that access a page; each page's history of samples decides whether it is moved. Pure:
// the input is samples, the output is moves.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "atoll/base/hash.hpp"

namespace Atoll::apply {

struct MigratorOptions {
  /// Minimum number of samples before a page's first move, doubled for each further move, so that a
  /// page that several nodes use stops moving.
  std::uint32_t history = 4;
  /// A page is moved only if one node has more than this share of its history, …
  double majority = 0.5;
  /// … and at least this many times the samples of the page's current node.
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

  /// Adds a sample: a thread on `node` accessed the page.
  void sampled(const PageId& id, int node);
  /// Returns pages that may belong on another node, each once until its next sample. The caller
  /// determines their current nodes, then calls choose().
  [[nodiscard]] std::vector<Move> candidates();
  /// Returns those candidates that should be moved. In each candidate, `from` is the page's current
  /// node, or < 0 if unknown. `room` is the number of pages that each node can take; chosen pages
  /// are subtracted.
  [[nodiscard]] std::vector<Move> choose(std::span<const Move> candidates,
                                         std::span<std::uint64_t> room) const;
  /// Records that the page was moved.
  void moved(const PageId& id);
  /// Forgets a process that has ended or called exec.
  void forget(std::int32_t pid);

  [[nodiscard]] std::uint64_t pages() const { return histories_.size(); }

 private:
  struct History {
    std::vector<std::uint32_t> counts;  ///< samples by node; halved as they age
    std::uint32_t total = 0;            ///< their sum
    std::uint32_t since_move = 0;       ///< number of samples
    std::uint32_t moves = 0;
    bool waits = false;  ///< is in touched_
  };
  struct Hash {
    std::size_t operator()(const PageId& id) const {
      return golden_hash(id.page, static_cast<std::uint32_t>(id.pid));
    }
  };
  [[nodiscard]] std::uint32_t needed(const History& history) const;

  std::size_t nodes_;
  MigratorOptions options_;
  std::unordered_map<PageId, History, Hash> histories_;
  std::vector<PageId> touched_;
};

}  // namespace Atoll::apply
