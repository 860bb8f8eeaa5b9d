// Which pages of programs and libraries were accessed: only what lies there becomes an object.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/region_view.hpp"

namespace Atoll::trace {

class ModulePages {
 public:
  /// For each process its parent by a fork (kNone: none), which comes before it.
  explicit ModulePages(std::vector<std::uint32_t> parents)
      : parents_(std::move(parents)), ranges_(parents_.size()), pages_(parents_.size()) {}

  /// First all modules, …
  void add_module(std::uint32_t process, std::uint64_t begin, std::uint64_t end);
  /// … then what each thread accessed, …
  void add_thread(const RegionView& region, std::uint32_t process,
                  const recorder::ThreadRecord& thread);
  void add_page(std::uint32_t process, std::uint64_t page) { note(process, page); }
  /// … then whether the process, or a fork of it, accessed a page of [begin, end).
  [[nodiscard]] bool accessed(std::uint32_t process, std::uint64_t begin, std::uint64_t end);

 private:
  struct Range {
    std::uint64_t begin, end;  ///< once sorted: end is the greatest so far
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

}  // namespace Atoll::trace
