// Where a running program's pages and threads go: by its own calls, else by the placement.
#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "simulate/live_program.hpp"

namespace Atoll::simulate {

Page LiveProgram::touch(std::uint32_t thread, std::uint32_t node, std::uint64_t address) {
  objects_.see_names(threads_[thread].process);
  const std::uint32_t object = found_at(thread, address).object;
  const std::uint64_t process = processes_.at(threads_[thread].process);
  const Asked* asked = calls_.policy_at(process, address);
  if (asked == nullptr) asked = &threads_[thread].calls.policy;
  return placement_.touch(object == kNone ? nullptr : &objects_.placed(object), address, node,
                          asked, calls_.huge_at(process, address));
}

std::uint16_t LiveProgram::copy_for(std::uint32_t node, std::uint64_t address,
                                    std::uint16_t /*home*/, bool write) {
  if (write) throw written_replica(address);
  return placement_.copy_for(node);
}

void LiveProgram::clock(std::uint32_t thread, std::uint64_t /*events*/) {
  Thread& its = threads_[thread];
  if (its.happenings.empty()) return;
  const Happening happening = std::move(its.happenings.front());
  its.happenings.pop_front();
  if (const auto* event = std::get_if<trace::StreamEvent>(&happening); event != nullptr)
    objects_.event(its.stream, *event, its.planned);
  else
    execute(thread, std::get<Call>(happening));
}

void LiveProgram::execute(std::uint32_t thread, const Call& of) {
  using Kind = trace::StreamPlacement::Kind;
  trace::StreamPlacement call = of.call;
  call.mask = of.mask;
  const std::uint64_t process = processes_.at(threads_[thread].process);
  switch (call.kind) {
    case Kind::range_policy:
    case Kind::huge_pages:
      return calls_.range(process, call);
    case Kind::thread_policy:
      threads_[thread].calls.policy = calls_.policy_of(call);
      return;
    case Kind::moved:
      if (const auto memory = calls_.memory_of(call.mode); memory)
        moved_.push_back({static_cast<std::uint32_t>(process % kMostProcesses), call.address,
                          call.address + call.bytes, *memory});
      return;
    case Kind::bound:
      return;
  }
}

std::vector<LiveThreads::Moved> LiveProgram::moved_pages() {
  return std::exchange(moved_, {});
}

std::vector<LiveThreads::Move> LiveProgram::bind(std::uint32_t thread) {
  Thread& its = threads_[thread];
  if (its.happenings.empty()) return {};
  const Call call = std::get<Call>(its.happenings.front());
  its.happenings.pop_front();
  const std::uint32_t bound =
      call.call.thread == 0 ? thread : thread_called(its.process, call.call.thread);
  if (bound == kNone) return {};
  const auto allows = [&](std::size_t place) {
    const auto pu = static_cast<std::size_t>(places_[place].pu);
    return pu / 64 < call.mask.size() && (call.mask[pu / 64] >> pu % 64 & 1U) != 0;
  };
  Thread& moved = threads_[bound];
  // The plan overrules the program.
  if (moved.planned != kNone && planned_->pins()) return {};
  moved.is_bound = true;
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
  // Who stood there, and may stand elsewhere, goes where this one stood.
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
