// Feeds streams to a consumer, of a running program or of a file. Where the consumer allows it,
// blocks of several streams come at once; each stream stays in its order.
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

#include "trace/stream_decoder.hpp"
#include "trace/stream_sink.hpp"

namespace Atoll::trace {

class ConsumerFeed : public StreamSink {
 public:
  /// Is called for words that are no records, with the place that feed() was given, and throws.
  /// Perhaps not by the thread that feeds.
  using Damaged = std::function<void(std::int64_t place)>;

  /// Asks the consumer for its wishes. `threads`, which may be null, must outlive this.
  /// `most_bytes` is StreamDecoder's, of each stream.
  ConsumerFeed(Consumer& consumer, const ThreadsOfEvents* threads, Damaged damaged,
               std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());
  ~ConsumerFeed() override;
  ConsumerFeed(const ConsumerFeed&) = delete;
  ConsumerFeed& operator=(const ConsumerFeed&) = delete;

  /// Hands the words on, now or later. Waits where much is waiting already. Throws what the
  /// consumer has thrown; nothing more is handed on then.
  void feed(std::uint32_t stream, std::span<const std::uint64_t> words, std::int64_t place);
  void write(std::uint32_t stream, std::span<const std::uint64_t> words) override {
    feed(stream, words, 0);
  }
  /// All that was fed has been handed on. Throws what the consumer throws.
  void step_done() override;
  /// True if a stream has ended within a record. Call it after step_done().
  [[nodiscard]] bool is_cut() const;
  /// Hands on what is left, and the loop that each stream had begun.
  void finish();

 private:
  struct Stream {
    StreamDecoder decoder;
    bool is_busy = false;  ///< a thread hands some of it on
  };
  struct Job {
    Stream* stream;
    std::vector<std::uint64_t> words;
    std::int64_t place;
  };
  void work();
  void hand_on(Stream& stream, std::span<const std::uint64_t> words, std::int64_t place,
               StreamDecoder::Room& room);
  /// Returns false if there is nothing that could be handed on now.
  bool take_and_run(std::unique_lock<std::mutex>& locked, StreamDecoder::Room& room);
  void throw_what_failed(std::unique_lock<std::mutex>& locked);

  Consumer& consumer_;
  const ThreadsOfEvents* threads_;
  Damaged damaged_;
  std::uint64_t most_bytes_;
  StreamWishes wishes_;
  std::map<std::uint32_t, Stream> streams_;  ///< only the thread that feeds adds some
  std::unique_ptr<StreamDecoder::Room> room_;

  std::mutex mutex_;
  std::condition_variable more_, done_;
  std::list<Job> jobs_;
  std::size_t running_ = 0;
  bool ends_ = false;
  std::exception_ptr failed_;
  std::vector<std::thread> helpers_;  ///< besides the thread that feeds
};

}  // namespace Atoll::trace
