// Counts accesses to addresses that several objects owned in turn.
#pragma once

#include "atoll/recording/recording.hpp"
#include "recording/objects/object_index.hpp"

namespace Atoll::recording {

/// Forwards pages, and counts accesses to addresses that several objects owned in turn.
class CountReuse : public Consumer {
 public:
  CountReuse(const ObjectIndex& index, Consumer& consumer) : index_(index), consumer_(consumer) {}

  void page(const PageAccesses& page) override {
    const std::uint64_t lines = index_.reused_lines(page.process, page.page);
    for (const ThreadOnPage& thread : page.threads) {
      if (!thread.by_lines && lines != 0) accesses_ += thread.reads + thread.writes;
      for (std::size_t line = 0; thread.by_lines && line < thread.lines.size(); ++line)
        if (((lines >> line) & 1U) != 0)
          accesses_ += thread.lines[line].reads + thread.lines[line].writes;
    }
    consumer_.page(page);
  }
  void add_to(Recording& recording) const {
    if (accesses_ != 0) recording.losses.push_back({LossKind::accesses_to_the_last, accesses_});
  }

 private:
  const ObjectIndex& index_;
  Consumer& consumer_;
  std::uint64_t accesses_ = 0;
};

}  // namespace Atoll::recording
