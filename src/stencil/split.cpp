// Division of a chain into segments. Tiles of a long chain reach back by the skew of all its loops:
// from some length on, their data exceed the caches, or the bands of threads depend on each other.
#include "stencil/split.hpp"

#include <algorithm>

#include "stencil/cut.hpp"
#include "stencil/skew.hpp"

namespace Atoll::stencil {
namespace {

/// True if the loop writes a field of extent 1. Its dependences would put all coordinates in one
/// tile, so it gets its own segment. Such loops set up coordinates, and run once.
bool runs_alone(const Chain& chain, const ChainLoop& loop) {
  const int dimensions = chain.meshes[static_cast<std::size_t>(loop.mesh)].dimensions;
  return std::ranges::any_of(loop.accesses, [&](const ChainAccess& access) {
    const ChainField& field = chain.fields[static_cast<std::size_t>(access.field)];
    return access.access != AccessMode::read &&
           std::any_of(field.flat.begin(), field.flat.begin() + dimensions,
                       [](bool flat) { return flat; });
  });
}

/// Returns, for each loop, the bytes of the fields that a loop before it writes and that it or a
/// later loop reads before another write.
std::vector<std::uint64_t> live_bytes(const Chain& chain) {
  const auto loops = chain.loops.size();
  std::vector<std::size_t> first_write(chain.fields.size(), loops);
  for (std::size_t l = loops; l-- > 0;)
    for (const ChainAccess& access : chain.loops[l].accesses)
      if (access.access != AccessMode::read)
        first_write[static_cast<std::size_t>(access.field)] = l;
  std::vector<std::uint64_t> live(loops);
  std::vector<bool> is_live(chain.fields.size());
  std::uint64_t sum = 0;
  for (std::size_t l = loops; l-- > 0;) {
    for (const ChainAccess& access : chain.loops[l].accesses) {
      const auto f = static_cast<std::size_t>(access.field);
      const ChainField& field = chain.fields[f];
      const std::uint64_t bytes =
          field.point_bytes * static_cast<std::uint64_t>(field.whole.points());
      const bool now = access.access != AccessMode::write && first_write[f] < l;
      if (is_live[f]) sum -= bytes;
      if (now) sum += bytes;
      is_live[f] = now;
    }
    live[l] = sum;
  }
  return live;
}

/// Returns the largest skew of a segment in each dimension.
Skew limits(const Chain& chain, const PlanOptions& options) {
  // Beyond this, a tile has less to compute than it shares with its neighbours.
  constexpr int kOfTile = 2;
  // Bands and the gaps between them are equally long at half a band. Thinner bands have other ways
  // out: fewer bands, or bands in two dimensions.
  constexpr int kOfBand = 2, kThin = 16;
  Skew limit;
  limit.fill(kMaxExtent);
  for (std::size_t d = 0; d < limit.size(); ++d)
    if (options.tile.points[d] > 0) limit[d] = kOfTile * options.tile.points[d];
  for (const ChainMesh& mesh : chain.meshes) {
    const auto outer = static_cast<std::size_t>(dimension_of(mesh, 0));
    const int half = mesh.interior.hi[outer] / options.threads / kOfBand;
    if (options.threads > 1 && half >= kThin) limit[outer] = std::min(limit[outer], half);
  }
  return limit;
}

class Splitter {
 public:
  Splitter(const Chain& chain, const Skew& limit)
      : chain_(chain), limit_(limit), live_(live_bytes(chain)), meter_(chain) {}

  std::vector<Plan::Segment> run() {
    const int loops = static_cast<int>(chain_.loops.size());
    for (int l = 0; l < loops; ++l) {
      const ChainLoop& loop = chain_.loops[static_cast<std::size_t>(l)];
      if (runs_alone(chain_, loop)) {
        if (l > first_) end_at(l, Plan::End::alone);
        if (l + 1 < loops) end_at(l + 1, Plan::End::alone);
      } else if (is_over(meter_.add(loop)) && l > first_) {
        l = end_near(l) - 1;
      }
    }
    if (loops > first_) end_at(loops, Plan::End::chain);
    return std::move(segments_);
  }

 private:
  [[nodiscard]] bool is_over(const Skew& skew) const {
    for (std::size_t d = 0; d < skew.size(); ++d)
      if (skew[d] > limit_[d]) return true;
    return false;
  }
  /// Ends the segment in its second half, at loop `last` at the latest, and returns that loop.
  int end_near(int last) {
    int best = last;
    for (int l = last - 1; 2 * (l - first_) >= last - first_ && l > first_; --l)
      if (live_[static_cast<std::size_t>(l)] < live_[static_cast<std::size_t>(best)]) best = l;
    end_at(best, Plan::End::skew);
    return best;
  }
  void end_at(int end, Plan::End why) {
    const auto at = static_cast<std::size_t>(end);
    segments_.push_back({first_, end, why, at < live_.size() ? live_[at] : 0, nullptr});
    first_ = end;
    meter_.restart();
  }

  const Chain& chain_;
  const Skew limit_;
  const std::vector<std::uint64_t> live_;
  SkewMeter meter_;
  int first_ = 0;
  std::vector<Plan::Segment> segments_;
};

}  // namespace

std::vector<Plan::Segment> split(const Chain& chain, const Skew& limit) {
  return Splitter(chain, limit).run();
}

std::vector<Plan::Segment> split(const Chain& chain, const PlanOptions& options) {
  if (options.mode == Mode::tiled) return split(chain, limits(chain, options));
  std::vector<Plan::Segment> segments;
  for (int l = 0; l < static_cast<int>(chain.loops.size()); ++l)
    segments.push_back({l, l + 1, Plan::End::untiled, 0, nullptr});
  if (!segments.empty()) segments.back().why = Plan::End::chain;
  return segments;
}

Chain part_of(const Chain& chain, int first, int end) {
  Chain part;
  std::vector<int> meshes(chain.meshes.size(), -1), fields(chain.fields.size(), -1);
  const auto mesh_of = [&](int number) {
    int& at = meshes[static_cast<std::size_t>(number)];
    if (at < 0) {
      at = static_cast<int>(part.meshes.size());
      part.meshes.push_back(chain.meshes[static_cast<std::size_t>(number)]);
      part.meshes.back().name.clear();
    }
    return at;
  };
  part.loops.reserve(static_cast<std::size_t>(end - first));
  for (int l = first; l < end; ++l) {
    const ChainLoop& loop = chain.loops[static_cast<std::size_t>(l)];
    ChainLoop& made = part.loops.emplace_back();
    made.mesh = mesh_of(loop.mesh);
    made.range = loop.range;
    made.whole_blocks = loop.whole_blocks;
    made.accesses.reserve(loop.accesses.size());
    for (const ChainAccess& access : loop.accesses) {
      int& at = fields[static_cast<std::size_t>(access.field)];
      if (at < 0) {
        at = static_cast<int>(part.fields.size());
        ChainField field = chain.fields[static_cast<std::size_t>(access.field)];
        field.name.clear();
        field.mesh = mesh_of(field.mesh);
        part.fields.push_back(std::move(field));
      }
      made.accesses.push_back({at, access.access, access.stencil});
    }
  }
  return part;
}

}  // namespace Atoll::stencil
