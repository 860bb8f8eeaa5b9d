// Creates the copies of an array by its layout. Whole copies and fills are jobs for a copy engine.
// A job's pieces name the node of their copy, so that the threads nearest to it do the work, and
// data crosses the interconnect at most once.
#include "atoll/array/raw_array.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "array/placements.hpp"
#include "atoll/base/error.hpp"

namespace Atoll {
namespace {

/// Swaps member by member: with std::swap, g++ 12 warns of an uninitialised value.
void exchange_layouts(Layout& a, Layout& b) noexcept {
  a.where.swap(b.where);
  std::swap(a.pages, b.pages);
}

/// Threads that work on one copy, and each thread's index among them.
struct Workers {
  std::vector<int> position;  ///< by thread; -1: doesn't work on this copy
  int count = 0;
};

}  // namespace

RawArray::RawArray(const memory::Context& context, std::size_t size, std::size_t element_bytes,
                   const Layout& layout)
    : size_(size), element_bytes_(element_bytes), layout_(layout) {
  allocate(context);
}

RawArray::RawArray(const memory::Context& context, std::size_t size, std::size_t element_bytes,
                   const Choice& choice)
    : size_(size), element_bytes_(element_bytes), layout_(choice.layout) {
  if (choice.allocated) allocate(context);
}

RawArray::RawArray(const memory::Context& context, std::size_t size, std::size_t element_bytes,
                   const AccessPattern& pattern, const ChoiceOptions& options)
    : RawArray(context, size, element_bytes,
               choose_layouts(std::vector{ArrayRequest{
                                  .name = "array",
                                  .elements = size,
                                  .element_bytes = static_cast<std::uint32_t>(element_bytes),
                                  .pattern = pattern}},
                              context.machine, context.team.places(), options)
                   .front()) {}

void RawArray::allocate(const memory::Context& context) {
  if (size_ > std::numeric_limits<std::size_t>::max() / element_bytes_)
    throw Error::input("array",
                       std::to_string(size_) + " elements don't fit into the address space",
                       "ask for fewer");
  check_layout(layout_, context.machine, size_);
  use_threads_of(context);
  for (const memory::Placement& placement : placements(layout_, size_, element_bytes_))
    blocks_.emplace_back(context, bytes(), placement, layout_.pages);
  find_nearest_copies(context.machine);
}

/// Keeps pages if the page size stays the same: a single copy moves in place; of several copies,
/// those on a wanted node are kept. New copies are filled from the master copy.
std::uint64_t RawArray::move_to(const memory::Context& context, const Layout& layout) {
  check_layout(layout, context.machine, size_);
  if (blocks_.empty()) {
    layout_ = layout;
    return 0;
  }
  const std::vector<memory::Placement> wanted = placements(layout, size_, element_bytes_);
  const bool same_pages = layout.pages == layout_.pages;
  if (same_pages && wanted.size() == 1) {
    const std::uint64_t misplaced = blocks_.front().move_to(context, wanted.front());
    blocks_.resize(1);
    layout_ = layout;
    use_threads_of(context);
    find_nearest_copies(context.machine);
    return misplaced;
  }
  // For each wanted copy, the index of an old block on the same node, if any.
  std::vector<std::size_t> old(wanted.size(), blocks_.size());
  std::vector<memory::Block> fresh(wanted.size());
  for (std::size_t which = 0; which < wanted.size(); ++which) {
    const auto* on = std::get_if<memory::OnNode>(&wanted[which]);
    for (std::size_t block = 0; same_pages && on != nullptr && block < blocks_.size(); ++block) {
      const auto* is_on = std::get_if<memory::OnNode>(&blocks_[block].placement());
      const bool taken = std::find(old.begin(), old.end(), block) != old.end();
      if (!taken && is_on != nullptr && *on == *is_on) old[which] = block;
    }
    if (old[which] == blocks_.size())
      fresh[which] = memory::Block(context, bytes(), wanted[which], layout.pages);
  }
  // Exchanges the current and the wanted state; a second call undoes it.
  Layout other = layout;
  RawArray other_threads;
  other_threads.use_threads_of(context);
  bool exchanged = false;
  const auto exchange = [&] {
    std::vector<memory::Block>& from = exchanged ? fresh : blocks_;
    std::vector<memory::Block>& to = exchanged ? blocks_ : fresh;
    for (std::size_t which = 0; which < wanted.size(); ++which)
      if (old[which] < from.size()) std::swap(to[which], from[old[which]]);
    blocks_.swap(fresh);
    exchange_layouts(layout_, other);
    team_.swap(other_threads.team_);
    engine_.swap(other_threads.engine_);
    find_nearest_copies(context.machine);
    exchanged = !exchanged;
  };
  const std::byte* const content = copy(0);
  exchange();
  try {
    perform(copy_job(content, size_, 0));
  } catch (...) {
    exchange();
    throw;
  }
  return misplaced_pages();
}

void RawArray::find_nearest_copies(const Machine& machine) {
  copy_of_node_.clear();
  const auto* replicated = std::get_if<Replicated>(&layout_.where);
  if (replicated == nullptr) return;
  copy_of_node_ = nearest_by_initiator(machine, replicated->nodes);
}

std::size_t RawArray::nearest_index() const noexcept {
  return blocks_.size() <= 1 ? 0 : nearest_index(current_place().node);
}

/// Runs sync() and copy_from() of marked parts. Calls work(copy, begin, end) so that the slices
/// [begin, end) of each copy from `first_copy` on cover `count` elements. (A copy engine's job
/// would list each run of marked lines, which takes longer than the copy.)
template <class Work>
void RawArray::on_all_copies(std::size_t first_copy, std::size_t count, Work&& work) const {
  if (first_copy >= blocks_.size() || count == 0) return;
  const std::shared_ptr<const Team> team = team_.lock();
  if (team == nullptr) {
    for (std::size_t copy = first_copy; copy < blocks_.size(); ++copy) work(copy, 0, count);
    return;
  }
  const int threads = team->size();
  std::vector<Workers> workers(blocks_.size());
  for (std::size_t copy = first_copy; copy < blocks_.size(); ++copy) {
    Workers& of_copy = workers[copy];
    of_copy.position.assign(static_cast<std::size_t>(threads), -1);
    for (const bool only_near : {true, false}) {
      for (int thread = 0; thread < threads; ++thread) {
        const NodeId node = team->places()[static_cast<std::size_t>(thread)].node;
        if (!only_near || nearest_index(node) == copy)
          of_copy.position[static_cast<std::size_t>(thread)] = of_copy.count++;
      }
      if (of_copy.count > 0) break;
    }
  }
  team->run([&](int thread) {
    for (std::size_t copy = first_copy; copy < blocks_.size(); ++copy) {
      const int position = workers[copy].position[static_cast<std::size_t>(thread)];
      if (position < 0) continue;
      const Slice slice = slice_of(count, position, workers[copy].count);
      if (slice.begin < slice.end) work(copy, slice.begin, slice.end);
    }
  });
}

void RawArray::check_size_of(const RawArray& source) const {
  if (source.size_ != size_ || source.bytes() != bytes())
    throw Error::input("array",
                       "copying " + std::to_string(source.size_) + " elements of " +
                           std::to_string(source.element_bytes_) + " bytes into " +
                           std::to_string(size_) + " of " + std::to_string(element_bytes_),
                       "copy between arrays of one size");
}

NodeId RawArray::node_of(std::size_t copy) const {
  const auto* const on = std::get_if<memory::OnNode>(&blocks_[copy].placement());
  return on == nullptr ? memory::kNowhere : on->node;
}

memory::CopyJob RawArray::copy_job(const RawArray& source) const {
  check_size_of(source);
  memory::CopyJob job;
  if (source.blocks_.empty()) return job;
  const auto add = [&](std::size_t which, NodeId node, const Slice& slice) {
    const std::size_t begin = slice.begin * element_bytes_;
    job.pieces.push_back({copy(which) + begin, source.copy(source.nearest_index(node)) + begin,
                          slice.end * element_bytes_ - begin, node});
  };
  const std::shared_ptr<const Team> team = team_.lock();
  for (std::size_t which = 0; which < blocks_.size(); ++which) {
    const NodeId node = node_of(which);
    if (node != memory::kNowhere || source.blocks_.size() == 1 || team == nullptr) {
      add(which, node, {0, size_});
      continue;
    }
    for (int thread = 0; thread < team->size(); ++thread)  // each reads its nearest copy
      add(which, team->places()[static_cast<std::size_t>(thread)].node,
          slice_of(size_, thread, team->size()));
  }
  return job;
}

memory::CopyJob RawArray::copy_job(const void* source, std::size_t elements,
                                   std::size_t first) const {
  check_positions(elements, first);
  memory::CopyJob job;
  for (std::size_t which = 0; which < blocks_.size(); ++which)
    job.pieces.push_back({copy(which) + first * element_bytes_,
                          static_cast<const std::byte*>(source), elements * element_bytes_,
                          node_of(which)});
  return job;
}

memory::CopyJob RawArray::fill_job(const void* element) const {
  memory::CopyJob job;
  const auto* const bytes_of_it = static_cast<const std::byte*>(element);
  job.pattern.assign(bytes_of_it, bytes_of_it + element_bytes_);
  for (std::size_t which = 0; which < blocks_.size(); ++which)
    job.pieces.push_back({copy(which), nullptr, bytes(), node_of(which)});
  return job;
}

/// Blocks until the job is done. Skips pieces whose target is their source.
void RawArray::perform(memory::CopyJob job) const {
  std::erase_if(job.pieces, [](const memory::CopyPiece& piece) {
    return piece.bytes == 0 || piece.to == piece.from;
  });
  if (job.pieces.empty()) return;
  const std::shared_ptr<const Team> team = team_.lock();
  const auto start = [&](memory::CopyEngine& engine) { engine.start(std::move(job))->wait(); };
  if (team == nullptr)
    start(*memory::serial_engine());
  else if (engine_->can(job))
    start(*engine_);
  else
    start(*memory::parallel_engine(*team));
}

void RawArray::use_threads_of(const memory::Context& context) {
  team_ = context.team.handle();
  engine_ = context.copies != nullptr ? context.copies : memory::parallel_engine(context.team);
}

void RawArray::fill(const void* element) {
  perform(fill_job(element));
}

void RawArray::copy_from(const RawArray& source) {
  if (&source != this) perform(copy_job(source));
}

void RawArray::copy_from(const RawArray& source, WriteSet& written) {
  check_size_of(source);
  check(written);
  if (&source != this && !source.blocks_.empty())
    on_all_copies(0, written.blocks(), [&](std::size_t which, std::size_t first, std::size_t last) {
      const std::byte* const from = source.nearest_copy();
      written.for_each_run(first, last, [&](std::size_t begin, std::size_t end) {
        std::memcpy(copy(which) + begin, from + begin, end - begin);
      });
    });
  written.clear(0, written.blocks());
}

void RawArray::check_positions(std::size_t elements, std::size_t first) const {
  if (first > size_ || elements > size_ - first)
    throw Error::input("array",
                       "copying " + std::to_string(elements) + " elements to position " +
                           std::to_string(first) + " of " + std::to_string(size_),
                       "copy no more than the array holds");
}

void RawArray::copy_from(const void* source, std::size_t elements, std::size_t first) {
  memory::CopyJob job = copy_job(source, elements, first);
  for (const memory::CopyPiece& piece : job.pieces)
    if (piece.from < piece.to + piece.bytes && piece.to < piece.from + piece.bytes &&
        piece.from != piece.to)
      throw Error::input("array", "a part of it can't be copied to another part of it",
                         "copy it to other memory first");
  perform(std::move(job));
}

void RawArray::sync() {
  if (blocks_.size() > 1) perform(copy_job(copy(0), size_, 0));
}

void RawArray::check(const WriteSet& written) const {
  const std::size_t own = blocks_.empty() ? 0 : bytes();
  if (written.bytes() != own)
    throw Error::input("array",
                       "a write set of " + std::to_string(written.bytes()) +
                           " bytes for an array of " + std::to_string(own),
                       "take it from the array's write_set()");
}

void RawArray::sync(WriteSet& written) {
  check(written);
  on_all_copies(1, written.blocks(), [&](std::size_t which, std::size_t first, std::size_t last) {
    written.for_each_run(first, last, [&](std::size_t begin, std::size_t end) {
      std::memcpy(copy(which) + begin, copy(0) + begin, end - begin);
    });
  });
  written.clear(0, written.blocks());
}

void swap(RawArray& a, RawArray& b) noexcept {
  std::swap(a.size_, b.size_);
  std::swap(a.element_bytes_, b.element_bytes_);
  exchange_layouts(a.layout_, b.layout_);
  a.blocks_.swap(b.blocks_);
  a.copy_of_node_.swap(b.copy_of_node_);
  a.team_.swap(b.team_);
  a.engine_.swap(b.engine_);
}

std::uint32_t RawArray::crc32() const {
  uLong combined = ::crc32_z(0, nullptr, 0);
  if (blocks_.empty()) return static_cast<std::uint32_t>(combined);
  const std::shared_ptr<const Team> team = team_.lock();
  const int threads = team == nullptr ? 1 : team->size();
  std::vector<uLong> parts(static_cast<std::size_t>(threads));
  const auto part = [&](int thread) {
    const Slice slice = slice_of(bytes(), thread, threads);
    const auto* data = reinterpret_cast<const Bytef*>(nearest_copy()) + slice.begin;
    parts[static_cast<std::size_t>(thread)] =
        ::crc32_z(::crc32_z(0, nullptr, 0), data, slice.end - slice.begin);
  };
  if (team == nullptr)
    part(0);
  else
    team->run(part);
  for (int thread = 0; thread < threads; ++thread) {
    const Slice slice = slice_of(bytes(), thread, threads);
    combined = ::crc32_combine(combined, parts[static_cast<std::size_t>(thread)],
                               static_cast<z_off_t>(slice.end - slice.begin));
  }
  return static_cast<std::uint32_t>(combined);
}

std::uint64_t RawArray::misplaced_pages() const {
  std::uint64_t pages = 0;
  for (const CopyWhereabouts& copy : where()) pages += copy.misplaced;
  return pages;
}

std::vector<CopyWhereabouts> RawArray::where() const {
  std::vector<CopyWhereabouts> copies;
  for (const memory::Block& block : blocks_) {
    CopyWhereabouts& copy = copies.emplace_back();
    copy.pages = block.where();
    copy.pages_by_node = memory::pages_by_node(copy.pages);
    const std::vector<NodeId> wished = block.wished();
    for (std::size_t page = 0; page < copy.pages.size(); ++page)
      copy.misplaced += copy.pages[page] != wished[page];
  }
  return copies;
}

}  // namespace Atoll
