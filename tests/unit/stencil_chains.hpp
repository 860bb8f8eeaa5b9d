// Random chains of loops for tests of plans.
#pragma once

#include <random>
#include <string>

#include "atoll/stencil/plan.hpp"
#include "atoll/stencil/stencil.hpp"

namespace Atoll::stencil {

/// Generates chains of up to `most_loops` loops on one or two meshes of 1 to 3 dimensions. They
/// include boundary strips, empty ranges, ranges beyond the mesh, fields of extent 1 and distant
/// offsets.
class RandomChains {
 public:
  explicit RandomChains(unsigned seed) : random_(seed) {}

  Chain next(int most_loops) {
    Chain chain;
    const int dimensions = 1 + pick(3);
    const int meshes = 1 + (pick(4) == 0);
    for (int m = 0; m < meshes; ++m) {
      ChainMesh mesh{"mesh" + std::to_string(m), dimensions, {}};
      for (int d = 0; d < dimensions; ++d)
        mesh.interior.hi[static_cast<std::size_t>(d)] = 1 + pick(dimensions == 1   ? 50
                                                                 : dimensions == 2 ? 16
                                                                                   : 8);
      chain.meshes.push_back(mesh);
    }
    const int fields = 2 + pick(5);
    for (int f = 0; f < fields; ++f) {
      ChainField field{"f" + std::to_string(f), pick(meshes), {}, {}, 8, false};
      field.whole = chain.meshes[static_cast<std::size_t>(field.mesh)].interior;
      for (int d = 0; d < dimensions; ++d) {
        const auto i = static_cast<std::size_t>(d);
        field.flat[i] = pick(12) == 0;
        if (field.flat[i]) {
          field.whole.lo[i] = 0;
          field.whole.hi[i] = 1;
        } else {
          field.whole.lo[i] -= kHalo;
          field.whole.hi[i] += kHalo + pick(2);
        }
      }
      chain.fields.push_back(field);
    }
    const int loops = 1 + pick(most_loops);
    for (int l = 0; l < loops; ++l) chain.loops.push_back(loop(chain, l));
    return chain;
  }

  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

 private:
  static constexpr int kHalo = 3;

  ChainLoop loop(const Chain& chain, int number) {
    ChainLoop made{
        "loop" + std::to_string(number), pick(static_cast<int>(chain.meshes.size())), {}, {}, 0};
    const ChainMesh& mesh = chain.meshes[static_cast<std::size_t>(made.mesh)];
    made.range = mesh.interior;
    if (pick(15) == 0) made.whole_blocks = 2 + pick(5);
    const int kind = pick(10);
    for (int d = 0; d < mesh.dimensions; ++d) {
      const auto i = static_cast<std::size_t>(d);
      made.range.lo[i] -= pick(3);
      made.range.hi[i] += pick(3);
      if (kind == 0) made.range.hi[i] = made.range.lo[i] + pick(2);  // empty in half of the cases
    }
    if (kind == 1 || kind == 2) {  // a strip at one side of the mesh
      const auto i = static_cast<std::size_t>(pick(mesh.dimensions));
      if (kind == 1)
        made.range.hi[i] = made.range.lo[i] + 1 + pick(2);
      else
        made.range.lo[i] = made.range.hi[i] - 1 - pick(2);
    }
    for (int f = 0; f < static_cast<int>(chain.fields.size()); ++f) {
      if (pick(2) != 0) continue;
      const ChainField& field = chain.fields[static_cast<std::size_t>(f)];
      ChainAccess access{f, static_cast<AccessMode>(pick(4)), {}};
      if (field.mesh != made.mesh) access.access = AccessMode::read;
      if (access.access == AccessMode::read || access.access == AccessMode::read_write)
        access.stencil = stencil(made, mesh.dimensions);
      for (int d = 0; d < mesh.dimensions; ++d)  // of one point in flat dimensions
        if (field.flat[static_cast<std::size_t>(d)] && access.access != AccessMode::read) {
          const auto i = static_cast<std::size_t>(d);
          made.range.hi[i] = std::min(made.range.hi[i], made.range.lo[i] + 1);
        }
      made.accesses.push_back(std::move(access));
    }
    return made;
  }

  /// Returns mostly near offsets. Some are from the opposite side of the mesh, as for periodic
  /// boundaries.
  Stencil stencil(const ChainLoop& loop, int dimensions) {
    if (pick(4) == 0) return star(pick(3), dimensions);
    std::vector<Offset> offsets(1 + static_cast<std::size_t>(pick(3)));
    const bool far = pick(5) == 0;
    for (Offset& offset : offsets)
      for (int d = 0; d < dimensions; ++d) {
        int& at = d == 0 ? offset.x : d == 1 ? offset.y : offset.z;
        at = pick(5) - 2;
        const int size = loop.range.hi[static_cast<std::size_t>(d)];
        if (far && pick(2) == 0) at = pick(2) == 0 ? size : -size;
      }
    return Stencil(std::move(offsets));
  }

  std::mt19937 random_;
};

/// Returns repeated heat steps on a one-dimensional mesh.
inline Chain steps_on_a_row(int points, int steps, bool periodic) {
  Chain chain;
  chain.meshes.push_back({"row", 1, Range::of(0, points)});
  for (const char* name : {"u", "v"})
    chain.fields.push_back({name, 0, Range::of(-1, points + 1), {}, 8, false});
  for (int s = 0; s < steps; ++s) {
    const int from = s % 2, to = 1 - from;
    if (periodic)
      for (const auto& [at, offset] : {std::pair{-1, points}, std::pair{points, -points}})
        chain.loops.push_back({"periodic",
                               0,
                               Range::of(at, at + 1),
                               {{from, AccessMode::read_write, Stencil({{offset}})}},
                               0});
    chain.loops.push_back({"step",
                           0,
                           Range::of(0, points),
                           {{from, AccessMode::read, star(1)}, {to, AccessMode::write, {}}},
                           0});
  }
  return chain;
}

}  // namespace Atoll::stencil
