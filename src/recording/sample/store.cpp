#include "recording/sample/store.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "recording/region_view.hpp"
#include "recording/sample/fault_sampler.hpp"

namespace Atoll::recording::sample {
namespace {

using record::Offset;

class Store {
 public:
  Store(const Counts& counts, record::Header& header)
      : counts_(counts), header_(header), threads_(records_of_threads(counts, RegionView(header))) {
    const RegionView region(header);
    for (std::size_t i = 0; i < threads_.size(); ++i)
      if (threads_[i] != 0)
        processes_.emplace(counts.threads()[i].space,
                           region.at<record::ThreadRecord>(threads_[i])->process);
  }

  void run() {
    using Entry = std::pair<Counts::Key, SampledPage>;
    std::vector<Entry> pages(counts_.pages().begin(), counts_.pages().end());
    std::ranges::sort(pages, [](const Entry& a, const Entry& b) {
      return std::tie(a.second.first_ns, a.first.page, a.first.thread) <
             std::tie(b.second.first_ns, b.first.page, b.first.thread);
    });
    // With 0, pages without lines do not count as a loss.
    header_.lines_until = 0;
    for (const auto& [key, sampled] : pages) {
      if (counts_.threads()[key.thread].withdraws) continue;
      auto* thread = thread_of(key.thread);
      auto* page = thread == nullptr ? nullptr : make<record::PageRecord>();
      if (page == nullptr) {
        header_.lost_events.fetch_add(1);
        continue;
      }
      page->page = key.page;
      page->epochs = sampled.epochs;
      page->epoch_generation = static_cast<std::uint16_t>(sampled.epoch_generation);
      page->first_access = header_.sequence.fetch_add(1);
      page->reads = sampled.reads;
      page->writes = sampled.writes;
      link(page, thread->pages);
      for (const SampledPage::Uses& uses : sampled.uses) store(uses, key.page, *thread);
    }
  }

 private:
  void store(const SampledPage::Uses& uses, std::uint64_t number, record::ThreadRecord& thread) {
    auto* page = make<record::PageRecord>();
    if (page == nullptr) {
      header_.lost_events.fetch_add(1);
      return;
    }
    page->page = number;
    page->epochs = std::uint64_t{1} << uses.epoch.number % 64;
    page->epoch_generation = static_cast<std::uint16_t>(uses.epoch.generation);
    page->reads = uses.uses;
    page->sampled = 1;
    link(page, thread.pages);
  }

  /// Allocates a zeroed T in the region; returns null if the region is full.
  template <class T>
  T* make() {
    const std::uint64_t bytes = (sizeof(T) + 7) / 8 * 8;
    const Offset offset = (header_.used.load() + 7) / 8 * 8;
    if (offset + bytes > header_.bytes) return nullptr;
    header_.used.store(offset + bytes);
    return at<T>(offset);
  }
  template <class T>
  T* at(Offset offset) {
    return reinterpret_cast<T*>(reinterpret_cast<std::uint8_t*>(&header_) + offset);
  }
  template <class T>
  Offset link(T* entry, std::atomic<Offset>& last) {
    const auto offset = static_cast<Offset>(reinterpret_cast<std::uint8_t*>(entry) -
                                            reinterpret_cast<std::uint8_t*>(&header_));
    entry->previous = last.load();
    last.store(offset);
    return offset;
  }

  record::ThreadRecord* thread_of(std::uint32_t number) {
    if (threads_[number] != 0) return at<record::ThreadRecord>(threads_[number]);
    const SampledThread& sampled = counts_.threads()[number];
    const Offset process = process_of(sampled.space);
    auto* thread = process == 0 ? nullptr : make<record::ThreadRecord>();
    if (thread == nullptr) return nullptr;
    thread->process = process;
    thread->tid = sampled.tid;
    if (sampled.creator_tid != 0) {
      auto* creation = make<record::CreationRecord>();
      if (creation == nullptr) return nullptr;
      creation->process = process;
      creation->created_ns = sampled.started_ns;
      creation->creator_tid = sampled.creator_tid;
      creation->tid.store(sampled.tid);
      link(creation, header_.creations);
    }
    thread->started_ns = sampled.started_ns;
    thread->ended_ns.store(sampled.ended_ns);
    if (auto* of = at<record::ProcessRecord>(process); of->pid == sampled.tid)
      of->ended_ns.store(sampled.ended_ns);
    threads_[number] = link(thread, header_.threads);
    return thread;
  }

  Offset process_of(std::uint32_t number) {
    const auto found = processes_.find(number);
    if (found != processes_.end()) return found->second;
    const Space& space = counts_.spaces()[number];
    auto* process = make<record::ProcessRecord>();
    if (process == nullptr) return 0;
    process->pid = space.pid;
    process->parent_pid = space.parent_pid;
    process->started_ns = space.started_ns;
    return processes_[number] = link(process, header_.processes);
  }

  const Counts& counts_;
  record::Header& header_;
  std::vector<Offset> threads_;  ///< by thread number of the counts; 0: none yet
  std::map<std::uint32_t, Offset> processes_;
};

}  // namespace

void store_counts(const Counts& counts, record::Header& header) {
  Store(counts, header).run();
}

}  // namespace Atoll::recording::sample
