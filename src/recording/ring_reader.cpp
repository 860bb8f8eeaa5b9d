#include "recording/ring_reader.hpp"

#include "atoll/base/error.hpp"

namespace Atoll::recording {
namespace {

constexpr int kDrainMilliseconds = 1;

/// Reports a damaged stream: the ring is in the program's memory, so the program overwrote it.
[[noreturn]] void written_over(std::int64_t /*place*/) {
  throw Error::failed("the stream of a thread", "was written over by the program");
}

}  // namespace

void RingReader::pass_streams_to(Consumer& consumer, const Region& region) {
  drain_.emplace(region, feed_.emplace(consumer, nullptr, written_over));
}

int RingReader::step() {
  if (tasks_) return tasks_->step() ? 0 : kDrainMilliseconds;
  if (live_) live_->step();
  if (!drain_) return kIdleMilliseconds;
  return drain_->step() ? 0 : kDrainMilliseconds;
}

void RingReader::finish(int status) {
  if (live_) live_->finish(status);
  if (drain_) drain_->step();
  if (tasks_) tasks_->step();
  if (feed_) feed_->finish();
}

StreamedPages RingReader::streamed_pages() const {
  if (live_) return live_->streams().pages();
  return drain_ ? drain_->pages() : StreamedPages{};
}

}  // namespace Atoll::recording
