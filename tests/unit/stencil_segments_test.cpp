// Segments of plans: a loop that writes a field of extent 1 runs alone between two segments. All
// other loops of a chain are tiled together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {
namespace {

using testing::ElementsAre;
using Pairs = std::vector<std::pair<int, int>>;

constexpr int kFull = 0, kFlatX = 1, kFlatY = 2, kFlatZ = 3;  // indices of the chain's fields

/// Returns a chain on a mesh of 40 points per dimension, with a field of extent 1 for each
/// dimension.
Chain chain_of(int dimensions, std::vector<std::vector<ChainAccess>> loops) {
  Chain chain;
  ChainMesh mesh{"mesh", dimensions, {}};
  for (int d = 0; d < dimensions; ++d) mesh.interior.hi[static_cast<std::size_t>(d)] = 40;
  chain.meshes = {mesh};
  for (int f = kFull; f <= kFlatZ; ++f) {
    ChainField field{"f" + std::to_string(f), 0, mesh.interior, {}, 8, false};
    if (f != kFull) {
      field.flat[static_cast<std::size_t>(f - 1)] = true;
      field.whole.hi[static_cast<std::size_t>(f - 1)] = 1;
    }
    chain.fields.push_back(field);
  }
  for (auto& accesses : loops) {
    Range range = mesh.interior;
    for (const ChainAccess& access : accesses)
      if (access.access != AccessMode::read)
        range = chain.fields[static_cast<std::size_t>(access.field)].whole;
    chain.loops.push_back({"loop", 0, range, std::move(accesses), 0});
  }
  return chain;
}

Pairs segments(const Chain& chain, Mode mode = Mode::tiled) {
  Pairs pairs;
  for (const Plan::Segment& segment :
       make_plan(chain, {.threads = 2, .mode = mode, .tile = {{0, 8, 8}}}).segments)
    pairs.emplace_back(segment.first, segment.end);
  return pairs;
}

const ChainAccess kWritesFull{kFull, AccessMode::write, {}},
    kReadsFull{kFull, AccessMode::read, {}};

TEST(StencilSegments, ALoopThatWritesAFieldOfExtent1IsAlone) {
  for (const AccessMode access : {AccessMode::write, AccessMode::read_write, AccessMode::increment})
    for (const int dimensions : {2, 3})
      for (int flat = kFlatX; flat <= dimensions; ++flat)
        EXPECT_THAT(
            segments(chain_of(
                dimensions,
                {{kWritesFull}, {kReadsFull}, {{flat, access, {}}}, {kWritesFull}, {kReadsFull}})),
            ElementsAre(std::pair(0, 2), std::pair(2, 3), std::pair(3, 5)))
            << to_string(access) << " in dimension " << flat - 1 << " of " << dimensions;
}

TEST(StencilSegments, TwoOfThemAreTwoSegments) {
  const ChainAccess flat{kFlatY, AccessMode::write, {}};
  EXPECT_THAT(segments(chain_of(2, {{flat}, {flat}, {kWritesFull}})),
              ElementsAre(std::pair(0, 1), std::pair(1, 2), std::pair(2, 3)));
}

TEST(StencilSegments, ReadingOneDoesNotEndASegment) {
  EXPECT_THAT(segments(chain_of(2, {{kWritesFull},
                                    {{kFlatY, AccessMode::read, {}}, kWritesFull},
                                    {{kFlatX, AccessMode::read, {}}, kReadsFull}})),
              ElementsAre(std::pair(0, 3)));
}

TEST(StencilSegments, ADimensionThatTheMeshLacksDoesNotCount) {
  EXPECT_THAT(
      segments(chain_of(2, {{kWritesFull}, {{kFlatZ, AccessMode::write, {}}}, {kReadsFull}})),
      ElementsAre(std::pair(0, 3)));
}

TEST(StencilSegments, UntiledEachLoopIsOne) {
  EXPECT_THAT(segments(chain_of(2, {{kWritesFull}, {kReadsFull}}), Mode::untiled),
              ElementsAre(std::pair(0, 1), std::pair(1, 2)));
}

}  // namespace
}  // namespace Atoll::stencil
