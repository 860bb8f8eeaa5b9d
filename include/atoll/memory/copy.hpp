// Asynchronous copy and fill of plain memory [shoal §5.3]: start a transfer, do other work, then
// poll, wait or cancel. The caller names the engine, or the fastest one is chosen by measured
// throughput for the size.
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

/// A copy or fill in progress. Doesn't own the memory. Until it is done, the memory must stay
/// allocated and other code must not write to the target. Not thread-safe. It may outlive the
/// engines; then only wait() does the remaining work.
class [[nodiscard]] Transfer {
 public:
  /// An empty transfer, which is done.
  Transfer() = default;
  explicit Transfer(std::unique_ptr<CopyOperation> operation) : operation_(std::move(operation)) {}
  /// Waits until the transfer is done, so that a dropped handle never leaves a partial copy.
  /// Reports an error as a note().
  ~Transfer();
  Transfer(Transfer&& other) noexcept = default;
  Transfer& operator=(Transfer&& other) noexcept;

  [[nodiscard]] TransferProgress poll();
  /// Blocks until the transfer is done. Throws the transfer's error, on each call. Returns at once
  /// after cancel().
  void wait();
  /// Stops once the chunks in flight are done (a few hundred KiB for each thread, a few MiB for a
  /// device), and returns the number of bytes copied or filled. All other bytes of the target are
  /// unchanged. If the job is one piece on one engine, the bytes done are the first ones. Has no
  /// effect on a transfer that is already done.
  std::size_t cancel();

 private:
  std::unique_ptr<CopyOperation> operation_;
  std::size_t bytes_ = 0;  ///< without an operation: bytes done by the cancelled one
};

/// Selects the engine of a transfer.
struct TransferOptions {
  std::string engine = "auto";  ///< a name in the table, or "auto" for the fastest one at this size
  /// Fraction of the bytes that `engine` transfers; the engine named `rest` transfers the others.
  /// See split_engine().
  double share = 1;
  std::string rest = {};
  bool may_block = true;  ///< if false, "auto" chooses only engines that don't block the caller
};

/// Returns the seconds that a copy of `bytes` takes.
using MeasureCopy = std::function<double(CopyEngine& engine, std::size_t bytes)>;
/// Returns the shorter time of two copies between its own buffers, from start() until wait()
/// returns.
[[nodiscard]] double measure_copy(CopyEngine& engine, std::size_t bytes);

/// A measured throughput, valid for all sizes of a class.
struct EngineThroughput {
  std::string_view engine;
  std::size_t class_bytes =
      0;  ///< measured size: the largest of the class, except in the last class
  double bytes_per_second = 0;
};

/// Table of engines and their measured throughputs. Thread-safe; while a size class is being
/// measured, other threads block. "auto" may choose an engine that calls the team's run(): if
/// another thread may be inside a run() of that team, name an engine or set may_block to false.
class CopyEngines {
 public:
  /// Upper size limit of each class; the last class has no limit. A class is measured when it is
  /// first needed, by one or two copies with each engine: some tens of milliseconds for the largest
  /// class.
  static constexpr std::size_t kClassBytes[] = {std::size_t{1} << 16, std::size_t{1} << 20,
                                                std::size_t{1} << 24};

  /// Adds "parallel", "background" (on the team's processing units), "file" and, if such a device
  /// exists, "dsa". The team must outlive the table.
  explicit CopyEngines(const Team& team, MeasureCopy measure = measure_copy);
  /// Creates an empty table.
  explicit CopyEngines(MeasureCopy measure = measure_copy);

  /// Throws Error (input) if the name is taken.
  void add(std::unique_ptr<CopyEngine> engine);
  /// Throws Error (input) with a list of the names if there is no such engine.
  [[nodiscard]] CopyEngine& find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> names() const;

  /// Throws Error (input), before it changes any memory, for overlapping pieces, positions beyond
  /// the end of their file, a fill that isn't whole patterns, an engine that is unknown or can't do
  /// the job, or a share outside 0 to 1. Blocking engines call the team's run(), so they can't be
  /// used inside a run(); "auto" doesn't choose them there.
  [[nodiscard]] Transfer start(CopyJob job, const TransferOptions& options = {});
  [[nodiscard]] Transfer start_copy(void* to, const void* from, std::size_t bytes,
                                    const TransferOptions& options = {});
  /// Fills with repetitions of the element; `bytes` must be a multiple of its size.
  [[nodiscard]] Transfer start_fill(void* to, std::span<const std::byte> element, std::size_t bytes,
                                    const TransferOptions& options = {});

  /// Returns the engine that "auto" chooses for this job: among those that can do it, the one with
  /// the highest measured throughput in the size class; among equals, and for jobs that use files,
  /// the first in the table.
  /// Throws Error (input) if no engine can do the job.
  [[nodiscard]] CopyEngine& choose(const CopyJob& job, bool may_block = true);
  /// Returns all throughputs known so far, ordered by class.
  [[nodiscard]] std::vector<EngineThroughput> measured() const;
  /// Sets the throughput for the class of `bytes`, for example from an earlier run, instead of
  /// measuring it.
  void set_measured(std::string_view engine, std::size_t bytes, double bytes_per_second);

 private:
  struct Row {
    std::unique_ptr<CopyEngine> engine;
    double bytes_per_second[std::size(kClassBytes)] = {};  ///< 0 means not measured yet
  };
  [[nodiscard]] Row& row(std::string_view name) const;  // requires mutex_ to be held

  MeasureCopy measure_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Row>> rows_;
};

}  // namespace Atoll::memory
