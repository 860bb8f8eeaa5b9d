// Placements converted to stripes, compared page by page with each placement's definition.
#include "memory/stripes.hpp"

#include <gtest/gtest.h>

#include <random>

#include "atoll/base/error.hpp"
#include "fake_backend.hpp"

namespace Atoll::memory {
namespace {

constexpr std::uint64_t kPage = kPageBytes;
constexpr std::uint64_t kHuge = page_bytes(PageSize::huge);

/// Returns the node of one page, by the definitions in block.hpp.
NodeId node_of_page(const Placement& placement, std::uint64_t page, PageSize pages) {
  const std::uint64_t at = page * kPage;
  if (const auto* on = std::get_if<OnNode>(&placement)) return on->node;
  if (const auto* interleaved = std::get_if<Interleaved>(&placement))
    return interleaved->nodes[at / interleaved->granule_bytes % interleaved->nodes.size()];
  if (const auto* ordered = std::get_if<Ordered>(&placement)) return ordered->order.front();
  const auto& runs = std::get<Runs>(placement).runs;
  const std::uint64_t unit = page_bytes(pages);
  std::uint64_t end = 0;
  for (const Runs::Run& run : runs) {
    end += run.bytes;
    if (at < (end + unit / 2) / unit * unit) return run.node;
  }
  return runs.back().node;
}

std::vector<NodeId> cover(const std::vector<Stripe>& stripes, std::uint64_t bytes) {
  std::vector<NodeId> nodes(bytes / kPage, kNowhere);
  for (const Stripe& stripe : stripes)
    for (std::uint64_t granule = 0; granule < stripe.count; ++granule)
      for (std::uint64_t byte = 0; byte < stripe.bytes; byte += kPage) {
        const std::uint64_t page = (stripe.offset + granule * stripe.stride + byte) / kPage;
        EXPECT_EQ(nodes.at(page), kNowhere) << "page " << page << " is in two stripes";
        nodes.at(page) = stripe.node;
      }
  return nodes;
}

struct Case {
  Placement placement;
  std::uint64_t bytes;
  PageSize pages;
};

std::vector<Case> random_cases() {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto some_nodes = [&] {
    std::vector<NodeId> nodes(1 + below(5));
    for (NodeId& node : nodes) node.value = static_cast<std::uint32_t>(below(4));
    return nodes;
  };
  std::vector<Case> cases;
  for (int i = 0; i < 400; ++i) {
    const PageSize pages = i % 2 == 0 ? PageSize::small : PageSize::huge;
    const std::uint64_t unit = page_bytes(pages);
    const std::uint64_t bytes = (1 + below(i % 4 == 0 ? 3 : 3000)) * kPage;
    cases.push_back({OnNode{NodeId{2}}, bytes, pages});
    cases.push_back({Ordered{some_nodes()}, bytes, pages});
    cases.push_back({Interleaved{some_nodes(), (1 + below(5)) * unit}, bytes, pages});
    Runs runs;
    for (std::uint64_t left = bytes; left > 0;) {
      const std::uint64_t run = std::min(left, below(bytes / 2 + 1));
      runs.runs.push_back({run, NodeId{static_cast<std::uint32_t>(below(4))}});
      left -= run;
    }
    cases.push_back({runs, bytes, pages});
  }
  return cases;
}

TEST(MemoryStripes, CoverEachPageOnceOnItsNode) {
  for (const Case& one : random_cases()) {
    const auto nodes = cover(stripes_of(one.placement, one.bytes, one.pages), one.bytes);
    for (std::uint64_t page = 0; page < nodes.size(); ++page)
      ASSERT_EQ(nodes[page], node_of_page(one.placement, page, one.pages)) << page;
  }
}

TEST(MemoryStripes, SharesCoverTheSameAndAreEqual) {
  for (const Case& one : random_cases()) {
    const auto stripes = stripes_of(one.placement, one.bytes, one.pages);
    for (const std::size_t shares : {1U, 2U, 7U}) {
      const auto parts = split(stripes, shares, kHuge);
      ASSERT_EQ(parts.size(), shares);
      std::vector<Stripe> all;
      std::uint64_t longest_granule = kHuge;
      for (const Stripe& stripe : stripes)
        if (stripe.count > 1) longest_granule = std::max(longest_granule, stripe.bytes);
      for (const auto& part : parts) {
        EXPECT_LT(total_bytes(part), one.bytes / shares + 2 * longest_granule);
        all.insert(all.end(), part.begin(), part.end());
      }
      EXPECT_EQ(cover(all, one.bytes), cover(stripes, one.bytes));
      if (one.pages == PageSize::huge) {
        for (const Stripe& stripe : all) ASSERT_EQ(stripe.offset % kHuge, 0U);
      }
    }
  }
}

TEST(MemoryStripes, ReaderTakesAllInOrderAndTellsTheRest) {
  std::mt19937 random(11);
  for (const Case& one : random_cases()) {
    const auto stripes = stripes_of(one.placement, one.bytes, one.pages);
    StripeReader reader(stripes);
    std::vector<Stripe> taken;
    const std::uint64_t window = one.pages == PageSize::huge ? kHuge : (1 + random() % 700) * kPage;
    for (int step = 0;; ++step) {
      if (step % 5 == 0) {
        std::vector<Stripe> all = taken;
        const auto rest = reader.rest();
        all.insert(all.end(), rest.begin(), rest.end());
        ASSERT_EQ(cover(all, one.bytes), cover(stripes, one.bytes));
      }
      const auto extents = reader.take(window);
      if (extents.empty()) break;
      std::uint64_t bytes = 0;
      for (const Extent& extent : extents) {
        taken.push_back({extent.offset, extent.bytes, 0, 1, reader.node()});
        bytes += extent.bytes;
        if (one.pages == PageSize::huge) {
          EXPECT_EQ(extent.offset % kHuge, 0U);
        }
      }
      EXPECT_LE(bytes, window);
    }
    EXPECT_TRUE(reader.rest().empty());
    EXPECT_EQ(cover(taken, one.bytes), cover(stripes, one.bytes));
  }
}

TEST(MemoryStripes, AFineInterleavingIsAsShortAsACoarseOne) {
  const Interleaved fine{{NodeId{0}, NodeId{1}, NodeId{2}}, kPage};
  const std::uint64_t terabyte = std::uint64_t{1} << 40;
  const auto stripes = stripes_of(fine, terabyte, PageSize::small);
  EXPECT_EQ(stripes.size(), 3U);
  EXPECT_EQ(total_bytes(stripes), terabyte);
}

TEST(MemoryStripes, ChecksRefuseWhatHasNoMeaning) {
  const Machine machine = four_node_machine();
  const auto refused = [&](const Placement& placement, std::uint64_t bytes, PageSize pages) {
    try {
      check(placement, machine, bytes, pages);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input) << error.what();
      return true;
    }
    return false;
  };
  const std::vector<NodeId> nodes{NodeId{0}, NodeId{3}};
  EXPECT_FALSE(refused(OnNode{NodeId{3}}, kPage, PageSize::small));
  EXPECT_TRUE(refused(OnNode{NodeId{4}}, kPage, PageSize::small));
  EXPECT_FALSE(refused(Interleaved{nodes, kPage}, 3 * kPage, PageSize::small));
  EXPECT_TRUE(refused(Interleaved{{}, kPage}, kPage, PageSize::small));
  EXPECT_TRUE(refused(Interleaved{nodes, 0}, kPage, PageSize::small));
  EXPECT_TRUE(refused(Interleaved{nodes, kPage + 1}, kPage, PageSize::small));
  EXPECT_TRUE(refused(Interleaved{nodes, kPage}, kHuge, PageSize::huge));
  EXPECT_FALSE(refused(Interleaved{nodes, 3 * kHuge}, kHuge, PageSize::huge));
  EXPECT_TRUE(refused(Ordered{{}}, kPage, PageSize::small));
  EXPECT_FALSE(refused(Runs{{{5, nodes[0]}, {6, nodes[1]}}}, 11, PageSize::small));
  EXPECT_TRUE(refused(Runs{{{5, nodes[0]}, {6, nodes[1]}}}, 12, PageSize::small));
  EXPECT_TRUE(refused(Runs{{{5, nodes[0]}, {UINT64_MAX, nodes[1]}}}, 4, PageSize::small));
}

}  // namespace
}  // namespace Atoll::memory
