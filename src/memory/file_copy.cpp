#include "memory/file_copy.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "atoll/base/page_size.hpp"
#include "atoll/memory/backing_file.hpp"
#include "memory/stream_copy.hpp"

namespace Atoll::memory {
namespace {

/// Small jobs have smaller parts, so that every thread gets one, down to this size.
constexpr std::size_t kLeastPartBytes = 256 * kKiB;

FileCopy::Direction direction_of(const CopyPiece& piece) {
  const bool reads = piece.from_file.file != nullptr && piece.to_file.file == nullptr;
  return reads ? FileCopy::Direction::in : FileCopy::Direction::out;
}

/// Returns the end that determines the order and the adjacency of pieces; its file is null if both
/// ends are addresses.
const FilePosition& position_of(const CopyPiece& piece) {
  return direction_of(piece) == FileCopy::Direction::in ? piece.from_file : piece.to_file;
}

/// True for small pieces that are adjacent in a file. Large ones are transferred without a copy
/// through a buffer.
bool are_transferred_together(const CopyPiece& first, const CopyPiece& second) {
  if (first.bytes >= kLeastPartBytes || second.bytes >= kLeastPartBytes) return false;
  const FilePosition &a = position_of(first), &b = position_of(second);
  return a.file != nullptr && a.file == b.file && a.offset + first.bytes == b.offset;
}

/// Writes repetitions of `pattern`, beginning at its byte `phase`.
void repeat(const std::vector<std::byte>& pattern, std::size_t phase, std::byte* to,
            std::size_t bytes) {
  std::size_t filled = std::min(bytes, pattern.size());
  for (std::size_t i = 0; i < filled; ++i) to[i] = pattern[(phase + i) % pattern.size()];
  for (; filled < bytes; filled *= 2)
    std::memcpy(to + filled, to, std::min(filled, bytes - filled));
}

}  // namespace

FileCopy::FileCopy(CopyJob job, const FileOptions& options) : job_(std::move(job)) {
  std::vector<CopyPiece>& pieces = job_.pieces;
  if (!job_.pattern.empty())
    for (CopyPiece& piece : pieces) piece.from_file = {};
  const auto key = [](const CopyPiece& piece) {
    const FilePosition& position = position_of(piece);
    return std::tuple(direction_of(piece), position.file, position.offset);
  };
  std::ranges::stable_sort(pieces, std::less<>(), key);
  const auto middle = std::ranges::find(pieces, Direction::out, direction_of) - pieces.begin();
  cut(Direction::in, 0, static_cast<std::size_t>(middle), options);
  cut(Direction::out, static_cast<std::size_t>(middle), pieces.size(), options);
}

/// Cuts pieces, and runs of small adjacent ones, at multiples of a page and of the file's block.
void FileCopy::cut(Direction direction, std::size_t first, std::size_t last,
                   const FileOptions& options) {
  std::size_t bytes = 0;
  for (std::size_t i = first; i < last; ++i) bytes += job_.pieces[i].bytes;
  const auto threads =
      static_cast<std::size_t>(direction == Direction::in ? options.readers : options.writers);
  const std::size_t part_bytes =
      std::clamp(bytes / threads + 1, std::min(kLeastPartBytes, options.transfer_bytes),
                 options.transfer_bytes);
  std::vector<Part>& parts = queue(direction).parts;
  std::size_t left = 0;  // bytes that the last part may still get
  for (std::size_t i = first; i < last; ++i) {
    const CopyPiece& piece = job_.pieces[i];
    const FilePosition& position = position_of(piece);
    if (i == first || !are_transferred_together(job_.pieces[i - 1], piece)) left = 0;
    for (std::size_t offset = 0; offset < piece.bytes;) {
      if (left == 0) {
        const std::size_t block =
            std::max(kPageBytes, position.file != nullptr ? position.file->block_bytes() : 1);
        left = part_bytes - (position.offset + offset + part_bytes) % block;
        parts.push_back({i, offset, 0, false});
      }
      const std::size_t part = std::min(left, piece.bytes - offset);
      parts.back().bytes += part;
      offset += part;
      left -= part;
    }
  }
}

bool FileCopy::step(Direction direction, FileBuffers& buffers) noexcept {
  Queue& own = queue(direction);
  std::unique_lock lock(mutex_);
  if (own.next == own.parts.size()) return false;
  Part& part = own.parts[own.next++];
  ++in_flight_;
  lock.unlock();
  std::exception_ptr failure;
  try {
    perform(part, buffers);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  --in_flight_;
  if (failure == nullptr) {
    complete(own, part);
  } else {
    if (failure_ == nullptr) failure_ = failure;
    drop_rest_locked();
  }
  if (done_locked()) ended_.notify_all();
  return true;
}

void FileCopy::complete(Queue& queue, Part& part) noexcept {
  part.done = true;
  if (job_.pieces.size() > 1) {
    bytes_done_ += part.bytes;
    return;
  }
  // The bytes done are a prefix, even if an earlier part fails after this one is done.
  for (; prefix_ < queue.parts.size() && queue.parts[prefix_].done; ++prefix_)
    bytes_done_ += queue.parts[prefix_].bytes;
}

template <class Each>
void FileCopy::for_each_piece(const Part& part, const Each& each) const {
  std::size_t offset = part.offset;
  for (std::size_t i = part.piece, done = 0; done < part.bytes; ++i, offset = 0) {
    const std::size_t bytes = std::min(part.bytes - done, job_.pieces[i].bytes - offset);
    each(job_.pieces[i], offset, bytes, done);
    done += bytes;
  }
}

void FileCopy::perform(const Part& part, FileBuffers& buffers) const {
  const CopyPiece& first = job_.pieces[part.piece];
  const FilePosition& position = position_of(first);
  if (position.file == nullptr) {
    for_each_piece(part, [&](const CopyPiece& piece, std::size_t offset, std::size_t bytes, auto) {
      load(piece, offset, bytes, piece.to + offset, buffers);
    });
    return;
  }
  FileAccess& file = position.file->access();
  const std::uint64_t offset = position.offset + part.offset;
  const bool reads = first.to_file.file == nullptr;
  const bool is_plain = job_.pattern.empty() && (reads || first.from_file.file == nullptr);
  if (is_plain && part.offset + part.bytes <= first.bytes) {
    if (reads)
      file.read(offset, first.to + part.offset, part.bytes, buffers.blocks);
    else
      file.write(offset, first.from + part.offset, part.bytes, buffers.blocks);
    return;
  }
  const std::size_t before = offset % file.block_bytes();  // so that whole blocks are aligned
  std::byte* const data = buffers.part.get(before + part.bytes) + before;
  if (reads) file.read(offset, data, part.bytes, buffers.blocks);
  for_each_piece(part,
                 [&](const CopyPiece& piece, std::size_t at, std::size_t bytes, std::size_t done) {
                   if (reads)
                     std::memcpy(piece.to + at, data + done, bytes);
                   else
                     load(piece, at, bytes, data + done, buffers);
                 });
  if (!reads) file.write(offset, data, part.bytes, buffers.blocks);
}

/// Copies the source of a part of a piece to memory.
void FileCopy::load(const CopyPiece& piece, std::size_t offset, std::size_t bytes, std::byte* to,
                    FileBuffers& buffers) const {
  if (!job_.pattern.empty())
    repeat(job_.pattern, offset % job_.pattern.size(), to, bytes);
  else if (piece.from_file.file != nullptr)
    piece.from_file.file->access().read(piece.from_file.offset + offset, to, bytes, buffers.blocks);
  else
    copy_bytes(to, piece.from + offset, bytes, Stores::cached);
}

void FileCopy::drop_rest_locked() noexcept {
  for (Queue& queue : queues_) queue.next = queue.parts.size();
}

void FileCopy::drop_rest() noexcept {
  const std::scoped_lock lock(mutex_);
  drop_rest_locked();
}

bool FileCopy::done_locked() const noexcept {
  return in_flight_ == 0 && std::ranges::all_of(queues_, [](const Queue& queue) {
           return queue.next == queue.parts.size();
         });
}

void FileCopy::wait() noexcept {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return done_locked(); });
}

TransferProgress FileCopy::progress() const noexcept {
  const std::scoped_lock lock(mutex_);
  return {bytes_done_, done_locked()};
}

void FileCopy::throw_failure() const {
  const std::scoped_lock lock(mutex_);
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

}  // namespace Atoll::memory
