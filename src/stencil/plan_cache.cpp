// Cache of known chains and their plans.
#include "stencil/plan_cache.hpp"

#include <algorithm>
#include <chrono>

namespace Atoll::stencil {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Chain chain_of(std::span<const Queued> queue) {
  Chain chain;
  std::vector<int> meshes, fields;  // indexed by number in the program: position in the chain, or
                                    // -1
  const auto position = [](std::vector<int>& known, int number) -> int& {
    const auto at = static_cast<std::size_t>(number);
    if (at >= known.size()) known.resize(at + 1, -1);
    return known[at];
  };
  const auto mesh_position = [&](const Mesh& mesh) {
    int& at = position(meshes, mesh.number());
    if (at < 0) {
      at = static_cast<int>(chain.meshes.size());
      chain.meshes.push_back({mesh.name(), mesh.dimensions(), mesh.interior()});
    }
    return at;
  };
  chain.loops.reserve(queue.size());
  for (const Queued& queued : queue) {
    const DeclaredLoop& declared = *queued.loop;
    ChainLoop& loop = chain.loops.emplace_back(ChainLoop{std::string(declared.name),
                                                         mesh_position(*declared.mesh),
                                                         declared.range,
                                                         {},
                                                         declared.whole_blocks()});
    loop.accesses.reserve(declared.fields().size());
    for (const detail::FieldUse& use : declared.fields()) {
      const FieldStorage& field = *use.field;
      int& at = position(fields, field.number());
      if (at < 0) {
        at = static_cast<int>(chain.fields.size());
        chain.fields.push_back(
            {field.name(),
             mesh_position(field.mesh()),
             field.whole(),
             {field.flat(0), field.flat(1), field.flat(2)},
             bytes_of(field.type()) * static_cast<std::uint64_t>(field.options().components),
             field.options().temporary});
      }
      loop.accesses.push_back({at, use.access, use.stencil,
                               declared.code->is_boundary && use.access == AccessMode::read_write});
    }
  }
  return chain;
}

CachedChain::CachedChain(std::span<const Queued> queue, Chain chain, int threads)
    : chain_(std::move(chain)), located_(queue), results_(queue.size()) {
  queue_.reserve(queue.size());
  for (const Queued& queued : queue) {
    const DeclaredLoop* const loop = copy_to_arena(kept_, *queued.loop);
    queue_.push_back({loop, kept_.allocate(loop->code->bytes, loop->code->alignment), false});
  }
  for (std::size_t l = 0; l < queue_.size(); ++l)
    if (queue_[l].loop->code->reductions > 0)
      results_[l] = std::make_unique<LoopResults>(*queue_[l].loop, threads);
  temporaries_ = temporary_points(chain_);
  field_numbers_.resize(chain_.fields.size());
  for (std::size_t l = 0; l < queue.size(); ++l)
    for (std::size_t a = 0; a < chain_.loops[l].accesses.size(); ++a)
      field_numbers_[static_cast<std::size_t>(chain_.loops[l].accesses[a].field)] =
          queue[l].loop->fields()[a].field->number();
}

void CachedChain::check_temporaries(std::vector<Points>& written) const {
  for (const FieldPoints::Need& need : temporaries_.needs) {
    const auto number =
        static_cast<std::size_t>(field_numbers_[static_cast<std::size_t>(need.field)]);
    if (number >= written.size() || !written[number].cover(need.range))
      refuse_temporary(chain_, need);
  }
  for (std::size_t f = 0; f < field_numbers_.size(); ++f) {
    if (!chain_.fields[f].temporary) continue;
    const auto number = static_cast<std::size_t>(field_numbers_[f]);
    if (number >= written.size()) written.resize(number + 1);
    written[number].add(temporaries_.written[f]);
  }
}

bool CachedChain::is(std::span<const Queued> queue) const {
  return std::ranges::equal(queue, queue_, [](const Queued& queued, const Queued& kept) {
    return same_loop(*queued.loop, *kept.loop);
  });
}

CachedChain* PlanCache::known(std::span<const Queued> queue, std::uint64_t hash) const {
  for (auto [at, end] = by_hash_.equal_range(hash); at != end; ++at)
    if (at->second->is(queue)) return at->second;
  return nullptr;
}

CachedChain& PlanCache::find(std::span<const Queued> queue, CachedChain* expected,
                             const PlanOptions& options, const TileCaches& caches, bool is_round) {
  CachedChain& found = find_without_plan(queue, expected, options, caches, is_round);
  if (!found.plans_.contains(found.tuner_->now())) make_plan_of(found, options);
  return found;
}

CachedChain& PlanCache::find_without_plan(std::span<const Queued> queue, CachedChain* expected,
                                          const PlanOptions& options, const TileCaches& caches,
                                          bool is_round) {
  CachedChain* found = expected;
  if (found == nullptr || found->queue_.size() != queue.size()) {
    const std::uint64_t hash = hash_of(queue);
    found = known(queue, hash);
    if (found == nullptr) {
      const double start = now();
      auto made = std::make_shared<CachedChain>(queue, chain_of(queue), options.threads);
      made->tuner_ = tuner_for(queue, made->chain_, options, caches);
      made->is_round_ = is_round;
      found = &add(std::move(made), hash);
      plan_seconds_ += now() - start;
    }
  }
  chains_.splice(chains_.begin(), chains_, found->place_);
  return *found;
}

CachedChain& PlanCache::add(std::shared_ptr<CachedChain> chain, std::uint64_t hash) {
  CachedChain& added = *chain;
  added.self_ = chain;
  added.hash_ = hash;
  added.place_ = chains_.insert(chains_.begin(), std::move(chain));
  by_hash_.emplace(hash, &added);
  loops_ += added.queue_.size() + 1;
  return added;
}

void PlanCache::evict_chains() {
  if (loops_ <= most_loops_) return;
  while (loops_ > most_loops_ && chains_.size() > 1) {
    const CachedChain& last = *chains_.back();
    for (auto [at, end] = by_hash_.equal_range(last.hash_); at != end; ++at)
      if (at->second == &last) {
        by_hash_.erase(at);
        break;
      }
    loops_ -= last.queue_.size() + 1;
    chains_.pop_back();
  }
  tilings_.evict();
  // Removes tuners that no known chain uses.
  std::erase_if(tuners_, [](const auto& tuner) { return tuner.second.use_count() == 1; });
}

void PlanCache::make_plan_of(CachedChain& known, PlanOptions options) {
  const double start = now();
  options.tile = known.tuner_->size();
  known.plans_.emplace(known.tuner_->now(), make_plan(known.chain_, options, tilings_));
  known.plan_seconds_ = now() - start;
  plan_seconds_ += known.plan_seconds_;
  ++plans_;
}

std::uint64_t PlanCache::plan_bytes() const {
  std::uint64_t bytes = tilings_.bytes();
  for (const auto& chain : chains_)
    for (const auto& [size, plan] : chain->plans_)
      bytes += sizeof plan + plan.segments.size() * sizeof(Plan::Segment);
  return bytes;
}

std::shared_ptr<Tuner> PlanCache::tuner_for(std::span<const Queued> queue, const Chain& chain,
                                            const PlanOptions& options, const TileCaches& caches) {
  if (options.mode != Mode::tiled || !options.tile.chosen())
    return std::make_shared<Tuner>(std::vector{options.tile});
  std::vector<std::uint64_t> kin{queue.size()};
  for (const Queued& queued : queue)
    for (const detail::FieldUse& use : queued.loop->fields())
      kin.push_back(static_cast<std::uint64_t>(use.field->number()));
  std::sort(kin.begin() + 1, kin.end());
  kin.erase(std::unique(kin.begin() + 1, kin.end()), kin.end());
  std::shared_ptr<Tuner>& tuner = tuners_[kin];
  if (!tuner) tuner = std::make_shared<Tuner>(choose_tiles(chain, caches, options.threads));
  return tuner;
}

void CachedChain::ran(double seconds) {
  // The first run of a chain is slowed down by cold memory and cold code.
  if (!std::exchange(ran_before_, true)) return;
  constexpr double kWorth = 20;
  tuner_->ran(seconds, seconds > kWorth * plan_seconds_);
}

}  // namespace Atoll::stencil
