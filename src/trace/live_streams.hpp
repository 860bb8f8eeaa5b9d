// Hands streams to a consumer while the program runs; several at once if the consumer allows it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "trace/stream_decoder.hpp"
#include "trace/stream_sink.hpp"

namespace Atoll::trace {

class LiveStreams : public StreamSink {
 public:
  explicit LiveStreams(Consumer& consumer);
  ~LiveStreams() override;
  LiveStreams(const LiveStreams&) = delete;
  LiveStreams& operator=(const LiveStreams&) = delete;

  void write(std::uint32_t stream, std::span<const std::uint64_t> words) override;
  /// Returns when all that was written has been handed on. Throws what the consumer throws.
  void step_done() override;
  /// Hands on the loops that streams have begun, as nothing more will come.
  void finish();

 private:
  struct Job {
    StreamDecoder* decoder;
    std::vector<std::uint64_t> words;
  };
  void work();
  void run(Job& job, StreamDecoder::Room& room);
  /// Does one job. Returns false if there is none left.
  bool take_and_run(std::unique_lock<std::mutex>& locked, StreamDecoder::Room& room);

  Consumer& consumer_;
  StreamWishes wishes_;
  std::map<std::uint32_t, StreamDecoder> decoders_;
  std::unique_ptr<StreamDecoder::Room> room_;

  std::mutex mutex_;
  std::condition_variable more_, done_;
  std::vector<Job> jobs_;  ///< one for a stream; only the draining thread uses them until `open_`
  bool open_ = false;
  std::size_t next_ = 0, running_ = 0;
  bool ends_ = false;
  std::exception_ptr failed_;
  std::vector<std::thread> helpers_;  ///< they hand on beside the thread that drains
};

}  // namespace Atoll::trace
