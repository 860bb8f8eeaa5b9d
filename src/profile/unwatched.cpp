#include "profile/unwatched.hpp"

#include <algorithm>

namespace Atoll::profile {
namespace {

/// Minimum size of allocations with pages of their own, which can be sampled (inside::kLargeBytes).
constexpr std::uint64_t kWatchedBytes = 64 << 10;

}  // namespace

double unwatched_share(const Profile& profile, const PagesByNode& pages) {
  const recording::Recording& run = profile.recording;
  std::vector<bool> sampled(run.objects.size());
  for (const SampledUse& one : profile.samples) sampled[one.object] = true;
  const bool all_large = std::ranges::none_of(run.losses, [](const recording::Loss& loss) {
    return loss.kind == recording::LossKind::allocations_too_often ||
           loss.kind == recording::LossKind::allocations_unsafe;
  });
  std::size_t all = 0, unseen = 0;
  for (const PageRow& row : pages.rows) {
    const recording::Object& object = run.objects[row.object];
    if (object.kind == recording::ObjectKind::mapping && !object.module.empty()) continue;
    if (object.module.find("/libatoll-") != std::string::npos) continue;  // of Atoll
    ++all;
    const bool large =
        object.kind == recording::ObjectKind::heap && object.bytes >= kWatchedBytes && all_large;
    if (!sampled[row.object] && !large) ++unseen;
  }
  return all == 0 ? 1 : static_cast<double>(unseen) / static_cast<double>(all);
}

}  // namespace Atoll::profile
