// Timing of one thread on its core: an interval model. The core dispatches instructions at its
// width until the window is full, i.e. until the oldest unfinished load is as many instructions
// back as the window holds. Then the core stalls until that load has its data. Each miss occupies a
// line buffer; stores wait in a store buffer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "simulate/camat.hpp"
#include "simulate/network.hpp"
#include "simulate/outcome.hpp"
#include "simulate/parts.hpp"
#include "simulate/port.hpp"
#include "simulate/shape.hpp"
#include "simulate/timing.hpp"

namespace Atoll::simulate {

/// Numbers of threads that share a core's resources.
struct CoreSharers {
  std::uint32_t on_core = 1, on_l2 = 1;
  std::uint32_t chip = 0;  ///< chip of the core
};

class Core {
 public:
  /// One access, without its outcome in the caches.
  struct Access {
    std::uint32_t instructions = 0;  ///< between the last access and this one
    std::uint32_t depends_on = 0;    ///< n: the n-th load before it computes its address; 0: none
    std::uint32_t object = 0;
    bool write = false;
    bool atomic = false;
    std::uint16_t divisions = 0, chain = 0;  ///< counts among `instructions`
    bool continues = false;                  ///< next line of the last access: not a new load
  };

  /// A line that is or was being fetched.
  struct Pending {
    std::uint64_t line = ~std::uint64_t{0};
    Ticks ready = 0;
    Part part = 0;
  };

  /// `timing` and `network` must outlive this.
  Core(const Timing& timing, Network& network, std::uint32_t node, std::size_t objects);

  [[nodiscard]] Ticks now() const { return now_; }
  [[nodiscard]] std::uint32_t node() const { return node_; }
  void share(const CoreSharers& sharers);
  /// The thread continues on another node.
  void move_to(std::uint32_t node) { node_ = node; }
  /// Grows the table of objects to `count` entries if it is smaller.
  void grow_objects(std::size_t count) {
    if (count > objects_.size()) objects_.resize(count);
  }

  /// Prefetches the line's entry into the host's cache. (always_inline: g++ drops calls of
  /// functions that only prefetch.)
  [[gnu::always_inline]] void expect(std::uint64_t line) {
    const Pending* const set = set_of(line);
    __builtin_prefetch(set);
    __builtin_prefetch(set + kPendingWays - 1);
  }
  /// Dispatches the instructions up to an access. Afterwards now() is the time at which the window
  /// and the store buffer have room for it.
  void begin(const Access& access) {
    const Ticks before = now_;
    if (access.instructions > window_size_) [[unlikely]]
      work(access.instructions + 1);
    else
      count_instructions(access.instructions + 1);
    if ((access.divisions | access.chain) != 0) [[unlikely]]
      add_long_latency_ops(access.divisions, access.chain, before);
    make_room(access);
  }
  /// After begin(): an access that hits level 1 in the quick case (Hierarchy::Hit::quick).
  void quick(const Access& access, std::uint64_t line) {
    const Ticks issue = issue_of(access);
    quick(access, issue, last_ready_ > issue + timing_->l1 ? find_pending(line) : nullptr);
  }
  /// After begin(): an access that hits level 1 and the first-level TLB.
  void hit(const Access& access, std::uint64_t line) {
    const Ticks issue = issue_of(access);
    hit(access, issue, last_ready_ > issue ? find_pending(line) : nullptr);
  }
  /// An access of a loop that hits level 1 in each iteration.
  struct Repeated {
    Access what;      ///< has no dependence
    Pending pending;  ///< pending fetch of its line; no new fetch starts during the repetition
    std::uint64_t instructions;  ///< before the access, plus the access itself
    double ticks;                ///< time of `instructions`
    bool is_quick;               ///< true: quick(); false: hit()
    bool is_plain;               ///< can be simulated by repeat()
  };
  /// Fills in the other members of `one` from `one.what`, an access to `line`.
  void prepare(Repeated& one, std::uint64_t line, bool is_quick) {
    const Pending* const pending = last_ready_ > now_ ? find_pending(line) : nullptr;
    one.pending = pending != nullptr ? *pending : Pending{};
    one.instructions = std::uint64_t{one.what.instructions} + 1;
    one.ticks = ticks_of(one.instructions);
    one.is_quick = is_quick;
    one.is_plain = one.what.instructions <= window_size_ && !one.what.atomic &&
                   (one.what.divisions | one.what.chain) == 0;
  }
  static constexpr std::size_t kMaxRepeated = 16;
  struct Repeats {
    std::uint64_t done;
    bool has_begun;  ///< begin() of the next access was done and reached `until`
  };
  /// Runs begin() and then quick() or hit() for up to `most` plain accesses, while now() is before
  /// `until`. The accesses are those of `all` (kMaxRepeated at most), cyclically.
  Repeats repeat(std::span<const Repeated> all, std::uint64_t most, Ticks until);
  /// After begin(): an access with any other outcome.
  void access(const Access& access, const Outcome& outcome, const std::vector<SideTraffic>& side);
  /// Executes instructions without memory accesses. `divisions` of them are divisions, and `chain`
  /// are steps of the current chain of dependent floating-point operations.
  void work(std::uint64_t instructions, std::uint64_t divisions, std::uint64_t chain);
  /// Waits until all loads have their data and all stores their lines.
  void drain();
  /// Advances the time to `until`, accounted as `part`.
  void wait_until(Ticks until, Part part);
  /// Advances the time to `until`, when an atomic operation can get its line.
  void wait_for_line(Ticks until, std::uint32_t object);
  void page_fault(Ticks ticks, std::uint32_t object);
  /// Sets the start time of the thread; earlier time doesn't count.
  void start_at(Ticks at) { now_ = at; }
  /// Settles the C-AMAT meters: no later access starts before now().
  void finalize_meters();
  void finish();

  [[nodiscard]] const Stack& stack() const { return stack_; }
  /// Ticks of stalls, by object.
  [[nodiscard]] const std::vector<Ticks>& time_of_objects() const { return objects_; }
  [[nodiscard]] const CamatSums& camat(int level) const {
    return camat_[static_cast<std::size_t>(level)].sums();
  }
  static constexpr int kLevels = 4;  ///< the last one: caches in front of memories

 private:
  struct Load {
    std::uint64_t instruction;
    Ticks done;
    LatencyBreakdown blame;
  };
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
  void work(std::uint64_t instructions);
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
  void make_room(const Access& access) {
    if (first_load_ != window_.size())
      if (const Load& first = window_[first_load_];
          first.done <= now_ || first.instruction + window_size_ <= instructions_)
        retire();
    if (access.write && stores_[next_store_].done > now_)
      stall(stores_[next_store_].done, stores_[next_store_].blame);
  }
  void quick(const Access& access, Ticks issue, const Pending* pending) {
    const Ticks done = issue + timing_->l1;
    if (pending != nullptr && pending->ready > done) return slow_hit(access, issue, *pending);
    add_to_camat(0, issue, done, done);
    if (access.write) {
      if (access.atomic) fence();
      return;
    }
    if (matters(done)) {
      blame_.count = 0;
      blame_.add(kL1, done - issue);
      remember(access, done);
    }
    note_load(access, done);
  }
  void hit(const Access& access, Ticks issue, const Pending* pending) {
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
      if (access.atomic) fence();
      return;
    }
    note_load(access, done);
    if (matters_now) remember(access, done);
  }
  void retire();
  [[nodiscard]] Ticks issue_of(const Access& access) {
    if (access.depends_on == 0 || access.depends_on > kLoads || access.depends_on > load_count_)
      return now_;
    const Ticks known = loads_[(load_count_ + 1 - access.depends_on) % kLoads];
    if (known <= now_) return now_;
    if (timing_->in_order) stall(known, last_blame_);
    return known;
  }
  void note_load(const Access& access, Ticks done) {
    if (access.continues)
      loads_[load_count_ % kLoads] = std::max(loads_[load_count_ % kLoads], done);
    else
      loads_[++load_count_ % kLoads] = done;
  }
  /// Memory fence of an atomic operation: completes all earlier operations before later ones start.
  void fence();
  void slow_hit(const Access& access, Ticks issue, const Pending& pending);
  /// True if the window may wait for a load that is done at `done`. A load that is done no later
  /// than an earlier one never stalls the core, because the earlier one does.
  [[nodiscard]] bool matters(Ticks done) const {
    return done > now_ + slack_ && (done > last_done_ || timing_->in_order);
  }
  void remember(const Access& access, Ticks done);
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

  const Timing* timing_;
  Network* network_;
  std::uint32_t node_;
  double instruction_ = 0, fraction_ = 0;
  Ticks now_ = 0;
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
  Stack stack_;
  std::vector<Ticks> objects_;
  std::array<CamatMeter, kLevels> camat_;
};

}  // namespace Atoll::simulate
