// Calls of a library's procedures: sets arguments and returns results.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "atoll/base/log.hpp"
#include "program/library_state.hpp"

namespace Atoll::program {

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
  // If the procedure is unknown, keeps the message that says so.
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
    // A team pins the thread that makes it, so another thread makes it and the caller's thread
    // waits.
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

}  // namespace Atoll::program
