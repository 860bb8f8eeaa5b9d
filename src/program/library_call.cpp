// Calls of a library's procedures: placed and run as main() does, on a thread of their own.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <thread>

#include "atoll/base/log.hpp"
#include "program/call.hpp"
#include "program/id_types.hpp"
#include "program/library_handle.hpp"
#include "program/library_results.hpp"
#include "program/placed_run.hpp"

namespace Atoll::program {
namespace {

bool is_id(ValueType type) {
  return type == ValueType::node || type == ValueType::edge;
}

/// What a run holds. Names are those of the graphs, which live as long.
template <class Node, class Edge>
class Held final : public LibraryResults {
 public:
  Held(const memory::Context& context, const Procedure& procedure,
       const std::vector<DecidedArray>& arrays, const std::vector<graph::GraphSize>& sizes,
       std::vector<Names> names, std::uint64_t seed)
      : widths_(widths_of(sizes)),
        names_(std::move(names)),
        run_(context, procedure, arrays, sizes, names_, seed) {}

  Elements elements(const ArrayUse& use) override { return run_.elements(use); }
  void sync(const ArrayUse& use) override { run_.sync(use); }
  Items items(const CollectionUse& use) override { return run_.items(use); }
  [[nodiscard]] std::optional<Scalar> returned() const override { return run_.returned(); }
  [[nodiscard]] std::optional<Scalar> output(std::string_view name) const override {
    return run_.output(name);
  }
  [[nodiscard]] graph::IdWidths widths() const override { return widths_; }
  std::vector<Names>& names() { return names_; }
  PlacedRun<Node, Edge>& run() { return run_; }

 private:
  graph::IdWidths widths_;
  std::vector<Names> names_;
  PlacedRun<Node, Edge> run_;
};

}  // namespace

struct LibraryCall::State {
  const Offered* offered = nullptr;
  std::vector<std::shared_ptr<LibraryGraph::Shared>> graphs;
  std::shared_ptr<LibraryGraph::Shared> no_graph = std::make_shared<LibraryGraph::Shared>();
  RunOptions options;
  std::map<std::string, Scalar, std::less<>> scalars;
  std::map<std::string, std::uint64_t, std::less<>> ids;
  std::map<std::string, Given, std::less<>> arrays;

  std::optional<Machine> machine;
  std::unique_ptr<LibraryResults> results;
  std::map<std::string, Copied, std::less<>> copied;  ///< collections that were looked at

  std::mutex stopping;
  bool stop_wanted = false;
  const Team* running = nullptr;  ///< while it runs

  [[nodiscard]] const Procedure& procedure() const { return offered->description; }

  const Argument& argument(const char* name, bool output) const {
    for (const Argument& one : procedure().arguments)
      if (one.output == output && name != nullptr && one.name == name) return one;
    throw unknown(name, output ? "a scalar result" : "a scalar argument");
  }
  [[nodiscard]] const ArrayUse* find_array(const char* name, bool output) const {
    for (const ArrayUse& use : procedure().arrays)
      if (name != nullptr && use.name == name && (output ? use.result : use.input)) return &use;
    return nullptr;
  }
  [[nodiscard]] const CollectionUse* find_collection(const char* name, bool output) const {
    for (const CollectionUse& use : procedure().collections)
      if (name != nullptr && use.name == name && (output ? use.result : use.input) &&
          use.place == CollectionPlace::alone)
        return &use;
    return nullptr;
  }
  [[nodiscard]] Error unknown(const char* name, std::string_view what) const {
    return Error::input(procedure().name,
                        fmt::format("'{}' is not {} of it", name == nullptr ? "" : name, what),
                        "ask for the descriptions of its arguments");
  }
  LibraryResults& finished() {
    if (!results)
      throw Error::input(procedure().name, "there are no results", "run it first, to its end");
    return *results;
  }
  const Copied& items_of(const CollectionUse& use) {
    auto found = copied.find(use.name);
    if (found == copied.end())
      found = copied.emplace(use.name, copy_items(finished().items(use), results->widths())).first;
    return found->second;
  }

  void work();
  template <class Node, class Edge>
  void place_and_run(const Team& team, const std::vector<graph::GraphSize>& sizes);
  std::vector<std::pair<std::string, Scalar>> argument_values(const std::vector<Names>& names);
};

std::vector<std::pair<std::string, Scalar>> LibraryCall::State::argument_values(
    const std::vector<Names>& names) {
  std::vector<std::pair<std::string, Scalar>> values;
  for (const Argument& one : procedure().arguments) {
    if (one.output) continue;
    const Names& of = names[one.graph];
    if (is_id(one.type)) {
      const auto id = ids.find(one.name);
      if (id == ids.end()) throw Error::input(procedure().name, "has no " + one.name, "give it");
      const bool node = one.type == ValueType::node;
      const std::uint64_t limit = node ? of.nodes() : of.edges();
      if (id->second != UINT64_MAX && id->second >= limit)
        throw Error::input(one.name, fmt::format("{} is no {}", id->second, node ? "node" : "edge"),
                           fmt::format("they are numbered from 0 below {}", limit));
      const std::uint64_t nil = node ? of.nil_node() : of.nil_edge();
      values.emplace_back(one.name, to_scalar(id->second == UINT64_MAX ? nil : id->second));
    } else {
      const auto value = scalars.find(one.name);
      if (value == scalars.end())
        throw Error::input(procedure().name, "has no value for '" + one.name + "'", "give it one");
      values.emplace_back(one.name, value->second);
    }
  }
  return values;
}

template <class Node, class Edge>
void LibraryCall::State::place_and_run(const Team& team,
                                       const std::vector<graph::GraphSize>& sizes) {
  const memory::Context context{*machine, team, memory::system_backend()};
  const std::vector<DecidedArray> decided =
      decide(procedure(), sizes, *machine, team.places(), options);
  std::vector<Names> names;
  for (const auto& one : graphs) names.emplace_back(one->graph, widths_of(sizes));
  if (names.empty()) names.emplace_back(no_graph->graph);
  auto values = argument_values(names);

  auto held = std::make_unique<Held<Node, Edge>>(context, procedure(), decided, sizes,
                                                 std::move(names), options.seed);
  held->run().set_arguments(values);
  for (const ArrayUse& use : procedure().arrays)
    if (const auto given = arrays.find(use.name); use.input && given != arrays.end()) {
      const Elements elements = held->elements(use);
      const Names& of = *elements.value_names;
      fill_elements(elements, given->second, held->widths(),
                    use.type == ValueType::node ? of.nodes() : of.edges());
      held->sync(use);
    }
  for (const CollectionUse& use : procedure().collections)
    if (const auto given = arrays.find(use.name); use.input && given != arrays.end())
      fill_items(held->items(use), given->second, held->widths());
  for (std::uint32_t i = 0; i < graphs.size(); ++i) {
    const std::scoped_lock lock(graphs[i]->making);  // calls share the graph
    held->run().place_graph(context, decided, i, graphs[i]->graph, held->names()[i],
                            PlacedRun<Node, Edge>::From::keep);
  }
  const auto function = function_of<Node, Edge>(offered->entry);
  function(held->run());
  team.check_stop();  // a stop after the last chunk is one, too
  results = std::move(held);
}

void LibraryCall::State::work() {
  machine.emplace(Machine::open(""));
  const Team own(places_on(*machine, options), Team::Runtime::std_threads);
  {
    const std::scoped_lock lock(stopping);
    running = &own;
    if (stop_wanted) own.request_stop();
  }
  struct Leave {
    State& state;
    ~Leave() {
      const std::scoped_lock lock(state.stopping);
      state.running = nullptr;
      state.stop_wanted = false;
    }
  } const leave{*this};
  own.check_stop();
  std::vector<graph::GraphSize> sizes;
  for (const auto& one : graphs) sizes.push_back(one->graph.size());
  with_id_types(widths_of(sizes),
                [&]<class Node, class Edge>() { place_and_run<Node, Edge>(own, sizes); });
}

LibraryCall::LibraryCall(std::span<const Offered> offered, const char* procedure) noexcept {
  silence();
  guarded([&] {
    const auto found = std::ranges::find_if(offered, [&](const Offered& one) {
      return procedure != nullptr && one.description.name == procedure;
    });
    if (found == offered.end())
      throw Error::input(
          "call", fmt::format("there is no procedure '{}'", procedure == nullptr ? "" : procedure),
          "ask for the names of the library's procedures");
    auto state = std::make_unique<State>();
    state->offered = &*found;
    state->graphs.resize(found->description.graphs.size());
    state_ = std::move(state);
  });
}

LibraryCall::~LibraryCall() = default;

template <class Work>
int LibraryCall::exclusively(Work&& work) noexcept {
  if (busy_.exchange(true)) return static_cast<int>(LibraryCode::busy);
  // Without a procedure, the message that says so stays.
  const int code = state_ ? guarded(work) : this->code();
  busy_ = false;
  return code;
}

int LibraryCall::use_graph(int position, const LibraryGraph* graph) noexcept {
  return exclusively([&] {
    if (position < 0 || static_cast<std::size_t>(position) >= state_->graphs.size())
      throw Error::input(state_->procedure().name,
                         fmt::format("has no graph at position {}", position),
                         fmt::format("it takes {}", state_->graphs.size()));
    if (graph == nullptr || !graph->shared_)
      throw Error::input(state_->procedure().name, "the graph isn't open",
                         "look at the graph's message");
    state_->graphs[static_cast<std::size_t>(position)] = graph->shared_;
  });
}

int LibraryCall::use_options(const LibraryOptions* options) noexcept {
  return exclusively([&] { state_->options = run_options(options); });
}

int LibraryCall::give_value(const char* name, MemoryType type, Scalar value) noexcept {
  return exclusively([&] {
    const Argument& argument = state_->argument(name, false);
    if (static_cast<MemoryType>(argument.type) != type)
      throw Error::input(argument.name, fmt::format("is of type {}", to_string(argument.type)),
                         "use the function of that type");
    state_->scalars[argument.name] = value;
  });
}

int LibraryCall::give_id(const char* name, MemoryType type, std::uint64_t id) noexcept {
  return exclusively([&] {
    const Argument& argument = state_->argument(name, false);
    if (static_cast<MemoryType>(argument.type) != type)
      throw Error::input(argument.name, fmt::format("is of type {}", to_string(argument.type)),
                         "use the function of that type");
    state_->ids[argument.name] = id;
  });
}

int LibraryCall::give_array(const char* name, MemoryType type, const void* data,
                            std::size_t count) noexcept {
  return exclusively([&] {
    if (data == nullptr && count != 0)
      throw Error::input(name == nullptr ? "" : name, "no array is given", "give one");
    if (const ArrayUse* use = state_->find_array(name, false)) {
      check_type(use->name, use->type, type);
    } else if (const CollectionUse* held = state_->find_collection(name, false);
               held != nullptr && held->kind != CollectionKind::map) {
      check_type(held->name, ValueType::node, type);
    } else {
      throw state_->unknown(name, "an input that is an array");
    }
    state_->arrays[name] = {.type = type, .data = data, .count = count};
  });
}

int LibraryCall::give_map(const char* name, MemoryType key_type, const void* keys,
                          MemoryType value_type, const void* values, std::size_t count) noexcept {
  return exclusively([&] {
    const CollectionUse* use = state_->find_collection(name, false);
    if (use == nullptr || use->kind != CollectionKind::map)
      throw state_->unknown(name, "an input that is a map");
    if ((keys == nullptr || values == nullptr) && count != 0)
      throw Error::input(name, "no array is given", "give keys and values");
    check_type(use->name, use->key, key_type);
    check_type(use->name, use->value, value_type);
    state_->arrays[name] = {key_type, keys, value_type, values, count};
  });
}

int LibraryCall::run() noexcept {
  return exclusively([&] {
    state_->results.reset();
    state_->copied.clear();
    for (std::size_t i = 0; i < state_->graphs.size(); ++i)
      if (!state_->graphs[i])
        throw Error::input(state_->procedure().name,
                           fmt::format("its graph {} is missing", state_->procedure().graphs[i]),
                           "give it an open one");
    // The team pins the thread that makes it, so the caller's own thread only waits.
    std::exception_ptr failure;
    std::thread([&] {
      try {
        state_->work();
      } catch (...) {
        failure = std::current_exception();
      }
    }).join();
    if (failure) std::rethrow_exception(failure);
  });
}

void LibraryCall::stop() noexcept {
  if (!state_) return;
  const std::scoped_lock lock(state_->stopping);
  state_->stop_wanted = true;
  if (state_->running != nullptr) state_->running->request_stop();
}

int LibraryCall::get_value(const char* name, MemoryType type, void* value) noexcept {
  return exclusively([&] {
    const LibraryResults& results = state_->finished();
    const bool returned = name != nullptr && *name == '\0' && state_->procedure().returns;
    const ValueType own =
        returned ? *state_->procedure().returns : state_->argument(name, true).type;
    if (static_cast<MemoryType>(own) != type)
      throw Error::input(name, fmt::format("is of type {}", to_string(own)),
                         "use the function of that type");
    const MemoryType narrow = memory_type(own, results.widths());
    const std::uint64_t nil = narrow == MemoryType::id64 ? UINT64_MAX : UINT32_MAX;
    const Scalar none = is_id(own) ? to_scalar(nil) : Scalar(std::int64_t{0});
    const Scalar found = (returned ? results.returned() : results.output(name)).value_or(none);
    write_element(is_id(own) ? MemoryType::id64 : type, value, 0, found, nil);
  });
}

int LibraryCall::get_array(const char* name, MemoryType type, void* data,
                           std::size_t count) noexcept {
  return exclusively([&] {
    LibraryResults& results = state_->finished();
    const auto check = [&](std::uint64_t there) {
      if (there != count || (data == nullptr && count != 0))
        throw Error::input(name, fmt::format("has {} elements", there),
                           "give an array for so many");
    };
    const void* from = nullptr;
    ValueType own = ValueType::node;
    if (const ArrayUse* use = state_->find_array(name, true)) {
      const Elements elements = results.elements(*use);
      check(elements.count);
      from = elements.bytes.data();
      own = use->type;
    } else if (const CollectionUse* held = state_->find_collection(name, true);
               held != nullptr && held->kind != CollectionKind::map) {
      const Copied& copied = state_->items_of(*held);
      check(copied.count);
      from = copied.keys.data();
    } else {
      throw state_->unknown(name, "a result that is an array");
    }
    check_type(name, own, type);
    const MemoryType source = memory_type(own, results.widths());
    if (count == 0) return;
    if (source == type) {
      std::memcpy(data, from, count * bytes_of(type));
      return;
    }
    if (type == MemoryType::id32)
      throw Error::input(name, "its ids have 64 bits", "give an array of such");
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t id = 0;
      std::memcpy(&id, static_cast<const std::byte*>(from) + i * sizeof id, sizeof id);
      write_element(type, data, i, to_scalar(id), UINT32_MAX);
    }
  });
}

int LibraryCall::view_array(const char* name, int* type, const void** data,
                            std::size_t* count) noexcept {
  return exclusively([&] {
    LibraryResults& results = state_->finished();
    if (const ArrayUse* use = state_->find_array(name, true)) {
      const Elements elements = results.elements(*use);
      *type = static_cast<int>(memory_type(use->type, results.widths()));
      *data = elements.bytes.data();
      *count = elements.count;
    } else if (const CollectionUse* held = state_->find_collection(name, true);
               held != nullptr && held->kind != CollectionKind::map) {
      const Copied& copied = state_->items_of(*held);
      *type = static_cast<int>(memory_type(ValueType::node, results.widths()));
      *data = copied.keys.data();
      *count = copied.count;
    } else {
      throw state_->unknown(name, "a result that is an array");
    }
  });
}

int LibraryCall::view_map(const char* name, int* key_type, const void** keys, int* value_type,
                          const void** values, std::size_t* count) noexcept {
  return exclusively([&] {
    LibraryResults& results = state_->finished();
    const CollectionUse* use = state_->find_collection(name, true);
    if (use == nullptr || use->kind != CollectionKind::map)
      throw state_->unknown(name, "a result that is a map");
    const Copied& copied = state_->items_of(*use);
    *key_type = static_cast<int>(memory_type(use->key, results.widths()));
    *value_type = static_cast<int>(memory_type(use->value, results.widths()));
    *keys = copied.keys.data();
    *values = copied.values.data();
    *count = copied.count;
  });
}

bool describe_argument(const Offered& offered, int i, LibraryArgument& argument) {
  const Procedure& procedure = offered.description;
  const auto is = [&i] { return i-- == 0; };
  const auto type = [](ValueType value) { return static_cast<int>(value); };
  for (const Argument& one : procedure.arguments)
    if (is()) {
      argument = {one.name.c_str(),
                  static_cast<int>(ArgumentKind::scalar),
                  type(one.type),
                  type(one.type),
                  static_cast<int>(!one.output),
                  static_cast<int>(one.output),
                  static_cast<int>(one.graph)};
      return true;
    }
  for (const ArrayUse& use : procedure.arrays) {
    if (!use.input && !use.result) continue;
    if (is()) {
      const auto kind = use.edges ? ArgumentKind::edges : ArgumentKind::nodes;
      argument = {use.name.c_str(),
                  static_cast<int>(kind),
                  type(use.type),
                  type(use.type),
                  static_cast<int>(use.input),
                  static_cast<int>(use.result),
                  static_cast<int>(use.graph)};
      return true;
    }
  }
  for (const CollectionUse& use : procedure.collections) {
    if (!use.input && !use.result) continue;
    if (is()) {
      const auto kind = use.place != CollectionPlace::alone
                            ? ArgumentKind::many
                            : static_cast<ArgumentKind>(static_cast<int>(ArgumentKind::set) +
                                                        static_cast<int>(use.kind));
      argument = {use.name.c_str(),
                  static_cast<int>(kind),
                  type(use.key),
                  type(use.value),
                  static_cast<int>(use.input),
                  static_cast<int>(use.result),
                  static_cast<int>(use.graph)};
      return true;
    }
  }
  if (!procedure.returns || !is()) return false;
  argument = {"",
              static_cast<int>(ArgumentKind::scalar),
              type(*procedure.returns),
              type(*procedure.returns),
              0,
              1,
              static_cast<int>(procedure.returned_graph)};
  return true;
}

}  // namespace Atoll::program
