// Names of the recording's enumerators.
#include "atoll/recording/recording.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace Atoll::recording {
namespace {

constexpr std::array<std::pair<Frontend, std::string_view>, 4> kFrontends{
    {{Frontend::compiled, "compiled"},
     {Frontend::gcc, "gcc"},
     {Frontend::dbi, "dbi"},
     {Frontend::sample, "sample"}}};

}  // namespace

std::string_view to_string(Frontend frontend) {
  return std::ranges::find(kFrontends, frontend, &std::pair<Frontend, std::string_view>::first)
      ->second;
}

std::optional<Frontend> frontend_from_string(std::string_view word) {
  const auto found =
      std::ranges::find(kFrontends, word, &std::pair<Frontend, std::string_view>::second);
  if (found == kFrontends.end()) return std::nullopt;
  return found->first;
}

std::string_view to_string(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::heap:
      return "heap";
    case ObjectKind::pool:
      return "pool";
    case ObjectKind::global:
      return "global";
    case ObjectKind::stack:
      return "stack";
    case ObjectKind::mapping:
      return "mapping";
    case ObjectKind::other:
      break;
  }
  return "other";
}

std::uint32_t main_object(std::span<const ObjectLines> lines) {
  std::uint32_t most = kNone;
  int words = 0;
  for (const ObjectLines& part : lines)
    if (const int own = (part.end_line - part.first_line) * std::popcount(part.words);
        own > words) {
      words = own;
      most = part.object;
    }
  return most;
}

}  // namespace Atoll::recording
