// The time of one thread on its core: an interval model. Instructions are dispatched at the core's
// width until the window is full, that is until the oldest load that isn't done is as many
// instructions back as the window holds; then time stands still until that load has its data.
// Misses take a line buffer each, stores wait in a buffer of their own.
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

/// How many threads use at the same time what this one uses.
struct Company {
  std::uint32_t on_core = 1, on_l2 = 1;
  std::uint32_t chip = 0;  ///< where it stands
};

class Core {
 public:
  /// What one access is, beside what it meets.
  struct Access {
    std::uint32_t instructions = 0;  ///< before it, since the last access
    std::uint32_t depends_on = 0;  ///< its address comes from the n-th load before it; 0: from none
    std::uint32_t object = 0;
    bool write = false;
    bool atomic = false;
    std::uint16_t divisions = 0, chain = 0;  ///< of the instructions
    bool continues = false;                  ///< the last access's next line: no load of its own
  };

  /// A line that is, or was, under way.
  struct Pending {
    std::uint64_t line = ~std::uint64_t{0};
    Ticks ready = 0;
    Part part = 0;
  };

  /// `timing` and `network` must outlive this.
  Core(const Timing& timing, Network& network, std::uint32_t node, std::size_t objects);

  [[nodiscard]] Ticks now() const { return now_; }
  [[nodiscard]] std::uint32_t node() const { return node_; }
  void share(const Company& company);
  /// The thread goes on at another node.
  void move_to(std::uint32_t node) { node_ = node; }
  /// There are so many objects now, perhaps more than before.
  void know_objects(std::size_t count) {
    if (count > objects_.size()) objects_.resize(count);
  }

  /// Tells the host's processor that the core will access the line soon. (Inlined always: g++
  /// leaves out calls of functions that only do so.)
  [[gnu::always_inline]] void expect(std::uint64_t line) {
    const Pending* const set = set_of(line);
    __builtin_prefetch(set);
    __builtin_prefetch(set + kPendingWays - 1);
  }
  /// The core comes to an access: now() is when it does, once the window and the stores' buffer
  /// have room.
  void begin(const Access& access) {
    const Ticks before = now_;
    if (access.instructions > window_size_) [[unlikely]]
      work(access.instructions + 1);
    else
      count_instructions(access.instructions + 1);
    if ((access.divisions | access.chain) != 0) [[unlikely]]
      slow_work(access.divisions, access.chain, before);
    make_room(access);
  }
  /// Then: an access that hits level 1 at once, with everything else as it should be.
  void quick(const Access& access, std::uint64_t line) {
    const Ticks issue = issue_of(access);
    quick(access, issue, last_ready_ > issue + timing_->l1 ? find_pending(line) : nullptr);
  }
  /// Or one that hits level 1 and the first TLB.
  void hit(const Access& access, std::uint64_t line) {
    const Ticks issue = issue_of(access);
    hit(access, issue, last_ready_ > issue ? find_pending(line) : nullptr);
  }
  /// One of a loop's accesses, which hits level 1 each time.
  struct Repeated {
    Access what;                 ///< depends on nothing
    Pending pending;             ///< what was under way for its line: nothing new comes meanwhile
    std::uint64_t instructions;  ///< its own, too
    double ticks;                ///< of these
    bool is_quick;               ///< quick(), or else hit()
    bool is_plain;               ///< repeat() can do it
  };
  /// What repeat() has to know of `one.what`, which accesses the line.
  void prepare(Repeated& one, std::uint64_t line, bool is_quick) {
    const Pending* const pending = last_ready_ > now_ ? find_pending(line) : nullptr;
    one.pending = pending != nullptr ? *pending : Pending{};
    one.instructions = std::uint64_t{one.what.instructions} + 1;
    one.ticks = ticks_of(one.instructions);
    one.is_quick = is_quick;
    one.is_plain = one.what.instructions <= window_size_ && !one.what.atomic &&
                   (one.what.divisions | one.what.chain) == 0;
  }
  static constexpr std::size_t kMostRepeated = 16;
  struct Repeats {
    std::uint64_t done;
    bool has_begun;  ///< begin() of the next one came to `until`
  };
  /// begin(), then quick() or hit(), of `most` plain accesses, while now() is before `until`:
  /// `all`, of which there are kMostRepeated at most, again and again.
  Repeats repeat(std::span<const Repeated> all, std::uint64_t most, Ticks until);
  /// Or any other.
  void access(const Access& access, const Outcome& outcome, const std::vector<SideTraffic>& side);
  /// Instructions that access nothing. Of these are divisions, and steps of the chain of
  /// floating-point operations that this thread is in.
  void work(std::uint64_t instructions, std::uint64_t divisions, std::uint64_t chain);
  /// All that was begun ends: loads have their data, stores their lines.
  void drain();
  /// Time passes until then; what it passed with is `part`.
  void wait_until(Ticks until, Part part);
  /// An atomic operation can't have its line before then.
  void wait_for_line(Ticks until, std::uint32_t object);
  void page_fault(Ticks ticks, std::uint32_t object);
  /// The thread begins at `at`: nothing before counts.
  void start_at(Ticks at) { now_ = at; }
  /// Accesses that start before now() are over.
  void settle();
  void finish();

  [[nodiscard]] const Stack& stack() const { return stack_; }
  /// Ticks of stalls, by object.
  [[nodiscard]] const std::vector<Ticks>& time_of_objects() const { return objects_; }
  [[nodiscard]] const CamatSums& camat(int level) const {
    return camat_[static_cast<std::size_t>(level)].sums();
  }
  static constexpr int kLevels = 4;  ///< the last one: the caches in front of memories

 private:
  struct Load {
    std::uint64_t instruction;
    Ticks done;
    Blame blame;
  };
  /// (Later accesses don't start before now().)
  void add_to_camat(std::size_t level, Ticks start, Ticks hit_end, Ticks end) {
    if (start == now_)
      camat_[level].add_in_order(start, hit_end, end);
    else
      camat_[level].add(start, hit_end, end);
  }
  /// What so many instructions take; fractions are kept by pass().
  [[nodiscard]] double ticks_of(std::uint64_t instructions) const {
    return static_cast<double>(instructions) * instruction_;
  }
  /// repeat() from all[next] on, as long as nothing has to be waited for. Returns how many.
  std::uint64_t repeat_unhindered(std::span<const Repeated> all, std::size_t& next,
                                  std::uint64_t most, Ticks until);
  void work(std::uint64_t instructions);
  /// Divisions and steps of a chain among the instructions that were dispatched from `since` on.
  /// They take their time one after the other, and overlap with the other instructions.
  void slow_work(std::uint64_t divisions, std::uint64_t chain, Ticks since);
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
  /// An atomic operation: what was begun before it ends, and what follows waits for it.
  void fence();
  void slow_hit(const Access& access, Ticks issue, const Pending& pending);
  /// True if the window may wait for a load. What is done no later than a load before it never
  /// holds up anything: that one does.
  [[nodiscard]] bool matters(Ticks done) const {
    return done > now_ + slack_ && (done > last_done_ || timing_->in_order);
  }
  void remember(const Access& access, Ticks done);
  void stall(Ticks until, const Blame& blame);
  void store(Ticks done);
  void store(const Repeated& one, Ticks ticks, Ticks done);
  void commit(Ticks done);
  [[nodiscard]] Ticks walk(const Outcome& outcome, Ticks at);
  [[nodiscard]] Ticks fetch(const Fetch& fetch, Ticks at, Blame& blame);
  /// A line that was under way at some time; null: it isn't known.
  [[nodiscard]] Pending* find_pending(std::uint64_t line) {
    Pending* const set = set_of(line);
    for (std::size_t i = 0; i < kPendingWays; ++i)
      if (set[i].line == line) return set + i;
    return nullptr;
  }
  /// The line is under way until `ready`, with `part`. It takes the place of one that is there.
  void remember_pending(std::uint64_t line, Ticks ready, Part part);
  [[nodiscard]] Pending* set_of(std::uint64_t line) {
    // Mixed, as arrays often are powers of two apart.
    return pending_.data() + (line * 0x9e37'79b9'7f4a'7c15U >> kPendingShift) * kPendingWays;
  }
  /// The one of some resources that is free first, which is the first, is taken until then. They
  /// stay in the order in which they are free.
  static void take_first(std::vector<Ticks>& resources, Ticks until);
  /// The last one to be free at `at`, so that others are free for who comes later and begins
  /// earlier; if none is, the one that is free first.
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
  Ticks slack_ = 0;  ///< what is done within that time never fills the window
  std::uint64_t instructions_ = 0;
  std::uint64_t load_count_ = 0;
  std::array<Ticks, kLoads> loads_{};       ///< when the last loads had their data
  std::array<Pending, kPendings> pending_;  ///< lines under way, in sets of kPendingWays
  Port l1_port_, l2_port_;                  ///< to level 1, and to level 2
  Ticks last_ready_ = 0;                    ///< the latest that any of them is ready
  std::vector<Load> window_;  ///< from first_load_ on: loads that aren't known to be done
  std::size_t first_load_ = 0;
  Ticks last_done_ = 0;  ///< of the last one in the window, which are in that order
  std::vector<Ticks> lines_, ahead_, walkers_;  ///< when each is free again
  std::vector<Load> stores_;                    ///< a ring
  std::size_t next_store_ = 0;
  Ticks last_commit_ = 0;
  Ticks slow_until_ = 0;  ///< when the last of slow_work() is done
  Blame blame_, last_blame_;
  Stack stack_;
  std::vector<Ticks> objects_;
  std::array<CamatMeter, kLevels> camat_;
};

}  // namespace Atoll::simulate
