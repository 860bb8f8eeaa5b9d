#include "recording/thread_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>

namespace Atoll::recording {
namespace {

/// Removes the next number from the text and returns it: decimal, or hexadecimal after 0x.
std::optional<std::uint64_t> next_number(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  const bool is_hexadecimal = text.starts_with("0x");
  if (is_hexadecimal) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, is_hexadecimal ? 16 : 10);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

int opened(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

std::string path_of(int pid, int tid, const char* name) {
  return fmt::format("/proc/{}/task/{}/{}", pid, tid, name);
}

std::string text_of(int pid, int tid, const char* name) {
  const int file = opened(path_of(pid, tid, name));
  if (file < 0) return {};
  std::array<char, 4096> text;
  const ssize_t bytes = ::read(file, text.data(), text.size());
  ::close(file);
  return bytes <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(bytes));
}

char letter_in(std::string_view stat) {
  const std::size_t name_ends = stat.rfind(") ");  // follows the tid and the name
  return name_ends == std::string_view::npos || name_ends + 2 >= stat.size() ? '\0'
                                                                             : stat[name_ends + 2];
}

LiveStreams::State state_by(char letter) {
  switch (letter) {
    case 0:
    case 'Z':
    case 'X':
      return LiveStreams::State::ended;
    case 'S':
      return LiveStreams::State::sleeps;
    default:  // includes stopped threads, which will be continued
      return LiveStreams::State::runs;
  }
}

std::uint64_t time_in(const std::string& schedstat) {
  return std::strtoull(schedstat.c_str(), nullptr, 10);
}

bool waits_for_futex(std::string_view syscall_file, bool may_have_limit) {
  if (next_number(syscall_file) != static_cast<std::uint64_t>(SYS_futex)) return false;
  std::array<std::uint64_t, 4> arguments{};  // address, operation, value, timeout
  for (std::uint64_t& one : arguments) {
    const auto number = next_number(syscall_file);
    if (!number) return false;
    one = *number;
  }
  const auto command = static_cast<int>(arguments[1]) & FUTEX_CMD_MASK;
  const bool waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET ||
                     command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2;
  return waits && (may_have_limit || arguments[3] == 0);
}

std::optional<std::uint64_t> times_scheduled(std::string_view schedstat) {
  std::optional<std::uint64_t> number;
  for (int column = 0; column < 3; ++column) {
    number = next_number(schedstat);
    if (!number) return std::nullopt;
  }
  return *number == 0 ? std::nullopt : number;
}

}  // namespace Atoll::recording
