#include "simulate/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "atoll/base/error.hpp"
#include "atoll/base/page_size.hpp"
#include "recording/objects/object_names.hpp"

namespace Atoll::simulate {
namespace {

std::uint64_t round_down(std::uint64_t value, std::uint64_t unit) {
  return value / unit * unit;
}

/// Number of an address's base page in its object. A page that begins before the object is the
/// first one.
std::uint64_t page_in(const PlacedObject& object, std::uint64_t address) {
  return std::max(address, object.address) / kPageBytes - object.address / kPageBytes;
}

/// Base pages that hold a byte of the object; 1 for an empty one.
std::uint64_t pages_of(const PlacedObject& object) {
  return page_in(object, object.address + std::max<std::uint64_t>(object.bytes, 1) - 1) + 1;
}

}  // namespace

bool is_called(const recording::Recording& recording, const recording::Object& object,
               const std::string& name) {
  if (recording::name_of(recording, object) == name) return true;
  const recording::Frame* const place = recording::place_of(recording, object);
  if (place == nullptr || place->line == 0) return false;
  const std::string where = fmt::format("{}:{}", place->file, place->line);
  return where == name || where.ends_with("/" + name);
}

Error no_such_object(const std::string& name) {
  return Error::input("--layout-of " + name, "the program has no object of that name",
                      "atoll simulate lists them: take a name, or file:line");
}

Error written_replica(std::uint64_t address) {
  return Error::input(fmt::format("address {:#x}", address),
                      "a replicated object is written while time counts",
                      "replicate what is only read; --between-marks leaves the start out");
}

Placement::Placement(const Machine& machine, const Model& model, const Options& options,
                     const std::vector<std::uint32_t>& nodes_of_threads)
    : machine_(&machine), model_(&model), options_(options) {
  for (const std::uint32_t node : nodes_of_threads)
    of_threads_.push_back(model.memory_of_node[node]);
  used_ = of_threads_;
  std::sort(used_.begin(), used_.end());
  used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
  for (const MemoryNode& memory : machine.memories())
    room_.push_back(memory.capacity_bytes == 0 ? std::numeric_limits<std::uint64_t>::max() / 2
                                               : memory.capacity_bytes);
  for (const NodeId node : model.nodes)
    near_.push_back(recording::nearest_first(machine, node, model.memories));
}

PageClass Placement::size_of(const PlacedObject* object, const Touch& touch) const {
  if (options_.pages) {
    switch (*options_.pages) {
      case PageSize::small:
        return PageClass::small;
      case PageSize::huge:
      case PageSize::pool_2m:
        break;
      case PageSize::pool_1g:
        return PageClass::gigantic;
    }
    if (from_pool(*options_.pages)) return PageClass::huge;
  }
  // Linux maps a huge page only where the memory area covers all of it.
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 21;
  if ((touch.huge && !*touch.huge) || touch.fault.small) return PageClass::small;
  const PageMap* const plan = object == nullptr ? nullptr : object->plan;
  if (plan != nullptr && plan->page_size == PageSize::small) return PageClass::small;
  if (object == nullptr || (object->kind != recording::ObjectKind::heap &&
                            object->kind != recording::ObjectKind::mapping))
    return PageClass::small;
  const std::uint64_t begin = round_down(touch.address, kHuge);
  const bool is_whole =
      begin >= object->address && begin + kHuge <= object->address + object->bytes;
  // It also doesn't where the plan puts parts of the page on different nodes.
  return is_whole && (plan == nullptr ||
                      plan->is_one_piece(page_in(*object, begin),
                                         page_in(*object, begin + kHuge - 1), pages_of(*object)))
             ? PageClass::huge
             : PageClass::small;
}

std::uint16_t Placement::with_room(std::uint16_t wanted, std::uint64_t bytes,
                                   const std::vector<std::uint16_t>* only) {
  if (room_[wanted] >= bytes) {
    room_[wanted] -= bytes;
    return wanted;
  }
  const NodeId near = machine_->nearest_initiator(model_->memories[wanted]);
  for (const NodeId next : machine_->order(near, Ordering::latency)) {
    const auto memory = static_cast<std::uint16_t>(
        std::lower_bound(model_->memories.begin(), model_->memories.end(), next) -
        model_->memories.begin());
    if (only != nullptr && std::ranges::find(*only, memory) == only->end()) continue;
    if (room_[memory] < bytes) continue;
    room_[memory] -= bytes;
    spilled_ = true;
    return memory;
  }
  throw Error::input(machine_->name(),
                     only == nullptr ? "its memories are full: the program touches more"
                                     : "the memories that the program binds its pages to are full",
                     "take a machine with more memory, or a smaller input");
}

std::optional<std::uint16_t> Placement::memory_of(std::optional<NodeId> node) const {
  if (!node) return std::nullopt;
  const auto found = std::ranges::lower_bound(model_->memories, *node);
  if (found == model_->memories.end() || *found != *node) return std::nullopt;
  return static_cast<std::uint16_t>(found - model_->memories.begin());
}

bool Placement::move(const Page& page, std::uint16_t to) {
  const std::uint64_t bytes = Pages::bytes_of(page);
  if (page.zero || page.replicated || page.home == to || room_[to] < bytes) return false;
  room_[to] -= bytes;
  room_[page.home] += bytes;
  return true;
}

void Placement::dropped(const Page& page) {
  const std::uint64_t bytes = Pages::bytes_of(page);
  if (!page.replicated) {
    room_[page.home] += bytes;
    return;
  }
  for (const std::uint16_t memory : used_) room_[memory] += bytes;
}

std::optional<std::uint16_t> Placement::wanted(const PagePolicy& asked, std::uint64_t address,
                                               PageClass size, std::uint32_t node) const {
  return recording::memory_for_page(asked, address >> kPageBits[static_cast<std::size_t>(size)],
                                    model_->memory_of_node[node], near_[node]);
}

std::optional<std::uint16_t> Placement::planned(const PlacedObject& of, std::uint64_t address,
                                                std::uint64_t bytes) const {
  return memory_of(of.plan->node_of(page_in(of, round_down(address, bytes)), pages_of(of)));
}

bool Placement::is_first_touch(const PlacedObject* of, const Touch& touch, const Page& page) const {
  if (page.zero || page.replicated || page.home != model_->memory_of_node[touch.node]) return false;
  if (of != nullptr && of->plan != nullptr)
    return !planned(*of, touch.address, Pages::bytes_of(page));
  const bool is_asked = touch.asked != nullptr && touch.asked->how != PagePolicy::How::nothing;
  if (of != nullptr && of->layout != ObjectLayout::first_touch && !(is_asked && !of->is_named))
    return false;
  if (is_asked) return touch.asked->how == PagePolicy::How::own;
  return rest_ == nullptr && options_.policy != PlacementPolicy::interleave;
}

Page Placement::touch(const PlacedObject* of, const Touch& touch) {
  Page page;
  const std::uint64_t address = touch.address;
  page.size = size_of(of, touch);
  const std::uint64_t bytes = Pages::bytes_of(page);
  const bool from_a_pool = options_.pages && from_pool(*options_.pages);
  if (!touch.fault.write && shares_zeros_ && of != nullptr && of->is_private && !from_a_pool) {
    page.zero = true;  // the 4 KiB one is the kernel's; a 2 MiB one is allocated at its first use
    page.home = page.size == PageClass::small ? 0 : model_->memory_of_node[touch.node];
    return page;
  }
  const std::uint16_t own = model_->memory_of_node[touch.node];
  if (of != nullptr && of->plan != nullptr) {
    page.home = with_room(planned(*of, address, bytes).value_or(own), bytes);
    return page;
  }
  const bool is_asked = touch.asked != nullptr && touch.asked->how != PagePolicy::How::nothing;
  const ObjectLayout layout =
      of == nullptr || (is_asked && !of->is_named) ? ObjectLayout::first_touch : of->layout;
  const std::uint64_t begin = of == nullptr ? 0 : round_down(of->address, bytes);
  const std::uint64_t number = (round_down(address, bytes) - std::min(begin, address)) / bytes;
  std::uint16_t home = own;
  switch (layout) {
    case ObjectLayout::first_touch:
      if (is_asked) {
        home = wanted(*touch.asked, address, page.size, touch.node).value_or(own);
        const bool is_bound = touch.asked->how == PagePolicy::How::only;
        page.home = with_room(home, bytes, is_bound ? &touch.asked->memories : nullptr);
        return page;
      }
      if (rest_ != nullptr && rest_->turns.empty())
        home = memory_of(rest_->node_of(0, 1)).value_or(home);
      else if (rest_ != nullptr)  // page by page, as the system's interleave policy does
        home = memory_of(rest_->turns[address / bytes % rest_->turns.size()]).value_or(home);
      else if (options_.policy == PlacementPolicy::interleave)
        home = used_[address / bytes % used_.size()];
      break;
    case ObjectLayout::single:
      home = of_threads_.front();
      break;
    case ObjectLayout::distributed:
      home = used_[number % used_.size()];
      break;
    case ObjectLayout::partitioned: {
      const std::uint64_t pages = (of->address + of->bytes - begin + bytes - 1) / bytes;
      home = of_threads_[detail::part_of_page(number, pages, of_threads_.size())];
      break;
    }
    case ObjectLayout::replicated:
      page.replicated = true;
      page.home = of_threads_.front();
      for (const std::uint16_t memory : used_) (void)with_room(memory, bytes);
      return page;
  }
  page.home = with_room(home, bytes);
  return page;
}

}  // namespace Atoll::simulate
