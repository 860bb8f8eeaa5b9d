// Copies by all threads of a team, or by the calling thread alone: the fastest way if there is no
// other work, and the baseline of the paper's DMA engines [shoal Figure 9].
#include "memory/chunked_copy.hpp"

namespace Atoll::memory {
namespace {

/// An operation that start() has completed.
class Finished : public CopyOperation {
 public:
  explicit Finished(std::size_t bytes) : bytes_(bytes) {}
  TransferProgress poll() override { return {bytes_, true}; }
  void wait() override {}
  void cancel() noexcept override {}

 private:
  std::size_t bytes_;
};

class ParallelEngine : public CopyEngine {
 public:
  /// If `team` is null, the calling thread copies alone.
  explicit ParallelEngine(const Team* team) : team_(team) {}
  std::string_view name() const override { return team_ == nullptr ? "serial" : "parallel"; }
  bool blocks() const override { return true; }
  bool can(const CopyJob& job) const override { return !job.uses_files(); }

  std::unique_ptr<CopyOperation> start(CopyJob job) override {
    const std::size_t bytes = job.bytes();
    ChunkedCopy work(std::move(job), team_ == nullptr ? 1 : team_->size(),
                     bytes >= ChunkedCopy::kStreamFromBytes ? Stores::streaming : Stores::cached);
    const auto take_part = [&](int thread) {
      while (work.step(current_place().node, thread)) {
      }
    };
    const bool in_loop = current_place().thread >= 0;  // run() can't be nested
    if (team_ == nullptr || (work.chunks() == 1 && !in_loop))
      take_part(0);  // faster than waking the team
    else
      team_->run(take_part);
    return std::make_unique<Finished>(bytes);
  }

 private:
  const Team* team_;
};

}  // namespace

std::unique_ptr<CopyEngine> parallel_engine(const Team& team) {
  return std::make_unique<ParallelEngine>(&team);
}

std::unique_ptr<CopyEngine> serial_engine() {
  return std::make_unique<ParallelEngine>(nullptr);
}

}  // namespace Atoll::memory
