// Programs: their state, and the operations that run the queue.
#include "atoll/stencil/program.hpp"

#include <fmt/format.h>

#include "atoll/base/error.hpp"
#include "atoll/memory/budget.hpp"
#include "stencil/run.hpp"
#include "stencil/state.hpp"
#include "stencil/stream/fast_nodes.hpp"

namespace Atoll::stencil {

Program::State::State(const Options& given) : options(given) {
  if (options.threads < 0)
    throw Error::input("threads", fmt::format("{} threads", options.threads),
                       "give 1 or more, or 0 for one for each core");
  own_machine.emplace(Machine::this_computer());
  own_team.emplace(spread_places(*own_machine, options.threads));
  context.emplace(memory::Context{*own_machine, *own_team});
  start();
}

Program::State::State(const memory::Context& given, const Options& given_options)
    : options(given_options) {
  context.emplace(given);
  start();
}

void Program::State::start() {
  runner.emplace(context->team, options.report);
  if (options.prediction) {
    streaming.emplace(*context, *runner, *options.prediction, options.without);
    return;
  }
  if (options.budget == 0 && options.home.empty() && options.fast.empty()) return;
  if (!options.home.empty() && !options.fast.empty())
    throw Error::input("--fast", "the fields have a folder as their home, too",
                       "give either --home or --fast");
  if (options.mode == Mode::checked) return;
  std::optional<std::uint64_t> budget;
  if (options.budget > 0) budget = options.budget;
  FastNodes nodes;
  std::unique_ptr<SlowMemory> slow;
  if (!options.fast.empty()) {
    nodes = fast_nodes(context->machine, options.fast);
    slow = node_memory(*context, nodes.slow);
  } else if (!options.home.empty()) {
    slow = file_memory(options.home);
  }
  streaming.emplace(*context, *runner,
                    memory::budget_bytes(context->machine, context->backend, nodes.fast, budget),
                    std::move(slow), options.without, std::move(nodes.fast));
}

bool Program::State::streams() {
  if (!streaming) return false;
  streaming->place();
  return streaming->is_active();
}

void Program::State::check_alive() const {
  if (!failure.empty())
    throw Error::failed("stencil program", "its fields hold anything, because " + failure,
                        "make a new program");
}

bool Program::State::is_full() const {
  if (queue.size() >= most_queued) return true;
  const CachedChain* const expected = queue.expected();
  return expected != nullptr && expected->is_round() && queue.size() == expected->loops();
}

void Program::State::record_until(std::size_t loop) {
  for (; recorded < records.size() && records[recorded].loops <= loop; ++recorded) {
    ReductionStorage& reduction = *records[recorded].reduction;
    reduction.series.insert(reduction.series.end(), reduction.values().begin(),
                            reduction.values().end());
    reduction.started = false;
  }
}

void Program::State::add_record(ReductionStorage& reduction) {
  ++reduction.records;
  records.push_back({&reduction, queue.size()});
  if (!queue.empty()) return;
  record_until(0);
  drop_records();
}

void Program::State::drop_records() {
  for (const Record& record : records) record.reduction->records = 0;
  records.clear();
  recorded = 0;
}

void Program::State::drop_queue() {
  drop_records();
  queue.clear();
  plans.evict_chains();
  queue.expect(last == nullptr ? nullptr : last->next());
}

Program::Program(const Options& options) : state_(std::make_unique<State>(options)) {}
Program::Program(const memory::Context& context, const Options& options)
    : state_(std::make_unique<State>(context, options)) {}
Program::~Program() {
  state_->drop_queue();
}

Mesh& Program::mesh(std::string name, std::initializer_list<int> sizes) {
  return mesh(std::move(name), std::span<const int>(sizes.begin(), sizes.size()));
}

Mesh& Program::mesh(std::string name, std::span<const int> sizes) {
  for (const auto& other : state_->meshes)
    if (other->name() == name)
      throw Error::input(name, "is the name of two meshes", "give each mesh a name of its own");
  const int number = static_cast<int>(state_->meshes.size());
  state_->meshes.push_back(std::make_unique<Mesh>(*this, std::move(name), sizes, number));
  return *state_->meshes.back();
}

ReductionStorage& Program::add_reduction(ElementType type, int count) {
  if (count < 1)
    throw Error::input("reduction", fmt::format("{} values", count), "give one value or more");
  state_->reductions.push_back(std::make_unique<ReductionStorage>(*this, type, count));
  return *state_->reductions.back();
}

void Program::run() {
  state_->check_alive();
  if (!state_->queue.empty()) run_queue(*state_);
  state_->continues = false;
  for (Points& points : state_->written) points.clear();
}

const Options& Program::options() const {
  return state_->options;
}
const Machine& Program::machine() const {
  return state_->context->machine;
}
const Team& Program::team() const {
  return state_->context->team;
}
const memory::Context& Program::context() const {
  return *state_->context;
}
const std::vector<std::unique_ptr<Mesh>>& Program::meshes() const {
  return state_->meshes;
}
std::size_t Program::waiting() const {
  return state_->queue.size();
}
Report Program::report() const {
  Report report;
  report.threads = team().size();
  report.loops = state_->loops;
  return report;
}
Counters Program::counters() const {
  Counters counters = state_->counters;
  counters.plans = state_->plans.plans();
  counters.plan_seconds = state_->plans.plan_seconds();
  counters.plan_bytes = state_->plans.plan_bytes();
  if (state_->streaming) {
    counters.streamed = state_->streaming->counters();
    counters.predicted = state_->streaming->predicted();
    counters.plan_seconds += state_->streaming->outer_plan_seconds();
    counters.plan_seconds += state_->streaming->inner_plan_seconds();
  }
  return counters;
}
Chain Program::chain() const {
  return chain_of(state_->queue.all());
}
const Plan* Program::last_plan() const {
  return state_->last_plan;
}
const Chain* Program::last_chain() const {
  return state_->last == nullptr ? nullptr : &state_->last->chain();
}

namespace detail {

void run_for(std::span<FieldStorage* const> fields) {
  if (fields.empty()) return;
  Program& program = fields.front()->mesh().program();
  Program::State& state = program.state();
  const bool streams = state.streams();
  if (streams) state.streaming->keep(fields);
  program.run();
  if (streams) state.streaming->keep({});
  state.check_alive();
}

std::byte* before_access(FieldStorage& field, bool writes) {
  FieldStorage* const accessed = &field;
  run_for({&accessed, 1});
  Program& program = field.mesh().program();
  if (writes && !field.written().empty()) field.written().assign(field.written().size(), true);
  if (!program.state().streams()) return field.origin();
  return program.state().streaming->access(field, writes);
}

void release_rows(const FieldStorage& field, int end) {
  Program::State& state = field.mesh().program().state();
  if (state.streams()) state.streaming->release(field, end);
}

void for_each_part(FieldStorage& field, const Range& range,
                   const std::function<void(std::byte* origin, const Range& part)>& work) {
  FieldStorage* const accessed = &field;
  run_for({&accessed, 1});
  Program::State& state = field.mesh().program().state();
  if (!state.streams()) {
    work(field.origin(), range);
    return;
  }
  const auto d = static_cast<std::size_t>(field.mesh().dimensions() - 1);
  if (range.empty()) return;
  state.streaming->for_each_part(field, {range.lo[d], range.hi[d]},
                                 [&](std::byte* origin, Plan::Interval rows) {
                                   Range part = range;
                                   part.lo[d] = rows.lo;
                                   part.hi[d] = rows.hi;
                                   work(origin, part);
                                 });
}

void refuse_handle(std::string_view kind) {
  throw Error::input(kind, "this handle is empty: it was default-constructed",
                     kind == "reduction" ? "assign it what Program::reduction() returns"
                                         : "assign it what Mesh::field() or column() returns");
}

void check_points(const FieldStorage& field, const Range& range, int component, bool reads) {
  if (component < 0 || component >= field.options().components)
    throw Error::input(field.name(), fmt::format("it has no component {}", component),
                       fmt::format("it has {}, from 0 on", field.options().components));
  if (range.empty()) return;
  for (std::size_t d = 0; d < kMaxDimensions; ++d)
    if (!(reads && field.flat(static_cast<int>(d))) &&
        (range.lo[d] < field.whole().lo[d] || range.hi[d] > field.whole().hi[d]))
      throw Error::input(field.name(), fmt::format("the range {} leaves it", to_string(range)),
                         "its points with the halo are " + to_string(field.whole()));
}

void check_count(const FieldStorage& field, const Range& range, std::size_t values) {
  if (values != static_cast<std::size_t>(range.points()))
    throw Error::input(field.name(),
                       fmt::format("{} values are given for {} points", values, range.points()),
                       "give one for each point of " + to_string(range));
}

namespace {

void check_value(const ReductionStorage& reduction, int which) {
  if (which < 0 || which >= reduction.count())
    throw Error::input("reduction", fmt::format("it has no value {}", which),
                       fmt::format("it has {}, from 0 on", reduction.count()));
}

}  // namespace

const std::uint64_t* reduced_values(ReductionStorage& reduction, int which) {
  check_value(reduction, which);
  reduction.program().run();
  reduction.program().state().check_alive();
  if (!reduction.started)
    throw Error::input("reduction", "no loop was queued that gives a value",
                       "queue a loop with reduce_min(), reduce_max() or reduce_sum()");
  reduction.used = false;
  return reduction.values().data();
}

void record_values(ReductionStorage& reduction) {
  Program::State& state = reduction.program().state();
  state.check_alive();
  if (!reduction.used)
    throw Error::input("reduction", "record() without a loop that gives a value",
                       "queue a loop with reduce_min(), reduce_max() or reduce_sum() first");
  reduction.used = false;
  state.add_record(reduction);
}

const std::vector<std::uint64_t>& recorded_values(ReductionStorage& reduction, int which) {
  check_value(reduction, which);
  reduction.program().run();
  reduction.program().state().check_alive();
  return reduction.series;
}

}  // namespace detail
}  // namespace Atoll::stencil
