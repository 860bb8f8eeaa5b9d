// Pages reserved for a benchmark if the process may do so (as root); otherwise the pools are
// unchanged.
#pragma once

#include <atoll/plan/layout.hpp>
#include <cstdint>
#include <fstream>
#include <string>

namespace Atoll::bench {

/// Adds pages to the system's pool during its lifetime.
class PagePool {
 public:
  PagePool(PageSize pages, std::size_t bytes)
      : file_("/sys/kernel/mm/hugepages/hugepages-" + std::to_string(page_bytes(pages) / 1024) +
              "kB/nr_hugepages") {
    std::ifstream(file_) >> before_;
    write(before_ + bytes / page_bytes(pages));
  }
  ~PagePool() { write(before_); }
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

 private:
  void write(std::uint64_t pages) const { std::ofstream(file_) << pages << std::flush; }

  std::string file_;
  std::uint64_t before_ = 0;
};

}  // namespace Atoll::bench
