// Stencils: named shapes and lists of offsets.
#include "atoll/stencil/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "atoll/base/error.hpp"

namespace Atoll::stencil {
namespace {

int part(const Offset& offset, int dimension) {
  return dimension == 0 ? offset.x : dimension == 1 ? offset.y : offset.z;
}

/// Returns the process-wide copy of a list of offsets. Elements of a set have stable addresses.
const std::vector<Offset>* shared(std::vector<Offset> offsets) {
  static std::mutex mutex;
  static std::set<std::vector<Offset>> lists;
  const std::lock_guard lock(mutex);
  return &*lists.insert(std::move(offsets)).first;
}

}  // namespace

Stencil::Stencil(std::initializer_list<Offset> offsets) {
  // A single offset is a box, which needs no list.
  if (offsets.size() == 1)
    *this = box(*offsets.begin(), *offsets.begin());
  else
    *this = Stencil(std::vector<Offset>(offsets));
}

Stencil::Stencil(std::vector<Offset> offsets) : kind_(Kind::list) {
  if (offsets.empty())
    throw Error::input("stencil", "a list of offsets is empty", "give one offset at least");
  std::ranges::sort(offsets);
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  lo_ = hi_ = {offsets[0].x, offsets[0].y, offsets[0].z};
  for (const Offset& offset : offsets)
    for (std::size_t d = 0; d < lo_.size(); ++d) {
      lo_[d] = std::min(lo_[d], part(offset, static_cast<int>(d)));
      hi_[d] = std::max(hi_[d], part(offset, static_cast<int>(d)));
    }
  if (offsets.size() == 1)
    kind_ = Kind::box;
  else
    list_ = shared(std::move(offsets));
}

bool Stencil::has(Offset offset) const {
  if (kind_ == Kind::list) return std::ranges::binary_search(*list_, offset);
  int others = 0;
  for (int d = 0; d < kMaxDimensions; ++d) {
    const int at = part(offset, d);
    if (at < lo_[static_cast<std::size_t>(d)] || at > hi_[static_cast<std::size_t>(d)])
      return false;
    others += at != 0;
  }
  return kind_ == Kind::box || others <= 1;
}

std::vector<int> Stencil::along(int dimension) const {
  std::vector<int> found;
  if (kind_ == Kind::list) {
    for (const Offset& offset : *list_) found.push_back(part(offset, dimension));
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }
  const auto d = static_cast<std::size_t>(dimension);
  for (int at = lo_[d]; at <= hi_[d]; ++at) found.push_back(at);
  return found;
}

namespace detail {

void refuse_radius(int radius) {
  throw Error::input("stencil", fmt::format("the radius is {}", radius), "give 0 or more points");
}
void refuse_box() {
  throw Error::input("stencil", "a box's first offset is behind its last one",
                     "give the least offsets first");
}
void refuse_dimension(int dimension) {
  throw Error::input("stencil", fmt::format("there is no dimension {}", dimension),
                     "0, 1 and 2 are x, y and z");
}

}  // namespace detail

std::string to_string(const Stencil& stencil) {
  if (stencil.kind_ == Stencil::Kind::star) return fmt::format("star({})", stencil.hi_[0]);
  if (stencil.kind_ == Stencil::Kind::box) {
    if (stencil.is_point()) return "point";
    if (stencil.lo_ == stencil.hi_)
      return fmt::format("{{({},{},{})}}", stencil.lo_[0], stencil.lo_[1], stencil.lo_[2]);
    return fmt::format("box(({},{},{}), ({},{},{}))", stencil.lo_[0], stencil.lo_[1],
                       stencil.lo_[2], stencil.hi_[0], stencil.hi_[1], stencil.hi_[2]);
  }
  std::string text;
  for (const Offset& offset : *stencil.list_)
    text += fmt::format("{}({},{},{})", text.empty() ? "" : ", ", offset.x, offset.y, offset.z);
  return "{" + text + "}";
}

}  // namespace Atoll::stencil
