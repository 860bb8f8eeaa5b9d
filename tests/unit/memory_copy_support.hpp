// Common code of the copy tests: random bytes, and engines that tests control.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "atoll/memory/copy.hpp"

namespace Atoll::memory {

using Bytes = std::vector<std::byte>;

inline Bytes random_bytes(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(count + 8);
  for (std::size_t at = 0; at < count; at += 8) {
    const std::uint64_t word = random();
    std::memcpy(bytes.data() + at, &word, 8);
  }
  bytes.resize(count);
  return bytes;
}

/// Returns two processing units, which need not exist, on two nodes.
inline const ThreadPlaces& two_places() {
  static const ThreadPlaces places{{0, NodeId{0}}, {1, NodeId{1}}};
  return places;
}

inline std::unique_ptr<CopyEngine> unpinned_background(int helpers_per_node = 1) {
  return background_engine({.places = two_places(),
                            .helpers_per_node = helpers_per_node,
                            .low_priority = false,  // tests poll, and the machine may be busy
                            .pin = false});
}

/// An engine that copies immediately by memcpy and counts calls of start().
class PlainEngine : public CopyEngine {
 public:
  explicit PlainEngine(std::string name, bool blocks = false, bool fills = true)
      : name_(std::move(name)), blocks_(blocks), fills_(fills) {}
  std::string_view name() const override { return name_; }
  bool blocks() const override { return blocks_; }
  bool can(const CopyJob& job) const override {
    return !job.uses_files() && (fills_ || job.pattern.empty());
  }
  std::unique_ptr<CopyOperation> start(CopyJob job) override {
    ++starts;
    for (const CopyPiece& piece : job.pieces) {
      if (job.pattern.empty()) std::memcpy(piece.to, piece.from, piece.bytes);
      for (std::size_t i = 0; i < piece.bytes && !job.pattern.empty(); ++i)
        piece.to[i] = job.pattern[i % job.pattern.size()];
    }
    struct Done : CopyOperation {
      explicit Done(std::size_t count) : bytes(count) {}
      TransferProgress poll() override { return {bytes, true}; }
      void wait() override {}
      void cancel() noexcept override {}
      std::size_t bytes;
    };
    return std::make_unique<Done>(job.bytes());
  }
  int starts = 0;

 private:
  std::string name_;
  bool blocks_, fills_;
};

}  // namespace Atoll::memory
