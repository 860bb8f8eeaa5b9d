// Page placement with Linux's system calls. The design follows from the behaviour of kernels 6.1 to
// 6.18:
// - A policy on a range (mbind) per node would split the range into a mapping for each run of
//   pages, and a process may have 65530 mappings: 1 GiB interleaved by 4 KiB would need too many.
//   So the policy is set on the thread while it maps pages.
// - With MPOL_BIND to a full node, the OOM killer runs although other nodes have free memory. The
//   preferring policies use other nodes instead.
// - MPOL_PREFERRED leaves the node at the low watermark, however much file cache the node holds.
//   MPOL_PREFERRED_MANY uses it down to the minimum watermark and wakes its background reclaim,
//   which frees memory while pages are being cleared; if that is too slow, some pages are on other
//   nodes.
// - move_pages() to a node reclaims its file cache and returns ENOMEM when that is used up, without
//   killing a process. A huge page is moved as small ones if the node has no free huge page.
#include "memory/linux_backend.hpp"

#include <numaif.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/page_size.hpp"
#include "machine/system_memory.hpp"
#include "memory/anonymous.hpp"

namespace Atoll::memory {
namespace {

constexpr int kPreferredMany = 5;  // MPOL_PREFERRED_MANY, missing in older headers
constexpr int kLocal = 4;          // MPOL_LOCAL
constexpr int kWeighted = 6;       // MPOL_WEIGHTED_INTERLEAVE, since Linux 6.9

constexpr std::size_t kWordBits = sizeof(unsigned long) * CHAR_BIT;
constexpr std::size_t kMaxNodes = 1024;             // the maximum of any kernel configuration
constexpr unsigned long kMaskBits = kMaxNodes + 1;  // the kernel uses one bit less than specified
using Mask = std::array<unsigned long, kMaxNodes / kWordBits>;

Mask mask_of(std::span<const NodeId> nodes) {
  Mask mask{};
  for (const NodeId node : nodes)
    if (node.value < kMaxNodes) mask[node.value / kWordBits] |= 1UL << (node.value % kWordBits);
  return mask;
}

/// Saves the calling thread's memory policy, and restores it at the end of the scope.
class ThreadPolicy {
 public:
  ThreadPolicy() {
    if (get_mempolicy(&mode_, mask_.data(), kMaskBits, nullptr, 0) != 0)
      throw Error::system("memory", "asking for the thread's memory policy", errno);
  }
  ~ThreadPolicy() { (void)set_mempolicy(mode_, mask_.data(), kMaskBits); }
  ThreadPolicy(const ThreadPolicy&) = delete;
  ThreadPolicy& operator=(const ThreadPolicy&) = delete;

  void prefer(NodeId node) {
    const Mask mask = mask_of({&node, 1});
    if (set_mempolicy(kPreferredMany, mask.data(), kMaskBits) == 0) return;
    if (set_mempolicy(MPOL_PREFERRED, mask.data(), kMaskBits) == 0)
      return;  // EINVAL before Linux 5.15
    throw Error::system("memory", "preferring node " + std::to_string(node.value), errno,
                        "see Mems_allowed_list in /proc/self/status for the nodes allowed");
  }
  /// Prevents NUMA balancing, which moves no pages for a thread with a non-default policy.
  void keep_pages_where_they_are() { (void)set_mempolicy(kLocal, nullptr, 0); }

 private:
  int mode_ = MPOL_DEFAULT;
  Mask mask_{};
};

/// Base pages per call, so many that the overhead of a call is negligible.
constexpr std::size_t kBatch = 4096;

template <class Each>
void for_each_batch(std::span<const Range> ranges, const Each& each) {
  std::vector<void*> pages;
  for (const Range& range : ranges)
    for (std::size_t at = 0; at < range.bytes; at += kPageBytes) {
      pages.push_back(range.data + at);
      if (pages.size() < kBatch) continue;
      each(pages);
      pages.clear();
    }
  if (!pages.empty()) each(pages);
}

/// Returns the node of one page; kNowhere if it isn't mapped.
NodeId locate_page(void* page) {
  // get_mempolicy() would map the page, so it is called for mapped pages only.
  if (!mapped_pages({static_cast<std::byte*>(page), kPageBytes}).front()) return kNowhere;
  int node = 0;
  if (get_mempolicy(&node, nullptr, 0, page, MPOL_F_NODE | MPOL_F_ADDR) != 0)
    throw Error::system("memory", "asking where a page is", errno);
  return NodeId{static_cast<std::uint32_t>(node)};
}

class LinuxBackend final : public Backend {
 public:
  std::string_view name() const override { return "linux"; }
  Available available(PageSize pages) const override { return memory_.available(pages); }

  std::byte* reserve(std::size_t bytes, PageSize pages) override {
    return reserve_pages(bytes, pages);
  }
  void release(std::byte* data, std::size_t bytes) noexcept override { release_pages(data, bytes); }

  void populate(std::span<const Range> ranges, NodeId node) override {
    std::optional<ThreadPolicy> policy;
    if (node != kNowhere) policy.emplace().prefer(node);
    for (const Range& range : ranges) map_pages(range);
  }

  void migrate(std::span<const Range> ranges, NodeId node) override {
    for_each_batch(ranges, [&](std::vector<void*>& pages) {
      std::vector<int> status(pages.size());
      std::vector<int> there(pages.size(), static_cast<int>(node.value));
      // Refused pages stay where they are; locate() shows that.
      (void)move_pages(0, pages.size(), pages.data(), there.data(), status.data(), MPOL_MF_MOVE);
    });
  }

  void discard(std::span<const Range> ranges) override {
    for (const Range& range : ranges) discard_pages(range);
  }

  /// NUMA balancing only moves pages with the default policy, so any other policy prevents it. The
  /// policy moves nothing now and applies to pages that are swapped in. Weighted interleave uses
  /// the system-wide weights, which the administrator set. A placement's own weights are
  /// implemented page by page, by threads of the page's node, so that zeroing is local.
  void prevent_migration(Range range, std::span<const NodeId> nodes) override {
    const Mask mask = mask_of(nodes);
    const bool weighted = std::set<NodeId>(nodes.begin(), nodes.end()).size() < nodes.size();
    if (weighted && mbind(range.data, range.bytes, kWeighted, mask.data(), kMaskBits, 0) == 0)
      return;
    if (mbind(range.data, range.bytes, MPOL_INTERLEAVE, mask.data(), kMaskBits, 0) == 0) return;
    // this process may use none of the nodes: all pages were spilled
    if (mbind(range.data, range.bytes, kLocal, nullptr, 0, 0) != 0)
      throw Error::system("memory", "setting the policy of placed memory", errno);
  }

  void locate(std::span<const Range> ranges, std::span<NodeId> nodes) const override {
    std::optional<ThreadPolicy> policy;
    auto out = nodes.begin();
    for_each_batch(ranges, [&](std::vector<void*>& pages) {
      std::vector<int> status(pages.size());
      if (move_pages(0, pages.size(), pages.data(), nullptr, status.data(), 0) != 0)
        throw Error::system("memory", "asking where pages are", errno);
      for (std::size_t i = 0; i < pages.size(); ++i) {
        if (status[i] >= 0) {
          *out++ = NodeId{static_cast<std::uint32_t>(status[i])};
          continue;
        }
        // The page isn't mapped, or, on 6.1, NUMA balancing protected it to catch the next access.
        // The query below is such an access, and must not cause a migration.
        if (!policy) policy.emplace().keep_pages_where_they_are();
        *out++ = locate_page(pages[i]);
      }
    });
  }

 private:
  detail::SystemMemory memory_;
};

}  // namespace

Backend& linux_backend() {
  static LinuxBackend backend;
  return backend;
}

int refusal_of_numa_calls() {
  int mode = 0;
  const bool allowed = get_mempolicy(&mode, nullptr, 0, nullptr, 0) == 0 &&
                       move_pages(0, 0, nullptr, nullptr, nullptr, 0) == 0;
  return allowed ? 0 : errno;
}

}  // namespace Atoll::memory
