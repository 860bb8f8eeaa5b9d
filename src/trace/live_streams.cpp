#include "trace/live_streams.hpp"

#include <algorithm>
#include <utility>

#include "atoll/base/error.hpp"

namespace Atoll::trace {

LiveStreams::LiveStreams(Consumer& consumer)
    : consumer_(consumer),
      wishes_(consumer.stream_wishes()),
      room_(std::make_unique<StreamDecoder::Room>()) {
  for (unsigned i = 1; i < wishes_.at_once; ++i) helpers_.emplace_back([this] { work(); });
}

LiveStreams::~LiveStreams() {
  {
    const std::scoped_lock locked(mutex_);
    ends_ = true;
  }
  more_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void LiveStreams::write(std::uint32_t stream, std::span<const std::uint64_t> words) {
  StreamDecoder& decoder = decoders_.try_emplace(stream, stream, wishes_.ranges).first->second;
  if (std::ranges::find(jobs_, &decoder, &Job::decoder) != jobs_.end()) step_done();
  jobs_.push_back({&decoder, {words.begin(), words.end()}});
}

void LiveStreams::step_done() {
  std::unique_lock locked(mutex_);
  open_ = true;
  if (!helpers_.empty() && jobs_.size() > 1) more_.notify_all();
  while (take_and_run(locked, *room_)) {
  }
  done_.wait(locked, [this] { return running_ == 0; });
  open_ = false;
  jobs_.clear();
  next_ = 0;
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
}

void LiveStreams::work() {
  const auto room = std::make_unique<StreamDecoder::Room>();
  std::unique_lock locked(mutex_);
  for (;;) {
    if (ends_) return;
    if (!take_and_run(locked, *room)) more_.wait(locked);
  }
}

bool LiveStreams::take_and_run(std::unique_lock<std::mutex>& locked, StreamDecoder::Room& room) {
  if (!open_ || next_ == jobs_.size() || failed_) return false;
  Job& job = jobs_[next_++];
  ++running_;
  locked.unlock();
  std::exception_ptr failed;
  try {
    run(job, room);
  } catch (...) {
    failed = std::current_exception();
  }
  locked.lock();
  if (failed && !failed_) failed_ = failed;
  if (--running_ == 0) done_.notify_all();
  return true;
}

void LiveStreams::run(Job& job, StreamDecoder::Room& room) {
  if (!job.decoder->add(job.words, room, nullptr, consumer_))
    throw Error::failed("the stream of a thread", "was written over by the program");
}

void LiveStreams::finish() {
  step_done();
  for (auto& [stream, decoder] : decoders_) decoder.finish(*room_, consumer_);
}

}  // namespace Atoll::trace
