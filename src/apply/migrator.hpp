// Decides which pages an online migrator moves, after kMAF [hashsieve §VI.A.2]: page faults tell
// which node accesses a page, and each page's history of them tells if moving it is worthwhile.
// Pure: samples in, moves out.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace Atoll::apply {

struct MigratorOptions {
  /// A page has this many samples before it is moved the first time, and twice as many for each
  /// further move, so a page that several nodes use settles.
  std::uint32_t history = 4;
  /// A page is moved if one node has more than this share of its history …
  double majority = 0.5;
  /// … and this many times the share of the node that has the page.
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
  /// Returns pages that may belong on another node, each once until it is sampled again. Find out
  /// where they are, then call choose().
  [[nodiscard]] std::vector<Move> candidates();
  /// Returns those candidates that are to be moved. In each, `from` is the node that has the page,
  /// or < 0 if that isn't known. `room` has how many pages each node may be given; what is chosen
  /// is subtracted.
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
    bool waits = false;  ///< it is in touched_
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

}  // namespace Atoll::apply
