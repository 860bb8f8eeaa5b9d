// Cuts jobs into chunks and distributes them. Chunks of a node are contiguous in the list, so that
// taking the next one is a single atomic addition.
#include "memory/chunked_copy.hpp"

#include <algorithm>

#include "atoll/base/units.hpp"
#include "atoll/threads/in_turn.hpp"

namespace Atoll::memory {
namespace {

// A chunk takes some tens of microseconds: much longer than taking it, and short enough for
// cancel(). Small jobs have smaller chunks, so that every thread gets a part, down to a size that
// one thread completes before a second one could start.
constexpr std::size_t kMaxChunkBytes = 256 * kKiB;
constexpr std::size_t kLeastChunkBytes = 128 * kKiB;
constexpr std::size_t kTileBytes = 16 * kKiB;

std::size_t whole(std::size_t bytes, std::size_t unit) {
  return std::max<std::size_t>(1, bytes / unit) * unit;
}

}  // namespace

ChunkedCopy::ChunkedCopy(CopyJob job, int lanes, Stores stores)
    : job_(std::move(job)), stores_(stores) {
  std::vector<CopyPiece>& pieces = job_.pieces;
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const CopyPiece& a, const CopyPiece& b) { return a.node < b.node; });
  const std::size_t pattern = job_.pattern.size();
  if (pattern > 0) {
    tile_.resize(std::min(whole(kTileBytes, pattern), whole(job_.bytes(), pattern)));
    std::ranges::copy(job_.pattern, tile_.begin());
    for (std::size_t filled = pattern; filled < tile_.size(); filled *= 2)
      std::copy_n(tile_.begin(), std::min(filled, tile_.size() - filled),
                  tile_.begin() + static_cast<std::ptrdiff_t>(filled));
  }

  const auto count = static_cast<std::size_t>(lanes);
  const std::size_t unit = pattern == 0 ? kLeastChunkBytes : pattern;
  const std::size_t chunk_bytes =
      whole(std::clamp(job_.bytes() / count, kLeastChunkBytes, kMaxChunkBytes), unit);
  for (std::size_t piece = 0; piece < pieces.size();) {
    const NodeId node = pieces[piece].node;
    const std::size_t first = chunks_.size();
    for (; piece < pieces.size() && pieces[piece].node == node; ++piece)
      append(piece, chunk_bytes, first);
    Group& group = groups_.emplace_back(Group{node, std::vector<Lane>(count)});
    for (std::size_t lane = 0; lane < count; ++lane) {
      group.lanes[lane].next = first + (chunks_.size() - first) * lane / count;
      group.lanes[lane].end = first + (chunks_.size() - first) * (lane + 1) / count;
    }
  }
  left_ = chunks_.size();
}

/// Appends a piece's bytes to the last chunk, unless that is full or before index `first`, then to
/// new chunks.
void ChunkedCopy::append(std::size_t piece, std::size_t chunk_bytes, std::size_t first) {
  for (std::size_t offset = 0; offset < job_.pieces[piece].bytes;) {
    if (chunks_.size() == first || chunks_.back().bytes >= chunk_bytes)
      chunks_.push_back({piece, offset, 0});
    const std::size_t part =
        std::min(job_.pieces[piece].bytes - offset, chunk_bytes - chunks_.back().bytes);
    chunks_.back().bytes += part;
    offset += part;
  }
}

bool ChunkedCopy::step(NodeId node, int lane) noexcept {
  for (Group& group : groups_)
    if (group.node == node && step(group, lane)) return true;
  return std::any_of(groups_.begin(), groups_.end(),
                     [&](Group& group) { return step(group, lane); });
}

bool ChunkedCopy::step(Group& group, int lane) noexcept {
  const Chunk* const chunk = take(group, lane);
  if (chunk == nullptr) return false;
  perform(*chunk);
  const Atoll::detail::InTurn turn;  // the last one wakes the waiting thread
  bytes_done_.fetch_add(chunk->bytes, std::memory_order_relaxed);
  complete_chunks(1);
  return true;
}

const ChunkedCopy::Chunk* ChunkedCopy::take(Group& group, int lane) noexcept {
  const std::size_t count = group.lanes.size();
  const Atoll::detail::InTurn turn;
  for (std::size_t i = 0; i < count; ++i) {
    Lane& own = group.lanes[(static_cast<std::size_t>(lane) + i) % count];
    if (own.next.load(std::memory_order_relaxed) >= own.end) continue;
    const std::size_t taken = own.next.fetch_add(1, std::memory_order_relaxed);
    if (taken < own.end) return &chunks_[taken];
  }
  return nullptr;
}

void ChunkedCopy::perform(const Chunk& chunk) const noexcept {
  std::size_t left = chunk.bytes, offset = chunk.offset;
  for (std::size_t i = chunk.piece; left > 0; ++i, offset = 0) {
    const CopyPiece& piece = job_.pieces[i];
    const std::size_t bytes = std::min(left, piece.bytes - offset);
    if (tile_.empty()) {
      copy_bytes(piece.to + offset, piece.from + offset, bytes, stores_);
    } else {
      for (std::size_t at = 0; at < bytes; at += tile_.size())
        copy_bytes(piece.to + offset + at, tile_.data(), std::min(tile_.size(), bytes - at),
                   stores_);
    }
    left -= bytes;
  }
  if (stores_ == Stores::streaming) order_streaming_stores();
}

void ChunkedCopy::complete_chunks(std::size_t chunks) noexcept {
  if (left_.fetch_sub(chunks, std::memory_order_acq_rel) == chunks) left_.notify_all();
}

void ChunkedCopy::drop_rest() noexcept {
  for (Group& group : groups_)
    for (Lane& lane : group.lanes) {
      const std::size_t next = lane.next.exchange(lane.end, std::memory_order_relaxed);
      if (next < lane.end) complete_chunks(lane.end - next);
    }
}

void ChunkedCopy::wait() const noexcept {
  for (std::size_t left; (left = left_.load(std::memory_order_acquire)) > 0;) left_.wait(left);
}

}  // namespace Atoll::memory
