// Transfers between memory and backing files by threads that block in system calls. Readers and
// writers are separate, so that a queue of writes doesn't delay reads.
#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "atoll/base/error.hpp"
#include "memory/file_copy.hpp"

namespace Atoll::memory {
namespace {

using Direction = FileCopy::Direction;
constexpr std::size_t kLeastTransferBytes = 64 * kKiB;

class FileOperation : public CopyOperation {
 public:
  explicit FileOperation(std::shared_ptr<FileCopy> work) : work_(std::move(work)) {}
  TransferProgress poll() override { return work_->progress(); }
  void wait() override {
    FileBuffers buffers;
    while (work_->step(Direction::in, buffers) || work_->step(Direction::out, buffers)) {
    }
    work_->wait();
    work_->throw_failure();
  }
  void cancel() noexcept override {
    work_->drop_rest();
    work_->wait();
  }

 private:
  std::shared_ptr<FileCopy> work_;
};

class FileEngine : public CopyEngine {
 public:
  explicit FileEngine(const FileOptions& options) : options_(options) {
    if (options.readers < 1 || options.writers < 1 || options.transfer_bytes < kLeastTransferBytes)
      throw Error::input("file engine", "no readers, no writers or transfers below 64 KiB",
                         "give it at least one of each and 64 KiB");
  }
  ~FileEngine() override { stop(); }
  FileEngine(const FileEngine&) = delete;
  FileEngine& operator=(const FileEngine&) = delete;

  std::string_view name() const override { return "file"; }
  bool blocks() const override { return false; }
  bool can(const CopyJob& job) const override { return job.uses_files(); }

  std::unique_ptr<CopyOperation> start(CopyJob job) override {
    auto work = std::make_shared<FileCopy>(std::move(job), options_);
    create_threads();
    {
      const std::scoped_lock lock(mutex_);
      for (Lane& lane : lanes_)
        if (work->has(lane.direction)) lane.queue.push_back(work);
    }
    for (Lane& lane : lanes_) lane.wake.notify_all();
    return std::make_unique<FileOperation>(std::move(work));
  }

 private:
  /// The jobs that have parts of one direction.
  struct Lane {
    Direction direction;
    std::vector<std::shared_ptr<FileCopy>> queue;
    std::condition_variable wake;
  };

  void create_threads() {
    const std::scoped_lock lock(creation_);
    if (!threads_.empty()) return;
    try {
      for (Lane& lane : lanes_) {
        const int count = lane.direction == Direction::in ? options_.readers : options_.writers;
        for (int i = 0; i < count; ++i) threads_.emplace_back([this, &lane] { work_on(lane); });
      }
    } catch (const std::system_error& error) {
      stop();
      throw Error::system("file engine", "starting a thread", error.code().value(),
                          "see ulimit -u and the pids cgroup for limits");
    }
  }

  void stop() {
    set_stop(true);
    for (Lane& lane : lanes_) lane.wake.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    set_stop(false);
  }
  void set_stop(bool stop) {
    const std::scoped_lock lock(mutex_);
    stop_ = stop;
  }

  void work_on(Lane& lane) {
    FileBuffers buffers;
    std::unique_lock lock(mutex_);
    for (;;) {
      lane.wake.wait(lock, [&] { return stop_ || !lane.queue.empty(); });
      if (stop_) return;  // the waiting thread does the remaining work
      const std::shared_ptr<FileCopy> work = lane.queue.front();
      lock.unlock();
      const bool took = work->step(lane.direction, buffers);
      lock.lock();
      if (!took) std::erase(lane.queue, work);
    }
  }

  const FileOptions options_;
  std::mutex creation_;  ///< protects threads_
  std::mutex mutex_;     ///< protects the queues and stop_
  Lane lanes_[2] = {{Direction::in, {}, {}}, {Direction::out, {}, {}}};
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<CopyEngine> file_engine(const FileOptions& options) {
  return std::make_unique<FileEngine>(options);
}

}  // namespace Atoll::memory
