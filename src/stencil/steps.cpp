// Step functions of labels.
#include "stencil/steps.hpp"

#include <climits>

namespace Atoll::stencil {

Steps::Steps(const Zones& zones, int lo, int hi, bool home) : hi_(hi), blank_(!home) {
  pieces_.reserve(zones.zones.size());
  for (std::size_t z = 0; z < zones.zones.size(); ++z) {
    const int begin = z == 0 ? lo : std::max(lo, zones.zones[z].begin);
    const int end = z + 1 == zones.zones.size() ? hi : std::min(hi, zones.zones[z + 1].begin);
    if (begin < end)
      pieces_.push_back({begin, home ? zones.zones[z].home : kNoLabel, static_cast<int>(z)});
  }
}

/// True if change() would give a piece another label.
template <class Change>
bool Steps::changes(int lo, int hi, const Steps& source, int shift, Change&& label_of_piece) const {
  lo = std::max({lo, this->lo(), source.lo() - shift});
  hi = std::min({hi, hi_, source.hi() - shift});
  if (lo >= hi) return false;
  std::size_t mine = 0, other = 0;
  while (end_of(mine) <= lo) ++mine;
  while (source.end_of(other) - shift <= lo) ++other;
  for (int at = lo; at < hi;) {
    const Piece& piece = pieces_[mine];
    if (label_of_piece(piece, source.pieces_[other].label) != piece.label) return true;
    const int mine_end = end_of(mine), other_end = source.end_of(other) - shift;
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
  hi = std::min(hi, hi_);
  if (source != nullptr) {
    lo = std::max(lo, source->lo() - shift);
    hi = std::min(hi, source->hi() - shift);
  }
  if (lo >= hi) return;
  static thread_local std::vector<Piece> changed;
  changed.clear();
  const auto add = [&](int begin, Label label, int zone) {
    if (changed.empty() || changed.back().label != label || changed.back().zone != zone)
      changed.push_back({begin, label, zone});
  };
  std::size_t other = 0;
  if (source != nullptr) {  // the source's piece at lo
    const auto& pieces = source->pieces_;
    other = static_cast<std::size_t>(
                std::upper_bound(pieces.begin(), pieces.end(), lo + shift,
                                 [](int at, const Piece& piece) { return at < piece.begin; }) -
                pieces.begin()) -
            1;
  }
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const Piece& piece = pieces_[p];
    const int end = end_of(p);
    if (end <= lo || piece.begin >= hi) {
      add(piece.begin, piece.label, piece.zone);
      continue;
    }
    if (piece.begin < lo) add(piece.begin, piece.label, piece.zone);
    const int within = std::min(end, hi);
    for (int at = std::max(piece.begin, lo); at < within;) {
      int next = within;
      Label theirs = kNoLabel;
      if (source != nullptr) {
        while (source->end_of(other) - shift <= at) ++other;
        next = std::min(within, source->end_of(other) - shift);
        theirs = source->pieces_[other].label;
      }
      add(at, label_of_piece(piece, theirs), piece.zone);
      at = next;
    }
    if (end > hi) add(hi, piece.label, piece.zone);
  }
  pieces_.swap(changed);
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
    const int end = std::min(hi_, begin + block);
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
