// Interface of the timing of one thread on its core. A core model computes how long accesses and
// other instructions take, and divides that time into parts. The executor decides which accesses
// hit; the scheduler decides when the thread runs. `core_models` lists the implementations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoll/record/access_style.hpp"
#include "simulate/camat.hpp"
#include "simulate/outcome.hpp"
#include "simulate/parts.hpp"
#include "simulate/ticks.hpp"

namespace Atoll::simulate {

/// Numbers of threads that share a core's resources.
struct CoreSharers {
  std::uint32_t on_core = 1, on_l2 = 1;
  std::uint32_t chip = 0;  ///< chip of the core
};

/// One access as a core executes it, without its outcome in the caches.
struct TimedAccess {
  record::AccessStyle style;
  std::uint32_t object = 0;
  bool write = false;
  bool continues = false;  ///< next line of the last access: not a new load
};

/// An access of a loop that hits level 1 in each iteration.
struct RepeatedAccess {
  TimedAccess what;  ///< has no dependence
  std::uint64_t line = 0;
  bool is_quick = false;  ///< true: CoreModel::quick(); false: CoreModel::hit()
};

class CoreModel {
 public:
  static constexpr int kLevels = 4;  ///< of C-AMAT; the last one: caches in front of memories
  /// Largest number of different accesses that repeat() takes.
  static constexpr std::size_t kMaxRepeated = 16;

  virtual ~CoreModel() = default;

  [[nodiscard]] Ticks now() const { return now_; }
  [[nodiscard]] std::uint32_t node() const { return node_; }
  /// The thread continues on another node.
  void move_to(std::uint32_t node) { node_ = node; }
  /// Sets the start time of the thread; earlier time doesn't count.
  void start_at(Ticks at) { now_ = at; }
  /// Grows the table of objects to `count` entries if it is smaller.
  void grow_objects(std::size_t count) {
    if (count > objects_.size()) objects_.resize(count);
  }
  /// Other threads have begun or ceased to share the core's resources.
  virtual void share(const CoreSharers& sharers) = 0;

  // An access is passed to begin() and then, with its outcome, to one of the other functions.
  /// Executes the instructions up to an access. Afterwards now() is the time at which the core can
  /// start it.
  virtual void begin(const TimedAccess& access) = 0;
  /// An access that hits level 1 in the quick case (Hierarchy::Hit::quick).
  virtual void quick(const TimedAccess& access, std::uint64_t line) = 0;
  /// An access that hits level 1 and the first-level TLB.
  virtual void hit(const TimedAccess& access, std::uint64_t line) = 0;
  /// An access with any other outcome.
  virtual void access(const TimedAccess& access, const Outcome& outcome,
                      const std::vector<SideTraffic>& side) = 0;
  struct Repeats {
    std::uint64_t done;
    bool has_begun;  ///< begin() of the next access was done and reached `until`
  };
  /// Runs begin() and then quick() or hit() for up to `most` accesses, while now() is before
  /// `until`. The accesses are those of `all` (kMaxRepeated at most), cyclically.
  virtual Repeats repeat(std::span<const RepeatedAccess> all, std::uint64_t most, Ticks until);

  /// Executes instructions without memory accesses.
  virtual void work(const record::Work& work) = 0;
  /// Waits until all loads have their data and all stores their lines.
  virtual void drain() = 0;
  /// Advances the time to `until`, accounted as `part`.
  void wait_until(Ticks until, Part part) {
    if (until <= now_) return;
    stack_.add(part, until - now_);
    now_ = until;
  }
  /// Advances the time to `until`, when an atomic operation can get its line.
  void wait_for_line(Ticks until, std::uint32_t object);
  void page_fault(Ticks ticks, std::uint32_t object);

  /// Settles the C-AMAT meters: no later access starts before now().
  virtual void finalize_meters() = 0;
  virtual void finish() = 0;
  [[nodiscard]] virtual const CamatSums& camat(int level) const = 0;
  [[nodiscard]] const Stack& stack() const { return stack_; }
  /// Ticks of stalls, by object.
  [[nodiscard]] const std::vector<Ticks>& time_of_objects() const { return objects_; }

 protected:
  /// `parts`: number of parts of the stack.
  CoreModel(std::size_t parts, std::uint32_t node, std::size_t objects)
      : node_(node), stack_(parts), objects_(objects) {}
  CoreModel(const CoreModel&) = default;
  CoreModel(CoreModel&&) = default;
  CoreModel& operator=(const CoreModel&) = default;
  CoreModel& operator=(CoreModel&&) = default;

  Ticks now_ = 0;
  std::uint32_t node_;
  Stack stack_;
  std::vector<Ticks> objects_;
};

}  // namespace Atoll::simulate
