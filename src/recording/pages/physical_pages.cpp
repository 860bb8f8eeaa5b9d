#include "recording/pages/physical_pages.hpp"

#include <algorithm>
#include <iterator>

namespace Atoll::recording {
namespace {

/// Ids of private pages: ids below kCopies are processes' pages without mapping; ids from kCopies
/// to kFirstId - 1 are pages that a process has copied.
constexpr std::uint64_t kCopies = std::uint64_t{1} << 32, kFirstId = 2 * kCopies;
constexpr std::uint64_t kEver = ~std::uint64_t{0};

}  // namespace

void PhysicalPages::add_process(std::uint32_t parent, std::uint64_t forked_at) {
  if (parent != kNone) {
    std::vector<std::uint64_t>& forks = processes_[parent].forks;
    forks.insert(std::ranges::upper_bound(forks, forked_at), forked_at);
  }
  processes_.push_back({.parent = parent, .forked_at = forked_at, .forks = {}, .ranges = {}});
}

std::uint64_t PhysicalPages::new_memory(Place home) {
  homes_.push_back(home);
  return kFirstId + homes_.size() - 1;
}

std::uint64_t PhysicalPages::memory_of_file(std::uint64_t device, std::uint64_t inode, Place home) {
  const auto [found, is_new] = files_.try_emplace({device, inode}, 0);
  if (is_new) found->second = new_memory(home);
  return found->second;
}

void PhysicalPages::put(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                        std::uint64_t now, Kind kind, std::uint64_t id, std::uint64_t first) {
  if (begin >= end) return;
  Process& of = processes_[process];
  const Version version{.time = now, .kind = kind, .id = id, .shift = first - begin};
  // The previous version is kept if a child was forked since.
  const auto fork = std::ranges::upper_bound(of.forks, now);
  const std::uint64_t last_fork = fork == of.forks.begin() ? 0 : *std::prev(fork);
  of.ranges.update(begin, end, [&](Versions& versions) {
    if (!versions.empty() && versions.back().time >= last_fork) versions.pop_back();
    versions.push_back(version);
  });
  of.ranges.join(begin, end);
}

void PhysicalPages::put_own(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                            std::uint64_t now) {
  put(process, begin, end, now, Kind::own, new_memory({process, 0}), begin);
}

const PhysicalPages::Version* PhysicalPages::version_of(const Process& process, std::uint64_t page,
                                                        std::uint64_t before) {
  const Versions* const versions = process.ranges.value_at(page);
  if (versions == nullptr) return nullptr;
  const auto later = std::ranges::lower_bound(*versions, before, {}, &Version::time);
  return later == versions->begin() ? nullptr : &*std::prev(later);
}

void PhysicalPages::move(std::uint32_t process, std::uint64_t from, std::uint64_t begin,
                         std::uint64_t end, std::uint64_t now) {
  std::uint64_t before = now;
  for (std::uint32_t at = process; at != kNone; at = processes_[at].parent) {
    if (const Version* version = version_of(processes_[at], from, before); version != nullptr) {
      if (version->kind == Kind::own) break;
      const Version moved = *version;
      return put(process, begin, end, now, moved.kind, moved.id, from + moved.shift);
    }
    before = processes_[at].forked_at;
  }
  put_own(process, begin, end, now);
}

bool PhysicalPages::may_share(std::uint32_t process) const {
  if (process >= processes_.size()) return false;
  const Process& of = processes_[process];
  return of.parent != kNone || !of.forks.empty() ||
         std::ranges::any_of(of.ranges.all(), [](const auto& range) {
           return std::ranges::any_of(range.second.value, [](const Version& version) {
             return version.kind != Kind::own;
           });
         });
}

PhysicalPages::Memory PhysicalPages::memory_of(Place place, const Writes& writes) const {
  const std::uint64_t page = place.page;
  std::uint32_t writer = kNone, copier = kNone;  // nearest that wrote to it, and that has a copy
  std::uint64_t before = kEver;
  for (std::uint32_t at = place.process;; at = processes_[at].parent) {
    const Process& of = processes_[at];
    const Version* version = version_of(of, page, before);
    if (version != nullptr && version->kind == Kind::shared)
      return {version->id, page + version->shift};
    const bool inherited = version == nullptr && of.parent != kNone;
    const bool is_copy = inherited || (version != nullptr && version->kind == Kind::copied);
    if (is_copy && writer == kNone && writes.wrote({at, page})) writer = at;
    if (inherited && copier == kNone && (writer != kNone || writes.copied({at, page}))) copier = at;
    if (inherited) {
      before = of.forked_at;
      continue;
    }
    // A read of a file's page causes a fault, too, but no copy.
    const std::uint32_t owner =
        version != nullptr && version->kind == Kind::copied ? writer : copier;
    if (owner != kNone) return {kCopies + owner, page};
    if (version == nullptr) return {at, page};
    return {version->id, page + version->shift};
  }
}

bool PhysicalPages::is_private(Place place) const {
  if (place.process >= processes_.size()) return true;
  const Version* version = version_of(processes_[place.process], place.page, kEver);
  return version == nullptr || version->kind != Kind::shared;
}

std::uint64_t PhysicalPages::mapped_at(Place place) const {
  const Version* version = version_of(processes_[place.process], place.page, kEver);
  return version == nullptr ? 0 : version->time;
}

PhysicalPages::Place PhysicalPages::home_of(Memory memory) const {
  if (memory.id < kFirstId) return {static_cast<std::uint32_t>(memory.id % kCopies), memory.page};
  const Place home = homes_[memory.id - kFirstId];
  return {home.process, home.page + memory.page};
}

}  // namespace Atoll::recording
