// Controllers, wires and home nodes: what all threads share beyond their chips.
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
  explicit Network(const Timing& timing);

  /// A line from its memory, asked for by a core of `node` at `start`. Returns when it is there;
  /// `blame` is told what takes the time.
  Ticks read(std::uint32_t node, const Fetch& fetch, Ticks start, Blame& blame);
  /// A line from a chip's level 3 cache, asked for at `start`. Returns when it is there.
  Ticks read_l3(std::uint32_t chip, Ticks start, Blame& blame);
  /// A line from another chip's cache, through its home.
  Ticks transfer(std::uint32_t node, const Fetch& fetch, Ticks start, Blame& blame);
  /// The caches of other chips give a line up, through its home.
  Ticks upgrade(std::uint32_t node, std::uint16_t home, Ticks start, Blame& blame);
  /// From load to use of a line that the cache in front of the memory has, if nobody else asks.
  [[nodiscard]] Ticks memory_side_latency(std::uint32_t node, std::uint16_t home) const {
    return way_beyond_nearest(node, home) + timing_->memory_side[home].latency;
  }
  /// A line goes to its memory.
  void write_back(std::uint32_t node, const Fetch& fetch, Ticks start);

  /// A line moves between caches once at a time, and is kept for a while by one that took it from
  /// another: returns when it can move, asked for at `at`.
  [[nodiscard]] Ticks free_to_move(std::uint64_t line, Ticks at) const {
    const Moving& moving = moving_[line % kMoving];
    return moving.line == line && moving.until > at ? moving.until : at;
  }
  /// It is the last one that moved of those that are told apart, and it couldn't before `at`.
  [[nodiscard]] bool moved_last(std::uint64_t line, Ticks at) const {
    const Moving& moving = moving_[line % kMoving];
    return moving.line == line && moving.until >= at;
  }
  /// It moves until then, or is kept.
  void moves(std::uint64_t line, Ticks until) {
    moving_[line % kMoving] = {line, until};
    moved_until_ = std::max(moved_until_, until);
  }
  /// All lines can move from then on.
  [[nodiscard]] Ticks moved_until() const { return moved_until_; }

  /// No request starts before `until` any more. (Queues are told when they are used next.)
  void settle(Ticks until) { settled_until_ = until > settled_until_ ? until : settled_until_; }
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
  /// The caches in front of memories, by memory; empty: none has one.
  [[nodiscard]] const std::vector<Queue>& memory_sides() const { return sides_; }
  /// nodes x memories: bytes read and written back.
  [[nodiscard]] const std::vector<std::uint64_t>& traffic() const { return traffic_; }
  /// Of these, what was written back.
  [[nodiscard]] const std::vector<std::uint64_t>& written() const { return written_; }
  /// nodes x nodes, [to][from]: bytes from another chip's cache.
  [[nodiscard]] const std::vector<std::uint64_t>& transferred() const { return transferred_; }

 private:
  [[nodiscard]] std::size_t pair(std::uint32_t node, std::uint16_t memory) const {
    return std::size_t{node} * timing_->memories + memory;
  }
  /// What the way takes from a node to a memory and back, beyond that of the nearest node.
  [[nodiscard]] Ticks way_beyond_nearest(std::uint32_t node, std::uint16_t home) const {
    return timing_->latency[pair(node, home)] -
           timing_->latency[pair(timing_->node_of_home[home], home)];
  }
  // Of a memory that has a cache in front (network_memory_side.cpp).
  Ticks read_through(std::uint32_t node, const Fetch& fetch, Ticks start, Blame& blame);
  /// A line that was written back arrives at `at`.
  void write_through(const Fetch& fetch, Ticks at);
  /// What missed was looked up at `at`: a changed line that has to go does.
  void drive_out(const Fetch& fetch, Ticks at);
  /// Lines are read from the memory, asked for at `at`. Returns how long that had to wait.
  Ticks fill(const Fetch& fetch, Ticks at);
  Ticks pass(const std::vector<std::uint16_t>& route, Ticks at, Blame* blame);
  Ticks add(Queue& queue, Ticks arrival, Ticks service, std::uint64_t bytes) const {
    queue.settle(settled_until_);
    return queue.add(arrival, service, bytes);
  }

  struct Moving {
    std::uint64_t line = ~std::uint64_t{0};
    Ticks until = 0;
  };
  static constexpr std::size_t kMoving = 4096;

  const Timing* timing_;
  std::vector<Queue> controllers_, wires_, homes_;
  std::vector<Queue> l3s_;    ///< by chip
  std::vector<Queue> sides_;  ///< in front of memories
  std::vector<std::uint64_t> traffic_, written_, transferred_;
  std::vector<Moving> moving_;  ///< by the line's lowest bits
  Ticks settled_until_ = 0;
  Ticks moved_until_ = 0;
};

}  // namespace Atoll::simulate
