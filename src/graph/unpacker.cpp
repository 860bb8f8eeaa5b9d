// The unpacking thread, and the queue of blocks from it to the reader.
#include "graph/unpacker.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "graph/archive.hpp"

namespace Atoll::graph {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
/// One block is parsed, one is queued, one is filled.
constexpr std::size_t kBlocks = 3;

/// Lets this thread run on all processing units of the team. Otherwise it inherits its creator's
/// affinity and shares one processing unit with a parser thread.
void use_team_affinity(const Team& team) {
  cpu_set_t mine;
  if (::pthread_getaffinity_np(::pthread_self(), sizeof mine, &mine) != 0 || CPU_COUNT(&mine) != 1)
    return;
  for (const ThreadPlace& place : team.places())
    if (place.pu >= 0 && place.pu < CPU_SETSIZE) CPU_SET(place.pu, &mine);
  // A failure only makes the thread slower.
  ::pthread_setaffinity_np(::pthread_self(), sizeof mine, &mine);
}

/// Queue of blocks from the unpacking thread to the reader.
class Queue {
 public:
  Queue(Archive& archive, const Team& team)
      : archive_(archive), thread_([this, &team] {
          use_team_affinity(team);
          fill();
        }) {}

  ~Queue() {
    stop();
    thread_.join();
  }

  void stop() noexcept {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  std::size_t read(char* to, std::size_t bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return filled_ > 0 || ended_ || stopped_; });
    if (filled_ == 0) {
      if (error_ && !stopped_) std::rethrow_exception(error_);
      return 0;
    }
    Block& block = blocks_[first_];
    lock.unlock();  // the unpacking thread doesn't touch a filled block
    const std::size_t count = std::min(bytes, block.used - block.taken);
    std::memcpy(to, block.bytes.data() + block.taken, count);
    block.taken += count;
    if (block.taken == block.used) {
      lock.lock();
      first_ = (first_ + 1) % kBlocks;
      --filled_;
      changed_.notify_all();
    }
    return count;
  }

 private:
  struct Block {
    std::vector<char> bytes = std::vector<char>(kBlockBytes);
    std::size_t used = 0;
    std::size_t taken = 0;
  };

  void fill() {
    try {
      while (true) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return filled_ < kBlocks || stopped_; });
        if (stopped_) return;
        Block& block = blocks_[(first_ + filled_) % kBlocks];
        lock.unlock();
        block.used = archive_.read(block.bytes.data(), kBlockBytes);
        block.taken = 0;
        if (block.used == 0) break;
        lock.lock();
        ++filled_;
        changed_.notify_all();
      }
      archive_.refuse_other_files();
    } catch (...) {
      error_ = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  Archive& archive_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Block> blocks_ = std::vector<Block>(kBlocks);
  std::size_t first_ = 0;   ///< the first filled block
  std::size_t filled_ = 0;  ///< number of filled blocks from first_ on
  bool ended_ = false;      ///< no more blocks will be filled
  bool stopped_ = false;    ///< the reader needs no more blocks
  std::exception_ptr error_;
  std::thread thread_;
};

class Unpacker : public PackedSource {
 public:
  Unpacker(InputFile& packed, const Team& team)
      : packed_(packed), archive_(packed), queue_(archive_, team) {}
  /// Stops the thread at any point.
  ~Unpacker() override { packed_.stop(); }

  [[nodiscard]] const std::string& name() const override { return archive_.name(); }
  [[nodiscard]] std::size_t bytes() const override { return 0; }

  /// Has no effect on an archive with named members, since refuse_other_files() reads the rest.
  void stop() noexcept override {
    if (archive_.has_members()) return;
    packed_.stop();
    queue_.stop();
  }

  void refuse_other_files() override {
    if (!archive_.has_members()) return;
    std::vector<char> rest(kBlockBytes);
    while (queue_.read(rest.data(), rest.size()) > 0) {
    }
  }

 private:
  std::size_t read_next(char* to, std::size_t bytes) override { return queue_.read(to, bytes); }

  InputFile& packed_;
  Archive archive_;
  Queue queue_;
};

}  // namespace

std::unique_ptr<PackedSource> unpack(InputFile& packed, const Team& team) {
  return std::make_unique<Unpacker>(packed, team);
}

}  // namespace Atoll::graph
