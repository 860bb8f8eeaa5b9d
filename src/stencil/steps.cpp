// Step functions of labels.
#include "stencil/steps.hpp"

#include <algorithm>

namespace Atoll::stencil {

Steps::Steps(const Zones& zones, int lo, int hi, bool home) : blank_(!home) {
  pieces_.reserve(zones.zones.size());
  for (std::size_t z = 0; z < zones.zones.size(); ++z) {
    const int begin = z == 0 ? lo : std::max(lo, zones.zones[z].begin);
    const int end = z + 1 == zones.zones.size() ? hi : std::min(hi, zones.zones[z + 1].begin);
    if (begin < end)
      pieces_.push_back({begin, end, home ? zones.zones[z].home : kNoLabel, static_cast<int>(z)});
  }
}

/// True if change() would give a piece another label.
template <class Change>
bool Steps::changes(int lo, int hi, const Steps& source, int shift, Change&& label_of_piece) const {
  lo = std::max({lo, this->lo(), source.lo() - shift});
  hi = std::min({hi, this->hi(), source.hi() - shift});
  if (lo >= hi) return false;
  const Piece *mine = pieces_.data(), *other = source.pieces_.data();
  while (mine->end <= lo) ++mine;
  while (other->end - shift <= lo) ++other;
  for (int at = lo; at < hi;) {
    if (label_of_piece(*mine, other->label) != mine->label) return true;
    const int mine_end = mine->end, other_end = other->end - shift;
    at = std::min(mine_end, other_end);
    mine += mine_end == at;
    other += other_end == at;
  }
  return false;
}

/// Makes all pieces anew: those within [lo, hi), which are cut where the source's pieces begin,
/// too, get what label_of_piece(piece, the source's label) returns.
template <class Change>
void Steps::change(int lo, int hi, const Steps* source, int shift, Change&& label_of_piece) {
  lo = std::max(lo, this->lo());
  hi = std::min(hi, this->hi());
  if (source != nullptr) {
    lo = std::max(lo, source->lo() - shift);
    hi = std::min(hi, source->hi() - shift);
  }
  if (lo >= hi) return;
  static thread_local std::vector<Piece> room;
  const std::size_t most = pieces_.size() + (source == nullptr ? 0 : source->pieces_.size()) + 2;
  if (room.size() < most) room.resize(most);
  const Piece *piece = pieces_.data(), *const end = piece + pieces_.size();
  const Piece* first = piece;  // that changes
  while (first->end <= lo) ++first;
  Piece* next = std::copy(piece, first, room.data());  // where the next one goes
  const auto add = [&](int begin, int piece_end, Label label, int zone) {
    if (next != room.data() && next[-1].label == label && next[-1].zone == zone)
      next[-1].end = piece_end;
    else
      *next++ = {begin, piece_end, label, zone};
  };
  const Piece* other = source == nullptr ? nullptr : source->pieces_.data();
  for (piece = first; piece != end && piece->begin < hi; ++piece) {
    if (piece->begin < lo) add(piece->begin, lo, piece->label, piece->zone);
    const int within = std::min(piece->end, hi);
    for (int at = std::max(piece->begin, lo); at < within;) {
      int until = within;
      Label theirs = kNoLabel;
      if (other != nullptr) {
        while (other->end - shift <= at) ++other;
        until = std::min(within, other->end - shift);
        theirs = other->label;
      }
      add(at, until, label_of_piece(*piece, theirs), piece->zone);
      at = until;
    }
    if (piece->end > hi) add(hi, piece->end, piece->label, piece->zone);
  }
  if (piece != end) {
    add(piece->begin, piece->end, piece->label, piece->zone);
    next = std::copy(piece + 1, end, next);
  }
  pieces_.assign(room.data(), next);
}

void Steps::join(const Zones& zones, int lo, int hi, const Steps& source, int shift) {
  if (source.blank_ || source.pieces_.empty() || pieces_.empty()) return;
  const auto joined = [&](const Piece& piece, Label theirs) {
    return Atoll::stencil::join(piece.label, theirs,
                                zones.zones[static_cast<std::size_t>(piece.zone)], zones.bands);
  };
  // Most joins change nothing: the loop before has moved the bounds as far already.
  if (!changes(lo, hi, source, shift, joined)) return;
  blank_ = false;
  change(lo, hi, &source, shift, joined);
}

void Steps::join(const Zones& zones, int lo, int hi, Label label) {
  if (label < 0 || pieces_.empty()) return;
  blank_ = false;
  change(lo, hi, nullptr, 0, [&](const Piece& piece, Label) {
    return Atoll::stencil::join(piece.label, label,
                                zones.zones[static_cast<std::size_t>(piece.zone)], zones.bands);
  });
}

void Steps::assign(int lo, int hi, const Steps& source) {
  if (source.pieces_.empty() || pieces_.empty()) return;
  blank_ = false;
  change(lo, hi, &source, 0, [](const Piece&, Label theirs) { return theirs; });
}

void Steps::clear(int lo, int hi) {
  if (blank_ || pieces_.empty()) return;
  change(lo, hi, nullptr, 0, [](const Piece&, Label) { return kNoLabel; });
}

Label Steps::all(const Zone& zone, int bands) const {
  Label label = kNoLabel;
  for (const Piece& piece : pieces_) label = Atoll::stencil::join(label, piece.label, zone, bands);
  return label;
}

void Steps::make_blocks(const Zones& zones, int block) {
  if (pieces_.size() < 2) return;
  const int first = lo();
  // Only blocks with several labels change. Zones stay as they are; every piece of a block gets the
  // same label, which is one of the zone that the block ends in.
  std::size_t p = 0;
  while (p < pieces_.size()) {
    const int begin = first + (pieces_[p].begin - first) / block * block;
    const int end = std::min(hi(), begin + block);
    Label label = kNoLabel;
    bool differ = false;
    std::size_t q = p;
    if (pieces_[p].begin > begin) --q;  // the block began within the piece before
    for (; q < pieces_.size() && pieces_[q].begin < end; ++q) {
      differ = differ || (label >= 0 && label != pieces_[q].label);
      label =
          Atoll::stencil::join(label, pieces_[q].label,
                               zones.zones[static_cast<std::size_t>(pieces_[q].zone)], zones.bands);
    }
    if (differ) change(begin, end, nullptr, 0, [&](const Piece&, Label) { return label; });
    // Pieces may be fewer or more now: go on behind the block.
    p = static_cast<std::size_t>(
        std::lower_bound(pieces_.begin(), pieces_.end(), end,
                         [](const Piece& piece, int at) { return piece.begin < at; }) -
        pieces_.begin());
  }
}

}  // namespace Atoll::stencil
