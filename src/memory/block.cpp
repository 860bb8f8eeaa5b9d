// Creation of blocks: check, reserve, fill, prevent migration; frees everything on failure.
#include "atoll/memory/block.hpp"

#include <utility>

#include "atoll/base/page_size.hpp"
#include "memory/fill.hpp"
#include "memory/headroom.hpp"
#include "memory/move.hpp"
#include "memory/stripes.hpp"

namespace Atoll::memory {
namespace {

/// Rounds sizes near 2^64 down instead: no machine has them available in either case.
std::size_t whole_pages(std::size_t bytes, PageSize pages) {
  const std::size_t unit = unit_bytes(pages);
  if (bytes > SIZE_MAX - unit) return SIZE_MAX / unit * unit;
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Block::Block(const Context& context, std::size_t bytes, const Placement& placement, PageSize pages,
             WhenFull when_full, Populate populate)
    : bytes_(bytes), placement_(placement), pages_(pages) {
  check(placement, context.machine, bytes, pages);
  if (bytes == 0) return;
  reserved_ = whole_pages(bytes, pages);
  Headroom headroom(context.backend, reserved_, pages);
  data_ = context.backend.reserve(reserved_, pages);
  backend_ = &context.backend;
  try {
    fill(context, headroom, {data_, reserved_}, placement, pages, when_full, populate);
    backend_->prevent_migration({data_, reserved_}, named_nodes(placement));
  } catch (...) {
    free();
    throw;
  }
}

Block::~Block() {
  free();
}

Block::Block(Block&& other) noexcept {
  *this = std::move(other);
}

Block& Block::operator=(Block&& other) noexcept {
  if (this == &other) return *this;
  free();
  backend_ = std::exchange(other.backend_, nullptr);
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  reserved_ = std::exchange(other.reserved_, 0);
  placement_ = std::exchange(other.placement_, {});
  pages_ = other.pages_;
  return *this;
}

void Block::free() noexcept {
  if (backend_ != nullptr) backend_->release(data_, reserved_);
  backend_ = nullptr;
}

std::uint64_t Block::move_to(const Context& context, const Placement& placement) {
  check(placement, context.machine, bytes_, pages_);
  if (backend_ == nullptr) return 0;
  const Range range{data_, reserved_};
  const Context here{context.machine, context.team, *backend_};
  const std::uint64_t elsewhere =
      move(here, range, stripes_of(placement, reserved_, pages_), pages_);
  placement_ = placement;
  backend_->prevent_migration(range, named_nodes(placement));
  return elsewhere;
}

std::vector<NodeId> Block::where() const {
  std::vector<NodeId> nodes(reserved_ / kPageBytes);
  if (backend_ != nullptr) backend_->locate(std::vector<Range>{{data_, reserved_}}, nodes);
  return nodes;
}

std::vector<NodeId> Block::wished() const {
  std::vector<NodeId> nodes(reserved_ / kPageBytes);
  StripeReader reader(stripes());
  for (;;) {
    const std::vector<Extent> extents = reader.take(reserved_);
    if (extents.empty()) return nodes;
    for (const Extent& extent : extents)
      std::fill_n(nodes.begin() + static_cast<std::ptrdiff_t>(extent.offset / kPageBytes),
                  extent.bytes / kPageBytes, reader.node());
  }
}

std::vector<Stripe> Block::stripes() const {
  return stripes_of(placement_, reserved_, pages_);
}

std::map<NodeId, std::uint64_t> pages_by_node(const std::vector<NodeId>& where) {
  std::map<NodeId, std::uint64_t> pages;
  for (const NodeId node : where) ++pages[node];
  return pages;
}

}  // namespace Atoll::memory
