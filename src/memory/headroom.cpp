// Limits how much memory is taken before the available memory is read again: the less is left, the
// sooner.
#include "memory/headroom.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"

namespace Atoll::memory {
namespace {

// Several fills may run concurrently, in several processes, each with its own reading. If each
// takes at most a quarter of the remaining memory between readings, three fills together don't
// exceed it. Below kLeastStep this doesn't hold, but the step is small relative to the reserves
// that are excluded.
constexpr std::uint64_t kLeastStep = 4 * kMiB;
constexpr std::uint64_t kGreatestStep = 256 * kMiB;

constexpr std::uint64_t step_for(std::uint64_t room) {
  return std::clamp(room / 4, kLeastStep, kGreatestStep);
}

}  // namespace

Headroom::Headroom(const Backend& backend, std::uint64_t bytes, PageSize pages)
    : backend_(backend), pages_(pages), to_place_(bytes) {
  read();
  under_way_ = true;
  several_nodes_ = nodes_.size() > 1;
}

void Headroom::read() {
  const Available available = backend_.available(pages_);
  // Sizes near 2^64 exceed any machine even without page tables. The page tables of a pool's pages
  // aren't in the pool, and are small.
  const bool tables = to_place_ <= UINT64_MAX / 2 && !from_pool(pages_);
  const std::uint64_t needed = tables ? with_page_tables(to_place_) : to_place_;
  const auto check = [&](std::uint64_t left, std::string_view whose, std::string_view way_out) {
    if (needed > left)
      throw Error::memory("memory",
                          format_bytes(to_place_) + (under_way_ ? " still" : "") +
                              " to place, but " + std::string(whose) + " has only " +
                              format_bytes(left) + " available" +
                              (under_way_ ? ", as others took some meanwhile" : ""),
                          way_out);
  };
  // Once a pool's pages are reserved for this fill, the system counts them as used.
  if (!(from_pool(pages_) && under_way_)) {
    if (from_pool(pages_))
      check(available.bytes_in_all,
            "the system's pool of " + format_bytes(page_bytes(pages_)) + " pages",
            "ask for less, or add pages to it (vm.nr_hugepages is the pool of 2 MiB ones)");
    else
      check(available.bytes_in_all, "this machine", "ask for less, or free memory");
    check(available.cgroup_bytes, "the cgroup", "ask for less, or raise its limit");
  }
  const std::uint64_t left = available.in_all();
  until_read_ = step_for(left - std::min(left, needed));
  nodes_.clear();
  for (const auto& [node, bytes] : available.bytes_by_node)
    nodes_[node] = {.room = bytes, .until_read = step_for(bytes)};
}

std::uint64_t Headroom::take(NodeId node, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  auto found = nodes_.find(node);
  if (found == nodes_.end() || until_read_ < bytes || found->second.until_read < bytes ||
      found->second.room < bytes) {
    read();
    found = nodes_.find(node);
  }
  if (found == nodes_.end()) return 0;
  Node& now = found->second;
  const std::uint64_t unit = unit_bytes(pages_);
  const std::uint64_t granted = std::min(bytes, now.room / unit * unit);
  now.room -= granted;
  now.until_read -= std::min(now.until_read, granted);
  until_read_ -= std::min(until_read_, granted);
  to_place_ -= granted;
  return granted;
}

void Headroom::take_anywhere(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (until_read_ < bytes) read();
  until_read_ -= std::min(until_read_, bytes);
  to_place_ -= bytes;
}

void Headroom::give_back(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  to_place_ += bytes;
}

std::uint64_t Headroom::room(NodeId node) {
  const std::scoped_lock lock(mutex_);
  read();
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? 0 : found->second.room;
}

}  // namespace Atoll::memory
