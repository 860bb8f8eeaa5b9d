// Conversion of options to text and back; ranges as text.
#include "atoll/stencil/options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "atoll/base/error.hpp"
#include "atoll/base/numbers.hpp"

namespace Atoll::stencil {

std::string to_string(const Range& range, int dimensions) {
  std::string text;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    text += fmt::format("{}[{},{})", d == 0 ? "" : " x ", range.lo[d], range.hi[d]);
  return text;
}

std::string_view to_string(Mode mode) {
  return mode == Mode::tiled ? "tiled" : mode == Mode::untiled ? "untiled" : "checked";
}

Mode mode_from_text(std::string_view text, std::string_view where) {
  for (const Mode mode : {Mode::tiled, Mode::untiled, Mode::checked})
    if (text == to_string(mode)) return mode;
  throw Error::input(where, fmt::format("'{}' is no mode", text), "give tiled, untiled or checked");
}

double bandwidth_from_text(std::string_view text, std::string_view where) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"B/s", 1}}};
  for (const auto& [unit, factor] : kUnits) {
    if (!text.ends_with(unit)) continue;
    std::string_view digits = text.substr(0, text.size() - unit.size());
    while (digits.ends_with(' ')) digits.remove_suffix(1);
    if (const std::optional<double> number = parse_real(digits); number && *number > 0)
      return *number * factor;
    break;
  }
  throw Error::input(where, fmt::format("'{}' is no bandwidth", text), "write 470GB/s or 11 GB/s");
}

Without without_from_text(std::string_view text, std::string_view where) {
  Without without;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    bool* const flag = word == "read-only"     ? &without.read_only
                       : word == "write-first" ? &without.write_first
                       : word == "cyclic"      ? &without.cyclic
                       : word == "prefetch"    ? &without.prefetch
                       : word == "summary"     ? &without.summary
                                               : nullptr;
    if (flag == nullptr)
      throw Error::input(where, fmt::format("'{}' is no optimisation", word),
                         "give read-only, write-first, cyclic, prefetch or summary");
    *flag = true;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return without;
}

std::string to_string(const TileSize& tile) {
  if (tile.chosen()) return "chosen";
  std::size_t last = tile.points.size();
  while (tile.points[last - 1] == 0) --last;
  std::string text;
  for (std::size_t d = 0; d < last; ++d)
    text += (d == 0 ? "" : "x") + (tile.points[d] == 0 ? "all" : std::to_string(tile.points[d]));
  return text;
}

TileSize tile_from_text(std::string_view text, std::string_view where) {
  TileSize tile;
  std::string_view rest = text;
  for (std::size_t d = 0; d < tile.points.size(); ++d) {
    if (rest.starts_with("all")) {
      rest.remove_prefix(3);
    } else {
      const auto [end, error] =
          std::from_chars(rest.data(), rest.data() + rest.size(), tile.points[d]);
      if (error != std::errc() || tile.points[d] < 1) break;
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    }
    if (rest.empty()) {
      if (!tile.chosen()) return tile;
      break;
    }
    if (rest[0] != 'x') break;
    rest.remove_prefix(1);
  }
  throw Error::input(where, fmt::format("'{}' is no size of a tile", text),
                     "give one to three numbers of points above 0, such as 480x16 or allx16");
}

}  // namespace Atoll::stencil
