// Splits by METIS, with weights scaled to its 32-bit numbers. In a build without METIS,
// metis_parts() returns no parts and other partitioners are used.
#include "atoll/plan/partition_graph.hpp"
#include "plan/split_graph.hpp"

#if ATOLL_METIS
#include <metis.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <numeric>

#include "atoll/base/error.hpp"

namespace Atoll::detail {
namespace {

static_assert(sizeof(idx_t) == 4);
constexpr std::uint64_t kEdgesTried = 1'000'000;  ///< total over all tries, which are at most 8
constexpr std::uint64_t kLargest = std::numeric_limits<idx_t>::max();

/// Replaces the state of rand() while an instance exists. METIS uses srand() and rand(), so the
/// program's sequence of random numbers is preserved.
class OwnRandomState {
 public:
  OwnRandomState() : before_(::initstate(1, state_, sizeof state_)) {}
  ~OwnRandomState() { ::setstate(before_); }
  OwnRandomState(const OwnRandomState&) = delete;
  OwnRandomState& operator=(const OwnRandomState&) = delete;

 private:
  char state_[128]{};
  char* before_;
};

/// Returns the weights in METIS's type, scaled so that the sum is in its range. Weights above 0
/// stay at least 1. Returns an empty list if all are 1.
std::vector<idx_t> scaled(const std::vector<std::uint32_t>& weights) {
  if (std::ranges::all_of(weights, [](std::uint32_t weight) { return weight == 1; })) return {};
  const auto sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  const double most = static_cast<double>(kLargest) - static_cast<double>(weights.size());
  const double factor = std::min(1.0, most / 2 / static_cast<double>(sum));
  std::vector<idx_t> made;
  made.reserve(weights.size());
  for (const std::uint32_t weight : weights)
    made.push_back(weight == 0 ? 0
                               : std::max<idx_t>(1, static_cast<idx_t>(std::floor(
                                                        static_cast<double>(weight) * factor))));
  return made;
}

Parts split(const AffinityGraph& graph, const Shares& shares, std::uint32_t seed) {
  std::vector<idx_t> begin(graph.begin.begin(), graph.begin.end());
  std::vector<idx_t> neighbours(graph.neighbours.begin(), graph.neighbours.end());
  std::vector<idx_t> weights = scaled(graph.weights);
  std::vector<idx_t> work = scaled(graph.vertex_weights);
  const double total = std::accumulate(shares.weights.begin(), shares.weights.end(), 0.0);
  std::vector<real_t> targets;
  targets.reserve(shares.weights.size());
  for (const double share : shares.weights) targets.push_back(static_cast<real_t>(share / total));

  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed & kLargest);
  options[METIS_OPTION_UFACTOR] = 1;  // thousandths; balance_parts() does the rest
  options[METIS_OPTION_NCUTS] =
      static_cast<idx_t>(std::clamp<std::uint64_t>(kEdgesTried / graph.edges(), 1, 8));
  auto count = static_cast<idx_t>(graph.vertices());
  auto parts = static_cast<idx_t>(shares.weights.size());
  idx_t constraints = 1;
  idx_t cut = 0;
  std::vector<idx_t> found(graph.vertices());
  static std::mutex one_at_a_time;  // METIS sets signal handlers and uses the C library's rand()
  const std::lock_guard lock(one_at_a_time);
  const OwnRandomState random;
  const int result = METIS_PartGraphKway(&count, &constraints, begin.data(), neighbours.data(),
                                         work.empty() ? nullptr : work.data(), nullptr,
                                         weights.empty() ? nullptr : weights.data(), &parts,
                                         targets.data(), nullptr, options, &cut, found.data());
  if (result != METIS_OK) throw Error::failed("METIS", "ran out of memory");
  return {found.begin(), found.end()};
}

}  // namespace

Parts metis_parts(const AffinityGraph& graph, const Shares& shares, std::uint32_t seed) {
  if (graph.edges() == 0 || graph.edges() > kMetisEdges ||
      graph.vertices() < 2 * shares.weights.size() ||
      std::ranges::any_of(shares.weights, [](double share) { return share <= 0; }))
    return {};
  return split(graph, shares, seed);
}

}  // namespace Atoll::detail

bool Atoll::has_metis() {
  return true;
}
#else
bool Atoll::has_metis() {
  return false;
}

namespace Atoll::detail {

Parts metis_parts(const AffinityGraph&, const Shares&, std::uint32_t) {
  return {};
}

}  // namespace Atoll::detail
#endif
