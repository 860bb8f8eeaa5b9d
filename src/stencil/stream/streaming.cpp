// Fields of a program in slow memory.
#include "stencil/stream/streaming.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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
  made.home = home.after(static_cast<std::uint64_t>(begin));
  return made;
}

}  // namespace

Streaming::Streaming(const memory::Context& context, ChainRunner& runner, std::uint64_t budget,
                     std::unique_ptr<SlowMemory> slow, const Without& without,
                     std::vector<NodeId> fast)
    : context_(context),
      chain_runner_(runner),
      budget_(budget),
      without_(without),
      fast_(std::move(fast)),
      slow_(std::move(slow)),
      edges_(memory::parallel_engine(context.team)) {}

Streaming::Streaming(const memory::Context& context, ChainRunner& runner, const Prediction& machine,
                     const Without& without)
    : Streaming(context, runner, machine.fast_bytes, nullptr, without) {
  predictor_.emplace(machine);
}

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
  if (!fits && slow_ == nullptr && !predicts())
    throw Error::input(
        "budget",
        fmt::format("the fields take {} of {}", format_bytes(bytes), format_bytes(budget_)),
        "name a folder for them with --home");
  placed_.resize(fields_.size());
  if (!fits)
    place_in_slow_memory();
  else if (!predicts())
    for (std::size_t f = placed_fields_; f < fields_.size(); ++f) fields_[f]->allocate(fast_);
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
  const Home home = predicts() ? Home{} : slow_->allocate(slow);
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (!can_stream(*fields_[f])) {
      if (!predicts()) fields_[f]->allocate(fast_);
      placed_[f].rows.number = fields_[f]->number();
      continue;
    }
    placed_[f].home = home.after(offsets[f]);
    placed_[f].rows = rows_of(*fields_[f], placed_[f].home);
  }
  if (predicts()) return;
  std::set<NodeId> nodes(fast_.begin(), fast_.end());
  if (nodes.empty())
    for (const auto& place : context_.team.places()) nodes.insert(place.node);
  slots_ = RawArray(context_, StreamRunner::kSlots * slot_bytes_, 1,
                    Layout{Distributed{{nodes.begin(), nodes.end()}}, PageSize::small});
  runner_.emplace(chain_runner_, slow_->engine(), *edges_, slots(), !without_.prefetch);
}

StreamRunner::Slots Streaming::slots() const {
  StreamRunner::Slots slots;
  for (std::size_t s = 0; s < slots.size(); ++s) slots[s] = slots_.copy(0) + s * slot_bytes_;
  return slots;
}

void Streaming::keep(std::span<FieldStorage* const> fields) {
  for (Placed& placed : placed_) placed.is_kept = false;
  for (const FieldStorage* field : fields)
    placed_[static_cast<std::size_t>(field->number())].is_kept = true;
}

OuterPlan Streaming::outer_plan(const Chain& chain, std::span<const StreamedField> fields,
                                Mode mode) const {
  if (slot_bytes_ == 0) return {};  // a prediction for fields that fit
  const StreamRules rules{!without_.read_only, !without_.write_first};
  std::optional<OuterPlan> plan = make_outer_plan(chain, fields, slot_bytes_, mode, rules);
  if (plan) return std::move(*plan);
  const std::uint64_t least = least_slot_bytes(chain, fields) - slot_bytes_;
  throw Error::input(
      "budget",
      fmt::format("{} are too little to stream the loops from '{}' to '{}'", format_bytes(budget_),
                  chain.loops.front().name, chain.loops.back().name),
      fmt::format("give {} bytes or more", budget_ + StreamRunner::kSlots * (least + kAligned)));
}

std::shared_ptr<StreamedChain> Streaming::streamed(CachedChain& chain, bool continues,
                                                   const PlanOptions& options,
                                                   const TileCaches& caches) {
  std::vector<StreamedField> fields;
  for (const int number : chain.field_numbers()) {
    const FieldStorage& field = *fields_[static_cast<std::size_t>(number)];
    const Placed& placed = placed_[static_cast<std::size_t>(number)];
    fields.push_back(placed.rows);
    fields.back().may_drop =
        !placed.is_kept &&
        (field.options().temporary ? !continues : field.mesh().is_cyclic() && !without_.cyclic);
  }
  std::vector<std::shared_ptr<StreamedChain>>& known = chain.streamed();
  auto found = std::ranges::find_if(known, [&](const auto& other) {
    return std::ranges::equal(other->fields, fields, {}, &StreamedField::may_drop,
                              &StreamedField::may_drop);
  });
  if (found == known.end()) {
    const Chain& loops = chain.chain();
    std::vector<bool> is_streamed;
    for (const StreamedField& field : fields) is_streamed.push_back(field.is_streamed());
    OuterPlan outer = outer_plan(loops, fields, options.mode);
    InnerPlans inner(outer, options, caches);
    StreamedChain made{loops, std::move(fields), std::move(outer), std::move(inner),
                       points_of(loops, is_streamed)};
    known.push_back(std::make_shared<StreamedChain>(std::move(made)));
    found = known.end() - 1;
  }
  std::rotate(known.begin(), found, found + 1);
  return known.front();
}

void Streaming::check_needs(const StreamedChain& chain) const {
  for (const FieldPoints::Need& need : chain.points.needs) {
    const auto f = static_cast<std::size_t>(need.field);
    const auto& dropped = placed_[static_cast<std::size_t>(chain.fields[f].number)].dropped;
    if (!dropped || !dropped->points.meets(need.range)) continue;
    throw Error::input(
        fmt::format("loop '{}'", chain.chain.loops[static_cast<std::size_t>(need.loop)].name),
        fmt::format("reads the field '{}', whose values from the loop '{}' were dropped after {}",
                    chain.chain.fields[f].name, dropped->loop, dropped->chain),
        "write them first, or run without cyclic()");
  }
}

void Streaming::record_dropped(const StreamedChain& chain) {
  const std::vector<ChainLoop>& loops = chain.chain.loops;
  for (std::size_t f = 0; f < chain.fields.size(); ++f) {
    if (!chain.fields[f].is_streamed()) continue;
    auto& dropped = placed_[static_cast<std::size_t>(chain.fields[f].number)].dropped;
    if (chain.outer.dropped[f]) {
      if (!dropped) dropped.emplace();
      dropped->points.add(chain.points.modified[f]);
      dropped->chain =
          fmt::format("the chain from '{}' to '{}'", loops.front().name, loops.back().name);
      for (const ChainLoop& loop : loops)
        for (const ChainAccess& access : loop.accesses)
          if (static_cast<std::size_t>(access.field) == f && access.access != AccessMode::read)
            dropped->loop = loop.name;
    } else if (dropped && chain.points.written[f].cover(dropped->points)) {
      dropped.reset();
    }
  }
}

std::shared_ptr<StreamedChain> Streaming::prepare(CachedChain& chain, bool continues,
                                                  const PlanOptions& options,
                                                  const TileCaches& caches) {
  const auto start = std::chrono::steady_clock::now();
  const std::shared_ptr<StreamedChain> streamed = this->streamed(chain, continues, options, caches);
  plan_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  check_needs(*streamed);
  return streamed;
}

void Streaming::run(std::span<const Queued> queue, const std::shared_ptr<StreamedChain>& chain,
                    CachedChain* next, Tilings& tilings) {
  if (predicts()) {
    predictor_->add(chain->chain, slot_bytes_ > 0 ? &chain->outer : nullptr);
    return;
  }
  unmap();
  const bool is_known = next != nullptr && !next->streamed().empty();
  runner_->run(queue, chain, is_known ? next->streamed().front() : nullptr, tilings);
  record_dropped(*chain);
}

void Streaming::check_content(const FieldStorage& field) const {
  const auto& dropped = placed_[static_cast<std::size_t>(field.number())].dropped;
  if (dropped)
    throw Error::input(field.name(),
                       fmt::format("its values from the loop '{}' were dropped after {}",
                                   dropped->loop, dropped->chain),
                       "access it before the next chain runs, or run without cyclic()");
}

std::byte* Streaming::access(const FieldStorage& field, bool edits) {
  if (predicts())
    throw Error::input(field.name(), "has no values, because the program's time is predicted",
                       "run the program to access its fields");
  if (!is_active() || !placed_[static_cast<std::size_t>(field.number())].rows.is_streamed())
    return field.origin();
  check_content(field);
  Placed& placed = placed_[static_cast<std::size_t>(field.number())];
  if (placed.mapped == nullptr || (edits && !placed.edits)) {
    runner_->finish(field.number(), placed.rows.rows);
    if (edits) runner_->drop_ahead();
    placed.mapped = slow_->map(placed.home, 0, field.memory_bytes(), edits);
    placed.edits = edits;
  }
  return placed.mapped + field.origin_bytes();
}

void Streaming::release(const FieldStorage& field, int end) {
  const Placed& placed = placed_[static_cast<std::size_t>(field.number())];
  if (placed.mapped == nullptr) return;
  const StreamedField& layout = placed.rows;
  slow_->release(placed.mapped,
                 static_cast<std::uint64_t>(field.begin_bytes()) +
                     layout.distance(std::clamp(end, layout.rows.lo, layout.rows.hi)));
}

void Streaming::for_each_part(
    const FieldStorage& field, Plan::Interval rows,
    const std::function<void(std::byte* origin, Plan::Interval rows)>& work) {
  const Placed& placed = placed_[static_cast<std::size_t>(field.number())];
  if (!runner_ || !placed.rows.is_streamed() || placed.mapped != nullptr) {
    work(access(field, false), rows);
    return;
  }
  check_content(field);
  constexpr std::uint64_t kPartBytes = std::uint64_t{4} << 20;
  const StreamedField& layout = placed.rows;
  const int most = static_cast<int>(std::max<std::uint64_t>(1, kPartBytes / layout.row_bytes));
  std::vector<std::byte> part;
  for (int first = rows.lo; first < rows.hi; first += most) {
    const Plan::Interval now{first, std::min(rows.hi, first + most)};
    runner_->finish(field.number(), now);
    part.resize(layout.bytes(now));
    slow_->engine().start({.pieces = {layout.read(now, part.data())}})->wait();
    work(part.data() + layout.zero - now.lo * static_cast<std::ptrdiff_t>(layout.row_bytes), now);
  }
}

void Streaming::unmap() {
  slow_->unmap();
  for (Placed& placed : placed_) placed.mapped = nullptr, placed.edits = false;
}

StreamCounters Streaming::counters() const {
  if (!runner_) return {};
  StreamCounters counters = runner_->counters();
  counters.slot_bytes = slot_bytes_;
  return counters;
}

}  // namespace Atoll::stencil
