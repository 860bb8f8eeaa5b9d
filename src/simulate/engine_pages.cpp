// Pages of the simulated program, mapped as in Linux: at the first access, or when the kernel is
// asked to. A first read of private memory maps a shared zero page; the first write allocates a
// page.
#include <algorithm>

#include "simulate/engine.hpp"

namespace Atoll::simulate {
namespace {

/// Address of the zero page of that size within the pseudo-process kZeroPages.
constexpr std::uint64_t zeros_begin(PageClass size) {
  return size == PageClass::small ? 0 : std::uint64_t{1} << kPageBits[1];
}

}  // namespace

LineKey Engine::line_of_zeros(std::uint64_t address, PageClass size) const {
  const std::uint64_t bytes = std::uint64_t{1} << kPageBits[static_cast<std::size_t>(size)];
  return line_key(kZeroPages, zeros_begin(size) + (address & (bytes - 1)), shape_.line_bits);
}

const Page& Engine::look_up_page(std::uint32_t thread, std::uint64_t address, std::uint32_t object,
                                 bool write) {
  Running& running = threads_[thread];
  const Page page = map_page(thread, address, object, write);
  const bool is_small = page.size == PageClass::small;
  const std::uint64_t number =
      page_number(running.process, address, is_small ? PageClass::small : PageClass::huge);
  RecentPage& place = (is_small ? running.pages : running.huge_pages)[number % kRecentPages];
  place = {number, page};
  return place.page;
}

Page Engine::map_page(std::uint32_t thread, std::uint64_t address, std::uint32_t object,
                      bool write) {
  Running& running = threads_[thread];
  Page page;
  const bool is_there = pages_->find(running.process, address, page);
  const bool copies = is_there && page.zero && write;
  if (is_there && !copies) return page;
  if (copies) {
    // Linux 6.1 replaces a large zero page by small ones and allocates one small page.
    const std::uint64_t bytes = Pages::bytes_of(page), begin = address & ~(bytes - 1);
    pages_->split(running.process, address);
    forget_recent(running.process, begin, begin + bytes);
  }
  page =
      program_->touch(thread, running.hw_thread.node, address, {.write = write, .small = copies});
  if (page.size == PageClass::huge && pages_->has_small(running.process, address)) {
    if (!page.zero) program_->dropped(page);
    page =
        program_->touch(thread, running.hw_thread.node, address, {.write = write, .small = true});
  }
  pages_->place(running.process, address, page);
  if (Page zeros; page.zero && !pages_->find(kZeroPages, zeros_begin(page.size), zeros))
    pages_->place(kZeroPages, zeros_begin(page.size), page);
  did_fault_ = true;
  // A fault on a zero page clears no memory.
  const PageClass cleared = page.zero ? PageClass::small : page.size;
  if (timed_)
    running.core.page_fault(timing_->page_fault[static_cast<std::size_t>(cleared)], object);
  return page;
}

void Engine::populate(std::uint32_t thread, const Op& op) {
  const std::uint32_t object = program_->object_of(thread, op.address);
  if (live_ != nullptr && object >= objects_.size()) grow_objects();
  for (std::uint64_t address = op.address; address < op.address + op.key;) {
    const std::uint64_t bytes = Pages::bytes_of(map_page(thread, address, object, op.write));
    address = (address & ~(bytes - 1)) + bytes;
  }
}

void Engine::discard(std::uint32_t process, std::uint64_t begin, std::uint64_t end) {
  bool some = false;
  pages_->discard(process, begin, end, [&](const Page& page) {
    some = true;
    if (!page.zero) program_->dropped(page);
  });
  if (some) forget_recent(process, begin, end);
}

void Engine::remap(std::uint32_t thread, const Op& op) {
  const std::uint32_t process = threads_[thread].process;
  const std::uint64_t bytes = std::uint64_t{op.count} << kPageBits[0];
  pages_->remap(process, op.address, op.address + bytes, op.key);
  if (live_ != nullptr) live_->remapped(process, op.address, op.address + bytes, op.key);
  forget_recent(process, op.address, op.address + bytes);
  forget_recent(process, op.key, op.key + bytes);
}

void Engine::move_pages() {
  for (const LiveThreads::Moved& moved : live_->moved_pages()) {
    if (moved.discarded) {
      discard(moved.process, moved.begin, moved.end);
      continue;
    }
    pages_->for_each(moved.process, moved.begin, moved.end,
                     [&](std::uint64_t address, const Page& page) {
                       if (page.zero || page.replicated) return;
                       Page there = page;
                       there.home = moved.home;
                       pages_->place(moved.process, address, there);
                     });
    forget_recent(moved.process, moved.begin, moved.end);
  }
}

void Engine::forget_recent(std::uint32_t process, std::uint64_t begin, std::uint64_t end) {
  const auto forget = [&](std::vector<RecentPage>& recent, PageClass size) {
    const std::uint64_t first = page_number(process, begin, size);
    const std::uint64_t last = page_number(process, end - 1, size);
    if (last - first >= kRecentPages) {
      for (RecentPage& one : recent) one.number = ~std::uint64_t{0};
      return;
    }
    for (std::uint64_t number = first; number <= last; ++number)
      if (RecentPage& one = recent[number % kRecentPages]; one.number == number)
        one.number = ~std::uint64_t{0};
  };
  if (begin >= end) return;
  for (Running& running : threads_) {
    if (running.process != process) continue;
    forget(running.pages, PageClass::small);
    forget(running.huge_pages, PageClass::huge);
  }
}

}  // namespace Atoll::simulate
