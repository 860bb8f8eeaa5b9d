#include "recording/read_region.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <utility>

#include "atoll/base/hash.hpp"
#include "recording/page_traffic.hpp"
#include "recording/pages/page_owner.hpp"

namespace Atoll::recording {
namespace {

using record::Offset;

/// Reference to a PageCounters or a PageRecord.
struct Reference {
  std::uint64_t page;
  std::uint32_t process, thread;
  Offset offset;  ///< lowest bit set: a PageRecord
};

struct Sum {
  std::uint64_t reads = 0, writes = 0;
};

Sum sum_of(const record::PageCounters& block) {
  Sum sum;
  for (std::size_t i = 0; i < kLinesOfPage; ++i) {
    const record::Line line = record::counts_of(block, i);
    sum.reads += record::reads_of(line);
    sum.writes += record::writes_of(line);
  }
  return sum;
}

class Reader {
 public:
  Reader(const RegionView& region, const PhysicalPages& pages, const LinesOfPage& lines_of,
         const FirstTouches& touches, PageHomes& homes)
      : region_(region),
        pages_(pages),
        lines_of_(lines_of),
        touches_(touches),
        homes_(homes),
        traffic_(region) {
    const std::vector<Offset> processes = processes_of(region);
    for (std::uint32_t i = 0; i < processes.size(); ++i) process_ids_[processes[i]] = i;
    const std::vector<ThreadOfRegion> threads = threads_of(region);
    processes_of_threads_.assign(threads.size(), 0);
    for (std::uint32_t i = 0; i < threads.size(); ++i) {
      if (threads[i].record == nullptr) continue;
      if (const auto process = process_ids_.find(threads[i].process); process != process_ids_.end())
        processes_of_threads_[i] = process->second;
      collect(*threads[i].record, i);
    }
    sort();
    if (put_together()) sort();
  }

  void read(Consumer& consumer) {
    rate_misses();
    for (std::size_t begin = 0; begin < references_.size();) {
      const std::size_t end = page_end(begin);
      read_page({references_.data() + begin, end - begin}, consumer);
      begin = end;
    }
  }

 private:
  using Place = PhysicalPages::Place;

  void sort() {
    std::ranges::sort(references_, [](const Reference& a, const Reference& b) {
      return std::tie(a.process, a.page, a.thread, a.offset) <
             std::tie(b.process, b.page, b.thread, b.offset);
    });
  }

  static Place place_of(const Reference& reference) { return {reference.process, reference.page}; }

  [[nodiscard]] std::size_t page_end(std::size_t begin) const {
    std::size_t end = begin;
    while (end < references_.size() && place_of(references_[end]) == place_of(references_[begin]))
      ++end;
    return end;
  }

  /// Merges pages that several processes share, or that one process has mapped at several
  /// addresses. Returns false if there are none.
  bool put_together() {
    const auto processes = static_cast<std::uint32_t>(process_ids_.size());
    std::vector<bool> may_share(processes);
    for (std::uint32_t i = 0; i < processes; ++i) may_share[i] = pages_.may_share(i);
    if (std::ranges::find(may_share, true) == may_share.end()) return false;

    const PhysicalPages::Writes writes{
        .wrote = [this](Place place) { return writes_to(place); },
        .copied = [this](Place place) { return system_copied(place); }};
    std::unordered_map<PhysicalPages::Memory, Place, Hash> places;
    std::vector<Move> moves;
    for (std::size_t begin = 0, end = 0; begin < references_.size(); begin = end) {
      end = page_end(begin);
      const Place here = place_of(references_[begin]);
      if (!may_share[here.process]) continue;
      const PhysicalPages::Memory memory = pages_.memory_of(here, writes);
      const auto [found, is_new] = places.try_emplace(memory, here);
      if (is_new) {
        const Place home = pages_.home_of(memory);
        if (home != here && pages_.memory_of(home, writes) == memory) found->second = home;
      }
      if (found->second != here) moves.push_back({begin, end, found->second, memory});
    }
    for (const Move& move : moves)
      for (const Place place : {place_of(references_[move.begin]), move.to}) {
        std::optional<SeenTouch> touch = touch_of(place);
        // A fault on a neighbouring page counts only if both pages are in the same memory.
        if (!touch || (touch->page != place.page &&
                       pages_.memory_of({place.process, touch->page}, writes).id != move.memory.id))
          continue;
        // The first fault was before this memory was mapped, so its first toucher is unknown.
        if (touch->time_ns < pages_.mapped_at(place)) touch = SeenTouch{};
        const auto [first, is_new] = first_touches_.try_emplace(move.to, *touch);
        if (!is_new && touch->time_ns < first->second.time_ns) first->second = *touch;
      }
    for (const Move& move : moves)
      for (std::size_t i = move.begin; i < move.end; ++i) {
        references_[i].process = move.to.process;
        references_[i].page = move.to.page;
      }
    return !moves.empty();
  }

  /// References [begin, end), which all refer to one page.
  struct Move {
    std::size_t begin, end;
    Place to;
    PhysicalPages::Memory memory;
  };
  struct Hash {
    std::size_t operator()(PhysicalPages::Memory memory) const {
      return golden_hash(memory.page, memory.id);
    }
    std::size_t operator()(Place place) const {
      return operator()(PhysicalPages::Memory{place.process, place.page});
    }
  };

  [[nodiscard]] std::optional<SeenTouch> touch_of(Place place) const {
    return touches_ ? touches_(place.process, place.page) : std::nullopt;
  }

  /// Returns true if the system copied the page. In the mode `samples`, accesses to private memory
  /// are seen as faults, which after a fork are mostly copies.
  [[nodiscard]] bool system_copied(Place place) const {
    if (region_.is_sampled()) return true;
    const std::optional<SeenTouch> touch = touch_of(place);
    return touch && touch->copies;
  }

  /// Returns true if a thread of the process has counted a write to the page.
  [[nodiscard]] bool writes_to(Place place) const {
    const auto first = std::ranges::lower_bound(references_, place, {}, place_of);
    for (auto at = first; at != references_.end() && place_of(*at) == place; ++at) {
      ThreadOnPage sum;
      add(*at, sum);
      if (sum.writes != 0) return true;
    }
    return false;
  }

  void collect(const record::ThreadRecord& record, std::uint32_t thread) {
    const auto found = process_ids_.find(record.process);
    if (found == process_ids_.end()) return;
    const std::uint32_t process = found->second;
    region_.for_each<record::PageCounters>(
        record.blocks.load(), [&](const record::PageCounters& block, Offset offset) {
          references_.push_back({block.page, process, thread, offset});
        });
    region_.for_each<record::PageRecord>(
        record.pages.load(), [&](const record::PageRecord& page, Offset offset) {
          references_.push_back({page.page, process, thread, offset | 1U});
        });
    region_.for_each<record::SpilledCounts>(record.carries.load(),
                                            [&](const record::SpilledCounts& spilled, Offset) {
                                              spilled_[spilled.block].push_back(&spilled);
                                            });
    traffic_.add_thread(record, thread);
    const std::uint64_t blocks =
        std::min<std::uint64_t>(record.scratch_blocks, record::kMaxScratch);
    const auto* scratch = region_.at<record::PageCounters>(record.scratch, blocks);
    for (std::size_t i = 0; scratch != nullptr && i < blocks; ++i) {
      if (scratch[i].previous == 0) continue;
      const Sum sum = sum_of(scratch[i]);
      Sum& pending = pending_[scratch[i].previous];
      pending.reads += sum.reads;
      pending.writes += sum.writes;
    }
  }

  /// Must be called before pages are read, as the miss rate of an object depends on all of its
  /// pages.
  void rate_misses() {
    const Reference* last = nullptr;
    std::uint32_t object = kNone;
    for (const Reference& reference : references_) {
      if (last == nullptr || last->page != reference.page || last->process != reference.process)
        object = main_object(lines_of_(reference.process, reference.page));
      last = &reference;
      if ((reference.offset & 1U) != 0) continue;
      traffic_.rate(object, reference.thread, reference.offset,
                    spilled_.contains(reference.offset));
    }
  }

  void add(const Reference& reference, ThreadOnPage& sum) const {
    const std::uint32_t generation = region_.header().epoch_generation.load();
    if ((reference.offset & 1U) != 0) {
      const Offset offset = reference.offset & ~Offset{1};
      const auto& page = *region_.at<record::PageRecord>(offset);
      if (page.sampled != 0) {
        add_uses(record::epochs_in_generation(page.epochs, page.epoch_generation, generation),
                 page.reads, sum.sampled);
        return;
      }
      const auto pending = pending_.find(offset);
      sum.reads += page.reads + (pending == pending_.end() ? 0 : pending->second.reads);
      sum.writes += page.writes + (pending == pending_.end() ? 0 : pending->second.writes);
      sum.by_lines = false;
      sum.first_access = std::min(sum.first_access, page.first_access);
      sum.epochs |= record::epochs_in_generation(page.epochs, page.epoch_generation, generation);
      return;
    }
    const auto& block = *region_.at<record::PageCounters>(reference.offset);
    const auto count = [&](LineCount& line, std::uint64_t reads, std::uint64_t writes) {
      line.reads += reads;
      line.writes += writes;
      sum.reads += reads;
      sum.writes += writes;
    };
    for (int i = 0; i < kLinesOfPage; ++i) {
      const record::Line line = record::counts_of(block, static_cast<std::size_t>(i));
      count(sum.lines[i], record::reads_of(line), record::writes_of(line));
      sum.words[i] |= static_cast<std::uint8_t>(line & record::kWords);
    }
    if (const auto found = spilled_.find(reference.offset); found != spilled_.end())
      for (const record::SpilledCounts* spilled : found->second)
        count(sum.lines[spilled->line % kLinesOfPage], spilled->reads, spilled->writes);
    sum.first_access = std::min(sum.first_access, block.first_access);
    sum.epochs |= record::epochs_in_generation(block.epochs, block.epoch_generation, generation);
  }

  static void add_uses(std::uint64_t epochs, std::uint64_t uses, std::vector<UsesInEpoch>& sum) {
    const auto epoch = static_cast<std::uint32_t>(std::countr_zero(epochs | 1ULL << 63));
    auto found = std::ranges::find(sum, epoch, &UsesInEpoch::epoch);
    if (found == sum.end()) found = sum.insert(found, {epoch, 0});
    found->uses += uses;
  }

  void read_page(std::span<const Reference> references, Consumer& consumer) {
    threads_.clear();
    traffic_.begin_page();
    filled_ = {};
    first_ = {};
    for (const Reference& reference : references) {
      note_fill(reference);
      note_first(reference);
      if (threads_.empty() || threads_.back().thread != reference.thread) {
        drop_unused();
        threads_.emplace_back();
        threads_.back().thread = reference.thread;
        threads_.back().by_lines = true;
        threads_.back().first_access = ~std::uint64_t{0};
        traffic_.begin_thread();
      }
      add(reference, threads_.back());
      if ((reference.offset & 1U) == 0) traffic_.add(reference.offset);
    }
    drop_unused();
    if (threads_.empty()) return;
    const Place place = place_of(references.front());
    const std::span<const ObjectLines> objects = lines_of_(place.process, place.page);
    if (region_.is_sampled())
      for (ThreadOnPage& thread : threads_) thread.traffic = thread.reads + thread.writes;
    else
      traffic_.fill_in(threads_, main_object(objects));
    consumer.page({.process = place.process,
                   .page = place.page,
                   .threads = threads_,
                   .objects = objects,
                   .first_touch = first_touch(place)});
  }

  /// Updates `first_`: the first access to the page, and the place of the page in the accessing
  /// process.
  void note_first(const Reference& reference) {
    const Offset offset = reference.offset & ~Offset{1};
    const bool has_lines = (reference.offset & 1U) == 0;
    const auto* const block = has_lines ? region_.at<record::PageCounters>(offset) : nullptr;
    const auto* const record = has_lines ? nullptr : region_.at<record::PageRecord>(offset);
    const std::uint64_t when = has_lines ? block->first_access : record->first_access;
    if (when >= first_.when || (!has_lines && record->sampled != 0)) return;
    first_ = {
        .when = when,
        .thread = reference.thread,
        .place = {processes_of_threads_[reference.thread], has_lines ? block->page : record->page}};
  }

  /// Returns the page's first touch: a thread, or a PageHome if the program's placement calls
  /// decide the node.
  [[nodiscard]] std::uint32_t first_touch(Place place) const {
    const std::uint32_t toucher = toucher_of(place);
    if (homes_.is_empty()) return toucher;
    const bool is_copy =
        pages_.is_private(place) &&
        (filled_.thread != kNone ||
         std::ranges::any_of(threads_, [](const ThreadOnPage& one) { return one.writes != 0; }));
    return homes_.home_of({.process = first_.place.process,
                           .page = first_.place.page,
                           .toucher = toucher == kNone ? first_.thread : toucher,
                           .when = first_.when,
                           .is_copy = is_copy});
  }

  /// Updates `filled_`: the first thread that used the page, if the system filled the page for that
  /// thread.
  void note_fill(const Reference& reference) {
    if ((reference.offset & 1U) != 0) return;
    const auto& block = *region_.at<record::PageCounters>(reference.offset);
    if (block.first_access < filled_.since)
      filled_ = {block.first_access, block.filled != 0 ? reference.thread : kNone};
  }

  /// Returns the thread for which the system allocated the page; kNone: the one with the lowest
  /// first_access.
  [[nodiscard]] std::uint32_t toucher_of(Place place) const {
    if (filled_.thread != kNone) return filled_.thread;
    const auto of_several = first_touches_.find(place);
    const std::optional<SeenTouch> touch =
        of_several != first_touches_.end() ? of_several->second : touch_of(place);
    const std::uint32_t toucher = touch ? touch->thread : kNone;
    if (region_.header().sees_all_writes.load() == 0 || !pages_.is_private(place)) return toucher;
    return owner_of_private(threads_, toucher);
  }

  /// Removes the last thread if it died before its first access to the page was counted.
  void drop_unused() {
    if (threads_.empty() || threads_.back().reads + threads_.back().writes != 0) return;
    threads_.pop_back();
    traffic_.drop_thread();
  }

  const RegionView& region_;
  const PhysicalPages& pages_;
  const LinesOfPage& lines_of_;
  const FirstTouches& touches_;
  PageHomes& homes_;
  std::unordered_map<Offset, std::uint32_t> process_ids_;
  std::vector<Reference> references_;
  std::unordered_map<Offset, std::vector<const record::SpilledCounts*>> spilled_;  ///< by block
  std::unordered_map<Offset, Sum> pending_;  ///< by PageRecord: counts still in scratch counters
  PageTraffic traffic_;
  std::vector<std::uint32_t> processes_of_threads_;
  std::vector<ThreadOnPage> threads_;  ///< of the page being read
  struct {
    std::uint64_t since = ~std::uint64_t{0};
    std::uint32_t thread = kNone;
  } filled_;  ///< first thread to use the page, if the system filled it for that thread
  struct {
    std::uint64_t when = ~std::uint64_t{0};
    std::uint32_t thread = 0;
    Place place;
  } first_;                                                   ///< first access
  std::unordered_map<Place, SeenTouch, Hash> first_touches_;  ///< for merged pages
};

}  // namespace

PageHomes read_counts(const RegionView& region, const PhysicalPages& pages,
                      const LinesOfPage& lines_of, const FirstTouches& touches,
                      Consumer& consumer) {
  PageHomes homes(region);
  Reader(region, pages, lines_of, touches, homes).read(consumer);
  return homes;
}

}  // namespace Atoll::recording
