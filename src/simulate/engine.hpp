// Runs a program's threads in simulated time: the thread that is furthest behind goes on, for a
// turn.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/core.hpp"
#include "simulate/hierarchy.hpp"
#include "simulate/network.hpp"
#include "simulate/pages.hpp"
#include "simulate/program.hpp"
#include "simulate/shape.hpp"
#include "simulate/timing.hpp"
#include "simulate/windows.hpp"

namespace Atoll::simulate {

/// What one object's accesses met.
struct ObjectTotals {
  std::uint64_t accesses = 0;
  std::uint64_t l1_misses = 0, l2_misses = 0, l3_misses = 0, tlb_misses = 0;
  Ticks time = 0;  ///< threads' stalls
};

/// What has come out; times are of the timed parts alone.
struct EngineResult {
  Ticks elapsed = 0;
  std::uint64_t accesses = 0;
  Stack stack{0};  ///< over all threads, from each one's begin to its end
  Ticks thread_time = 0;
  std::vector<ObjectTotals> objects;
  std::vector<CamatSums> camat;  ///< by level
  Counts counts;
};

class Engine {
 public:
  struct Options {
    std::vector<ProgramThread> threads;
    std::vector<Seat> seats;  ///< by ProgramThread::place
    std::size_t objects = 1;
    bool timed_from_start = true;
    Ticks turn = 20'000;
    Windows* windows = nullptr;  ///< that note some of the run; null: none
  };
  /// All must outlive this.
  Engine(const Shape& shape, const Timing& timing, Pages& pages, Program& program, Options options);

  /// Runs to the end.
  EngineResult run();
  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] Hierarchy& hierarchy() { return hierarchy_; }

 private:
  enum class State : std::uint8_t { not_begun, runs, waits, ended };
  struct RecentPage {
    std::uint64_t number = ~std::uint64_t{0};
    Page page;
  };
  struct Running {
    Core core;
    Seat seat;
    std::uint32_t process = 0;
    State state = State::not_begun;
    Batch batch;
    std::size_t next_op = 0;
    std::uint64_t iteration = 0;  ///< of a loop that has begun
    std::uint32_t range = 0;      ///< of that iteration
    bool has_begun = false;       ///< an access, which others' accesses come before
    std::uint64_t untimed = 0;    ///< accesses, which take its turns where time doesn't count
    std::vector<std::uint32_t> joiners;
    Ticks began = 0, ended = 0;
    std::vector<RecentPage> pages, huge_pages;
  };
  static constexpr std::size_t kRecentPages = 256;  ///< of 4 KiB, and as many of 2 MiB or more

  void begin(std::uint32_t thread, Ticks at);
  void end(std::uint32_t thread);
  void company_changed(const Seat& seat);
  void run_turn(std::uint32_t thread, Ticks until);
  /// Returns false if the op isn't done yet, since the turn is over or the thread waits.
  bool run_op(std::uint32_t thread, const Op& op, Ticks until);
  bool run_loop(std::uint32_t thread, const Op& op, Ticks until);
  bool access(std::uint32_t thread, std::uint64_t address, std::uint32_t bytes,
              const Core::Access& what, Ticks until);
  void access_line(std::uint32_t thread, std::uint64_t address, const Core::Access& what);
  const Page& page_of(std::uint32_t thread, std::uint64_t address, std::uint32_t object);
  [[nodiscard]] Ticks position(const Running& running) const;
  void set_timed(bool timed, Ticks at);

  const Timing* timing_;
  Shape shape_;
  Pages* pages_;
  Program* program_;
  Options options_;
  Hierarchy hierarchy_;
  Network network_;
  std::vector<Running> threads_;
  bool timed_;
  Ticks timed_since_ = 0, elapsed_ = 0;
  Counts counts_, counts_before_;  ///< of the timed parts that are over; when this one began
  std::uint64_t accesses_ = 0;
  std::vector<ObjectTotals> objects_;
  Outcome outcome_;
  std::vector<SideTraffic> side_;
};

}  // namespace Atoll::simulate
