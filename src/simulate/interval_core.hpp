// Timing of one thread on an out-of-order or in-order core: an interval model. The core dispatches
// instructions at its width until the window is full, i.e. until the oldest unfinished load is as
// many instructions back as the window holds. Then the core stalls until that load has its data.
// Each miss occupies a line buffer; stores wait in a store buffer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "simulate/camat.hpp"
#include "simulate/core_model.hpp"
#include "simulate/network.hpp"
#include "simulate/outcome.hpp"
#include "simulate/parts.hpp"
#include "simulate/port.hpp"
#include "simulate/shape.hpp"
#include "simulate/timing.hpp"

namespace Atoll::simulate {

class IntervalCore final : public CoreModel {
 public:
  /// A line that is or was being fetched.
  struct Pending {
    std::uint64_t line = ~std::uint64_t{0};
    Ticks ready = 0;
    Part part = 0;
  };

  /// `timing` and `network` must outlive this.
  IntervalCore(const Timing& timing, Network& network, std::uint32_t node, std::size_t objects);

  void share(const CoreSharers& sharers) override;

  /// Prefetches the line's entry into the host's cache. (always_inline: g++ drops calls of
  /// functions that only prefetch.)
  [[gnu::always_inline]] void expect(std::uint64_t line) {
    const Pending* const set = set_of(line);
    __builtin_prefetch(set);
    __builtin_prefetch(set + kPendingWays - 1);
  }
  /// Dispatches the instructions up to an access, until the window and the store buffer have room
  /// for it.
  void begin(const TimedAccess& access) override {
    const Ticks before = now_;
    if (access.style.work.instructions > window_size_) [[unlikely]]
      pass_instructions(access.style.work.instructions + 1);
    else
      count_instructions(access.style.work.instructions + 1);
    if ((access.style.work.divisions | access.style.work.chain) != 0) [[unlikely]]
      add_long_latency_ops(access.style.work.divisions, access.style.work.chain, before);
    make_room(access);
  }
  void quick(const TimedAccess& access, std::uint64_t line) override {
    const Ticks issue = issue_of(access);
    quick(access, issue, last_ready_ > issue + timing_->l1 ? find_pending(line) : nullptr);
  }
  void hit(const TimedAccess& access, std::uint64_t line) override {
    const Ticks issue = issue_of(access);
    hit(access, issue, last_ready_ > issue ? find_pending(line) : nullptr);
  }
  /// Plain accesses need only their start time and data time while none has to wait.
  Repeats repeat(std::span<const RepeatedAccess> all, std::uint64_t most, Ticks until) override;
  void access(const TimedAccess& access, const Outcome& outcome,
              const std::vector<SideTraffic>& side) override;
  void work(const record::Work& work) override;
  void drain() override;
  void finalize_meters() override;
  void finish() override;
  [[nodiscard]] const CamatSums& camat(int level) const override {
    return camat_[static_cast<std::size_t>(level)].sums();
  }

 private:
  struct Load {
    std::uint64_t instruction;
    Ticks done;
    LatencyBreakdown blame;
  };
  /// A RepeatedAccess with what is computed once for all iterations.
  struct Repeated {
    const TimedAccess* what;
    Pending pending;  ///< pending fetch of its line; no new fetch starts during the repetition
    std::uint64_t instructions;  ///< before the access, plus the access itself
    double ticks;                ///< time of `instructions`
    bool write, is_quick;        ///< of the RepeatedAccess
  };
  /// True if the access has neither long instructions nor a fence.
  [[nodiscard]] bool is_plain(const TimedAccess& access) const {
    return access.style.work.instructions <= window_size_ && !access.style.atomic &&
           (access.style.work.divisions | access.style.work.chain) == 0;
  }
  void prepare(Repeated& one, const RepeatedAccess& access);
  /// If the access starts at now(), no later access starts before it.
  void add_to_camat(std::size_t level, Ticks start, Ticks hit_end, Ticks end) {
    if (start == now_)
      camat_[level].add_in_order(start, hit_end, end);
    else
      camat_[level].add(start, hit_end, end);
  }
  /// Duration of `instructions`; pass() carries the fraction over.
  [[nodiscard]] double ticks_of(std::uint64_t instructions) const {
    return static_cast<double>(instructions) * instruction_;
  }
  /// repeat() from all[next] on, until an access has to wait. Returns the number of accesses done.
  std::uint64_t repeat_unhindered(std::span<const Repeated> all, std::size_t& next,
                                  std::uint64_t most, Ticks until);
  /// Dispatches any number of instructions.
  void pass_instructions(std::uint64_t instructions);
  /// Accounts for divisions and chain steps among the instructions dispatched since `since`. They
  /// execute one after the other and overlap with the other instructions.
  void add_long_latency_ops(std::uint64_t divisions, std::uint64_t chain, Ticks since);
  void count_instructions(std::uint64_t count) { pass(count, ticks_of(count)); }
  void pass(std::uint64_t instructions, double their_ticks) {
    instructions_ += instructions;
    const double ticks = their_ticks + fraction_;
    const auto whole = static_cast<Ticks>(ticks);
    fraction_ = ticks - static_cast<double>(whole);
    now_ += whole;
    stack_.add(kCompute, whole);
  }
  void make_room(const TimedAccess& access) {
    if (first_load_ != window_.size())
      if (const Load& first = window_[first_load_];
          first.done <= now_ || first.instruction + window_size_ <= instructions_)
        retire();
    if (access.write && stores_[next_store_].done > now_)
      stall(stores_[next_store_].done, stores_[next_store_].blame);
  }
  void quick(const TimedAccess& access, Ticks issue, const Pending* pending) {
    const Ticks done = issue + timing_->l1;
    if (pending != nullptr && pending->ready > done) return slow_hit(access, issue, *pending);
    add_to_camat(0, issue, done, done);
    if (access.write) {
      if (access.style.atomic) fence();
      return;
    }
    if (matters(done)) {
      blame_.count = 0;
      blame_.add(kL1, done - issue);
      remember(access, done);
    }
    note_load(access, done);
  }
  void hit(const TimedAccess& access, Ticks issue, const Pending* pending) {
    const Ticks found = issue + timing_->l1;
    const bool waits = pending != nullptr && pending->ready > found;
    const Ticks done = waits ? pending->ready : found;
    add_to_camat(0, issue, found, done);
    const bool matters_now = access.write || matters(done);
    if (matters_now) {
      blame_.count = 0;
      blame_.object = access.object;
      blame_.add(kL1, timing_->l1);
      if (waits) blame_.add(pending->part, done - found);
    }
    if (access.write) {
      store(done);
      if (access.style.atomic) fence();
      return;
    }
    note_load(access, done);
    if (matters_now) remember(access, done);
  }
  void retire();
  [[nodiscard]] Ticks issue_of(const TimedAccess& access) {
    if (access.style.depends_on == 0 || access.style.depends_on > kLoads ||
        access.style.depends_on > load_count_)
      return now_;
    const Ticks known = loads_[(load_count_ + 1 - access.style.depends_on) % kLoads];
    if (known <= now_) return now_;
    if (timing_->in_order) stall(known, last_blame_);
    return known;
  }
  void note_load(const TimedAccess& access, Ticks done) {
    if (access.continues)
      loads_[load_count_ % kLoads] = std::max(loads_[load_count_ % kLoads], done);
    else
      loads_[++load_count_ % kLoads] = done;
  }
  /// Memory fence of an atomic operation: completes all earlier operations before later ones start.
  void fence();
  void slow_hit(const TimedAccess& access, Ticks issue, const Pending& pending);
  /// True if the window may wait for a load that is done at `done`. A load that is done no later
  /// than an earlier one never stalls the core, because the earlier one does.
  [[nodiscard]] bool matters(Ticks done) const {
    return done > now_ + slack_ && (done > last_done_ || timing_->in_order);
  }
  void remember(const TimedAccess& access, Ticks done);
  void stall(Ticks until, const LatencyBreakdown& blame);
  void store(Ticks done);
  void store(const Repeated& one, Ticks ticks, Ticks done);
  void commit(Ticks done);
  [[nodiscard]] Ticks walk(const Outcome& outcome, Ticks at);
  [[nodiscard]] Ticks fetch(const Fetch& fetch, Ticks at, LatencyBreakdown& blame);
  /// Returns the line's entry among recent fetches; null if it has none.
  [[nodiscard]] Pending* find_pending(std::uint64_t line) {
    Pending* const set = set_of(line);
    for (std::size_t i = 0; i < kPendingWays; ++i)
      if (set[i].line == line) return set + i;
    return nullptr;
  }
  /// Records that the line is being fetched until `ready`, accounted as `part`. Replaces another
  /// entry.
  void remember_pending(std::uint64_t line, Ticks ready, Part part);
  [[nodiscard]] Pending* set_of(std::uint64_t line) {
    // Hashed, because arrays are often a power of two apart.
    return pending_.data() + (line * 0x9e37'79b9'7f4a'7c15U >> kPendingShift) * kPendingWays;
  }
  /// Occupies the resource that is free first (the first element) until `until`. Keeps `resources`
  /// sorted by the time at which each is free.
  static void take_first(std::vector<Ticks>& resources, Ticks until);
  /// Returns the resource that became free last among those free at `at`. So resources that became
  /// free earlier remain for requests that arrive later but start earlier. If none is free, returns
  /// the one that is free first.
  static Ticks& free_at(std::vector<Ticks>& resources, Ticks at);

  static constexpr std::size_t kPendingWays = 4, kPendings = 1024, kLoads = 256;
  static constexpr int kPendingShift = 64 - 8;  ///< 256 sets

  const CoreTiming* timing_;
  const MachineTiming* machine_;
  Network* network_;
  double instruction_ = 0, fraction_ = 0;
  std::uint32_t window_size_ = 1;
  std::uint32_t chip_ = 0;
  Ticks slack_ = 0;  ///< a load that is done within this time never fills the window
  std::uint64_t instructions_ = 0;
  std::uint64_t load_count_ = 0;
  std::array<Ticks, kLoads> loads_{};       ///< ring: when each of the last loads had its data
  std::array<Pending, kPendings> pending_;  ///< lines being fetched, in sets of kPendingWays
  Port l1_port_, l2_port_;                  ///< ports of level 1 and level 2
  Ticks last_ready_ = 0;                    ///< latest `ready` of all pending lines
  std::vector<Load> window_;  ///< loads that may be unfinished: from index first_load_ on
  std::size_t first_load_ = 0;
  Ticks last_done_ = 0;  ///< of the last load in window_, which is sorted by `done`
  std::vector<Ticks> lines_, ahead_, walkers_;  ///< when each is free again; sorted
  std::vector<Load> stores_;                    ///< ring buffer
  std::size_t next_store_ = 0;
  Ticks last_commit_ = 0;
  Ticks slow_until_ = 0;  ///< when the last operation of add_long_latency_ops() is done
  LatencyBreakdown blame_, last_blame_;
  std::array<CamatMeter, kLevels> camat_;
  std::array<Repeated, kMaxRepeated> repeated_;  ///< scratch space of repeat()
};

}  // namespace Atoll::simulate
