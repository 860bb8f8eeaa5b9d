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
    // A word for each field: its number, the access, and 40 bits of the stencil's key.
    for (const detail::FieldUse& use : loop.fields)
      words.push_back((use.stencil.key() & ~0xffffffULL) |
                      static_cast<std::uint64_t>(use.field->number()) << 2 |
                      static_cast<std::uint64_t>(use.access));
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
    if (at->second->signature_ == signature_) {
      KnownChain& known = *at->second;
      if (!known.plans_.contains(known.tuner_->now())) make_plan_of(known, options);
      return known;
    }
  const double start = now();
  auto made = std::make_unique<KnownChain>();
  made->chain_ = chain_of(queue);
  made->signature_ = signature_;
  made->tuner_ = tuner_for(queue, made->chain_, options, caches);
  plan_seconds_ += now() - start;
  make_plan_of(*made, options);
  return *known_.emplace(hash, std::move(made))->second;
}

void PlanCache::make_plan_of(KnownChain& known, PlanOptions options) {
  const double start = now();
  options.tile = known.tuner_->size();
  known.plans_.emplace(known.tuner_->now(), make_plan(known.chain_, options));
  known.plan_seconds_ = now() - start;
  plan_seconds_ += known.plan_seconds_;
  ++plans_;
}

std::shared_ptr<Tuner> PlanCache::tuner_for(const std::vector<Queued>& queue, const Chain& chain,
                                            const PlanOptions& options,
                                            const CacheFigures& caches) {
  if (options.mode != Mode::tiled || !options.tile.chosen())
    return std::make_shared<Tuner>(std::vector{options.tile});
  std::vector<std::uint64_t> kin{queue.size()};
  for (const Queued& loop : queue)
    for (const detail::FieldUse& use : loop.fields)
      kin.push_back(static_cast<std::uint64_t>(use.field->number()));
  std::sort(kin.begin() + 1, kin.end());
  kin.erase(std::unique(kin.begin() + 1, kin.end()), kin.end());
  std::shared_ptr<Tuner>& tuner = tuners_[kin];
  if (!tuner) tuner = std::make_shared<Tuner>(choose_tiles(chain, caches, options.threads));
  return tuner;
}

void KnownChain::ran(double seconds) {
  // The first run of a chain meets cold memory, and code that was never run.
  if (!std::exchange(ran_before_, true)) return;
  constexpr double kWorth = 20;
  tuner_->ran(seconds, seconds > kWorth * plan_seconds_);
}

}  // namespace Atoll::stencil
