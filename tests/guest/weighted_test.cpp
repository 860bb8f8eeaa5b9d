// Weighted interleave. Every kernel gives the exact node of each page. If the kernel has this
// policy (6.9 and later; the topology `newer`), the number of pages on each node equals the
// kernel's.
#include <algorithm>

#include "atoll/array/array.hpp"
#include "atoll/plan/partition.hpp"
#include "guest_system.hpp"

namespace Atoll::guest {
namespace {

constexpr int kWeightedInterleave = 6;  // MPOL_WEIGHTED_INTERLEAVE

std::vector<std::uint32_t> weights_for(const std::vector<NodeId>& nodes) {
  std::vector<std::uint32_t> weights;
  for (const NodeId node : nodes) weights.push_back(1 + (5 * node.value + 2) % 4);
  return weights;
}

class WeightedInterleave : public MemoryInGuest {
 protected:
  std::vector<std::uint32_t> weights_ = weights_for(nodes_);
  std::vector<NodeId> cycle_ = weighted(nodes_, weights_);
};

TEST_F(WeightedInterleave, GoesRoundByWeightsPageByPage) {
  for (const PageSize pages : {PageSize::small, PageSize::huge}) {
    const std::size_t unit = page_bytes(pages);
    const std::size_t size = (2 * cycle_.size() + 3) * unit;
    const Array<char> array(context_, size, Layout{Distributed{cycle_, unit}, pages});
    const auto copy = array.where().front();
    EXPECT_EQ(copy.misplaced, 0U);
    for (std::size_t page = 0; page < size / kPage; ++page)
      ASSERT_EQ(copy.pages[page], cycle_[page * kPage / unit % cycle_.size()]) << page;
  }
}

using NewerWeightedInterleave = WeightedInterleave;

TEST_F(NewerWeightedInterleave, TheKernelsOwnPolicyGivesTheSamePagesToEachNode) {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    write_file(
        "/sys/kernel/mm/mempolicy/weighted_interleave/node" + std::to_string(nodes_[i].value),
        std::to_string(weights_[i]));
  const std::size_t pages = 100 * cycle_.size();
  auto* const data = static_cast<std::byte*>(
      mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(data, MAP_FAILED);
  unsigned long mask = 0;
  for (const NodeId node : nodes_) mask |= 1UL << node.value;
  ASSERT_EQ(mbind(data, pages * kPage, kWeightedInterleave, &mask, 65, 0), 0);
  ASSERT_EQ(madvise(data, pages * kPage, MADV_NOHUGEPAGE), 0);  // small pages, as in the block
  ASSERT_EQ(madvise(data, pages * kPage, MADV_POPULATE_WRITE), 0);
  const auto by_kernel = memory::pages_by_node(nodes_of_pages(data, pages * kPage));
  munmap(data, pages * kPage);

  const memory::Block block(context_, pages * kPage, memory::Interleaved{cycle_, kPage},
                            PageSize::small);
  EXPECT_EQ(memory::pages_by_node(nodes_of_pages(block.data(), pages * kPage)), by_kernel);
  int mode = -1;
  ASSERT_EQ(get_mempolicy(&mode, nullptr, 0, block.data(), MPOL_F_ADDR), 0);
  EXPECT_EQ(mode, kWeightedInterleave);  // pages from swap are interleaved by weight, too
}

}  // namespace
}  // namespace Atoll::guest
