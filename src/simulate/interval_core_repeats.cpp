// Timing of loops whose accesses all hit level 1. While no access waits, each access only needs its
// start time and data time; all other totals are sums over many accesses.
#include <algorithm>

#include "simulate/interval_core.hpp"

namespace Atoll::simulate {

void IntervalCore::prepare(Repeated& one, const RepeatedAccess& access) {
  const Pending* const pending = last_ready_ > now_ ? find_pending(access.line) : nullptr;
  one.what = &access.what;
  one.pending = pending != nullptr ? *pending : Pending{};
  one.instructions = std::uint64_t{access.what.style.work.instructions} + 1;
  one.ticks = ticks_of(one.instructions);
  one.write = access.what.write;
  one.is_quick = access.is_quick;
}

CoreModel::Repeats IntervalCore::repeat(std::span<const RepeatedAccess> accesses,
                                        std::uint64_t most, Ticks until) {
  for (const RepeatedAccess& one : accesses)
    if (!is_plain(one.what)) return CoreModel::repeat(accesses, most, until);
  if (now_ >= until) return {0, false};
  const std::span<Repeated> all(repeated_.data(), accesses.size());
  for (std::size_t i = 0; i < all.size(); ++i) prepare(all[i], accesses[i]);
  std::size_t next = 0;
  for (std::uint64_t done = 0; done < most;) {
    done += repeat_unhindered(all, next, most - done, until);
    if (done == most) break;
    const Repeated& one = all[next];
    pass(one.instructions, one.ticks);
    make_room(*one.what);
    if (now_ >= until) return {done, true};
    if (one.is_quick)
      quick(*one.what, now_, &one.pending);
    else
      hit(*one.what, now_, &one.pending);
    ++done;
    next = next + 1 == all.size() ? 0 : next + 1;
  }
  return {most, false};
}

std::uint64_t IntervalCore::repeat_unhindered(std::span<const Repeated> all, std::size_t& next_one,
                                              std::uint64_t most, Ticks until) {
  // Members are copied to locals: for the compiler, each store to the core's arrays might alias
  // them.
  const Ticks l1 = timing_->l1, slack = slack_, before = now_;
  const Ticks last_done = timing_->in_order ? 0 : last_done_;
  CamatMeter& meter = camat_[0];
  // An access that starts at `limit` or later may have to wait, or other accesses precede it.
  Ticks limit = std::min(until, meter.next_start());
  std::uint64_t room = ~std::uint64_t{0};  // instructions until the window is full
  if (first_load_ != window_.size()) {
    const Load& first = window_[first_load_];
    limit = std::min(limit, first.done);
    room = first.instruction + window_size_;
  }
  std::array<std::uint32_t, kMaxRepeated> waiting;  // NOLINT: the first all.size() are set
  std::fill_n(waiting.begin(), all.size(), 0);
  std::size_t next = next_one;
  Ticks now = before, hits_until = meter.hits_until();
  double fraction = fraction_;
  std::uint64_t instructions = instructions_, load_count = load_count_, left = most;
  for (; left > 0; --left) {
    const Repeated& one = all[next];
    const double ticks = one.ticks + fraction;
    const auto whole = static_cast<Ticks>(ticks);
    const Ticks start = now + whole;
    if (start >= limit || start > hits_until || instructions + one.instructions >= room) break;
    const Ticks found = start + l1;
    const bool waits = one.pending.ready > found;
    const Ticks ready = waits ? one.pending.ready : found;
    if (one.write) {
      if (stores_[next_store_].done > start) break;
      if (!one.is_quick || waits) store(one, ready - start, ready);
    } else {
      if (ready > last_done && ready > start + slack) break;
      loads_[++load_count % kLoads] = ready;
    }
    waiting[next] += waits;
    fraction = ticks - static_cast<double>(whole);
    now = start;
    instructions += one.instructions;
    hits_until = std::max(hits_until, found);
    next = next + 1 == all.size() ? 0 : next + 1;
  }
  const std::uint64_t done = most - left;
  if (done == 0) return 0;
  next_one = next;
  now_ = now;
  stack_.add(kCompute, now - before);
  fraction_ = fraction;
  instructions_ = instructions;
  load_count_ = load_count;
  Ticks active_until = hits_until;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (waiting[i] > 0) {
      active_until = std::max(active_until, all[i].pending.ready);
      meter.add_misses(all[i].pending.ready, waiting[i]);
    }
  meter.add_hits(done, l1, hits_until, active_until);
  return done;
}

/// Store of a repeated access that has its line after `ticks`.
void IntervalCore::store(const Repeated& one, Ticks ticks, Ticks done) {
  LatencyBreakdown& blame = stores_[next_store_].blame;
  blame.count = 0;
  blame.object = one.what->object;
  if (!one.is_quick) blame.add(kL1, timing_->l1);
  blame.add(one.pending.part, one.is_quick ? ticks : ticks - timing_->l1);
  commit(done);
}

}  // namespace Atoll::simulate
