#include "simulate/interval_core.hpp"

#include <algorithm>

namespace Atoll::simulate {
namespace {

std::uint32_t part_of(std::uint32_t all, std::uint32_t sharers) {
  return std::max<std::uint32_t>(1, all / std::max<std::uint32_t>(1, sharers));
}

/// Index of the first element with the least order(i). Branch-free, because the branches would be
/// unpredictable.
template <typename Order>
std::size_t place_of_least(std::size_t places, Order order) {
  std::size_t best = 0;
  auto least = order(0);
  for (std::size_t i = 1; i < places; ++i) {
    const auto its = order(i);
    best = its < least ? i : best;
    least = its < least ? its : least;
  }
  return best;
}

}  // namespace

IntervalCore::IntervalCore(const Timing& timing, Network& network, std::uint32_t node,
                           std::size_t objects)
    : CoreModel(network.parts(), node, objects),
      timing_(&timing.core),
      machine_(&timing.machine),
      network_(&network),
      walkers_(timing.core.walkers) {
  share({});
}

void IntervalCore::share(const CoreSharers& sharers) {
  chip_ = sharers.chip;
  instruction_ =
      std::max(timing_->instruction * sharers.on_core, timing_->l2_instruction * sharers.on_l2);
  const std::uint32_t window = part_of(timing_->window, sharers.on_core);
  slack_ = static_cast<Ticks>(window * instruction_);
  l1_port_.set_slot(timing_->l1_fill * static_cast<Ticks>(sharers.on_core));
  l2_port_.set_slot(timing_->l2_fill * static_cast<Ticks>(sharers.on_l2));
  std::uint32_t lines = part_of(timing_->lines, sharers.on_core);
  std::uint32_t ahead = timing_->prefetch_lines;
  if (timing_->l2_lines > 0) {
    lines = std::min(lines, part_of(timing_->l2_lines, sharers.on_l2));
  }
  ahead = part_of(ahead, sharers.on_l2);
  const auto resize = [](std::vector<Ticks>& resources, std::size_t count) {
    std::sort(resources.begin(), resources.end());  // keep those that are busy longest
    if (resources.size() > count)
      resources.erase(resources.begin(), resources.end() - static_cast<std::ptrdiff_t>(count));
    resources.insert(resources.begin(), count - resources.size(), 0);
  };
  resize(lines_, lines);
  resize(ahead_, ahead);
  const std::uint32_t stores = part_of(timing_->stores, sharers.on_core);
  if (stores_.size() != stores) {
    stores_.assign(stores, {0, last_commit_, {}});
    next_store_ = 0;
  }
  window_size_ = window;
}

Ticks& IntervalCore::free_at(std::vector<Ticks>& resources, Ticks at) {
  return resources[place_of_least(resources.size(), [&](std::size_t i) {
    // If free: the time since it became free. If busy: the remaining time, ordered after all free
    // ones.
    const Ticks since = at - resources[i], is_busy = since >> 63;
    return static_cast<std::uint64_t>(since ^ is_busy) | static_cast<std::uint64_t>(is_busy) << 63;
  })];
}

void IntervalCore::take_first(std::vector<Ticks>& resources, Ticks until) {
  std::copy(resources.begin() + 1, resources.end(), resources.begin());
  std::size_t at = resources.size() - 1;  // the new time is usually the greatest
  for (; at > 0 && resources[at - 1] > until; --at) resources[at] = resources[at - 1];
  resources[at] = until;
}

void IntervalCore::stall(Ticks until, const LatencyBreakdown& blame) {
  if (until <= now_) return;
  stack_.add(blame, until - now_);
  objects_[blame.object] += until - now_;
  now_ = until;
}

void IntervalCore::retire() {
  while (first_load_ < window_.size() &&
         (window_[first_load_].done <= now_ ||
          window_[first_load_].instruction + window_size_ <= instructions_)) {
    stall(window_[first_load_].done, window_[first_load_].blame);
    ++first_load_;
  }
  if (first_load_ == window_.size() || first_load_ >= 1024) {
    window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(first_load_));
    first_load_ = 0;
  }
}

void IntervalCore::remember(const TimedAccess& access, Ticks done) {
  blame_.object = access.object;
  if (timing_->in_order) last_blame_ = blame_;
  if (done <= last_done_) return;
  last_done_ = done;
  window_.push_back({instructions_, done, blame_});
}

void IntervalCore::remember_pending(std::uint64_t line, Ticks ready, Part part) {
  last_ready_ = std::max(last_ready_, ready);
  Pending* const set = set_of(line);
  // Replaces the entry of the same line, or else the one that is ready first.
  set[place_of_least(kPendingWays, [&](std::size_t i) {
    return set[i].line == line ? -1 : set[i].ready;
  })] = {line, ready, part};
}

void IntervalCore::slow_hit(const TimedAccess& access, Ticks issue, const Pending& pending) {
  const Ticks done = pending.ready;
  add_to_camat(0, issue, issue + timing_->l1, done);
  const bool matters_now = access.write || matters(done);
  if (matters_now) {
    blame_.count = 0;
    blame_.add(pending.part, done - issue);
    blame_.object = access.object;
  }
  if (access.write) {
    store(done);
    if (access.style.atomic) fence();
    return;
  }
  note_load(access, done);
  if (matters_now) remember(access, done);
}

Ticks IntervalCore::fetch(const Fetch& fetch, Ticks at, LatencyBreakdown& blame) {
  switch (fetch.source) {
    case Source::l1:
      blame.add(kL1, timing_->l1);
      return at + timing_->l1;
    case Source::l2:
      blame.add(kL2, timing_->l2);
      return at + timing_->l2;
    case Source::l3:
      return network_->read_l3(chip_, at, blame);
    case Source::near_cache:
      blame.add(kCoherence, machine_->near_cache);
      return at + machine_->near_cache;
    case Source::memory:
      return network_->read(node_, fetch, at, blame);
    case Source::far_cache:
      return network_->transfer(node_, fetch, at, blame);
  }
  return at;
}

Ticks IntervalCore::walk(const Outcome& outcome, Ticks at) {
  LatencyBreakdown inner;  // unused: a walk is accounted as one part, wherever its tables are
  const Ticks began = at;
  at = std::max(at, walkers_.front()) + timing_->walk;
  for (std::uint32_t i = 0; i < outcome.walk_steps; ++i) at = fetch(outcome.walk[i], at, inner);
  take_first(walkers_, at);
  blame_.add(kWalks, at - began);
  return at;
}

void IntervalCore::access(const TimedAccess& access, const Outcome& outcome,
                          const std::vector<SideTraffic>& side) {
  const Ticks issue = issue_of(access);
  blame_.count = 0;
  blame_.object = access.object;
  Ticks at = issue;
  // A level 1 miss first takes a line buffer and holds it during its page walk.
  Ticks* const buffer = outcome.data.source == Source::l1 ? nullptr : &free_at(lines_, at);
  if (buffer != nullptr) at = std::max(at, *buffer);
  if (outcome.second_tlb) {
    blame_.add(kWalks, timing_->tlb2);
    at += timing_->tlb2;
  }
  if (outcome.walk_steps > 0) at = walk(outcome, at + timing_->tlb2);
  const Fetch& data = outcome.data;
  const bool moves = data.source == Source::near_cache || data.source == Source::far_cache ||
                     outcome.upgrade != Upgrade::none;
  bool is_contended = false;  // another core's atomic operation had the line last
  if (moves) {
    const Ticks free = network_->free_to_move(data.line, at);
    is_contended =
        access.style.atomic && machine_->near_hold > 0 && network_->moved_last(data.line, at);
    blame_.add(kCoherence, free - at);
    at = free;
  }
  Ticks done = 0;
  const Pending* const pending = last_ready_ > at ? find_pending(data.line) : nullptr;
  if (data.source == Source::l1) {
    done = fetch(data, at, blame_);
    if (pending != nullptr && pending->ready > done) {
      blame_.add(pending->part, pending->ready - done);
      done = pending->ready;
    }
  } else {
    Ticks begun = l1_port_.take(now_, at);
    if (data.source != Source::l2) begun = l2_port_.take(now_, begun);
    done = fetch(data, begun, blame_);
    if (is_contended && data.source == Source::near_cache) {
      blame_.add(kCoherence, std::max<Ticks>(0, machine_->near_take - machine_->near_cache));
      done = std::max(done, begun + machine_->near_take);
    }
    if (pending != nullptr && pending->ready > done) {  // a prefetch of it is in flight
      blame_.add(pending->part, pending->ready - done);
      done = pending->ready;
    }
    *buffer = done;
    at = begun;
    remember_pending(data.line, done, blame_.main_part());
  }
  if (outcome.upgrade == Upgrade::near) {
    const Ticks told = at + machine_->near_cache;
    if (told > done) {
      blame_.add(kCoherence, told - done);
      done = told;
    }
  } else if (outcome.upgrade == Upgrade::far) {
    LatencyBreakdown ownership;
    const Ticks told = network_->upgrade(node_, data.home, at, ownership);
    if (told > done) {
      blame_.add(kCoherence, told - done);
      done = told;
    }
  }
  if (moves) network_->moves(data.line, done + (access.style.atomic ? machine_->near_hold : 0));
  // C-AMAT of each level: the look-up, and the time at which the level had the data.
  const bool hit_l1 = data.source == Source::l1, hit_l2 = data.source == Source::l2;
  add_to_camat(0, at, at + timing_->l1, std::max(done, at + timing_->l1));
  if (!hit_l1) add_to_camat(1, at, at + timing_->l2, std::max(done, at + timing_->l2));
  if (!hit_l1 && !hit_l2 && machine_->l3 > 0)
    add_to_camat(2, at, at + machine_->l3, std::max(done, at + machine_->l3));
  if (data.memory_side != MemorySideResult::none) {
    const Ticks known = at + network_->memory_side_latency(node_, data.home);
    add_to_camat(3, at, known, std::max(done, known));
  }
  for (const SideTraffic& one : side) {
    if (one.kind == SideTraffic::Kind::write_back) {
      network_->write_back(node_, one.fetch, at);
      continue;
    }
    LatencyBreakdown blame;
    const Ticks begun = l2_port_.take(now_, std::max(at, ahead_.front()));
    const Ticks ready = fetch(one.fetch, begun, blame);
    remember_pending(one.fetch.line, ready, blame.main_part());
    take_first(ahead_, ready);
  }
  if (access.write) {
    store(done);
    if (access.style.atomic) fence();
    return;
  }
  note_load(access, done);
  if (matters(done)) remember(access, done);
}

void IntervalCore::store(Ticks done) {
  stores_[next_store_].blame = blame_;
  commit(done);
}

/// Stores leave the store buffer in order, each when it has its line.
void IntervalCore::commit(Ticks done) {
  last_commit_ = std::max(last_commit_, done);
  stores_[next_store_].done = last_commit_;
  next_store_ = next_store_ + 1 == stores_.size() ? 0 : next_store_ + 1;
}

void IntervalCore::pass_instructions(std::uint64_t instructions) {
  // In steps of the window's size, so that stalls are accounted in order.
  while (instructions > 0) {
    const std::uint64_t part = std::min<std::uint64_t>(instructions, window_size_);
    count_instructions(part);
    if (first_load_ != window_.size()) retire();
    instructions -= part;
    if (first_load_ == window_.size()) {
      count_instructions(instructions);
      return;
    }
  }
}

void IntervalCore::work(const record::Work& work) {
  const Ticks before = now_;
  pass_instructions(work.instructions);
  add_long_latency_ops(work.divisions, work.chain, before);
}

void IntervalCore::add_long_latency_ops(std::uint64_t divisions, std::uint64_t chain, Ticks since) {
  slow_until_ = std::max(slow_until_, since) + static_cast<Ticks>(divisions) * timing_->division +
                static_cast<Ticks>(chain) * timing_->chain_step;
  // Other instructions of the window overlap with slow_until_ by up to slack_.
  wait_until(slow_until_ - slack_, kCompute);
}

void IntervalCore::fence() {
  drain();
  wait_until(now_ + timing_->atomic, kCompute);
}

void IntervalCore::drain() {
  for (; first_load_ < window_.size(); ++first_load_)
    stall(window_[first_load_].done, window_[first_load_].blame);
  window_.clear();
  first_load_ = 0;
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    const Load& one = stores_[(next_store_ + i) % stores_.size()];
    stall(one.done, one.blame);
  }
  wait_until(slow_until_, kCompute);
}

void IntervalCore::finalize_meters() {
  for (CamatMeter& meter : camat_)
    if (meter.is_full()) meter.finalize_until(now_);
}

void IntervalCore::finish() {
  for (CamatMeter& meter : camat_) meter.finish();
}

}  // namespace Atoll::simulate
