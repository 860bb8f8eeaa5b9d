// Feeds streams of a running program or of a file to a consumer. If the consumer allows it, blocks
// of several streams are delivered concurrently. Each stream stays in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "recording/streams/stream_decoder.hpp"
#include "recording/streams/stream_sink.hpp"

namespace Atoll::recording {

class ConsumerFeed : public StreamSink {
 public:
  /// Called for words that are no valid records, with the `place` that was passed to feed(). It
  /// must throw. It may be called from a helper thread.
  using Damaged = std::function<void(std::int64_t place)>;

  /// Queries consumer.stream_wishes(). `threads` may be null, else it must outlive this object.
  /// `most_bytes` is passed to each stream's StreamDecoder.
  ConsumerFeed(Consumer& consumer, const ThreadsOfEvents* threads, Damaged damaged,
               std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());
  ~ConsumerFeed() override;
  ConsumerFeed(const ConsumerFeed&) = delete;
  ConsumerFeed& operator=(const ConsumerFeed&) = delete;

  /// Delivers the words, now or later. Blocks while the queue is full. Rethrows exceptions of the
  /// consumer, after which no more words are delivered.
  void feed(std::uint32_t stream, std::span<const std::uint64_t> words, std::int64_t place);
  void write(std::uint32_t stream, std::span<const std::uint64_t> words) override {
    feed(stream, words, 0);
  }
  /// Blocks until all words fed so far are delivered. Rethrows exceptions of the consumer.
  void step_done() override;
  /// True if a stream ends within a record. Call it after step_done().
  [[nodiscard]] bool is_cut() const;
  /// Delivers the remaining words, and the unfinished loop of each stream.
  void finish();

 private:
  struct Stream {
    StreamDecoder decoder;
    bool is_busy = false;  ///< a thread delivers a block of it
  };
  struct Job {
    Stream* stream;
    std::vector<std::uint64_t> words;
    std::int64_t place;
  };
  void work();
  void deliver(Stream& stream, std::span<const std::uint64_t> words, std::int64_t place,
               StreamDecoder::Room& room);
  /// Delivers the first job whose stream isn't busy. Returns false if there is none.
  bool take_and_run(std::unique_lock<std::mutex>& locked, StreamDecoder::Room& room);
  void throw_what_failed(std::unique_lock<std::mutex>& locked);

  Consumer& consumer_;
  const ThreadsOfEvents* threads_;
  Damaged damaged_;
  std::uint64_t most_bytes_;
  StreamWishes wishes_;
  std::map<std::uint32_t, Stream> streams_;  ///< only the feeding thread inserts
  std::unique_ptr<StreamDecoder::Room> room_;

  std::mutex mutex_;
  std::condition_variable more_, done_;
  std::list<Job> jobs_;
  std::size_t running_ = 0;
  bool ends_ = false;
  std::exception_ptr failed_;
  std::vector<std::thread> helpers_;  ///< threads besides the feeding one
};

}  // namespace Atoll::recording
