// Engines that copy and fill memory [shoal §5.3], behind one small interface: the processors' own
// loads and stores, by all threads or by a few in the background, and DMA devices. Programs start
// transfers with memory/copy.hpp; this is for those who add an engine.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "atoll/memory/backend.hpp"
#include "atoll/threads/team.hpp"

namespace Atoll::memory {

/// One contiguous part of a copy or a fill.
struct CopyPiece {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;  ///< not used by a fill
  std::size_t bytes = 0;
  NodeId node =
      kNowhere;  ///< where `to` lies: its threads do the piece first; kNowhere: any thread
};

/// A copy of each piece or, with a pattern, a fill: each piece becomes the pattern again and again.
struct CopyJob {
  std::vector<CopyPiece> pieces;
  std::vector<std::byte> pattern;  ///< an element's bytes; empty: a copy

  [[nodiscard]] std::size_t bytes() const noexcept;
};

/// How far a transfer is.
struct TransferProgress {
  std::size_t bytes = 0;  ///< copied or filled so far
  bool done = false;  ///< true if nothing more will be: all is done, it failed, or it was cancelled
};

/// A job under way. Contract: one thread at a time calls it, which need not be the one that started
/// it. The engine may be destroyed before its operations.
class CopyOperation {
 public:
  /// Called after wait() or cancel() only.
  virtual ~CopyOperation() = default;
  /// Never blocks; may do a little work, such as giving a device its next orders.
  [[nodiscard]] virtual TransferProgress poll() = 0;
  /// Returns when all is done, or throws what went wrong, on each call; nothing touches the memory
  /// after either. It may lend the calling thread to the work.
  virtual void wait() = 0;
  /// Starts nothing more, and returns when nothing touches the memory any more.
  virtual void cancel() noexcept = 0;
};

/// Contract: start() may be called from any thread, with any number of operations under way, except
/// that a blocking engine may refuse it within a Team's run(). Jobs are checked before they come
/// here: no empty pieces, no target that overlaps another piece's target or source, fills of whole
/// patterns. A job of one piece is done from its first byte on: what is done is a prefix of it.
class CopyEngine {
 public:
  virtual ~CopyEngine() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// True if start() returns only when all is done: no work of the caller overlaps with the copy.
  [[nodiscard]] virtual bool blocks() const = 0;
  [[nodiscard]] virtual bool can(const CopyJob& job) const = 0;
  [[nodiscard]] virtual std::unique_ptr<CopyOperation> start(CopyJob job) = 0;
};

/// "parallel": all threads of the team copy, each of them pieces of its own node first. It blocks.
/// The team outlives it. It can't be used from within a run(), nor while another thread runs the
/// team.
[[nodiscard]] std::unique_ptr<CopyEngine> parallel_engine(const Team& team);

/// "serial": the thread that calls start() copies alone. It blocks.
[[nodiscard]] std::unique_ptr<CopyEngine> serial_engine();

/// How to copy in the background.
struct BackgroundOptions {
  /// The processing units that helpers may use. A helper belongs to one node: it runs on the units
  /// listed for that node, and does pieces of that node first.
  ThreadPlaces places = {};
  int helpers_per_node = 1;
  /// True if helpers run at nice 19: beside a program that keeps all units busy, they get one or
  /// two percent of the time of some. The copy is then mostly done in wait(), by the calling
  /// thread.
  bool low_priority = true;
  bool pin = true;  ///< false: for a machine that isn't here
};
/// "background": a few threads of its own copy with streaming stores, which leave the caches to the
/// program. wait() lends the calling thread. Throws Error (input) if there are no places or no
/// helpers.
[[nodiscard]] std::unique_ptr<CopyEngine> background_engine(const BackgroundOptions& options);

/// "FIRST+SECOND": one engine does `share` (0 … 1) of each piece's bytes, from its start, and
/// another does the rest [shoal Figure 10]. A piece is cut at the multiple of 4 KiB (in a fill, of
/// the least number of whole patterns of at least 4 KiB) that keeps the share of all pieces so far
/// nearest. Both engines outlive it. Throws Error (input) for another share.
[[nodiscard]] std::unique_ptr<CopyEngine> split_engine(CopyEngine& first, CopyEngine& second,
                                                       double share);

/// "dsa": Intel's Data Streaming Accelerator, through the work queues that the system's
/// administrator has enabled for user programs (/dev/dsa); null if there is none. poll() and wait()
/// give it its orders, a few MiB ahead; wait() itself does what finds no room in the queues. It
/// fills patterns of 1, 2, 4 or 8 bytes. It was never run on such a device: it is tested against a
/// device in software, made after the kernel's interface (linux/idxd.h).
[[nodiscard]] std::unique_ptr<CopyEngine> dsa_engine();

}  // namespace Atoll::memory
