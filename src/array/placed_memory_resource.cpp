// Selects the arena of each request, allocates blocks that are too large for arenas, and keeps the
// statistics.
#include "atoll/array/placed_memory_resource.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "array/placements.hpp"
#include "array/slab_arena.hpp"
#include "atoll/base/page_size.hpp"
#include "memory/stripes.hpp"

namespace Atoll {
namespace {

constexpr std::size_t kMaxLocksByNode = 8;

/// Returns this thread's number, in the order of the threads' first calls.
std::size_t thread_number() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t number = threads++;
  return number;
}

/// Returns the nodes that have arenas for their threads. Empty if arenas don't depend on nodes.
std::vector<NodeId> homes_of(const Layout& layout) {
  const auto* const parts = std::get_if<Partitioned>(&layout.where);
  if (parts == nullptr) return {};
  std::vector<NodeId> homes = parts->nodes;
  std::sort(homes.begin(), homes.end());
  homes.erase(std::unique(homes.begin(), homes.end()), homes.end());
  return homes;
}

void check_for_containers(const Layout& layout, const Machine& machine) {
  if (layout.copies() != 1)
    throw Error::input("layout", "containers have one copy, but it is " + to_string(layout),
                       "take a layout of one copy, or an Array for what is only read");
  if (const auto* const parts = std::get_if<Partitioned>(&layout.where);
      parts != nullptr && !parts->ends.empty())
    throw Error::input("layout", "its parts have bounds, which count an array's elements",
                       "leave the bounds out, or take an Array");
  check_layout(layout, machine, 0);
  if (const auto* const distributed = std::get_if<Distributed>(&layout.where))
    memory::check(memory::Interleaved{distributed->nodes, distributed->granule_bytes}, machine, 0,
                  layout.pages);
}

}  // namespace

struct PlacedMemoryResource::State {
  State(const memory::Context& where, const Layout& how, memory::WhenFull full);

  [[nodiscard]] SlabArena& arena_of_this_thread();
  [[nodiscard]] void* allocate_large(std::size_t bytes, std::size_t alignment);
  void deallocate_large(void* block, std::size_t bytes) noexcept;
  [[nodiscard]] memory::Block map(std::size_t bytes, const memory::Placement& placement);
  void unmap(memory::Block block) noexcept;
  [[nodiscard]] std::uint64_t whole_pages(std::size_t bytes) const;
  [[nodiscard]] memory::Placement placement_of_next(std::size_t bytes);
  template <class Each>
  void for_each_block(Each&& each);

  memory::Context context;
  Layout layout;
  memory::WhenFull when_full;
  std::size_t chunk_bytes;

  std::vector<NodeId> homes;                ///< of a Partitioned layout
  std::vector<std::uint32_t> home_of_node;  ///< index in `homes`, by the initiator's number
  std::size_t locks = 1;                    ///< arenas per home; without homes, in total
  std::vector<std::unique_ptr<SlabArena>> arenas;

  std::mutex large_mutex;  ///< protects `large` and `large_usage`
  std::unordered_map<void*, memory::Block> large;
  Usage large_usage;

  std::atomic<std::uint64_t> granules_placed = 0;  ///< of a Distributed layout
  std::atomic<std::uint64_t> bytes_mapped = 0, peak_bytes_mapped = 0;
};

PlacedMemoryResource::State::State(const memory::Context& where, const Layout& how,
                                   memory::WhenFull full)
    : context(where),
      layout(how),
      when_full(full),
      chunk_bytes(std::max(page_bytes(PageSize::huge), page_bytes(how.pages))),
      homes(homes_of(how)),
      home_of_node(nearest_by_initiator(where.machine, homes)) {
  const auto threads = static_cast<std::size_t>(context.team.size());
  if (layout.pages != PageSize::pool_1g) locks = std::min(threads, kMaxLocksByNode);
  for (std::size_t arena = 0; arena < std::max<std::size_t>(1, homes.size()) * locks; ++arena)
    arenas.push_back(std::make_unique<SlabArena>(
        chunk_bytes,
        [this, home = arena / locks] {
          return map(chunk_bytes,
                     homes.empty() ? placement_of_next(chunk_bytes) : memory::OnNode{homes[home]});
        },
        [this](memory::Block block) { unmap(std::move(block)); }));
}

SlabArena& PlacedMemoryResource::State::arena_of_this_thread() {
  const std::size_t node = current_place().node.value;
  const std::size_t home = node < home_of_node.size() ? home_of_node[node] : 0;
  return *arenas[home * locks + thread_number() % locks];
}

/// A Distributed block continues at the node after the last block's. Otherwise, all blocks smaller
/// than one round of the nodes would be on the first.
memory::Placement PlacedMemoryResource::State::placement_of_next(std::size_t bytes) {
  memory::Placement placement = placements(layout, bytes, 1).front();
  if (auto* const interleaved = std::get_if<memory::Interleaved>(&placement)) {
    const std::uint64_t granules = (bytes - 1) / interleaved->granule_bytes + 1;
    const std::uint64_t first = granules_placed.fetch_add(granules) % interleaved->nodes.size();
    std::rotate(interleaved->nodes.begin(),
                interleaved->nodes.begin() + static_cast<std::ptrdiff_t>(first),
                interleaved->nodes.end());
  }
  return placement;
}

std::uint64_t PlacedMemoryResource::State::whole_pages(std::size_t bytes) const {
  const std::uint64_t unit = memory::unit_bytes(layout.pages);
  return (bytes + unit - 1) / unit * unit;
}

memory::Block PlacedMemoryResource::State::map(std::size_t bytes,
                                               const memory::Placement& placement) {
  try {
    memory::Block block(context, bytes, placement, layout.pages, when_full,
                        memory::Populate::by_caller);
    const std::uint64_t mapped = bytes_mapped += whole_pages(bytes);
    for (std::uint64_t peak = peak_bytes_mapped;
         peak < mapped && !peak_bytes_mapped.compare_exchange_weak(peak, mapped);) {
    }
    return block;
  } catch (const Error& error) {
    throw PlacementError(error);
  }
}

void PlacedMemoryResource::State::unmap(memory::Block block) noexcept {
  bytes_mapped -= whole_pages(block.bytes());
}

void* PlacedMemoryResource::State::allocate_large(std::size_t bytes, std::size_t alignment) {
  const std::size_t mapped = std::max<std::size_t>(bytes, 1);  // 0 bytes get a unique address, too
  const std::size_t slack = alignment <= kPageBytes ? 0 : alignment - kPageBytes;
  if (mapped > SIZE_MAX - slack)
    throw PlacementError(
        Error::failed("memory", std::to_string(bytes) + " bytes don't fit into the address space",
                      "ask for less"));
  memory::Block block = map(mapped + slack, placement_of_next(mapped + slack));
  const auto address = reinterpret_cast<std::uintptr_t>(block.data());
  std::byte* const data = block.data() + (-address & (alignment - 1));
  const std::scoped_lock lock(large_mutex);
  try {
    large.try_emplace(data);
  } catch (...) {
    unmap(std::move(block));
    throw;
  }
  large[data] = std::move(block);
  large_usage.add(bytes);
  return data;
}

void PlacedMemoryResource::State::deallocate_large(void* data, std::size_t bytes) noexcept {
  memory::Block block;
  {
    const std::scoped_lock lock(large_mutex);
    const auto found = large.find(data);
    block = std::move(found->second);
    large.erase(found);
    large_usage.remove(bytes);
  }
  unmap(std::move(block));
}

template <class Each>
void PlacedMemoryResource::State::for_each_block(Each&& each) {
  for (const auto& arena : arenas) arena->for_each_chunk(each);
  const std::scoped_lock lock(large_mutex);
  for (const auto& [data, block] : large) each(block);
}

PlacedMemoryResource::PlacedMemoryResource(const memory::Context& context, const Layout& layout,
                                           memory::WhenFull when_full) {
  check_for_containers(layout, context.machine);
  state_ = std::make_unique<State>(context, layout, when_full);
}

PlacedMemoryResource::~PlacedMemoryResource() = default;

void* PlacedMemoryResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return SlabArena::serves(bytes, alignment, state_->chunk_bytes)
             ? state_->arena_of_this_thread().allocate(bytes, alignment)
             : state_->allocate_large(bytes, alignment);
}

void PlacedMemoryResource::do_deallocate(void* block, std::size_t bytes,
                                         std::size_t alignment) noexcept {
  if (SlabArena::serves(bytes, alignment, state_->chunk_bytes))
    SlabArena::deallocate(block, bytes, alignment, state_->chunk_bytes);
  else
    state_->deallocate_large(block, bytes);
}

void PlacedMemoryResource::release() noexcept {
  for (const auto& arena : state_->arenas) arena->release();
  const std::scoped_lock lock(state_->large_mutex);
  for (auto& [data, block] : state_->large) state_->unmap(std::move(block));
  state_->large.clear();
  state_->large_usage.remove_all();
}

const Layout& PlacedMemoryResource::layout() const noexcept {
  return state_->layout;
}

PlacedMemoryResource::Statistics PlacedMemoryResource::statistics() const {
  Statistics sum{.bytes_mapped = state_->bytes_mapped,
                 .peak_bytes_mapped = state_->peak_bytes_mapped};
  const auto add = [&](const Usage& usage) {
    sum.bytes_in_use += usage.bytes_in_use;
    sum.allocations += usage.allocations;
    sum.frees += usage.frees;
  };
  for (const auto& arena : state_->arenas) add(arena->usage());
  const std::scoped_lock lock(state_->large_mutex);
  add(state_->large_usage);
  return sum;
}

CopyWhereabouts PlacedMemoryResource::where() const {
  CopyWhereabouts all;
  state_->for_each_block([&](const memory::Block& block) {
    const std::vector<NodeId> pages = block.where(), wished = block.wished();
    for (std::size_t page = 0; page < pages.size(); ++page)
      all.misplaced += pages[page] != wished[page];
    all.pages.insert(all.pages.end(), pages.begin(), pages.end());
  });
  all.pages_by_node = memory::pages_by_node(all.pages);
  return all;
}

}  // namespace Atoll
