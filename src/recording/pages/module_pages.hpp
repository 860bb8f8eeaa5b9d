// Accessed pages of programs and libraries. Modules and variables become objects only if they are
// on accessed pages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "recording/region_view.hpp"

namespace Atoll::recording {

class ModulePages {
 public:
  /// `parents` has for each process its parent by a fork (kNone: none), whose number is smaller.
  explicit ModulePages(std::vector<std::uint32_t> parents)
      : parents_(std::move(parents)), ranges_(parents_.size()), pages_(parents_.size()) {}

  /// Must be called for all modules first.
  void add_module(std::uint32_t process, std::uint64_t begin, std::uint64_t end);
  /// Adds the pages that a thread accessed.
  void add_thread(const RegionView& region, std::uint32_t process,
                  const record::ThreadRecord& thread);
  void add_page(std::uint32_t process, std::uint64_t page) { note(process, page); }
  /// Returns true if the process, or a fork of it, accessed a page of [begin, end). All pages must
  /// have been added.
  [[nodiscard]] bool accessed(std::uint32_t process, std::uint64_t begin, std::uint64_t end);

 private:
  struct Range {
    std::uint64_t begin, end;  ///< once sorted, `end` is the maximum so far
  };
  struct Pages {
    std::vector<std::uint64_t> numbers;
    bool sorted = false;
  };
  void sort_ranges();
  void note(std::uint32_t process, std::uint64_t page);

  std::vector<std::uint32_t> parents_;
  std::vector<std::vector<Range>> ranges_;
  bool ranges_sorted_ = false;
  std::vector<Pages> pages_;
};

}  // namespace Atoll::recording
