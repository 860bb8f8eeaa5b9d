// Step functions of labels.
#include "stencil/steps.hpp"

#include <algorithm>
#include <limits>

namespace Atoll::stencil {

namespace {

/// Returns the index of the zone of a coordinate.
std::size_t zone_at(const Zones& zones, int at) {
  const auto after = std::ranges::upper_bound(zones.zones, at, {}, &Zone::begin);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, after - zones.zones.begin())) - 1;
}

int end_of(const Zones& zones, std::size_t zone) {
  return zone + 1 < zones.zones.size() ? zones.zones[zone + 1].begin
                                       : std::numeric_limits<int>::max();
}

/// Returns the join of two labels at coordinate `at`. Lowers `until` to the coordinate from which
/// the join may differ.
inline Label join_at(const Zones& zones, Label a, Label b, int at, int& until) {
  if (a < 0) return b;
  if (b < 0) return a;
  if (group_of(a) == group_of(b)) return std::max(a, b);
  const std::size_t zone = zone_at(zones, at);
  until = std::min(until, end_of(zones, zone));
  return join_groups(a, b, zones.zones[zone], zones.bands);
}

}  // namespace

Steps::Steps(const Zones& zones, int lo, int hi, bool home) : blank_(!home) {
  if (lo >= hi) return;
  if (!home) {
    pieces_.push_back({lo, hi, kNoLabel});
    return;
  }
  pieces_.reserve(std::min(static_cast<std::size_t>(hi - lo), zones.zones.size() + 4));
  for (std::size_t z = zone_at(zones, lo); lo < hi; ++z) {
    const int end = std::min(hi, end_of(zones, z));
    if (!pieces_.empty() && pieces_.back().label == zones.zones[z].home)
      pieces_.back().end = end;
    else
      pieces_.push_back({lo, end, zones.zones[z].home});
    lo = end;
  }
}

/// Returns the first coordinate in [lo, hi) whose label a join with the source would change; hi if
/// there is none.
int Steps::first_change(const Zones& zones, int lo, int hi, const Steps& source, int shift) const {
  lo = std::max({lo, this->lo(), source.lo() - shift});
  const int end = std::min({hi, this->hi(), source.hi() - shift});
  if (lo >= end) return hi;
  const Piece *mine = pieces_.data(), *other = source.pieces_.data();
  while (mine->end <= lo) ++mine;
  while (other->end - shift <= lo) ++other;
  for (int at = lo; at < end;) {
    const int mine_end = mine->end, other_end = other->end - shift;
    int until = std::min(mine_end, other_end);
    if (join_at(zones, mine->label, other->label, at, until) != mine->label) return at;
    at = until;
    mine += mine_end == at;
    other += other_end == at;
  }
  return hi;
}

/// Rebuilds the pieces. Pieces within [lo, hi) are also split at the bounds of the source's pieces.
/// Each part gets the label label_at(its label, the source's label, begin, end), which may lower
/// `end`, at most `most` times in total.
template <class Change>
void Steps::change(int lo, int hi, const Steps* source, int shift, std::size_t most,
                   Change&& label_at) {
  lo = std::max(lo, this->lo());
  hi = std::min(hi, this->hi());
  if (source != nullptr) {
    lo = std::max(lo, source->lo() - shift);
    hi = std::min(hi, source->hi() - shift);
  }
  if (lo >= hi) return;
  static thread_local std::vector<Piece> room;
  most += pieces_.size() + (source == nullptr ? 0 : source->pieces_.size()) + 2;
  if (room.size() < most) room.resize(most);
  const Piece *piece = pieces_.data(), *const end = piece + pieces_.size();
  const Piece* first = piece;  // first piece that changes
  while (first->end <= lo) ++first;
  Piece* next = std::copy(piece, first, room.data());  // position for the next piece
  const auto add = [&](int begin, int piece_end, Label label) {
    if (next != room.data() && next[-1].label == label)
      next[-1].end = piece_end;
    else
      *next++ = {begin, piece_end, label};
  };
  const Piece* other = source == nullptr ? nullptr : source->pieces_.data();
  for (piece = first; piece != end && piece->begin < hi; ++piece) {
    if (piece->begin < lo) add(piece->begin, lo, piece->label);
    const int within = std::min(piece->end, hi);
    for (int at = std::max(piece->begin, lo); at < within;) {
      int until = within;
      Label theirs = kNoLabel;
      if (other != nullptr) {
        while (other->end - shift <= at) ++other;
        until = std::min(within, other->end - shift);
        theirs = other->label;
      }
      const Label label = label_at(piece->label, theirs, at, until);
      add(at, until, label);
      at = until;
    }
    if (piece->end > hi) add(hi, piece->end, piece->label);
  }
  if (piece != end) {
    add(piece->begin, piece->end, piece->label);
    next = std::copy(piece + 1, end, next);
  }
  pieces_.assign(room.data(), next);
}

void Steps::join(const Zones& zones, int lo, int hi, const Steps& source, int shift) {
  if (source.blank_ || source.pieces_.empty() || pieces_.empty()) return;
  // Most joins change nothing, because the previous loop already moved the bounds as far.
  lo = first_change(zones, lo, hi, source, shift);
  if (lo >= hi) return;
  blank_ = false;
  change(lo, hi, &source, shift, zones.zones.size(),
         [&](Label mine, Label theirs, int at, int& until) {
           return join_at(zones, mine, theirs, at, until);
         });
}

void Steps::join(const Zones& zones, int lo, int hi, Label label) {
  if (label < 0 || pieces_.empty()) return;
  blank_ = false;
  change(lo, hi, nullptr, 0, zones.zones.size(), [&](Label mine, Label, int at, int& until) {
    return join_at(zones, mine, label, at, until);
  });
}

void Steps::assign(int lo, int hi, const Steps& source) {
  if (source.pieces_.empty() || pieces_.empty()) return;
  blank_ = false;
  change(lo, hi, &source, 0, 0, [](Label, Label theirs, int, int&) { return theirs; });
}

void Steps::clear(int lo, int hi) {
  if (blank_ || pieces_.empty()) return;
  change(lo, hi, nullptr, 0, 0, [](Label, Label, int, int&) { return kNoLabel; });
}

Label Steps::all(const Zone& zone, int bands) const {
  Label label = kNoLabel;
  for (const Piece& piece : pieces_) label = Atoll::stencil::join(label, piece.label, zone, bands);
  return label;
}

void Steps::make_blocks(const Zones& zones, int block) {
  if (pieces_.size() < 2) return;
  const int first = lo();
  // Only blocks with several labels change.
  std::size_t p = 0;
  while (p < pieces_.size()) {
    const int begin = first + (pieces_[p].begin - first) / block * block;
    const int end = std::min(hi(), begin + block);
    Label label = kNoLabel;
    bool differ = false;
    std::size_t q = p;
    if (pieces_[p].begin > begin) --q;  // the block begins within the previous piece
    for (; q < pieces_.size() && pieces_[q].begin < end; ++q) {
      const Piece& piece = pieces_[q];
      differ = differ || (label >= 0 && label != piece.label);
      // Zone by zone, so that the label is valid in the zone in which the block ends.
      for (int at = std::max(begin, piece.begin); at < std::min(end, piece.end);) {
        const std::size_t zone = zone_at(zones, at);
        label = Atoll::stencil::join(label, piece.label, zones.zones[zone], zones.bands);
        at = end_of(zones, zone);
      }
    }
    if (differ) change(begin, end, nullptr, 0, 0, [&](Label, Label, int, int&) { return label; });
    // The number of pieces may have changed: continue after the block.
    p = static_cast<std::size_t>(
        std::lower_bound(pieces_.begin(), pieces_.end(), end,
                         [](const Piece& piece, int at) { return piece.begin < at; }) -
        pieces_.begin());
  }
}

}  // namespace Atoll::stencil
