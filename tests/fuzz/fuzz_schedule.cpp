// Fuzzes schedule files. Either a one-line Error (input) is thrown, or the schedule is unchanged
// after writing and reading. The checksum is recomputed first, because otherwise all inputs would
// fail its check.
#include <unistd.h>
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/plan/schedule_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace Atoll;
  const auto require = [](bool condition) {
    if (!condition) __builtin_trap();
  };
  constexpr std::size_t kHead = 48;
  std::vector<std::uint8_t> bytes(data, data + size);
  if (size >= kHead) {
    const std::uint64_t all = size;
    const std::uint64_t checksum = XXH3_64bits(bytes.data() + kHead, size - kHead);
    std::memcpy(bytes.data() + 16, &all, sizeof all);
    std::memcpy(bytes.data() + 24, &checksum, sizeof checksum);
  }
  try {
    const Schedule schedule = schedule_from_bytes(std::as_bytes(std::span(bytes)), "schedule");
    const auto path =
        std::filesystem::temp_directory_path() / ("fuzz_schedule." + std::to_string(::getpid()));
    write_schedule(schedule, path);
    require(read_schedule(path) == schedule);
    std::filesystem::remove(path);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    require(error.kind() == Error::Kind::input && message.starts_with("schedule") &&
            message.find('\n') == std::string_view::npos);
  }
  return 0;
}
