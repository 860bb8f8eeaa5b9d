// Cutting and taking: chunks of a node lie together, so that taking the next is one addition.
#include "memory/chunked_copy.hpp"

#include <algorithm>

namespace Atoll::memory {
namespace {

// A chunk takes some tens of microseconds: much more than taking it, and soon enough done for
// cancel(). Small jobs get smaller ones, so that every thread has a part, down to what one thread
// does sooner than a second one is there.
constexpr std::size_t kMostChunkBytes = 256 * 1024;
constexpr std::size_t kLeastChunkBytes = 128 * 1024;
constexpr std::size_t kTileBytes = 16 * 1024;

std::size_t whole(std::size_t bytes, std::size_t unit) {
  return std::max<std::size_t>(1, bytes / unit) * unit;
}

}  // namespace

ChunkedCopy::ChunkedCopy(CopyJob job, int threads, Stores stores)
    : job_(std::move(job)), stores_(stores) {
  std::vector<CopyPiece>& pieces = job_.pieces;
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const CopyPiece& a, const CopyPiece& b) { return a.node < b.node; });
  const std::size_t pattern = job_.pattern.size();
  tile_.resize(pattern == 0 ? 0 : whole(kTileBytes, pattern));
  for (std::size_t i = 0; i < tile_.size(); ++i) tile_[i] = job_.pattern[i % pattern];

  const std::size_t fair = job_.bytes() / static_cast<std::size_t>(threads);
  const std::size_t unit = pattern == 0 ? kLeastChunkBytes : pattern;
  const std::size_t chunk_bytes = whole(std::clamp(fair, kLeastChunkBytes, kMostChunkBytes), unit);
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    if (groups_.empty() || groups_.back()->node != pieces[piece].node) {
      groups_.push_back(std::make_unique<Group>());
      groups_.back()->node = pieces[piece].node;
      groups_.back()->next = chunks_.size();
      groups_.back()->end = chunks_.size();
    }
    Group& group = *groups_.back();
    for (std::size_t offset = 0; offset < pieces[piece].bytes;) {
      const bool first = group.end == group.next.load(std::memory_order_relaxed);
      if (first || chunks_.back().bytes >= chunk_bytes) {
        chunks_.push_back({piece, offset, 0});
        ++group.end;
      }
      const std::size_t part =
          std::min(pieces[piece].bytes - offset, chunk_bytes - chunks_.back().bytes);
      chunks_.back().bytes += part;
      offset += part;
    }
  }
  left_ = chunks_.size();
}

bool ChunkedCopy::step(NodeId node) noexcept {
  for (const auto& group : groups_)
    if (group->node == node && step(*group)) return true;
  return std::any_of(groups_.begin(), groups_.end(),
                     [&](const auto& group) { return step(*group); });
}

bool ChunkedCopy::step(Group& group) noexcept {
  if (group.next.load(std::memory_order_relaxed) >= group.end) return false;
  const std::size_t taken = group.next.fetch_add(1, std::memory_order_relaxed);
  if (taken >= group.end) return false;
  perform(chunks_[taken]);
  bytes_done_.fetch_add(chunks_[taken].bytes, std::memory_order_relaxed);
  count(1);
  return true;
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

void ChunkedCopy::count(std::size_t chunks) noexcept {
  if (left_.fetch_sub(chunks, std::memory_order_acq_rel) == chunks) left_.notify_all();
}

void ChunkedCopy::drop_rest() noexcept {
  for (const auto& group : groups_) {
    const std::size_t next = group->next.exchange(group->end, std::memory_order_relaxed);
    if (next < group->end) count(group->end - next);
  }
}

void ChunkedCopy::wait() const noexcept {
  for (std::size_t left; (left = left_.load(std::memory_order_acquire)) > 0;) left_.wait(left);
}

}  // namespace Atoll::memory
