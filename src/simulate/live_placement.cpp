// Placement of a live program's pages and threads: by its own calls, otherwise by Placement.
#include <linux/mempolicy.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/page_size.hpp"
#include "simulate/inside/view.hpp"
#include "simulate/live_program.hpp"

namespace Atoll::simulate {

const PagePolicy* LiveProgram::asked_at(std::uint32_t thread, std::uint64_t address) const {
  const Thread& its = threads_[thread];
  const PagePolicy* const of_range = calls_.policy_at(processes_.at(its.process), address);
  return of_range != nullptr ? of_range : &its.policy;
}

void LiveProgram::read_names(std::uint32_t thread) {
  const record::Offset process = threads_[thread].process;
  for (const auto& [begin, end] : objects_.read_names(process))
    moved_.push_back({.process = static_cast<std::uint32_t>(processes_.at(process) % kMaxProcesses),
                      .begin = begin,
                      .end = end,
                      .home = 0,
                      .discarded = true});
}

Page LiveProgram::touch(std::uint32_t thread, std::uint32_t node, std::uint64_t address,
                        Fault fault) {
  read_names(thread);
  const std::uint32_t object = found_at(thread, address).object;
  const PlacedObject* const placed = object == kNone ? nullptr : &objects_.placed(object);
  const std::uint64_t process = processes_.at(threads_[thread].process);
  Touch touch{.address = address,
              .node = node,
              .fault = fault,
              .asked = asked_at(thread, address),
              .huge = calls_.huge_at(process, address)};
  std::uint32_t toucher = thread;
  if (const auto cached_by = calls_.cached_at(process, address); cached_by) {
    toucher = thread_of_tid(threads_[thread].process, *cached_by);
    touch.asked = toucher == kNone ? &in_turn_ : &threads_[toucher].policy;
    if (toucher != kNone)
      touch.node = model_.hw_threads.at(places_[threads_[toucher].place].pu).node;
    else
      ++unknown_[object];
  }
  const Page page = placement_.touch(placed, touch);
  const std::uint64_t bytes = Pages::bytes_of(page), first = address & ~(bytes - 1);
  const bool follows = toucher != kNone && !threads_[toucher].is_bound &&
                       placement_.is_first_touch(placed, touch, page);
  touchers_.set(process % kMaxProcesses, first, first + bytes, follows ? toucher : kNone);
  return page;
}

std::uint32_t LiveProgram::thread_of_tid(record::Offset process, std::uint64_t tid) const {
  for (auto thread = static_cast<std::uint32_t>(threads_.size()); tid != 0 && thread > 0;
       --thread) {
    const Thread& one = threads_[thread - 1];
    if (one.process == process && one.stream != kNone &&
        static_cast<std::uint64_t>(streams_.about(one.stream).tid) == tid)
      return thread - 1;
  }
  return kNone;
}

std::uint16_t LiveProgram::copy_for(std::uint32_t node, std::uint64_t address,
                                    std::uint16_t /*home*/, bool write) {
  if (write) throw written_replica(address);
  return placement_.copy_for(node);
}

void LiveProgram::execute_event(std::uint32_t thread, const recording::StreamEvent& event) {
  if (!is_about_memory(event.kind)) return;
  const Thread& its = threads_[thread];
  read_names(thread);
  const std::uint64_t gone = objects_.event(its.stream, event, its.planned);
  if (gone > event.address) calls_.forget(processes_.at(its.process), event.address, gone);
}

void LiveProgram::execute_call(std::uint32_t thread, const recording::StreamPlacement& call) {
  using Kind = recording::RecordKind;
  read_names(thread);
  const std::uint64_t process = processes_.at(threads_[thread].process);
  switch (call.kind) {
    case Kind::policy_of_range:
      calls_.range(process, call);
      if ((call.flags & (MPOL_MF_MOVE | MPOL_MF_MOVE_ALL)) != 0) move_by_policy(thread, call);
      return;
    case Kind::huge_pages:
    case Kind::pages_cached:
      return calls_.range(process, call);
    case Kind::policy_of_thread:
      threads_[thread].policy = calls_.policy_of(call);
      return;
    case Kind::pages_moved:
      touchers_.set(process % kMaxProcesses, call.address, call.address + call.bytes, kNone);
      if (const auto memory = calls_.memory_of(call.node); memory)
        pages_.for_each(
            process % kMaxProcesses, call.address, call.address + call.bytes,
            [&](std::uint64_t first, const Page& page) { move(process, first, page, *memory); });
      return;
    case Kind::pages_asked:
      threads_[thread].question = call;
      threads_[thread].question->mask = {};
      return;
    default:
      return;
  }
}

void LiveProgram::move(std::uint64_t process, std::uint64_t first, const Page& page,
                       std::uint16_t to) {
  if (placement_.move(page, to))
    moved_.push_back({static_cast<std::uint32_t>(process % kMaxProcesses), first,
                      first + Pages::bytes_of(page), to});
}

void LiveProgram::move_by_policy(std::uint32_t thread, const recording::StreamPlacement& call) {
  const std::uint64_t process = processes_.at(threads_[thread].process);
  const std::uint32_t node = model_.hw_threads.at(places_[threads_[thread].place].pu).node;
  const PagePolicy asked = calls_.policy_of(call);
  touchers_.set(process % kMaxProcesses, call.address, call.address + call.bytes, kNone);
  pages_.for_each(process % kMaxProcesses, call.address, call.address + call.bytes,
                  [&](std::uint64_t first, const Page& page) {
                    // Linux doesn't move pages that are already on one of the policy's nodes.
                    if (std::ranges::find(asked.memories, page.home) != asked.memories.end())
                      return;
                    if (const auto to = placement_.wanted(asked, first, page.size, node); to)
                      move(process, first, page, *to);
                  });
}

void LiveProgram::answer(std::uint32_t thread) {
  Thread& its = threads_[thread];
  if (!its.question) return;
  const recording::StreamPlacement question = *std::exchange(its.question, std::nullopt);
  const std::uint64_t process = processes_.at(its.process) % kMaxProcesses;
  const auto node_of = [&](std::uint16_t memory) {
    return static_cast<std::int16_t>(model_.memories[memory].value);
  };
  std::vector<std::int16_t> answers;
  if (static_cast<inside::Question>(question.query >> 32) == inside::Question::policy) {
    const PagePolicy& asked = *asked_at(thread, question.address);
    answers = {static_cast<std::int16_t>(asked.mode),
               static_cast<std::int16_t>(asked.memories.size())};
    for (const std::uint16_t memory : asked.memories) answers.push_back(node_of(memory));
  } else {
    for (std::uint64_t at = 0; at < question.bytes && answers.size() < inside::kAnswers;
         at += kPageBytes) {
      // Linux 6.1 returns the same for an unmapped page and for the zero page.
      Page page;
      const bool is_there = pages_.find(process, question.address + at, page) && !page.zero;
      answers.push_back(is_there ? node_of(page.home) : static_cast<std::int16_t>(-EFAULT));
    }
  }
  answered_(static_cast<std::uint32_t>(question.query), answers);
}

std::vector<LiveThreads::Moved> LiveProgram::moved_pages() {
  return std::exchange(moved_, {});
}

bool LiveProgram::allows_place(const std::vector<std::uint64_t>& mask, std::size_t place) const {
  const auto pu = static_cast<std::size_t>(places_[place].pu);
  return pu / 64 < mask.size() && (mask[pu / 64] >> pu % 64 & 1U) != 0;
}

std::vector<LiveThreads::Move> LiveProgram::bind(std::uint32_t thread,
                                                 const recording::StreamPlacement& call) {
  const std::uint32_t bound =
      call.thread == 0 ? thread : thread_called(threads_[thread].process, call.thread);
  if (bound == kNone) return {};
  const std::vector<std::uint64_t> mask(call.mask.begin(), call.mask.end());
  const auto allows = [&](std::size_t place) { return allows_place(mask, place); };
  Thread& moved = threads_[bound];
  // The plan overrides the program's own binding.
  if (moved.planned != kNone && planned_->pins()) return {};
  moved.is_bound = true;
  moved.allowed = mask;
  if (allows(moved.place)) return {};
  std::uint32_t wanted = kNone;
  for (std::uint32_t place = 0; place < places_.size(); ++place) {
    if (!allows(place)) continue;
    const bool is_free = user_[place] == kNone || threads_[user_[place]].has_ended;
    if (wanted == kNone || is_free) wanted = place;
    if (is_free) break;
  }
  if (wanted == kNone) return {};
  std::vector<Move> moves{{bound, wanted}};
  // An unbound thread that occupies the place moves to the former place of this thread.
  const std::uint32_t other = user_[wanted], before = moved.place;
  const bool swaps = other != kNone && !threads_[other].has_ended && !threads_[other].is_bound;
  user_[before] = swaps ? other : kNone;
  user_[wanted] = bound;
  moved.place = wanted;
  if (swaps) {
    threads_[other].place = before;
    moves.push_back({other, before});
  }
  for (const Move& move : moves)
    if (threads_[move.thread].stream != kNone)
      placed_(streams_.about(threads_[move.thread].stream).tid, move.place);
  return moves;
}

}  // namespace Atoll::simulate
