// Puts error messages together, so that each is one line.
#include "atoll/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace Atoll {
namespace {

std::string join(std::string_view where, std::string_view what, std::string_view way_out) {
  std::string line;
  if (!where.empty()) line.append(where).append(": ");
  line.append(what);
  if (!way_out.empty()) line.append("; ").append(way_out);
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return line;
}

}  // namespace

Error::Error(Kind kind, std::string_view where, std::string_view what, std::string_view way_out)
    : std::runtime_error(join(where, what, way_out)), kind_(kind) {}

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
