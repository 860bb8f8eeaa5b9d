// One copy by two engines concurrently [shoal Figure 10]: their bandwidths add up as long as
// neither saturates the memory.
#include <algorithm>
#include <cmath>
#include <string>

#include "atoll/base/error.hpp"
#include "atoll/base/page_size.hpp"
#include "atoll/memory/copy_engine.hpp"

namespace Atoll::memory {
namespace {

/// Both parts; one of them may be null.
class SplitOperation : public CopyOperation {
 public:
  SplitOperation(std::unique_ptr<CopyOperation> first, std::unique_ptr<CopyOperation> second)
      : parts_{std::move(first), std::move(second)} {}

  TransferProgress poll() override {
    TransferProgress all{0, true};
    for (const auto& part : parts_) {
      if (!part) continue;
      const TransferProgress progress = part->poll();
      all.bytes += progress.bytes;
      all.done &= progress.done;
    }
    return all;
  }
  void wait() override {
    try {
      for (const auto& part : parts_)
        if (part) part->wait();
    } catch (...) {
      cancel();
      throw;
    }
  }
  void cancel() noexcept override {
    for (const auto& part : parts_)
      if (part) part->cancel();
  }

 private:
  std::unique_ptr<CopyOperation> parts_[2];
};

class SplitEngine : public CopyEngine {
 public:
  SplitEngine(CopyEngine& first, CopyEngine& second, double share)
      : first_(first),
        second_(second),
        share_(share),
        name_(std::string(first.name()) + "+" + std::string(second.name())) {
    if (!(share >= 0 && share <= 1))
      throw Error::input("split copy", "a share of " + std::to_string(share),
                         "give the part of the first engine, from 0 to 1");
  }
  std::string_view name() const override { return name_; }
  bool blocks() const override { return first_.blocks() || second_.blocks(); }
  bool can(const CopyJob& job) const override {
    return !job.uses_files() && first_.can(job) && second_.can(job);
  }

  std::unique_ptr<CopyOperation> start(CopyJob job) override {
    Halves halves = cut(std::move(job));
    // the blocking engine starts last, so that the other one works concurrently
    std::unique_ptr<CopyOperation> first, second;
    const auto start_head = [&] {
      if (!halves.head.pieces.empty()) first = first_.start(std::move(halves.head));
    };
    if (!first_.blocks()) start_head();
    try {
      if (!halves.tail.pieces.empty()) second = second_.start(std::move(halves.tail));
      if (first_.blocks()) start_head();
    } catch (...) {
      if (first) first->cancel();
      if (second) second->cancel();
      throw;
    }
    return std::make_unique<SplitOperation>(std::move(first), std::move(second));
  }

 private:
  struct Halves {
    CopyJob head, tail;
  };
  Halves cut(CopyJob job) const {
    const std::size_t pattern = std::max<std::size_t>(1, job.pattern.size());
    const std::size_t unit = (kPageBytes + pattern - 1) / pattern * pattern;
    Halves halves;
    halves.head.pattern = job.pattern;
    halves.tail.pattern = std::move(job.pattern);
    double wished = 0;  // exact number of bytes for the first engine, minus those assigned so far
    for (const CopyPiece& piece : job.pieces) {
      wished += share_ * static_cast<double>(piece.bytes);
      const double units = std::round(wished / static_cast<double>(unit));
      std::size_t at = units <= 0 ? 0 : static_cast<std::size_t>(units) * unit;
      if (at > piece.bytes || share_ == 1) at = piece.bytes;
      wished -= static_cast<double>(at);
      CopyPiece head = piece, tail = piece;
      head.bytes = at;
      tail.to += at;
      if (tail.from != nullptr) tail.from += at;
      tail.bytes -= at;
      if (head.bytes > 0) halves.head.pieces.push_back(head);
      if (tail.bytes > 0) halves.tail.pieces.push_back(tail);
    }
    return halves;
  }

  CopyEngine& first_;
  CopyEngine& second_;
  double share_;
  std::string name_;
};

}  // namespace

std::unique_ptr<CopyEngine> split_engine(CopyEngine& first, CopyEngine& second, double share) {
  return std::make_unique<SplitEngine>(first, second, share);
}

}  // namespace Atoll::memory
