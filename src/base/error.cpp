// Formats error messages as one line each.
#include "atoll/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/shown.hpp"

namespace Atoll {
namespace {

/// maximum length of a word and of a part of a message, in bytes; longer ones lose their middle
constexpr std::size_t kLongestWord = 256, kLongestPart = 2048;

/// Removes the middle of a text that is longer than `most` bytes, without splitting UTF-8
/// characters.
std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto is_inside = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80;
  };
  std::size_t begin = most / 2 - 8, end = text.size() - begin;
  for (int i = 0; i < 3 && is_inside(begin); ++i) --begin;
  for (int i = 0; i < 3 && is_inside(end); ++i) ++end;
  std::string result(text.substr(0, begin));
  return result.append("...").append(text.substr(end));
}

}  // namespace

std::string shown(std::string_view part) {
  std::string text;
  for (std::size_t at = 0; at <= part.size();) {
    const std::size_t end = std::min(part.find(' ', at), part.size());
    text.append(at == 0 ? "" : " ").append(shortened(part.substr(at, end - at), kLongestWord));
    at = end + 1;
  }
  return shortened(text, kLongestPart);
}

namespace {

constexpr std::string_view kAfterPlace = ": ", kBeforeWayOut = "; ";

std::string join(std::string_view where, std::string_view what, std::string_view way_out) {
  std::string line;
  if (!where.empty()) line.append(shown(where)).append(kAfterPlace);
  line.append(shown(what));
  if (!way_out.empty()) line.append(kBeforeWayOut).append(shown(way_out));
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return line;
}

}  // namespace

Error::Error(Kind kind, std::string_view where, std::string_view what, std::string_view way_out)
    : std::runtime_error(join(where, what, way_out)),
      kind_(kind),
      place_size_(static_cast<std::uint16_t>(shown(where).size())),
      problem_size_(static_cast<std::uint16_t>(shown(what).size())) {}

std::string_view Error::place() const noexcept {
  return {what(), place_size_};
}

std::string_view Error::problem() const noexcept {
  return {what() + (place_size_ == 0 ? 0 : place_size_ + kAfterPlace.size()), problem_size_};
}

std::string_view Error::way_out() const noexcept {
  const std::string_view rest(problem().data() + problem_size_);
  return rest.substr(std::min(rest.size(), kBeforeWayOut.size()));
}

Error Error::input(std::string_view where, std::string_view what, std::string_view way_out) {
  return {Kind::input, where, what, way_out};
}

Error Error::failed(std::string_view where, std::string_view what, std::string_view way_out) {
  return {Kind::failed, where, what, way_out};
}

Error Error::memory(std::string_view where, std::string_view what, std::string_view way_out) {
  return {Kind::memory, where, what, way_out};
}

Error Error::system(std::string_view where, std::string_view tried, int errno_value,
                    std::string_view way_out) {
  std::string what(tried);
  what.append(": ").append(std::generic_category().message(errno_value));
  return {errno_value == ENOMEM ? Kind::memory : Kind::failed, where, what, way_out};
}

}  // namespace Atoll
