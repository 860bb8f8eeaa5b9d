#include "simulate/engine.hpp"

#include <algorithm>

namespace Atoll::simulate {
namespace {

constexpr Ticks kNever = Order::kNever;
/// Number of quanta after which all sleepers are polled. It finds waits with a time limit, which no
/// op ends.
constexpr std::uint64_t kTurnsUntilAll = 4096;
/// Distance in ops at which the host's cache is prefetched.
constexpr std::size_t kExpected = 4;

}  // namespace

Engine::Engine(const Shape& shape, const Timing& timing, Pages& pages, SimulatedProgram& program,
               Options options)
    : timing_(&timing),
      shape_(shape),
      pages_(&pages),
      program_(&program),
      options_(std::move(options)),
      hierarchy_(shape, pages),
      network_(timing),
      live_(program.live()),
      timed_(options_.timed_from_start),
      objects_(options_.objects) {
  if (!shape.memory_side.empty()) pages.number_pages(shape.memories);
  for (const ProgramThread& thread : options_.threads) add_thread(thread);
}

std::uint32_t Engine::add_thread(const ProgramThread& thread) {
  const HardwareThread& hw_thread = options_.hw_threads[thread.place];
  Running& running = threads_.emplace_back(
      Running{.core = Core(*timing_, network_, hw_thread.node, objects_.size()),
              .hw_thread = hw_thread,
              .process = thread.process,
              .batch = {},
              .joiners = {},
              .pages = {},
              .huge_pages = {}});
  running.pages.resize(kRecentPages);
  running.huge_pages.resize(kRecentPages);
  order_changed_ = true;
  return static_cast<std::uint32_t>(threads_.size() - 1);
}

std::vector<HardwareThread> Engine::hw_threads() const {
  std::vector<HardwareThread> hw_threads;
  for (const Running& running : threads_) hw_threads.push_back(running.hw_thread);
  return hw_threads;
}

Ticks Engine::position(const Running& running) const {
  return running.core.now() + static_cast<Ticks>(running.untimed) * kUntimedAccess;
}

void Engine::update_core_sharers(const HardwareThread& hw_thread) {
  order_changed_ = true;
  CoreSharers sharers{0, 0, hw_thread.chip};
  const auto shares = [&](const Running& other) {
    return other.state == State::runs && !other.is_off_core && other.hw_thread.l2 == hw_thread.l2;
  };
  for (const Running& other : threads_) sharers.on_l2 += shares(other);
  for (Running& one : threads_) {
    if (!shares(one)) continue;
    sharers.on_core = 0;
    sharers.chip = one.hw_thread.chip;
    for (const Running& other : threads_)
      sharers.on_core += shares(other) && other.hw_thread.core == one.hw_thread.core;
    one.core.share(sharers);
  }
}

void Engine::begin(std::uint32_t thread, Ticks at) {
  Running& running = threads_[thread];
  if (running.state != State::not_begun) return;
  running.state = State::runs;
  running.core.start_at(at);
  running.began = at;
  update_core_sharers(running.hw_thread);
  if (options_.windows != nullptr)
    options_.windows->expect_threads(
        static_cast<std::size_t>(std::ranges::count_if(threads_, [](const Running& other) {
          return other.state != State::not_begun && other.state != State::ended;
        })));
}

void Engine::end(std::uint32_t thread) {
  Running& running = threads_[thread];
  if (timed_) running.core.drain();
  running.state = State::ended;
  running.ended = position(running);
  update_core_sharers(running.hw_thread);
  const Ticks at = position(running);
  for (const std::uint32_t joiner : running.joiners) wake(joiner, at);
  running.joiners.clear();
  if (live_ != nullptr && sleepers_ > 0)
    if (const std::uint64_t number = live_->number_of(thread); number != 0)
      wake_sleepers(thread, number);
}

void Engine::set_timed(bool timed, Ticks at) {
  if (timed == timed_) return;
  timed_ = timed;
  order_changed_ = true;
  if (!timed) {
    elapsed_ += at - timed_since_;
    counts_.add(hierarchy_.counts(), counts_before_);
    return;
  }
  counts_before_ = hierarchy_.counts();
  // Untimed accesses took no time, so all threads advance to this thread's time.
  waits_.limit(at);
  regions_.limit(at);
  timed_since_ = at;
  for (Running& running : threads_) {
    running.untimed = 0;
    if (running.state != State::ended && running.core.now() < at) running.core.start_at(at);
  }
}

void Engine::sort() {
  positions_.clear();
  for (const Running& running : threads_)
    positions_.push_back(running.state == State::runs ? position(running) : kNever);
  order_.assign(positions_);
  order_changed_ = false;
}

EngineResult Engine::run() {
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread)
    if (options_.threads[thread].starts_alone) begin(thread, 0);
  bool was_stopped = false;
  for (std::uint64_t turns = 0; !was_stopped;) {
    if (live_ == nullptr) was_stopped = options_.stops != nullptr && options_.stops();
    // Threads that an op wakes are known at once. This finds threads that resume without such an
    // op.
    if (live_ != nullptr && turns++ % 16 == 0) {
      if (live_->was_stopped()) break;
      poll_live_threads(reached_by_all_, turns % kTurnsUntilAll == 1);
    }
    if (!woken_up_.empty()) run_instant_ops_of_woken();
    if (order_changed_) sort();
    const Ticks first = order_.first_position();
    if (first == kNever) {
      if (live_ != nullptr && poll_until_runnable()) continue;
      if (!break_deadlock()) break;
      continue;
    }
    reached_by_all_ = std::max(reached_by_all_, first);
    if (timed_) network_.finalize_until(first);
    const Ticks second = order_.second_position();
    const std::uint32_t next = order_.first();
    if (threads_[next].waits_for_line) {
      threads_[next].waits_for_line = false;
      --line_waiters_;
    }
    // While threads wait for lines, the quantum is minimal, so that the holder releases a line on
    // time and not at the end of a quantum.
    const Ticks quantum = line_waiters_ > 0 ? 1 : options_.quantum;
    run_quantum(next, second == kNever ? first + options_.quantum * 16 : second + quantum);
    if (!order_changed_) order_.set(next, position(threads_[next]));
  }
  network_.finish();
  EngineResult result;
  result.stack = Stack(network_.parts());
  result.camat.resize(Core::kLevels);
  Ticks last = 0;
  for (Running& running : threads_) {
    running.core.finish();
    last = std::max(last, running.core.now());
    result.stack.add(running.core.stack());
    result.thread_time += running.core.stack().sum();
    for (int level = 0; level < Core::kLevels; ++level)
      result.camat[static_cast<std::size_t>(level)].add(running.core.camat(level));
    for (std::size_t object = 0; object < objects_.size(); ++object)
      objects_[object].time += running.core.time_of_objects()[object];
  }
  if (timed_) {
    elapsed_ += last - timed_since_;
    counts_.add(hierarchy_.counts(), counts_before_);
  }
  result.elapsed = elapsed_;
  result.ended = last;
  result.accesses = accesses_;
  result.objects = objects_;
  result.counts = counts_;
  result.cut_waits = cut_waits_;
  result.was_stopped = was_stopped;
  return result;
}

void Engine::take_more(std::uint32_t thread) {
  Running& running = threads_[thread];
  running.batch.clear();
  running.next_op = 0;
  if (!program_->next(thread, running.batch))
    end(thread);
  else if (live_ != nullptr && running.batch.ops.empty())
    go_to_sleep(thread, 0, 0);
}

void Engine::run_quantum(std::uint32_t thread, Ticks until) {
  Running& running = threads_[thread];
  bool is_first_op = true;
  while (running.state == State::runs && !running.waits_for_line &&
         (running.runs_instant_ops || position(running) < until)) {
    if (running.next_op == running.batch.ops.size()) {
      take_more(thread);
      continue;
    }
    // An op that takes time and follows a wait starts a new quantum, so that only simulated time
    // decides which thread runs first.
    if (running.runs_instant_ops && takes_time(running.batch.ops[running.next_op])) {
      if (!is_first_op) break;
      rejoin_core(thread);
    }
    is_first_op = false;
    if (const std::size_t soon = running.next_op + kExpected; soon < running.batch.ops.size()) {
      const LineKey line =
          line_key(running.process, running.batch.ops[soon].address, shape_.line_bits);
      hierarchy_.expect(running.hw_thread, line);
      running.core.expect(line);
    }
    if (run_op(thread, running.batch.ops[running.next_op], until))
      ++running.next_op;
    else if (running.batch.ops[running.next_op].kind == Op::Kind::turn)
      break;
  }
  running.core.finalize_meters();
}

bool Engine::run_op(std::uint32_t thread, const Op& op, Ticks until) {
  Running& running = threads_[thread];
  switch (op.kind) {
    case Op::Kind::access:
      return access(thread, op.address, op.bytes,
                    {.instructions = op.instructions,
                     .depends_on = op.depends_on,
                     .write = op.write,
                     .atomic = op.atomic,
                     .divisions = op.divisions,
                     .chain = op.chain},
                    until);
    case Op::Kind::loop:
      return run_loop(thread, op, until);
    case Op::Kind::create:
      if (live_ != nullptr) {
        if (const auto created = live_->create(thread, op.address); created) {
          const std::uint32_t child = add_thread(*created);
          spread_threads();
          threads_[child].untimed = timed_ ? 0 : running.untimed;
          begin(child, running.core.now());
        }
        return true;
      }
      if (op.other < threads_.size()) begin(op.other, running.core.now());
      return true;
    case Op::Kind::timed_begin:
      set_timed(true, running.core.now());
      return true;
    case Op::Kind::timed_end:
      if (timed_) running.core.drain();
      set_timed(false, running.core.now());
      return true;
    case Op::Kind::clock:
      program_->clock(thread, op.address);
      if (live_ != nullptr) move_pages();
      return true;
    case Op::Kind::populate:
      populate(thread, op);
      return true;
    case Op::Kind::discard:
      discard(threads_[thread].process, op.address, op.address + op.key);
      return true;
    case Op::Kind::remap:
      remap(thread, op);
      return true;
    case Op::Kind::work:
      if (!timed_) return true;
      running.core.work(op.address, op.first, op.count);
      return true;
    default:
      return run_wait(thread, op);
  }
}

bool Engine::access(std::uint32_t thread, std::uint64_t address, std::uint32_t bytes,
                    const Core::Access& what, Ticks until) {
  Running& running = threads_[thread];
  if (position(running) >= until) return false;
  if (timed_ && !running.has_begun) {
    running.core.begin(what);
    running.has_begun = true;
    if (running.core.now() >= until) return false;  // accesses of other threads precede it
  }
  if (timed_ && what.atomic && network_.moved_until() > running.core.now() &&
      waits_for_line(running, thread, address))
    return false;
  running.has_begun = false;
  Core::Access access = what;
  access.object = program_->object_of(thread, address);
  if (access.object >= objects_.size()) [[unlikely]]
    grow_objects();
  if (timed_) {
    ++accesses_;
    ++objects_[access.object].accesses;
  } else {
    ++running.untimed;
  }
  access_line(thread, address, access);
  const std::uint64_t line_bytes = std::uint64_t{1} << shape_.line_bits;
  const std::uint64_t last = address + std::max(bytes, 1U) - 1;
  access.continues = true;
  for (std::uint64_t next = (address | (line_bytes - 1)) + 1; next <= last && next != 0;
       next += line_bytes)
    access_line(thread, next, access);
  return true;
}

bool Engine::waits_for_line(Running& running, std::uint32_t thread, std::uint64_t address) {
  const LineKey line = line_key(running.process, address, shape_.line_bits);
  const Ticks free = network_.free_to_move(line, running.core.now());
  if (free <= running.core.now() || hierarchy_.has(running.hw_thread, line, true)) return false;
  const std::uint32_t object = program_->object_of(thread, address);
  if (object >= objects_.size()) grow_objects();
  running.core.wait_for_line(free, object);
  running.waits_for_line = true;
  ++line_waiters_;
  return true;
}

void Engine::access_line(std::uint32_t thread, std::uint64_t address, const Core::Access& what) {
  Running& running = threads_[thread];
  const bool write = what.write || what.atomic;  // an atomic operation's load takes ownership
  did_fault_ = false;
  const Page& page = page_of(thread, address, what.object, write);
  std::uint16_t home = page.home;
  std::uint64_t copy = 0;
  if (page.replicated) [[unlikely]] {
    home = program_->copy_for(running.hw_thread.node, address, page.home, what.write && timed_);
    copy = std::uint64_t{home} + 1;
  }
  const LineKey line = page.zero ? line_of_zeros(address, page.size)
                                 : line_key(running.process, address, shape_.line_bits, copy);
  const std::uint64_t number = page_number(running.process, address, page.size);
  side_.clear();
  const auto hit = hierarchy_.hit(running.hw_thread, line, number, page.size, write);
  met_ = {line, number, what.object, page.size, hit, did_fault_};
  if (hit != Hierarchy::Hit::no) {
    if (!timed_) return;
    if (hit == Hierarchy::Hit::quick)
      running.core.quick(what, line);
    else
      running.core.hit(what, line);
    if (options_.windows == nullptr || !options_.windows->wants(accesses_)) return;
    const Windows::Target target{line, number, page.size, home};
    if (hit == Hierarchy::Hit::quick)
      options_.windows->note_quick(thread, what, target);
    else
      options_.windows->note(thread, what, target, {{line, Source::l1, false, home, 0}}, side_);
    return;
  }
  hierarchy_.access(running.hw_thread, line, number, page.size, home, write, outcome_, side_);
  met_.walked = met_.walked || outcome_.walk_steps > 0;
  if (!timed_) return;
  running.core.access(what, outcome_, side_);
  if (options_.windows != nullptr && options_.windows->wants(accesses_))
    options_.windows->note(thread, what, {line, number, page.size, home}, outcome_, side_);
  ObjectTotals& object = objects_[what.object];
  object.tlb_misses += outcome_.walk_steps > 0;
  const Source source = outcome_.data.source;
  if (source == Source::l1) return;
  object.l1_misses += 1;
  if (source == Source::l2) return;
  object.l2_misses += 1;
  if (source == Source::l3 || source == Source::near_cache) return;
  object.l3_misses += 1;
  const MemorySideResult side = outcome_.data.memory_side;
  object.memory_side_requests += side != MemorySideResult::none;
  object.memory_side_misses += side != MemorySideResult::none && side != MemorySideResult::hit;
}

}  // namespace Atoll::simulate
