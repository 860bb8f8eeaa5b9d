// Fields of a program in slow memory.
#include "stencil/stream/streaming.hpp"

#include <fmt/format.h>

#include <set>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "stencil/plan_cache.hpp"

namespace Atoll::stencil {
namespace {

constexpr std::uint64_t kAligned = 4096;

/// True if the field can be cut in the outermost dimension. In one dimension, the components of a
/// row aren't contiguous.
bool can_stream(const FieldStorage& field) {
  const int outer = field.mesh().dimensions() - 1;
  const auto d = static_cast<std::size_t>(outer);
  return !field.flat(outer) && field.whole().hi[d] - field.whole().lo[d] > 1 &&
         (outer > 0 || field.options().components == 1);
}

StreamedField rows_of(const FieldStorage& field, const Home& home) {
  const int dimensions = field.mesh().dimensions();
  const auto d = static_cast<std::size_t>(dimensions - 1);
  const auto element = static_cast<std::ptrdiff_t>(bytes_of(field.type()));
  const std::ptrdiff_t row = element * (dimensions == 1   ? 1
                                        : dimensions == 2 ? field.stride_y()
                                                          : field.stride_z());
  StreamedField made;
  made.number = field.number();
  made.row_bytes = static_cast<std::uint64_t>(row);
  made.rows = {field.whole().lo[d], field.whole().hi[d]};
  // In one dimension, the first values needn't be at the begin of the memory.
  const std::ptrdiff_t begin =
      dimensions == 1 ? field.origin_bytes() + made.rows.lo * row : field.begin_bytes();
  made.zero = field.origin_bytes() + made.rows.lo * row - begin;
  if (home.position.file != nullptr)
    made.position = {home.position.file, home.position.offset + static_cast<std::uint64_t>(begin)};
  else
    made.address = home.address + begin;
  return made;
}

}  // namespace

Streaming::Streaming(const memory::Context& context, ChainRunner& runner, std::uint64_t budget,
                     std::unique_ptr<SlowMemory> slow)
    : context_(context),
      chain_runner_(runner),
      budget_(budget),
      slow_(std::move(slow)),
      edges_(memory::parallel_engine(context.team)) {}

Streaming::~Streaming() = default;

void Streaming::place() {
  if (placed_fields_ == fields_.size()) return;
  std::uint64_t bytes = 0;
  for (const FieldStorage* field : fields_) bytes += field->memory_bytes();
  const bool fits = bytes <= budget_;
  if (placed_fields_ > 0 && (is_active() || !fits))
    throw Error::input(fields_[placed_fields_]->name(),
                       "is created after the first loop ran, in a program with a budget",
                       "create all fields first");
  if (!fits && slow_ == nullptr)
    throw Error::input(
        "budget",
        fmt::format("the fields take {} of {}", format_bytes(bytes), format_bytes(budget_)),
        "name a folder for them with --home");
  placed_.resize(fields_.size());
  if (fits)
    for (std::size_t f = placed_fields_; f < fields_.size(); ++f) fields_[f]->allocate();
  else
    place_in_slow_memory();
  placed_fields_ = fields_.size();
}

void Streaming::place_in_slow_memory() {
  std::uint64_t resident = 0, slow = 0;
  std::vector<std::uint64_t> offsets(fields_.size());
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::uint64_t bytes = fields_[f]->memory_bytes();
    offsets[f] = slow;
    (can_stream(*fields_[f]) ? slow : resident) += (bytes + kAligned - 1) / kAligned * kAligned;
  }
  if (resident + StreamRunner::kSlots * kAligned > budget_)
    throw Error::input("budget",
                       fmt::format("fields that can't be divided take {} of {}",
                                   format_bytes(resident), format_bytes(budget_)),
                       "give a larger budget");
  slot_bytes_ = (budget_ - resident) / StreamRunner::kSlots / kAligned * kAligned;
  const Home home = slow_->allocate(slow);
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (!can_stream(*fields_[f])) {
      fields_[f]->allocate();
      placed_[f].rows.number = fields_[f]->number();
      continue;
    }
    Home& mine = placed_[f].home;
    if (home.position.file != nullptr)
      mine.position = {home.position.file, home.position.offset + offsets[f]};
    else
      mine.address = home.address + offsets[f];
    placed_[f].rows = rows_of(*fields_[f], mine);
  }
  std::set<NodeId> nodes;
  for (const auto& place : context_.team.places()) nodes.insert(place.node);
  slots_ = RawArray(context_, StreamRunner::kSlots * slot_bytes_, 1,
                    Layout{Distributed{{nodes.begin(), nodes.end()}}, PageSize::small});
  runner_.emplace(chain_runner_, slow_->engine(), *edges_, slots(), true);
}

StreamRunner::Slots Streaming::slots() const {
  StreamRunner::Slots slots;
  for (std::size_t s = 0; s < slots.size(); ++s) slots[s] = slots_.copy(0) + s * slot_bytes_;
  return slots;
}

const std::shared_ptr<StreamedChain>& Streaming::streamed(CachedChain& chain,
                                                          const PlanOptions& options,
                                                          const CacheFigures& caches) {
  std::shared_ptr<StreamedChain>& known = chain.streamed();
  if (!known) {
    std::vector<StreamedField> fields;
    for (const int number : chain.field_numbers())
      fields.push_back(placed_[static_cast<std::size_t>(number)].rows);
    OuterPlan outer =
        make_outer_plan(chain.chain(), fields, slot_bytes_, options.mode, StreamRules{});
    known = std::make_shared<StreamedChain>(StreamedChain{
        chain.chain(), std::move(fields), std::move(outer), InnerPlans(options, caches)});
  }
  return known;
}

void Streaming::run(std::span<const Queued> queue, CachedChain& chain, CachedChain* next,
                    const PlanOptions& options, const CacheFigures& caches, Tilings& tilings) {
  unmap();
  const std::shared_ptr<StreamedChain> now = streamed(chain, options, caches),
                                       ahead = next == nullptr ? nullptr : next->streamed();
  runner_->run(queue, now, ahead, tilings);
}

std::byte* Streaming::access(const FieldStorage& field, bool edits) {
  if (!is_active() || !placed_[static_cast<std::size_t>(field.number())].rows.is_streamed())
    return field.origin();
  Placed& placed = placed_[static_cast<std::size_t>(field.number())];
  if (placed.mapped == nullptr || (edits && !placed.edits)) {
    runner_->finish(edits);
    placed.mapped = slow_->map(placed.home, 0, field.memory_bytes(), edits);
    placed.edits = edits;
  }
  return placed.mapped + field.origin_bytes();
}

void Streaming::unmap() {
  slow_->unmap();
  for (Placed& placed : placed_) placed.mapped = nullptr, placed.edits = false;
}

StreamCounters Streaming::counters() const {
  return is_active() ? runner_->counters() : StreamCounters{};
}

}  // namespace Atoll::stencil
