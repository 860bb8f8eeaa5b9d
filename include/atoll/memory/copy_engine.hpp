// Interface of engines that copy and fill memory [shoal §5.3]: loads and stores by all threads or
// by a few in the background, DMA devices, and transfers of files. For implementers of engines;
// programs start transfers with memory/copy.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "atoll/memory/backend.hpp"
#include "atoll/threads/team.hpp"

namespace Atoll::memory {

class BackingFile;

/// A position in a backing file (memory/backing_file.hpp), which must outlive the transfer.
struct FilePosition {
  BackingFile* file = nullptr;  ///< null: the end of the piece is an address
  std::uint64_t offset = 0;     ///< in bytes; any value within the file
};

/// A contiguous part of a copy or fill. Each end is an address or a position in a file.
struct CopyPiece {
  std::byte* to = nullptr;          ///< unused if `to_file` is set
  const std::byte* from = nullptr;  ///< unused if `from_file` is set, and by a fill
  std::size_t bytes = 0;
  NodeId node = kNowhere;  ///< node of `to`: its threads are preferred for the piece; kNowhere
                           ///< means any thread
  FilePosition to_file = {};
  FilePosition from_file = {};
};

/// A copy of each piece; with a pattern, a fill of each piece with repetitions of the pattern.
struct CopyJob {
  std::vector<CopyPiece> pieces;
  std::vector<std::byte> pattern;  ///< bytes of one element; empty means a copy

  [[nodiscard]] std::size_t bytes() const noexcept;
  /// True if an end of any piece is in a file. Only engines that support files can do such a job.
  [[nodiscard]] bool uses_files() const noexcept;
};

/// Progress of a transfer.
struct TransferProgress {
  std::size_t bytes = 0;  ///< copied or filled so far
  bool done = false;      ///< true if the transfer is complete, has failed or was cancelled
};

/// A job in progress. Contract: used by one thread at a time, not necessarily the one that started
/// it. May outlive its engine.
class CopyOperation {
 public:
  /// Called after wait() or cancel() only.
  virtual ~CopyOperation() = default;
  /// Never blocks; may do a small amount of work, such as submitting descriptors to a device.
  [[nodiscard]] virtual TransferProgress poll() = 0;
  /// Blocks until the job is done; throws its error, on each call. In either case, the memory is no
  /// longer accessed afterwards. The calling thread may do part of the work.
  virtual void wait() = 0;
  /// Starts no further work, and blocks until the memory is no longer accessed.
  virtual void cancel() noexcept = 0;
};

/// Contract: start() may be called from any thread, with any number of operations in progress; a
/// blocking engine may refuse it inside a Team's run(). Callers check jobs first: no empty pieces,
/// no target that overlaps another piece's target or source, positions within their files, fills of
/// whole patterns. In a job of one piece, the bytes done are always a prefix of it. can() is false
/// for jobs that use files, unless the engine's description mentions them.
class CopyEngine {
 public:
  virtual ~CopyEngine() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// True if start() returns only when the job is done, so that the caller can't overlap it with
  /// work.
  [[nodiscard]] virtual bool blocks() const = 0;
  [[nodiscard]] virtual bool can(const CopyJob& job) const = 0;
  [[nodiscard]] virtual std::unique_ptr<CopyOperation> start(CopyJob job) = 0;
};

/// "parallel": all threads of the team copy, each prefers pieces of its own node. Blocking. The
/// team must outlive the engine. It can't be used inside a run(), nor while another thread calls
/// the team's run().
[[nodiscard]] std::unique_ptr<CopyEngine> parallel_engine(const Team& team);

/// "serial": the thread that calls start() copies alone. Blocking.
[[nodiscard]] std::unique_ptr<CopyEngine> serial_engine();

/// Options of background_engine().
struct BackgroundOptions {
  /// Processing units for helper threads. A helper belongs to one node: it runs on the units listed
  /// for that node, and prefers pieces of that node.
  ThreadPlaces places = {};
  int helpers_per_node = 1;
  /// If true, helpers run at nice 19: next to a program that uses all units, they get one or two
  /// percent of the time on some. The waiting thread then does most of the copy in wait().
  bool low_priority = true;
  bool pin = true;  ///< false for machines that don't exist (tests)
};
/// "background": a few helper threads copy with streaming stores, which don't evict the program's
/// cache lines. wait() lets the calling thread help. Throws Error (input) if there are no places or
/// no helpers.
[[nodiscard]] std::unique_ptr<CopyEngine> background_engine(const BackgroundOptions& options);

/// "FIRST+SECOND": `first` does `share` (0 to 1) of each piece's bytes, from its start, and
/// `second` the rest [shoal Figure 10]. Pieces are cut at multiples of 4 KiB (in a fill, of the
/// smallest number of whole patterns with at least 4 KiB), such that the share of all pieces so far
/// is as close as possible. Both engines must outlive the result. Throws Error (input) for a share
/// outside that range.
[[nodiscard]] std::unique_ptr<CopyEngine> split_engine(CopyEngine& first, CopyEngine& second,
                                                       double share);

/// "dsa": Intel's Data Streaming Accelerator, through the work queues that the administrator has
/// enabled for user programs (/dev/dsa); null if there are none. poll() and wait() submit
/// descriptors, a few MiB ahead; wait() itself copies data for which the queues have no room.
/// Supports fill patterns of 1, 2, 4 or 8 bytes. Never run on a real device: tested with a software
/// model of the kernel's interface (linux/idxd.h).
[[nodiscard]] std::unique_ptr<CopyEngine> dsa_engine();

/// Options of file_engine().
struct FileOptions {
  int readers = 2;  ///< threads for pieces from a file to memory
  int writers = 2;  ///< threads for all other pieces
  /// Maximum size of a system call in bytes, at least 64 KiB. A thread takes buffers of up to this
  /// size plus 1 MiB for addresses that aren't aligned and for small pieces.
  std::size_t transfer_bytes = std::size_t{4} << 20;
};
/// "file": jobs with at least one end in a backing file; also their pieces between addresses.
/// Threads block in reads and writes of some MiB, in both directions concurrently. Pieces that are
/// adjacent in a file are transferred together. Other jobs may concurrently write other bytes of
/// the same block of a file. If a transfer fails, the others of its job that haven't started are
/// dropped, and wait() throws Error (failed) with folder, offset and the system's message. The
/// threads are created by the first start(), which throws Error (failed) if the system refuses
/// them. Throws Error (input) for options out of range.
[[nodiscard]] std::unique_ptr<CopyEngine> file_engine(const FileOptions& options = {});

}  // namespace Atoll::memory
