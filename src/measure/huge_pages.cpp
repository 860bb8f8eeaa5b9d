// Parses /proc/self/smaps: for each mapping, a line "from-to …", followed by its figures.
#include "measure/huge_pages.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

#include "atoll/base/units.hpp"

namespace Atoll::measure {

std::uint64_t huge_page_bytes(const void* data, std::uint64_t bytes) {
  std::ifstream smaps("/proc/self/smaps");
  return huge_page_bytes(smaps, reinterpret_cast<std::uintptr_t>(data), bytes);
}

std::uint64_t huge_page_bytes(std::istream& smaps, std::uintptr_t address, std::uint64_t bytes) {
  static constexpr std::string_view kKey = "AnonHugePages:";
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    const char* const end = line.data() + line.size();
    std::uintptr_t first = 0, last = 0;
    const auto head = std::from_chars(line.data(), end, first, 16);
    if (head.ptr != end && *head.ptr == '-') {
      std::from_chars(head.ptr + 1, end, last, 16);
      inside = first <= address && address < last;
    } else if (inside && line.starts_with(kKey)) {
      const std::size_t digits = line.find_first_not_of(' ', kKey.size());
      std::uint64_t kibibytes = 0;
      if (digits != std::string::npos) std::from_chars(line.data() + digits, end, kibibytes);
      return std::min(kibibytes * kKiB, bytes);
    }
  }
  return 0;
}

}  // namespace Atoll::measure
