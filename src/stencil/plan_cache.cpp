// Chains that came before, with their plans.
#include "stencil/plan_cache.hpp"

#include <algorithm>
#include <chrono>

#include "stencil/state.hpp"

namespace Atoll::stencil {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What tells chains apart: all that planning depends on, and the loops' names.
void sign(const std::vector<Queued>& queue, std::vector<std::uint64_t>& words) {
  words.clear();
  for (const Queued& loop : queue) {
    words.push_back(reinterpret_cast<std::uint64_t>(loop.name));
    const auto number = static_cast<std::uint64_t>(loop.mesh->number());
    words.push_back(number << 32 | loop.fields.size() << 16 | loop.reductions.size() << 1 |
                    (loop.whole_blocks() > 0 ? 1U : 0U));
    for (std::size_t d = 0; d < kMaxDimensions; ++d)
      words.push_back(static_cast<std::uint64_t>(static_cast<std::uint32_t>(loop.range.lo[d]))
                          << 32 |
                      static_cast<std::uint32_t>(loop.range.hi[d]));
    for (const detail::FieldUse& use : loop.fields) {
      words.push_back(static_cast<std::uint64_t>(use.field->number()) << 8 |
                      static_cast<std::uint64_t>(use.access));
      words.push_back(use.stencil.key());
    }
  }
}

std::uint64_t hash_of(const std::vector<std::uint64_t>& words) {
  // Four lanes, so that multiplications overlap.
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;
  std::uint64_t lanes[4] = {words.size(), 1, 2, 3};
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint64_t& lane = lanes[i % 4];
    lane = (lane ^ words[i]) * kFactor;
    lane ^= lane >> 32;
  }
  return ((lanes[0] * 3 + lanes[1]) * 5 + lanes[2]) * 7 + lanes[3];
}

}  // namespace

Chain chain_of(const std::vector<Queued>& queue) {
  Chain chain;
  std::unordered_map<const Mesh*, int> meshes;
  std::unordered_map<const FieldStorage*, int> fields;
  const auto mesh_number = [&](const Mesh& mesh) {
    const auto [at, is_new] = meshes.emplace(&mesh, static_cast<int>(chain.meshes.size()));
    if (is_new) chain.meshes.push_back({mesh.name(), mesh.dimensions(), mesh.interior()});
    return at->second;
  };
  for (const Queued& queued : queue) {
    ChainLoop loop{
        *queued.name, mesh_number(*queued.mesh), queued.range, {}, queued.whole_blocks()};
    for (const detail::FieldUse& use : queued.fields) {
      const FieldStorage& field = *use.field;
      const auto [at, is_new] = fields.emplace(&field, static_cast<int>(chain.fields.size()));
      if (is_new)
        chain.fields.push_back(
            {field.name(),
             mesh_number(field.mesh()),
             field.whole(),
             {field.flat(0), field.flat(1), field.flat(2)},
             bytes_of(field.type()) * static_cast<std::uint64_t>(field.options().components),
             field.options().temporary});
      loop.accesses.push_back({at->second, use.access, use.stencil});
    }
    chain.loops.push_back(std::move(loop));
  }
  return chain;
}

KnownChain& PlanCache::find(const std::vector<Queued>& queue, const PlanOptions& options,
                            const CacheFigures& caches) {
  sign(queue, signature_);
  const std::uint64_t hash = hash_of(signature_);
  for (auto [at, end] = known_.equal_range(hash); at != end; ++at)
    if (at->second->signature_ == signature_) return *at->second;
  const double start = now();
  auto made = std::make_unique<KnownChain>();
  made->chain_ = chain_of(queue);
  made->signature_ = signature_;
  made->options_ = options;
  if (options.mode == Mode::tiled && options.tile.chosen()) {
    made->untried_ = choose_tiles(made->chain_, caches, options.threads);
    std::ranges::reverse(made->untried_);
    made->options_.tile = made->untried_.back();
    made->untried_.pop_back();
  }
  made->candidates_.push_back({make_plan(made->chain_, made->options_)});
  made->settled_ = made->untried_.empty();
  made->plan_seconds_ = now() - start;
  plan_seconds_ += made->plan_seconds_;
  ++plans_;
  return *known_.emplace(hash, std::move(made))->second;
}

void KnownChain::ran(double seconds) {
  if (settled_) return;
  Candidate& candidate = candidates_[now_];
  // The first run of all meets cold memory; of the others, two tell enough.
  candidate.seconds = candidate.runs == 0 ? seconds : std::min(candidate.seconds, seconds);
  if (++candidate.runs < (now_ == 0 ? 3 : 2)) return;
  // Another plan is only worth its making if chains are long.
  constexpr double kWorth = 100;
  if (!untried_.empty() && seconds > kWorth * plan_seconds_) {
    options_.tile = untried_.back();
    untried_.pop_back();
    candidates_.push_back({make_plan(chain_, options_)});
    now_ = candidates_.size() - 1;
    return;
  }
  std::size_t best = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    if (candidates_[i].seconds < candidates_[best].seconds) best = i;
  // Times are noisy: the first choice stays unless another one is clearly faster.
  if (candidates_[best].seconds > 0.98 * candidates_[0].seconds) best = 0;
  std::swap(candidates_[0], candidates_[best]);
  candidates_.resize(1);
  now_ = 0;
  settled_ = true;
}

}  // namespace Atoll::stencil
