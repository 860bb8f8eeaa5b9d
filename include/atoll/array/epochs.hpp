// A double-buffered replicated array that is written to while it is read [shoal §5.4]. Readers see
// the complete epoch while writers produce the next one. The written parts are copied to the
// replicas in the background.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <utility>

#include "atoll/array/array.hpp"
#include "atoll/array/write_set.hpp"
#include "atoll/base/error.hpp"
#include "atoll/memory/copy.hpp"

namespace Atoll {

/// Needs twice the memory of its layout, and a write set. A round has these steps:
///   read local() and write set(), from any threads; each element is written by one thread;
///   propagate(): starts to copy the written parts; no writes are allowed until flip();
///   work that reads local(), which is still the old epoch;
///   flip(): waits for the copies; from then on, all threads read the new epoch.
template <class T>
class Epochs {
 public:
  /// Allocates `size` elements, all bytes zero. `context` and `engines` must outlive this object.
  /// Throws Array's errors.
  Epochs(const memory::Context& context, std::size_t size, const Layout& layout,
         memory::CopyEngines& engines, WriteSet::Granule granule = WriteSet::Granule::line)
      : engines_(&engines),
        current_(context, size, layout),
        next_(context, size, layout),
        written_(next_.write_set(granule)) {}

  Epochs(Epochs&&) noexcept = default;
  Epochs& operator=(Epochs&&) = delete;  ///< a transfer into the old memory may be in progress

  [[nodiscard]] std::size_t size() const noexcept { return current_.size(); }
  /// The complete epoch, in the copy nearest to the calling thread.
  [[nodiscard]] std::span<const T> local() const noexcept { return current_.local(); }
  /// Current value of an element in the next epoch; its old value if it wasn't written.
  [[nodiscard]] T next(std::size_t i) const noexcept {
    return reinterpret_cast<const T*>(next_.raw().copy(0))[i];
  }
  /// Writes to the next epoch.
  void set(std::size_t i, T value) noexcept {
    assert(writing_ && "written between propagate() and flip()");
    next_.set(i, value, written_);
  }

  /// Sets every element of this epoch and the next to `value`. Runs the team, as flip() does. Must
  /// not be called between propagate() and flip().
  void fill(T value) {
    assert(writing_);
    current_.fill(value);
    next_.fill(value);
    written_.clear(0, written_.blocks());
  }

  /// Starts to copy the written parts to the next epoch's replicas, without blocking. Throws Error
  /// (input) if no engine can work without the caller.
  void propagate() {
    assert(writing_ && "propagate() twice without a flip()");
    memory::CopyJob job;
    const RawArray& raw = next_.raw();
    written_.for_each_run(0, written_.blocks(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t copy = 1; copy < raw.copies(); ++copy)
        job.pieces.push_back({raw.copy(copy) + begin, raw.copy(0) + begin, end - begin,
                              std::get<Replicated>(raw.layout().where).nodes[copy]});
    });
    if (!job.pieces.empty()) transfer_ = engines_->start(std::move(job), {.may_block = false});
    writing_ = false;
  }

  /// Waits for propagate(), or calls it first, and makes the next epoch the current one. Runs the
  /// team, so it must not be called from within a run(). Views taken earlier show the next epoch.
  void flip() {
    if (writing_) propagate();
    try {
      transfer_.wait();
    } catch (const Error&) {  // if the engine's device fails, for example, the team copies
      WriteSet again = written_;
      next_.sync(again);
    }
    transfer_ = {};
    swap(current_, next_);
    // The other buffer lacks the last writes. Each copy takes them from the copy on the same node,
    // so no data crosses the interconnect.
    next_.copy_from(current_, written_);
    writing_ = true;
  }

 private:
  memory::CopyEngines* engines_;
  Array<T> current_, next_;
  WriteSet written_;  ///< parts of next_ written since the last flip
  memory::Transfer transfer_;
  bool writing_ = true;  ///< no propagate() since the last flip()
};

}  // namespace Atoll
