// Asynchronous copy and fill of plain memory [shoal §5.3]: start a transfer, go on with other work,
// poll, wait or cancel. The caller names the engine, or it is chosen by measured throughput for the
// size.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atoll/memory/copy_engine.hpp"

namespace Atoll::memory {

/// A copy or a fill under way. It owns nothing of the memory, which stays alive, and whose target
/// stays untouched by others, until it is done. It is used by one thread at a time. It may outlive
/// the engines: then only wait() does what is left.
class [[nodiscard]] Transfer {
 public:
  /// A transfer with nothing to do, which is done.
  Transfer() = default;
  explicit Transfer(std::unique_ptr<CopyOperation> operation) : operation_(std::move(operation)) {}
  /// Waits, so that a handle that is dropped never leaves half a copy. An error then becomes a
  /// note().
  ~Transfer();
  Transfer(Transfer&& other) noexcept = default;
  Transfer& operator=(Transfer&& other) noexcept;

  [[nodiscard]] TransferProgress poll();
  /// Returns when all is done. Throws what went wrong in the transfer, on each call. Returns at
  /// once after cancel().
  void wait();
  /// Stops as soon as what is in flight is done (a few hundred KiB for each thread, a few MiB for a
  /// device), and returns the number of bytes copied or filled. Every other byte of the target is
  /// as it was. If one engine had a job of one piece, those done are the first ones. A transfer
  /// that is done already stays done.
  std::size_t cancel();

 private:
  std::unique_ptr<CopyOperation> operation_;
  std::size_t bytes_ = 0;  ///< without an operation: the bytes of the cancelled one
};

/// Options of a transfer: which engine does it.
struct TransferOptions {
  std::string engine = "auto";  ///< a name in the table, or "auto": the fastest for the size
  /// The part of the bytes that goes to `engine`; the rest goes to the engine named `rest`. See
  /// split_engine().
  double share = 1;
  std::string rest = {};
  bool may_block = true;  ///< false: "auto" takes only engines that leave the caller free
};

/// Seconds that a copy of `bytes` takes.
using MeasureCopy = std::function<double(CopyEngine& engine, std::size_t bytes)>;
/// Returns the best time of two copies between buffers of its own, from start() until wait()
/// returns.
[[nodiscard]] double measure_copy(CopyEngine& engine, std::size_t bytes);

/// A measured throughput, which stands for all sizes of its class.
struct EngineThroughput {
  std::string_view engine;
  std::size_t class_bytes =
      0;  ///< the measured size: the class's largest, except in the last class
  double bytes_per_second = 0;
};

/// The table of engines and their measured throughputs. All functions may be called from any
/// thread; while a size class is measured, others wait. "auto" may take an engine that runs the
/// team: if another thread may be in a run() of it, name an engine, or set may_block to false.
class CopyEngines {
 public:
  /// The largest size of each class but the last, which has no end. Each is measured when first
  /// needed, by one or two copies with each engine: some tens of milliseconds for the largest.
  static constexpr std::size_t kClassBytes[] = {std::size_t{1} << 16, std::size_t{1} << 20,
                                                std::size_t{1} << 24};

  /// Adds "parallel", "background" (on the team's processing units) and, if there is such a device,
  /// "dsa". The team outlives the table.
  explicit CopyEngines(const Team& team, MeasureCopy measure = measure_copy);
  /// Makes an empty table, for the engines that are added.
  explicit CopyEngines(MeasureCopy measure = measure_copy);

  /// Throws Error (input) if the name is there already.
  void add(std::unique_ptr<CopyEngine> engine);
  /// Throws Error (input), listing the names, if there is no such engine.
  [[nodiscard]] CopyEngine& find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> names() const;

  /// Throws Error (input), with nothing touched, for overlapping pieces, a fill that isn't whole
  /// patterns, an engine that isn't there or can't do the job, or a share beyond 0 … 1. Blocking
  /// engines run the team, so they can't be used from within a run(), where "auto" leaves them out.
  [[nodiscard]] Transfer start(CopyJob job, const TransferOptions& options = {});
  [[nodiscard]] Transfer start_copy(void* to, const void* from, std::size_t bytes,
                                    const TransferOptions& options = {});
  /// Fills with the element's bytes again and again; `bytes` is whole elements.
  [[nodiscard]] Transfer start_fill(void* to, std::span<const std::byte> element, std::size_t bytes,
                                    const TransferOptions& options = {});

  /// Returns the engine that "auto" takes for this job: of those that can do it, the fastest by
  /// measured copies of its size class; of equal ones, the first in the table. Throws Error (input)
  /// if none can.
  [[nodiscard]] CopyEngine& choose(const CopyJob& job, bool may_block = true);
  /// Everything measured so far, class by class.
  [[nodiscard]] std::vector<EngineThroughput> measured() const;
  /// Sets a throughput instead of measuring it, e.g. from an earlier run; for the class of `bytes`.
  void set_measured(std::string_view engine, std::size_t bytes, double bytes_per_second);

 private:
  struct Row {
    std::unique_ptr<CopyEngine> engine;
    double bytes_per_second[std::size(kClassBytes)] = {};  ///< 0: not measured yet
  };
  [[nodiscard]] Row& row(std::string_view name) const;  // called with mutex_ held

  MeasureCopy measure_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Row>> rows_;
};

}  // namespace Atoll::memory
