#include "profile/watched_chunks.hpp"

#include <algorithm>
#include <set>

#include "atoll/base/page_size.hpp"
#include "record/sample/ranges.hpp"

namespace Atoll::profile {
namespace {

constexpr std::uint64_t kPagesOfHugePage = record::sample::kHugePage / kPageBytes;
/// Minimum size of a group that represents the object's other chunks; fewer chunks don't, even if
/// they are alike.
constexpr std::uint32_t kFewChunks = 8;

/// Returns n if one chunk in n is watched; 1 if all are.
std::uint64_t chunks_apart(const recording::Recording& run) {
  for (const recording::Unseen& unseen : run.cant_see)
    if (unseen.kind == recording::UnseenKind::parts)
      return std::max<std::uint64_t>(1, unseen.count);
  return 1;
}

}  // namespace

std::pair<std::uint32_t, std::uint64_t> WatchedChunks::key_of(std::uint32_t object,
                                                              std::uint64_t page) const {
  // The first chunk begins at the first huge page that the object covers as a whole.
  const recording::Object& of = profile_.recording.objects[object];
  const std::uint64_t chunk = record::sample::chunk_bytes(of.bytes) / kPageBytes;
  const std::uint64_t begin = (of.address / kPageBytes / kPagesOfHugePage + 1) * kPagesOfHugePage;
  return {object, (page + chunk - begin % chunk) / chunk};
}

WatchedChunks::WatchedChunks(const Profile& profile) : profile_(profile) {
  const std::uint64_t apart = chunks_apart(profile.recording);
  std::map<std::uint32_t, std::set<std::uint64_t>> chunks;
  std::map<std::uint32_t, double> uses;
  for (const SampledUse& one : profile.samples) {
    chunks[one.object].insert(key_of(one.object, one.page).second);
    uses[one.object] += static_cast<double>(one.uses);
  }
  for (const auto& [object, seen] : chunks) {
    if (record::sample::is_watched_whole(profile.recording.objects[object].bytes, apart)) continue;
    const std::uint32_t first = count_ + 1;
    for (const std::uint64_t chunk : seen) numbers_[{object, chunk}] = ++count_;
    groups_.push_back({object, first, count_ + 1, uses[object]});
  }
}

std::uint32_t WatchedChunks::chunk_of(std::uint32_t object, std::uint64_t page) const {
  const auto found = numbers_.find(key_of(object, page));
  return found == numbers_.end() ? 0 : found->second;
}

void WatchedChunks::draw(std::mt19937_64& random, std::vector<double>& times,
                         std::vector<double>& unseen) const {
  times.assign(count_ + 1, 0);
  times[0] = 1;
  unseen.assign(groups_.size(), 0);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    const std::uint32_t count = group.end - group.first;
    const bool few = count < kFewChunks;
    const double uses_of_chunk = group.uses / count;
    std::uniform_int_distribution<std::uint32_t> draw_one(group.first, group.end - (few ? 0 : 1));
    // The variance of n - 1 draws equals that of the mean of n chunks.
    for (std::uint32_t draws = few ? count + 1 : count - 1; draws != 0; --draws) {
      const std::uint32_t chunk = draw_one(random);
      if (chunk == group.end)
        unseen[i] += uses_of_chunk;
      else
        ++times[chunk];
    }
  }
}

}  // namespace Atoll::profile
