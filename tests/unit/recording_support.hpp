// Records in a child process, as in recorded programs, and reads the child's region afterwards.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <utility>

#include "record/recorder.hpp"
#include "recording/read_region.hpp"
#include "recording/shared_region.hpp"

namespace Atoll::recording {

/// Address of most accesses in the tests. It need not be mapped.
inline constexpr std::uint64_t kBase = 0x7f00'0000'0000;

/// Content of one page, by thread.
struct PageRead {
  std::vector<ThreadOnPage> threads;
};

struct Pages : Consumer {
  std::map<std::pair<std::uint32_t, std::uint64_t>, PageRead> pages;
  void page(const PageAccesses& accesses) override {
    pages[{accesses.process, accesses.page}] = {{accesses.threads.begin(), accesses.threads.end()}};
  }
  [[nodiscard]] std::uint64_t reads() const {
    std::uint64_t sum = 0;
    for (const auto& [at, page] : pages)
      for (const ThreadOnPage& thread : page.threads) sum += thread.reads;
    return sum;
  }
  [[nodiscard]] std::uint64_t writes() const {
    std::uint64_t sum = 0;
    for (const auto& [at, page] : pages)
      for (const ThreadOnPage& thread : page.threads) sum += thread.writes;
    return sum;
  }
};

/// Runs `work` in a child process that records into `region`. Returns the child's wait status.
template <typename Work>
int in_child(const Region& region, Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!record::attach(region.path().c_str())) ::_exit(99);
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

inline Pages read(const Region& region, const PhysicalPages& same = {}) {
  static const std::vector<ObjectLines> kNothing{{.object = 0, .first_line = 0, .end_line = 64}};
  Pages pages;
  read_counts(
      RegionView(region.header()), same,
      [](std::uint32_t, std::uint64_t) { return std::span(kNothing); }, {}, pages);
  return pages;
}

}  // namespace Atoll::recording
