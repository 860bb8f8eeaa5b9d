// Pages of the simulated program, mapped as in Linux: at the first access, or when the kernel is
// asked to. A first read of private memory maps a shared zero page; the first write allocates a
// page. The program decides where a page is placed. Each thread has a table of its recent pages, so
// that most accesses don't look up Pages.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "simulate/line_key.hpp"
#include "simulate/pages.hpp"
#include "simulate/program.hpp"
#include "simulate/shape.hpp"

namespace Atoll::simulate {

class PageMapping {
 public:
  /// All references must outlive this object.
  PageMapping(const Shape& shape, Pages& pages, SimulatedProgram& program);

  /// A thread with its recent pages.
  class Thread;
  /// Adds the next thread, of that process.
  Thread& add_thread(std::uint32_t process);

  /// Page of an access.
  struct Mapped {
    const Page* page;   ///< valid until the next call
    bool faulted;       ///< the access caused a page fault,
    PageClass cleared;  ///< which cleared memory of that size
  };
  /// The page of an address, which is mapped if it is unmapped, or if it is a zero page and `write`
  /// is true. The thread runs on `node`.
  [[nodiscard]] Mapped page_of(Thread& thread, std::uint32_t node, std::uint64_t address,
                               bool write);
  /// As page_of(), for a call that maps pages: doesn't count as a recent use.
  [[nodiscard]] Mapped map(const Thread& thread, std::uint32_t node, std::uint64_t address,
                           bool write);
  /// Unmaps the pages of a range.
  void discard(std::uint32_t process, std::uint64_t begin, std::uint64_t end);
  /// Moves the pages of a range to another address.
  void remap(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint64_t to);
  /// Moves the pages of a range to another memory, except zero pages and replicated ones.
  void move_to_memory(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                      std::uint16_t memory);

  /// The line that an access to a zero page reads.
  [[nodiscard]] LineKey line_of_zeros(std::uint64_t address, PageClass size) const;
  /// Number of the page of that size, with the process as in LineKey.
  [[nodiscard]] static std::uint64_t page_number(std::uint64_t process, std::uint64_t address,
                                                 PageClass size) {
    return (address & ((std::uint64_t{1} << kAddressBits) - 1)) >>
               kPageBits[static_cast<std::size_t>(size)] |
           process << 36;
  }

 private:
  struct RecentPage {
    std::uint64_t number = ~std::uint64_t{0};
    Page page;
  };
  static constexpr std::size_t kRecentPages = 256;  ///< small ones, and as many larger ones
  [[nodiscard]] Mapped look_up(Thread& thread, std::uint32_t node, std::uint64_t address,
                               bool write);
  /// A mapped page, with the members of Mapped.
  struct Found {
    Page page;
    bool faulted = false;
    PageClass cleared = PageClass::small;
  };
  [[nodiscard]] Found find_or_map(const Thread& thread, std::uint32_t node, std::uint64_t address,
                                  bool write);
  /// Drops the range from the recent pages of all threads of the process.
  void forget_recent(std::uint32_t process, std::uint64_t begin, std::uint64_t end);

  int line_bits_;
  Pages* pages_;
  SimulatedProgram* program_;
  std::deque<Thread> threads_;
  Page mapped_;  ///< the page that map() returned last
};

class PageMapping::Thread {
  friend PageMapping;
  std::uint32_t number = 0, process = 0;
  std::array<RecentPage, kRecentPages> small, huge;
};

inline PageMapping::Mapped PageMapping::page_of(Thread& thread, std::uint32_t node,
                                                std::uint64_t address, bool write) {
  const std::uint64_t huge = page_number(thread.process, address, PageClass::huge);
  const RecentPage& recent_huge = thread.huge[huge % kRecentPages];
  if (recent_huge.number == huge && !(recent_huge.page.zero && write))
    return {&recent_huge.page, false, PageClass::small};
  const std::uint64_t number = page_number(thread.process, address, PageClass::small);
  const RecentPage& recent_small = thread.small[number % kRecentPages];
  if (recent_small.number == number && !(recent_small.page.zero && write))
    return {&recent_small.page, false, PageClass::small};
  return look_up(thread, node, address, write);
}

}  // namespace Atoll::simulate
