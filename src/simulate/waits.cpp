#include "simulate/waits.hpp"

#include <algorithm>

namespace Atoll::simulate {

Waits::Event* Waits::release_of(std::uint64_t number) {
  if (number < first_) return nullptr;
  // A number that no program could reach means damaged data; it must not cost memory.
  constexpr std::uint64_t kFarthest = kRemembered * 64;
  if (number - first_ >= releases_.size() + kFarthest) return nullptr;
  while (number - first_ >= releases_.size()) releases_.emplace_back();
  while (releases_.size() > kRemembered && releases_.front().waiting.empty() &&
         number - first_ >= kRemembered) {
    releases_.pop_front();
    ++first_;
  }
  return &releases_[number - first_];
}

std::vector<Waits::Woken> Waits::happen(Event& event, Ticks at) {
  event.happened = true;
  event.at = at;
  std::vector<Woken> woken;
  for (const std::uint32_t thread : event.waiting) woken.push_back({thread, at});
  event.waiting.clear();
  event.waiting.shrink_to_fit();
  return woken;
}

std::vector<Waits::Woken> Waits::release(std::uint64_t number, Ticks at) {
  Event* const event = release_of(number);
  return event == nullptr ? std::vector<Woken>{} : happen(*event, at);
}

std::optional<Ticks> Waits::wait_for(std::uint64_t number, std::uint32_t thread) {
  Event* const event = release_of(number);
  if (event == nullptr) return 0;
  if (event->happened) return event->at;
  event->waiting.push_back(thread);
  return std::nullopt;
}

std::vector<Waits::Woken> Waits::post(std::uint64_t process, std::uint64_t key,
                                      std::uint64_t number, Ticks at) {
  Event& event = posts_[{process, key, number}];
  std::vector<Woken> woken = happen(event, at);
  if (!woken.empty()) posts_.erase({process, key, number});
  return woken;
}

std::optional<Ticks> Waits::take(std::uint64_t process, std::uint64_t key, std::uint64_t number,
                                 std::uint32_t thread) {
  Event& event = posts_[{process, key, number}];
  if (!event.happened) {
    event.waiting.push_back(thread);
    return std::nullopt;
  }
  const Ticks at = event.at;
  posts_.erase({process, key, number});
  return at;
}

std::optional<std::vector<Waits::Woken>> Waits::meet(std::uint64_t process, std::uint64_t key,
                                                     std::uint64_t number, std::uint32_t count,
                                                     std::uint32_t thread, Ticks at) {
  const auto found = barriers_.try_emplace(Key{process, key, number}).first;
  Barrier& barrier = found->second;
  barrier.latest = std::max(barrier.latest, at);
  if (barrier.there.size() + 1 < count) {
    barrier.there.push_back(thread);
    return std::nullopt;
  }
  std::vector<Woken> woken;
  for (const std::uint32_t other : barrier.there) woken.push_back({other, barrier.latest});
  woken.push_back({thread, barrier.latest});
  barriers_.erase(found);
  return woken;
}

void Waits::forget(std::uint32_t thread) {
  for (Event& event : releases_) std::erase(event.waiting, thread);
  for (auto& [key, event] : posts_) std::erase(event.waiting, thread);
  // Barriers are unchanged: later arrivals don't wait for this thread, as it stays counted.
}

void Waits::limit(Ticks at) {
  for (Event& event : releases_) event.at = std::min(event.at, at);
  for (auto& [key, event] : posts_) event.at = std::min(event.at, at);
  for (auto& [key, barrier] : barriers_) barrier.latest = std::min(barrier.latest, at);
}

}  // namespace Atoll::simulate
