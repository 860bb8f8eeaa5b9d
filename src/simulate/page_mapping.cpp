#include "simulate/page_mapping.hpp"

namespace Atoll::simulate {
namespace {

/// Address of the zero page of that size within the pseudo-process kZeroPages.
constexpr std::uint64_t zeros_begin(PageClass size) {
  return size == PageClass::small ? 0 : std::uint64_t{1} << kPageBits[1];
}

}  // namespace

PageMapping::PageMapping(const Shape& shape, Pages& pages, SimulatedProgram& program)
    : line_bits_(shape.line_bits), pages_(&pages), program_(&program) {
  if (!shape.memory_side.empty()) pages.number_pages(shape.memories);
}

PageMapping::Thread& PageMapping::add_thread(std::uint32_t process) {
  Thread& added = threads_.emplace_back();
  added.number = static_cast<std::uint32_t>(threads_.size() - 1);
  added.process = process;
  return added;
}

LineKey PageMapping::line_of_zeros(std::uint64_t address, PageClass size) const {
  const std::uint64_t bytes = std::uint64_t{1} << kPageBits[static_cast<std::size_t>(size)];
  return line_key(kZeroPages, zeros_begin(size) + (address & (bytes - 1)), line_bits_);
}

PageMapping::Mapped PageMapping::look_up(Thread& thread, std::uint32_t node, std::uint64_t address,
                                         bool write) {
  const Found found = find_or_map(thread, node, address, write);
  const bool is_small = found.page.size == PageClass::small;
  const std::uint64_t number =
      page_number(thread.process, address, is_small ? PageClass::small : PageClass::huge);
  RecentPage& place = (is_small ? thread.small : thread.huge)[number % kRecentPages];
  place = {number, found.page};
  return {&place.page, found.faulted, found.cleared};
}

PageMapping::Mapped PageMapping::map(const Thread& thread, std::uint32_t node,
                                     std::uint64_t address, bool write) {
  const Found found = find_or_map(thread, node, address, write);
  mapped_ = found.page;
  return {&mapped_, found.faulted, found.cleared};
}

PageMapping::Found PageMapping::find_or_map(const Thread& thread, std::uint32_t node,
                                            std::uint64_t address, bool write) {
  const std::uint32_t process = thread.process;
  Page page;
  const bool is_there = pages_->find(process, address, page);
  const bool copies = is_there && page.zero && write;
  if (is_there && !copies) return {page};
  if (copies) {
    // Linux 6.1 replaces a large zero page by small ones and allocates one small page.
    const std::uint64_t bytes = Pages::bytes_of(page), begin = address & ~(bytes - 1);
    pages_->split(process, address);
    forget_recent(process, begin, begin + bytes);
  }
  page = program_->touch(thread.number, node, address, {.write = write, .small = copies});
  if (page.size == PageClass::huge && pages_->has_small(process, address)) {
    if (!page.zero) program_->dropped(page);
    page = program_->touch(thread.number, node, address, {.write = write, .small = true});
  }
  pages_->place(process, address, page);
  if (Page zeros; page.zero && !pages_->find(kZeroPages, zeros_begin(page.size), zeros))
    pages_->place(kZeroPages, zeros_begin(page.size), page);
  // A fault on a zero page clears no memory.
  return {page, true, page.zero ? PageClass::small : page.size};
}

void PageMapping::discard(std::uint32_t process, std::uint64_t begin, std::uint64_t end) {
  bool some = false;
  pages_->discard(process, begin, end, [&](const Page& page) {
    some = true;
    if (!page.zero) program_->dropped(page);
  });
  if (some) forget_recent(process, begin, end);
}

void PageMapping::remap(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                        std::uint64_t to) {
  pages_->remap(process, begin, end, to);
  program_->remapped(process, begin, end, to);
  forget_recent(process, begin, end);
  forget_recent(process, to, to + (end - begin));
}

void PageMapping::move_to_memory(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                                 std::uint16_t memory) {
  pages_->for_each(process, begin, end, [&](std::uint64_t address, const Page& page) {
    if (page.zero || page.replicated) return;
    Page there = page;
    there.home = memory;
    pages_->place(process, address, there);
  });
  forget_recent(process, begin, end);
}

void PageMapping::forget_recent(std::uint32_t process, std::uint64_t begin, std::uint64_t end) {
  const auto forget = [&](std::array<RecentPage, kRecentPages>& recent, PageClass size) {
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
  for (Thread& thread : threads_) {
    if (thread.process != process) continue;
    forget(thread.small, PageClass::small);
    forget(thread.huge, PageClass::huge);
  }
}

}  // namespace Atoll::simulate
