// A replicated array that is written to while it is read [shoal §5.4], in two buffers: readers see
// the complete epoch, and writers make the next one. What they wrote goes to the replicas in the
// background while other work goes on.
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

/// It takes twice the memory of its layout, and a write set. A round has these steps:
///   read local() and write set(), from any threads, each element by one thread;
///   propagate(): what was written starts on its way; until flip() no more is written;
///   go on with work that reads local(): it is still the old epoch;
///   flip(): all of it has arrived, and everybody reads what was written.
template <class T>
class Epochs {
 public:
  /// Makes `size` elements, all zero bytes. `context` and `engines` outlive it. Throws Array's
  /// errors.
  Epochs(const memory::Context& context, std::size_t size, const Layout& layout,
         memory::CopyEngines& engines, WriteSet::Granule granule = WriteSet::Granule::line)
      : engines_(&engines),
        current_(context, size, layout),
        next_(context, size, layout),
        written_(next_.write_set(granule)) {}

  Epochs(Epochs&&) noexcept = default;
  Epochs& operator=(Epochs&&) = delete;  ///< a transfer may be on its way into the old memory

  [[nodiscard]] std::size_t size() const noexcept { return current_.size(); }
  /// The complete epoch: the copy nearest to the calling thread.
  [[nodiscard]] std::span<const T> local() const noexcept { return current_.local(); }
  /// The next epoch's value so far: an element that nobody wrote is as it was.
  [[nodiscard]] T next(std::size_t i) const noexcept {
    return reinterpret_cast<const T*>(next_.raw().copy(0))[i];
  }
  /// Writes to the next epoch.
  void set(std::size_t i, T value) noexcept {
    assert(writing_ && "written between propagate() and flip()");
    next_.set(i, value, written_);
  }

  /// Sets every element of this epoch and of the next to `value`. It can't be called between
  /// propagate() and flip(), and runs the team, as flip() does.
  void fill(T value) {
    assert(writing_);
    current_.fill(value);
    next_.fill(value);
    written_.clear(0, written_.blocks());
  }

  /// Begins to bring what was written to the next epoch's replicas; returns at once. Throws Error
  /// (input) if no engine leaves the caller free.
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

  /// Waits for what propagate() began, or does it now, and makes the next epoch the one that is
  /// read. It runs the team, so it can't be called from within a run(). Views taken before then
  /// show the next epoch.
  void flip() {
    if (writing_) propagate();
    try {
      transfer_.wait();
    } catch (const Error&) {  // if the engine's device fails, for example, the team does it
      WriteSet again = written_;
      next_.sync(again);
    }
    transfer_ = {};
    swap(current_, next_);
    // What was just written is missing in the other buffer. Each copy takes it from its neighbour
    // on the same node, so this crosses no interconnect.
    next_.copy_from(current_, written_);
    writing_ = true;
  }

 private:
  memory::CopyEngines* engines_;
  Array<T> current_, next_;
  WriteSet written_;  ///< what was written to next_ since the last flip
  memory::Transfer transfer_;
  bool writing_ = true;  ///< true if there was no propagate() since the last flip()
};

}  // namespace Atoll
