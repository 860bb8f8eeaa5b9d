// Implements a library's graphs and converts its options.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "atoll/base/log.hpp"
#include "atoll/graph/graph.hpp"
#include "program/call.hpp"
#include "program/library_handle.hpp"

namespace Atoll::program {
namespace {

/// Calls work(team) on a new thread, which the team may pin. Rethrows the exceptions of `work`.
template <class Work>
void on_threads(const RunOptions& options, Work&& work) {
  std::exception_ptr failure;
  std::thread([&] {
    try {
      const Machine machine = Machine::open("");
      const Team team(places_on(machine, options), Team::Runtime::std_threads);
      work(team);
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

template <class Id>
std::span<const Id> ids(const void* data, std::uint64_t count) {
  return {static_cast<const Id*>(data), static_cast<std::size_t>(count)};
}

}  // namespace

RunOptions run_options(const LibraryOptions* given) {
  LibraryOptions known{.size = sizeof known,
                       .threads = 0,
                       .oversubscribe = 0,
                       .layout = static_cast<int>(LayoutKind::automatic),
                       .policy = 0,
                       .seed = 1};
  if (given != nullptr) {
    if (given->size < sizeof given->size || given->size > sizeof known)
      throw Error::input(
          "options", fmt::format("a size of {} isn't that of this library's options", given->size),
          "let the header's function set them");
    std::memcpy(&known, given, given->size);
  }
  if (known.threads < 0)
    throw Error::input("options", "threads are less than 0", "0 is one a core");
  if (known.layout < 0 || known.layout > static_cast<int>(LayoutKind::replicated))
    throw Error::input("options", fmt::format("there is no layout {}", known.layout),
                       "take one of the header's");
  if (known.policy < 0 || known.policy > 1)
    throw Error::input("options", fmt::format("there is no policy {}", known.policy),
                       "take one of the header's");
  RunOptions options;
  options.threads = known.threads;
  options.oversubscribe = known.oversubscribe != 0;
  options.layout = static_cast<LayoutKind>(known.layout);
  options.policy = known.policy == 1 ? LayoutPolicy::shoal : LayoutPolicy::cost;
  options.seed = known.seed;
  return options;
}

LibraryGraph::LibraryGraph(const char* file, const LibraryOptions* options) noexcept {
  silence();
  guarded([&] {
    if (file == nullptr) throw Error::input("graph", "no file is named", "name one");
    auto shared = std::make_shared<Shared>();
    on_threads(run_options(options),
               [&](const Team& team) { shared->graph = graph::load(file, team); });
    shared->file = file;
    shared_ = std::move(shared);
  });
}

LibraryGraph::LibraryGraph(std::uint64_t nodes, std::uint64_t edges, MemoryType begin_type,
                           const void* begin, MemoryType target_type,
                           const void* targets) noexcept {
  silence();
  guarded([&] {
    if (begin == nullptr || (targets == nullptr && edges != 0))
      throw Error::input("graph", "an array is missing", "give begin and targets");
    const auto is = [&](MemoryType of_begin, MemoryType of_targets) {
      return begin_type == of_begin && target_type == of_targets;
    };
    using std::uint32_t, std::uint64_t;
    auto shared = std::make_shared<Shared>();
    if (is(MemoryType::id32, MemoryType::id32))
      shared->graph =
          graph::borrow_csr(ids<uint32_t>(begin, nodes + 1), ids<uint32_t>(targets, edges));
    else if (is(MemoryType::id64, MemoryType::id32))
      shared->graph =
          graph::borrow_csr(ids<uint64_t>(begin, nodes + 1), ids<uint32_t>(targets, edges));
    else if (is(MemoryType::id64, MemoryType::id64))
      shared->graph =
          graph::borrow_csr(ids<uint64_t>(begin, nodes + 1), ids<uint64_t>(targets, edges));
    else
      throw Error::input("graph", "arrays of these types make no graph",
                         "give ids of 32 bits, of 64 bits, or offsets of 64 and targets of 32");
    shared_ = std::move(shared);
  });
}

int LibraryGraph::find_node(const char* label, std::uint64_t* node) noexcept {
  return guarded([&] {
    if (label == nullptr || node == nullptr) throw Error::input("graph", "no label", "give one");
    if (!shared_) throw Error::input("graph", "isn't open", "open it first");
    const std::scoped_lock lock(shared_->making);
    if (!shared_->names) shared_->names.emplace(shared_->graph);
    *node = shared_->names->node(label, [this] { return shared_->file; });
  });
}

std::size_t LibraryGraph::label(std::uint64_t node, char* text, std::size_t size) const noexcept {
  try {
    std::string label;
    if (shared_ && node < shared_->graph.nodes()) label = shared_->graph.label(node);
    if (text != nullptr && size != 0) {
      const std::size_t length = std::min(label.size(), size - 1);
      std::memcpy(text, label.data(), length);
      text[length] = '\0';
    }
    return label.size();
  } catch (...) {
    return 0;  // out of memory
  }
}

std::uint64_t LibraryGraph::nodes() const noexcept {
  return shared_ ? shared_->graph.nodes() : 0;
}
std::uint64_t LibraryGraph::edges() const noexcept {
  return shared_ ? shared_->graph.edges() : 0;
}

}  // namespace Atoll::program
