// Drawing of a plan: the part of each loop that each tile runs, in one dimension.
#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "stencil/cut.hpp"

namespace Atoll::stencil {
namespace {

/// Escapes text for XML.
std::string escaped(const std::string& text) {
  std::string made;
  for (const char c : text) {
    if (c == '<')
      made += "&lt;";
    else if (c == '>')
      made += "&gt;";
    else if (c == '&')
      made += "&amp;";
    else
      made += c;
  }
  return made;
}

/// Neighbouring tiles differ in hue; gaps are darker than bands, the remainder is grey.
std::string colour_of(int tile, int phase) {
  if (phase == Plan::Group::kLeft) return fmt::format("hsl(0,0%,{}%)", 45 + tile % 3 * 12);
  return fmt::format("hsl({},{}%,{}%)", tile * 137 % 360, phase == 1 ? 65 : 80,
                     phase == 1 ? 75 : 50);
}

/// Sizes of the drawing in pixels.
struct Sizes {
  double left = 150, width = 900, top = 30, row = 12;
  double lo = 0, hi = 1;  ///< range of coordinates

  [[nodiscard]] double x(double coordinate) const {
    return left + (coordinate - lo) / std::max(1.0, hi - lo) * width;
  }
};

}  // namespace

std::string to_svg(const Chain& chain, const Plan& plan, int segment, int level) {
  if (segment < 0 || segment >= static_cast<int>(plan.segments.size()))
    throw Error::input("drawing", fmt::format("the plan has no segment {}", segment),
                       fmt::format("it has {}", plan.segments.size()));
  if (level < 0 || level >= kMaxDimensions)
    throw Error::input("drawing", fmt::format("there is no level {}", level), "0 is the outermost");
  const Plan::Segment& of = plan.segments[static_cast<std::size_t>(segment)];
  const int loops = of.end - of.first;
  Sizes sizes;
  sizes.row = std::clamp(900.0 / std::max(1, loops), 4.0, 16.0);
  bool any = false;
  for (int l = of.first; l < of.end; ++l)
    for (int tile = 0; tile < of.tiling->tiles[static_cast<std::size_t>(level)]; ++tile)
      for (const Plan::Interval& part :
           Plan::of_tile(of.cuts(l)[static_cast<std::size_t>(level)], tile)) {
        sizes.lo = any ? std::min<double>(sizes.lo, part.lo) : part.lo;
        sizes.hi = any ? std::max<double>(sizes.hi, part.hi) : part.hi;
        any = true;
      }
  const double bottom = sizes.top + sizes.row * loops;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"{:.0f}\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n<text x=\"4\" y=\"18\" font-size=\"13\">loops downwards, {} to the right: "
      "{} "
      "tiles{}</text>\n",
      sizes.left + sizes.width + 20, bottom + 34, std::min(11.0, sizes.row),
      level == 0 ? "the outermost dimension" : "an inner dimension",
      of.tiling->tiles[static_cast<std::size_t>(level)],
      of.tiling->grid[static_cast<std::size_t>(level)] > 1 || level == 0
          ? fmt::format(" in {} groups; dark ones lie between bands", of.tiling->groups.size())
          : "");
  for (int l = of.first; l < of.end; ++l) {
    const double y = sizes.top + sizes.row * (l - of.first);
    const auto& cut = of.cuts(l)[static_cast<std::size_t>(level)];
    if (sizes.row >= 7)
      svg += fmt::format("<text x=\"4\" y=\"{:.1f}\">{}</text>\n", y + sizes.row * 0.8,
                         escaped(chain.loops[static_cast<std::size_t>(l)].name.substr(0, 24)));
    for (int tile = 0; tile < of.tiling->tiles[static_cast<std::size_t>(level)]; ++tile) {
      int phase = Plan::Group::kLeft;
      for (const Plan::Group& group : of.tiling->groups)
        if (group.has(static_cast<std::size_t>(level), tile)) phase = std::min(phase, group.phase);
      for (const Plan::Interval& part : Plan::of_tile(cut, tile))
        svg += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\" "
            "stroke=\"{}\" stroke-width=\"{}\"><title>{}: tile {} [{},{})</title></rect>\n",
            sizes.x(part.lo), y, sizes.x(part.hi) - sizes.x(part.lo), sizes.row,
            colour_of(tile, phase), phase == 1 ? "white" : "black", phase == 1 ? 0.3 : 0.6,
            escaped(chain.loops[static_cast<std::size_t>(l)].name), tile, part.lo, part.hi);
    }
  }
  for (const double at : {sizes.lo, (sizes.lo + sizes.hi) / 2, sizes.hi})
    svg += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\" text-anchor=\"middle\">{:.0f}</text>\n",
        sizes.x(at), bottom + 16, at);
  return svg + "</svg>\n";
}

}  // namespace Atoll::stencil
