// A few helper threads that copy while the program computes, as a replacement for the DMA engines
// of the paper [shoal §5.3]. They run at the lowest priority, so that a program that uses all
// processors isn't slowed down; the thread that waits for a copy then does it.
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "memory/chunked_copy.hpp"

namespace Atoll::memory {
namespace {

/// On Linux, each thread has its own priority.
id_t id_of_this_thread() {
  return static_cast<id_t>(syscall(SYS_gettid));
}

class BackgroundOperation : public CopyOperation {
 public:
  explicit BackgroundOperation(std::shared_ptr<ChunkedCopy> work) : work_(std::move(work)) {}
  TransferProgress poll() override {
    const bool done = work_->done();  // read before bytes_done(), which is final if this is true
    return {work_->bytes_done(), done};
  }
  void wait() override {
    while (work_->step(current_place().node)) {
    }
    work_->wait();
  }
  void cancel() noexcept override {
    work_->drop_rest();
    work_->wait();
  }

 private:
  std::shared_ptr<ChunkedCopy> work_;
};

class BackgroundEngine : public CopyEngine {
 public:
  explicit BackgroundEngine(const BackgroundOptions& options) : options_(options) {
    if (options.places.empty() || options.helpers_per_node < 1)
      throw Error::input("background engine", "no places or no helpers",
                         "give it at least one processing unit and one helper");
    try {
      for (const NodeId node : nodes_of(options.places))
        for (int i = 0; i < options.helpers_per_node; ++i)
          helpers_.emplace_back([this, node] { help(node); });
    } catch (const std::system_error& error) {
      stop();
      throw Error::system("background engine", "starting a thread", error.code().value(),
                          "see ulimit -u and the pids cgroup for limits");
    }
  }
  ~BackgroundEngine() override { stop(); }
  BackgroundEngine(const BackgroundEngine&) = delete;
  BackgroundEngine& operator=(const BackgroundEngine&) = delete;

  std::string_view name() const override { return "background"; }
  bool blocks() const override { return false; }
  bool can(const CopyJob& job) const override { return !job.uses_files(); }

  std::unique_ptr<CopyOperation> start(CopyJob job) override {
    // One lane, so that a cancelled copy leaves a prefix. Streaming stores for any size, to keep
    // the caches for the program.
    auto work = std::make_shared<ChunkedCopy>(std::move(job), 1, Stores::streaming);
    {
      const std::scoped_lock lock(mutex_);
      queue_.push_back(work);
    }
    wake_.notify_all();
    return std::make_unique<BackgroundOperation>(std::move(work));
  }

 private:
  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
  }

  void help(NodeId node) {
    set_affinity_and_priority(node);
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return stop_ || !queue_.empty(); });
      if (stop_) return;  // the waiting thread does the remaining work
      const std::shared_ptr<ChunkedCopy> work = queue_.front();
      lock.unlock();
      while (!stop_ && work->step(node)) {
      }
      lock.lock();
      if (!stop_) std::erase(queue_, work);
    }
  }

  /// Sets the helper's processing units and priority, which it otherwise inherits from the thread
  /// that created the engine.
  void set_affinity_and_priority(NodeId node) const {
    cpu_set_t units;
    CPU_ZERO(&units);
    for (const ThreadPlace& place : options_.places)
      if (place.node == node && place.pu < CPU_SETSIZE) CPU_SET(place.pu, &units);
    if (options_.pin && pthread_setaffinity_np(pthread_self(), sizeof units, &units) != 0)
      note("the system refuses to pin the helpers of background copies: they run anywhere");
    // Not SCHED_IDLE: it may starve a helper indefinitely while another thread waits for its chunk.
    if (options_.low_priority && setpriority(PRIO_PROCESS, id_of_this_thread(), 19) != 0)
      note("the system refuses a low priority: background copies compete with the program");
  }

  BackgroundOptions options_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::shared_ptr<ChunkedCopy>> queue_;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace

std::unique_ptr<CopyEngine> background_engine(const BackgroundOptions& options) {
  return std::make_unique<BackgroundEngine>(options);
}

}  // namespace Atoll::memory
