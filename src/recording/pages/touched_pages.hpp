// Collects the pages that streams access while the streams are drained. Modules and their variables
// become objects only if they are accessed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "recording/read_events.hpp"

namespace Atoll::recording {

class TouchedPages {
 public:
  /// Adds whole records of a thread of the process.
  void add(record::Offset process, std::span<const std::uint64_t> words);
  [[nodiscard]] StreamedPages take() const;

 private:
  static constexpr std::uint64_t kPagesOfPart = 1 << 15;
  /// Bit mask of consecutive pages.
  struct Part {
    std::uint64_t bits[kPagesOfPart / 64] = {};
  };
  struct Process {
    std::unordered_map<std::uint64_t, std::unique_ptr<Part>> parts;  ///< by page / kPagesOfPart
    std::uint64_t last_number = ~std::uint64_t{0};
    Part* last = nullptr;
  };
  static void note(Process& process, std::uint64_t page);
  static void note_range(Process& process, std::uint64_t address, std::uint64_t step,
                         std::uint64_t n, std::uint64_t bytes);

  std::map<record::Offset, Process> processes_;
};

}  // namespace Atoll::recording
