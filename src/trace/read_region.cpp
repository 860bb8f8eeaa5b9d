#include "trace/read_region.hpp"

#include <algorithm>
#include <unordered_map>

namespace Atoll::trace {
namespace {

using recorder::Offset;

/// One Block or PageRecord.
struct Reference {
  std::uint64_t page;
  std::uint32_t process, thread;
  Offset offset;  ///< its lowest bit set: a PageRecord
};

struct Sum {
  std::uint64_t reads = 0, writes = 0;
};

Sum sum_of(const recorder::Block& block) {
  Sum sum;
  for (const recorder::Line line : block.lines) {
    sum.reads += recorder::reads_of(line);
    sum.writes += recorder::writes_of(line);
  }
  return sum;
}

/// Sums of the blocks that took what wasn't recorded.
std::uint64_t sum_of_list(const RegionView& region, Offset last) {
  std::uint64_t sum = 0;
  region.for_each<recorder::Block>(last, [&](const recorder::Block& block, Offset) {
    const Sum of_block = sum_of(block);
    sum += of_block.reads + of_block.writes;
  });
  return sum;
}

class Reader {
 public:
  Reader(const RegionView& region, const LinesOfPage& lines_of, const FirstTouches& touches)
      : region_(region), lines_of_(lines_of), touches_(touches) {
    const std::vector<Offset> processes = processes_of(region);
    for (std::uint32_t i = 0; i < processes.size(); ++i) process_ids_[processes[i]] = i;
    const std::vector<ThreadOfRegion> threads = threads_of(region);
    for (std::uint32_t i = 0; i < threads.size(); ++i)
      if (threads[i].record != nullptr) collect(*threads[i].record, i);
    std::ranges::sort(references_, [](const Reference& a, const Reference& b) {
      return std::tie(a.process, a.page, a.thread, a.offset) <
             std::tie(b.process, b.page, b.thread, b.offset);
    });
  }

  void read(Consumer& consumer) {
    for (std::size_t begin = 0; begin < references_.size();) {
      std::size_t end = begin;
      while (end < references_.size() && references_[end].page == references_[begin].page &&
             references_[end].process == references_[begin].process)
        ++end;
      read_page({references_.data() + begin, end - begin}, consumer);
      begin = end;
    }
  }

 private:
  void collect(const recorder::ThreadRecord& record, std::uint32_t thread) {
    const auto found = process_ids_.find(record.process);
    if (found == process_ids_.end()) return;
    const std::uint32_t process = found->second;
    region_.for_each<recorder::Block>(
        record.blocks.load(), [&](const recorder::Block& block, Offset offset) {
          references_.push_back({block.page, process, thread, offset});
        });
    region_.for_each<recorder::PageRecord>(
        record.pages.load(), [&](const recorder::PageRecord& page, Offset offset) {
          references_.push_back({page.page, process, thread, offset | 1U});
        });
    region_.for_each<recorder::Carry>(
        record.carries.load(),
        [&](const recorder::Carry& carry, Offset) { carries_[carry.block].push_back(&carry); });
    const std::uint64_t blocks =
        std::min<std::uint64_t>(record.scratch_blocks, recorder::kMostScratch);
    const auto* scratch = region_.at<recorder::Block>(record.scratch, blocks);
    for (std::size_t i = 0; scratch != nullptr && i < blocks; ++i) {
      if (scratch[i].previous == 0) continue;
      const Sum sum = sum_of(scratch[i]);
      Sum& pending = pending_[scratch[i].previous];
      pending.reads += sum.reads;
      pending.writes += sum.writes;
    }
  }

  void add(const Reference& reference, ThreadOnPage& sum) {
    const std::uint32_t generation = region_.header().epoch_generation.load();
    if ((reference.offset & 1U) != 0) {
      const Offset offset = reference.offset & ~Offset{1};
      const auto& page = *region_.at<recorder::PageRecord>(offset);
      const auto pending = pending_.find(offset);
      sum.reads += page.reads + (pending == pending_.end() ? 0 : pending->second.reads);
      sum.writes += page.writes + (pending == pending_.end() ? 0 : pending->second.writes);
      sum.by_lines = false;
      sum.first_access = std::min(sum.first_access, page.first_access);
      sum.epochs |= recorder::epochs_in_generation(page.epochs, page.epoch_generation, generation);
      return;
    }
    const auto& block = *region_.at<recorder::Block>(reference.offset);
    const auto count = [&](LineCount& line, std::uint64_t reads, std::uint64_t writes) {
      line.reads += reads;
      line.writes += writes;
      sum.reads += reads;
      sum.writes += writes;
    };
    for (int i = 0; i < kLinesOfPage; ++i) {
      const recorder::Line line = block.lines[i];
      count(sum.lines[i], recorder::reads_of(line), recorder::writes_of(line));
      sum.words[i] |= static_cast<std::uint8_t>(line & recorder::kWords);
    }
    if (const auto found = carries_.find(reference.offset); found != carries_.end())
      for (const recorder::Carry* carry : found->second)
        count(sum.lines[carry->line % kLinesOfPage], carry->reads, carry->writes);
    sum.first_access = std::min(sum.first_access, block.first_access);
    sum.epochs |= recorder::epochs_in_generation(block.epochs, block.epoch_generation, generation);
  }

  void read_page(std::span<const Reference> references, Consumer& consumer) {
    threads_.clear();
    for (const Reference& reference : references) {
      if (threads_.empty() || threads_.back().thread != reference.thread) {
        drop_unused();
        threads_.emplace_back();
        threads_.back().thread = reference.thread;
        threads_.back().by_lines = true;
        threads_.back().first_access = ~std::uint64_t{0};
      }
      add(reference, threads_.back());
    }
    drop_unused();
    if (threads_.empty()) return;
    const std::uint32_t process = references.front().process;
    const std::uint64_t page = references.front().page;
    const auto touch = touches_.find({process, page});
    consumer.page({.process = process,
                   .page = page,
                   .threads = threads_,
                   .objects = lines_of_(process, page),
                   .first_touch = touch == touches_.end() ? kNone : touch->second});
  }

  /// A page that a thread was about to access when it died.
  void drop_unused() {
    if (!threads_.empty() && threads_.back().reads + threads_.back().writes == 0)
      threads_.pop_back();
  }

  const RegionView& region_;
  const LinesOfPage& lines_of_;
  const FirstTouches& touches_;
  std::unordered_map<Offset, std::uint32_t> process_ids_;
  std::vector<Reference> references_;
  std::unordered_map<Offset, std::vector<const recorder::Carry*>> carries_;  ///< by block
  std::unordered_map<Offset, Sum> pending_;  ///< by PageRecord: in scratch blocks still
  std::vector<ThreadOnPage> threads_;        ///< of the page being read
};

}  // namespace

std::vector<Loss> losses_of(const RegionView& region) {
  std::uint64_t pages = 0, ignored = 0, dropped = 0, in_handlers = 0;
  region.for_each<recorder::ThreadRecord>(
      region.header().threads.load(), [&](const recorder::ThreadRecord& thread, Offset) {
        region.for_each<recorder::PageRecord>(
            thread.pages.load(), [&](const recorder::PageRecord&, Offset) { ++pages; });
        ignored += thread.ignored_before + sum_of_list(region, thread.ignored);
        dropped += thread.dropped_before + sum_of_list(region, thread.dropped);
        in_handlers += thread.stream_lost;
      });
  std::vector<Loss> losses;
  const auto add = [&](const char* what, std::uint64_t count) {
    if (count != 0) losses.push_back({what, count});
  };
  if (region.header().lines_until != 0)
    add("pages of a thread recorded without lines: the memory limit", pages);
  if (region.header().mode != recorder::Mode::samples)
    add("accesses not recorded: outside of what was asked for, or of signal handlers", ignored);
  add("accesses dropped: the memory limit", dropped);
  add("accesses of signal handlers dropped", in_handlers);
  add("events (allocations, threads) dropped: the memory limit",
      region.header().lost_events.load());
  return losses;
}

std::uint64_t split_accesses_of(const RegionView& region) {
  std::uint64_t sum = 0;
  region.for_each<recorder::ThreadRecord>(
      region.header().threads.load(),
      [&](const recorder::ThreadRecord& thread, Offset) { sum += thread.split_accesses; });
  return sum;
}

void read_counts(const RegionView& region, const LinesOfPage& lines_of, const FirstTouches& touches,
                 Consumer& consumer) {
  Reader(region, lines_of, touches).read(consumer);
}

}  // namespace Atoll::trace
