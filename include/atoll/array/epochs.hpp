// A replicated array that is written to while it is read [shoal §5.4], in two buffers: readers see
// the epoch that is complete, writers make the next one, and what they wrote goes to the replicas
// in the background while other work goes on.
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

/// Takes twice the memory of its layout, and a write set. A round:
///   read local() and write set(), from any threads, each element by one thread;
///   propagate(): what was written starts on its way; until flip() no more is written;
///   go on with work that reads local(): still the old epoch;
///   flip(): all of it has arrived; what was written is what everybody reads now.
template <class T>
class Epochs {
 public:
  /// All zero bytes. `context` and `engines` outlive it. Errors: as Array's.
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
  /// The next epoch's value, as far as it is written; what nobody wrote is as it was.
  [[nodiscard]] T next(std::size_t i) const noexcept {
    return reinterpret_cast<const T*>(next_.raw().copy(0))[i];
  }
  /// Into the next epoch.
  void set(std::size_t i, T value) noexcept {
    assert(writing_ && "written between propagate() and flip()");
    next_.set(i, value, written_);
  }

  /// Every element of this epoch and of the next becomes `value`. Not between propagate() and
  /// flip(), and as flip().
  void fill(T value) {
    assert(writing_);
    current_.fill(value);
    next_.fill(value);
    written_.clear(0, written_.blocks());
  }

  /// Begins to bring what was written to the next epoch's replicas; returns at once. Throws Error
  /// (input) if the engines have none that leaves the caller free.
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
  /// read. Runs the team: not from within a run(); views taken before are of the next epoch then.
  void flip() {
    if (writing_) propagate();
    try {
      transfer_.wait();
    } catch (const Error&) {  // the engine's device, say: then the team does it
      WriteSet again = written_;
      next_.sync(again);
    }
    transfer_ = {};
    swap(current_, next_);
    // What was written now is missing in the other buffer: each copy takes it from its neighbour on
    // the same node, so this crosses no interconnect.
    next_.copy_from(current_, written_);
    writing_ = true;
  }

 private:
  memory::CopyEngines* engines_;
  Array<T> current_, next_;
  WriteSet written_;  ///< to next_ since the last flip
  memory::Transfer transfer_;
  bool writing_ = true;  ///< no propagate() since the last flip()
};

}  // namespace Atoll
