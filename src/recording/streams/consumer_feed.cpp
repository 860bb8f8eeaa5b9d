#include "recording/streams/consumer_feed.hpp"

#include <algorithm>
#include <utility>

namespace Atoll::recording {
namespace {

/// Blocks that may be queued per concurrent call of the consumer. A block has at most 8 MiB.
constexpr std::size_t kWaitingForEach = 2;

}  // namespace

ConsumerFeed::ConsumerFeed(Consumer& consumer, const ThreadsOfEvents* threads, Damaged damaged,
                           std::uint64_t most_bytes)
    : consumer_(consumer),
      threads_(threads),
      damaged_(std::move(damaged)),
      most_bytes_(most_bytes),
      wishes_(consumer.stream_wishes()),
      room_(std::make_unique<StreamDecoder::Room>()) {
  for (unsigned i = 1; i < wishes_.at_once; ++i) helpers_.emplace_back([this] { work(); });
}

ConsumerFeed::~ConsumerFeed() {
  {
    const std::scoped_lock locked(mutex_);
    ends_ = true;
  }
  more_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void ConsumerFeed::feed(std::uint32_t stream, std::span<const std::uint64_t> words,
                        std::int64_t place) {
  Stream& its =
      streams_.try_emplace(stream, Stream{StreamDecoder(stream, wishes_.ranges, most_bytes_)})
          .first->second;
  if (helpers_.empty()) return deliver(its, words, place, *room_);
  std::unique_lock locked(mutex_);
  jobs_.push_back({&its, {words.begin(), words.end()}, place});
  more_.notify_one();
  while (jobs_.size() > kWaitingForEach * wishes_.at_once) {
    throw_what_failed(locked);
    if (!take_and_run(locked, *room_)) done_.wait(locked);
  }
}

void ConsumerFeed::step_done() {
  std::unique_lock locked(mutex_);
  while (!jobs_.empty() || running_ != 0) {
    throw_what_failed(locked);
    if (!take_and_run(locked, *room_)) done_.wait(locked);
  }
  throw_what_failed(locked);
}

bool ConsumerFeed::is_cut() const {
  return std::ranges::any_of(streams_, [](const auto& row) { return row.second.decoder.is_cut(); });
}

void ConsumerFeed::finish() {
  step_done();
  for (auto& [number, stream] : streams_) stream.decoder.finish(*room_, consumer_);
}

void ConsumerFeed::work() {
  const auto room = std::make_unique<StreamDecoder::Room>();
  std::unique_lock locked(mutex_);
  while (!ends_)
    if (!take_and_run(locked, *room)) more_.wait(locked);
}

bool ConsumerFeed::take_and_run(std::unique_lock<std::mutex>& locked, StreamDecoder::Room& room) {
  if (failed_ || ends_) return false;
  const auto first =
      std::ranges::find_if(jobs_, [](const Job& job) { return !job.stream->is_busy; });
  if (first == jobs_.end()) return false;
  const Job job = std::move(*first);
  jobs_.erase(first);
  job.stream->is_busy = true;
  ++running_;
  locked.unlock();
  std::exception_ptr failed;
  try {
    deliver(*job.stream, job.words, job.place, room);
  } catch (...) {
    failed = std::current_exception();
  }
  locked.lock();
  job.stream->is_busy = false;
  if (failed && !failed_) failed_ = failed;
  --running_;
  done_.notify_all();
  if (!jobs_.empty()) more_.notify_one();  // the next block of this stream is runnable now
  return true;
}

void ConsumerFeed::throw_what_failed(std::unique_lock<std::mutex>& locked) {
  if (!failed_) return;
  done_.wait(locked, [this] { return running_ == 0; });
  jobs_.clear();
  std::rethrow_exception(failed_);
}

void ConsumerFeed::deliver(Stream& stream, std::span<const std::uint64_t> words, std::int64_t place,
                           StreamDecoder::Room& room) {
  if (!stream.decoder.add(words, room, threads_, consumer_)) damaged_(place);
}

}  // namespace Atoll::recording
