// Choice of processing units for a live program's threads: from the plan, or from the system's
// spread.
#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "simulate/live_program.hpp"

namespace Atoll::simulate {
namespace {

/// One place in kSharers may be shared by two threads: pigz creates a thread per processing unit,
/// and two more that wait for these.
constexpr std::size_t kSharers = 8;

}  // namespace

std::uint32_t LiveProgram::free_slot() {
  const auto is_free = [&](std::uint32_t user) {
    return threads_[user].has_ended && threads_[user].is_joined;
  };
  auto free = std::ranges::find_if(of_slot_, is_free);
  // If there are as many numbers as places, threads that ended without a join free their numbers,
  // too.
  if (free == of_slot_.end() && of_slot_.size() >= places_.size())
    free = std::ranges::find_if(of_slot_,
                                [&](std::uint32_t user) { return threads_[user].has_ended; });
  if (free == of_slot_.end()) {
    of_slot_.push_back(kNone);
    return static_cast<std::uint32_t>(of_slot_.size() - 1);
  }
  return static_cast<std::uint32_t>(free - of_slot_.begin());
}

std::uint32_t LiveProgram::allowed_place(const std::vector<std::uint64_t>& allowed) const {
  std::uint32_t found = kNone;
  std::size_t fewest = 0;
  for (std::uint32_t place = 0; place < places_.size(); ++place) {
    if (!allows_place(allowed, place)) continue;
    const auto count = static_cast<std::size_t>(std::ranges::count_if(
        threads_, [&](const Thread& one) { return one.place == place && !one.has_ended; }));
    if (found != kNone && count >= fewest) continue;
    found = place;
    fewest = count;
  }
  return found;
}

std::uint32_t LiveProgram::free_place(std::uint32_t slot, std::uint32_t planned,
                                      const std::vector<std::uint64_t>& allowed) {
  const auto is_free = [&](std::uint32_t place) {
    return user_[place] == kNone || threads_[user_[place]].has_ended;
  };
  const auto number = static_cast<std::uint32_t>(places_.size());
  const auto first = [&](auto&& suits) {
    for (std::uint32_t place = 0; place < number; ++place)
      if (suits(place)) return place;
    return kNone;
  };
  const bool pins = planned_ && planned_->pins();
  // A pinned thread takes one of its places in the plan. Other threads avoid these places if
  // possible.
  if (pins && planned != kNone) {
    const auto allows = [&](std::uint32_t place) {
      return planned_->allows(planned, places_[place].pu);
    };
    if (const std::uint32_t place =
            first([&](std::uint32_t one) { return allows(one) && is_free(one); });
        place != kNone)
      return place;
    if (const std::uint32_t place = first(allows); place != kNone) return place;
  }
  if (!allowed.empty())
    if (const std::uint32_t place = allowed_place(allowed); place != kNone) return place;
  const auto suits = [&](std::uint32_t place) {
    return is_free(place) && !(pins && planned_->wants(places_[place].pu));
  };
  const std::uint32_t wanted = spread_.place_of(slot);
  if (slot < number && suits(wanted)) return wanted;
  for (const bool on_node : {true, false})
    for (const bool leaves_planned : {true, false}) {
      const std::uint32_t place = first([&](std::uint32_t one) {
        return (leaves_planned ? suits(one) : is_free(one)) &&
               (!on_node || places_[one].node == places_[wanted].node);
      });
      if (place != kNone) return place;
    }
  // If there are a few more threads than places, the additional threads share the places of the
  // first ones, which often only wait for the others.
  if (shared_ < number / kSharers) return static_cast<std::uint32_t>(shared_++);
  throw Error::input(
      machine_.name(),
      fmt::format("shows {} processing units, and the program runs more threads at a time", number),
      "tell the program to make fewer, or give --threads or a larger machine");
}

void LiveProgram::spread_again() {
  const auto is_moved = [&](std::uint32_t user) {
    return user != kNone && !threads_[user].has_ended && !threads_[user].is_bound;
  };
  for (const std::uint32_t user : of_slot_)
    if (is_moved(user) && user_[threads_[user].place] == user) user_[threads_[user].place] = kNone;
  std::map<std::uint32_t, std::uint16_t> memories;
  for (const std::uint32_t user : of_slot_) {
    if (!is_moved(user)) continue;
    Thread& moved = threads_[user];
    const std::uint32_t place = free_place(moved.slot, moved.planned, {});
    user_[place] = user;
    if (place == moved.place) continue;
    memories.emplace(user, memory_of_place(moved.place));
    moved.place = place;
    moved_threads_.push_back({user, place});
    if (moved.stream != kNone) placed_(streams_.about(moved.stream).tid, place);
  }
  move_first_touched(memories);
}

std::uint16_t LiveProgram::memory_of_place(std::uint32_t place) const {
  return model_.memory_of_node[model_.hw_threads.at(places_[place].pu).node];
}

void LiveProgram::move_first_touched(const std::map<std::uint32_t, std::uint16_t>& before) {
  touchers_.for_each(
      [&](std::uint64_t process, std::uint64_t begin, std::uint64_t end, std::uint32_t thread) {
        const auto found = before.find(thread);
        if (found == before.end()) return;
        const std::uint16_t to = memory_of_place(threads_[thread].place);
        pages_.for_each(process, begin, end, [&](std::uint64_t first, const Page& page) {
          if (page.home == found->second) move(process, first, page, to);
        });
      });
}

std::vector<NodeId> LiveProgram::nodes_of_threads() const {
  std::vector<NodeId> nodes;
  for (const std::uint32_t user : of_slot_) nodes.push_back(places_[threads_[user].place].node);
  return nodes;
}

}  // namespace Atoll::simulate
