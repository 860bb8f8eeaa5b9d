#include "simulate/executor.hpp"

#include <algorithm>

namespace Atoll::simulate {

Executor::Executor(const Parts& parts)
    : shape_(parts.shape),
      timing_(parts.timing),
      program_(&parts.program),
      windows_(parts.windows),
      hierarchy_(parts.shape, parts.pages),
      network_(parts.timing.machine),
      mapping_(parts.shape, parts.pages, parts.program),
      is_timed_(parts.timed_from_start),
      objects_(parts.program.objects()) {}

std::uint32_t Executor::add_thread(std::uint32_t process, const HardwareThread& hw_thread) {
  CoreModel& core = add_core(hw_thread.node, objects_.size());
  threads_.push_back({.core = &core,
                      .pages = &mapping_.add_thread(process),
                      .hw_thread = hw_thread,
                      .process = process,
                      .batch = {}});
  return threads() - 1;
}

void Executor::move_thread(std::uint32_t thread, const HardwareThread& hw_thread) {
  threads_[thread].hw_thread = hw_thread;
  threads_[thread].core->move_to(hw_thread.node);
}

void Executor::expect_threads(std::size_t threads) {
  if (windows_ != nullptr) windows_->expect_threads(threads);
}

void Executor::wait_until(std::uint32_t thread, Ticks at) {
  Thread& its = threads_[thread];
  if (is_timed_) {
    its.core->wait_until(at, kWaiting);
  } else if (const Ticks now = its.position(); at > now) {
    its.untimed += static_cast<std::uint64_t>((at - now + kUntimedAccess - 1) / kUntimedAccess);
  }
}

void Executor::begin_timed(Ticks at) {
  is_timed_ = true;
  counts_before_ = hierarchy_.counts();
  timed_since_ = at;
  for (Thread& thread : threads_) {
    thread.untimed = 0;
    if (thread.core->now() < at) thread.core->start_at(at);
  }
}

void Executor::end_timed(Ticks at) {
  is_timed_ = false;
  elapsed_ += at - timed_since_;
  counts_.add(hierarchy_.counts(), counts_before_);
}

bool Executor::fetch(std::uint32_t thread) {
  Thread& its = threads_[thread];
  define_styles(its, its.batch.styles().size());
  its.batch.clear();
  its.step = its.styles_defined = 0;
  return program_->next(thread, its.batch);
}

void Executor::define_styles(Thread& thread, std::size_t count) {
  for (; thread.styles_defined < count; ++thread.styles_defined) {
    const Batch::StyleDefinition& defined = thread.batch.styles()[thread.styles_defined];
    thread.styles[defined.number] = defined.style;
  }
}

void Executor::stop_waiting_for_line(std::uint32_t thread) {
  if (!threads_[thread].waits_for_line) return;
  threads_[thread].waits_for_line = false;
  --line_waiters_;
}

void Executor::wait_for_line(std::uint32_t thread, Ticks until, std::uint32_t object) {
  threads_[thread].core->wait_for_line(until, object);
  threads_[thread].waits_for_line = true;
  ++line_waiters_;
}

void Executor::grow_objects() {
  const std::size_t objects = program_->objects();
  if (objects <= objects_.size()) return;
  objects_.resize(objects);
  for (Thread& thread : threads_) thread.core->grow_objects(objects);
}

void Executor::fault(std::uint32_t thread, const PageMapping::Mapped& mapped,
                     std::uint32_t object) {
  if (is_timed_)
    threads_[thread].core->page_fault(
        timing_.machine.page_fault[static_cast<std::size_t>(mapped.cleared)], object);
}

void Executor::populate(std::uint32_t thread, std::uint64_t address, std::uint64_t bytes,
                        bool write) {
  const std::uint32_t object = object_of(thread, address);
  for (const std::uint64_t end = address + bytes; address < end;) {
    const PageMapping::Mapped mapped =
        mapping_.map(*threads_[thread].pages, threads_[thread].hw_thread.node, address, write);
    if (mapped.faulted) fault(thread, mapped, object);
    const std::uint64_t bytes_of_page = Pages::bytes_of(*mapped.page);
    address = (address & ~(bytes_of_page - 1)) + bytes_of_page;
  }
}

void Executor::count_misses(ObjectTotals& object, const Outcome& outcome) {
  object.tlb_misses += outcome.walk_steps > 0;
  const Source source = outcome.data.source;
  if (source == Source::l1) return;
  object.l1_misses += 1;
  if (source == Source::l2) return;
  object.l2_misses += 1;
  if (source == Source::l3 || source == Source::near_cache) return;
  object.l3_misses += 1;
  const MemorySideResult side = outcome.data.memory_side;
  object.memory_side_requests += side != MemorySideResult::none;
  object.memory_side_misses += side != MemorySideResult::none && side != MemorySideResult::hit;
}

EngineResult Executor::finish() {
  network_.finish();
  EngineResult result;
  result.stack = Stack(network_.parts());
  result.camat.resize(CoreModel::kLevels);
  Ticks last = 0;
  for (Thread& thread : threads_) {
    CoreModel& core = *thread.core;
    core.finish();
    last = std::max(last, core.now());
    result.stack.add(core.stack());
    result.thread_time += core.stack().sum();
    for (int level = 0; level < CoreModel::kLevels; ++level)
      result.camat[static_cast<std::size_t>(level)].add(core.camat(level));
    for (std::size_t object = 0; object < objects_.size(); ++object)
      objects_[object].time += core.time_of_objects()[object];
  }
  if (is_timed_) end_timed(last);
  result.elapsed = elapsed_;
  result.ended = last;
  result.accesses = accesses_;
  result.objects = objects_;
  result.counts = counts_;
  return result;
}

}  // namespace Atoll::simulate
