// Memory controllers, links and home nodes: the resources that all chips share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/outcome.hpp"
#include "simulate/parts.hpp"
#include "simulate/queue.hpp"
#include "simulate/timing.hpp"

namespace Atoll::simulate {

class Network {
 public:
  /// `timing` must outlive this.
  explicit Network(const MachineTiming& timing);

  /// Reads a line from its memory for a core of `node`, requested at `start`. Returns the time of
  /// its arrival. Adds the components of the latency to `blame`.
  Ticks read(std::uint32_t node, const Fetch& fetch, Ticks start, LatencyBreakdown& blame);
  /// Reads a line from a chip's level 3 cache, requested at `start`. Returns the time of its
  /// arrival.
  Ticks read_l3(std::uint32_t chip, Ticks start, LatencyBreakdown& blame);
  /// Reads a line from another chip's cache through its home node.
  Ticks transfer(std::uint32_t node, const Fetch& fetch, Ticks start, LatencyBreakdown& blame);
  /// Invalidates a line in the caches of other chips through its home node.
  Ticks upgrade(std::uint32_t node, std::uint16_t home, Ticks start, LatencyBreakdown& blame);
  /// Unloaded load-to-use latency of a hit in the cache in front of the memory.
  [[nodiscard]] Ticks memory_side_latency(std::uint32_t node, std::uint16_t home) const {
    return way_beyond_nearest(node, home) + timing_->memory_side[home].latency;
  }
  /// Writes a line back to its memory.
  void write_back(std::uint32_t node, const Fetch& fetch, Ticks start);

  /// A line moves between caches one transfer at a time, and a cache that took it holds it for a
  /// while. Returns the first time at or after `at` at which the line can move.
  [[nodiscard]] Ticks free_to_move(std::uint64_t line, Ticks at) const {
    const Moving& moving = moving_[line % kMoving];
    return moving.line == line && moving.until > at ? moving.until : at;
  }
  /// True if the line is the last one that moved among those with the same table entry, and
  /// couldn't move before `at`.
  [[nodiscard]] bool moved_last(std::uint64_t line, Ticks at) const {
    const Moving& moving = moving_[line % kMoving];
    return moving.line == line && moving.until >= at;
  }
  /// Records that the line is in transfer or held until `until`.
  void moves(std::uint64_t line, Ticks until) {
    moving_[line % kMoving] = {line, until};
    moved_until_ = std::max(moved_until_, until);
  }
  /// Time from which on all lines can move.
  [[nodiscard]] Ticks moved_until() const { return moved_until_; }

  /// Declares that no later request starts before `until`. (Each queue is finalized at its next
  /// use.)
  void finalize_until(Ticks until) {
    finalized_until_ = until > finalized_until_ ? until : finalized_until_;
  }
  void finish();

  [[nodiscard]] std::size_t parts() const {
    return kFirstController + controllers_.size() + wires_.size() + sides_.size();
  }
  [[nodiscard]] Part part_of_controller(std::size_t memory) const {
    return static_cast<Part>(kFirstController + memory);
  }
  [[nodiscard]] Part part_of_wire(std::size_t wire) const {
    return static_cast<Part>(kFirstController + controllers_.size() + wire);
  }
  [[nodiscard]] Part part_of_memory_side(std::size_t memory) const {
    return static_cast<Part>(kFirstController + controllers_.size() + wires_.size() + memory);
  }
  [[nodiscard]] const std::vector<Queue>& controllers() const { return controllers_; }
  [[nodiscard]] const std::vector<Queue>& wires() const { return wires_; }
  [[nodiscard]] const std::vector<Queue>& homes() const { return homes_; }
  [[nodiscard]] const std::vector<Queue>& l3s() const { return l3s_; }
  /// Caches in front of memories, by memory; empty if no memory has one.
  [[nodiscard]] const std::vector<Queue>& memory_sides() const { return sides_; }
  /// nodes x memories: bytes read and written back.
  [[nodiscard]] const std::vector<std::uint64_t>& traffic() const { return traffic_; }
  /// Bytes written back, which `traffic` includes.
  [[nodiscard]] const std::vector<std::uint64_t>& written() const { return written_; }
  /// nodes x nodes, [to][from]: bytes from another chip's cache.
  [[nodiscard]] const std::vector<std::uint64_t>& transferred() const { return transferred_; }

 private:
  [[nodiscard]] std::size_t pair(std::uint32_t node, std::uint16_t memory) const {
    return std::size_t{node} * timing_->memories + memory;
  }
  /// Round trip time between a node and a memory, minus that of the memory's nearest node.
  [[nodiscard]] Ticks way_beyond_nearest(std::uint32_t node, std::uint16_t home) const {
    return timing_->latency[pair(node, home)] -
           timing_->latency[pair(timing_->node_of_home[home], home)];
  }
  // Accesses to a memory with a cache in front (network_memory_side.cpp).
  Ticks read_through(std::uint32_t node, const Fetch& fetch, Ticks start, LatencyBreakdown& blame);
  /// Handles a written-back line that arrives at `at`.
  void write_through(const Fetch& fetch, Ticks at);
  /// If the miss at `at` evicted a modified line, writes that line to the memory.
  void write_back_victim(const Fetch& fetch, Ticks at);
  /// Reads the missing lines from the memory, requested at `at`. Returns the queueing time.
  Ticks fill(const Fetch& fetch, Ticks at);
  Ticks pass(const std::vector<std::uint16_t>& route, Ticks at, LatencyBreakdown* blame);
  Ticks add(Queue& queue, Ticks arrival, Ticks service, std::uint64_t bytes) const {
    queue.finalize_until(finalized_until_);
    return queue.add(arrival, service, bytes);
  }

  struct Moving {
    std::uint64_t line = ~std::uint64_t{0};
    Ticks until = 0;
  };
  static constexpr std::size_t kMoving = 4096;

  const MachineTiming* timing_;
  std::vector<Queue> controllers_, wires_, homes_;
  std::vector<Queue> l3s_;    ///< by chip
  std::vector<Queue> sides_;  ///< in front of memories
  std::vector<std::uint64_t> traffic_, written_, transferred_;
  std::vector<Moving> moving_;  ///< indexed by the line's lowest bits
  Ticks finalized_until_ = 0;
  Ticks moved_until_ = 0;
};

}  // namespace Atoll::simulate
