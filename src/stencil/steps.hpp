// The tile label of each coordinate, as a step function: there are few tiles and many coordinates.
#pragma once

#include <vector>

#include "stencil/labels.hpp"

namespace Atoll::stencil {

class Steps {
 public:
  struct Piece {
    int begin, end;
    Label label;
  };

  Steps() = default;
  /// Covers [lo, hi) with the zones' home tiles if `home`, else without labels.
  Steps(const Zones& zones, int lo, int hi, bool home);

  [[nodiscard]] int lo() const { return pieces_.empty() ? 0 : pieces_.front().begin; }
  [[nodiscard]] int hi() const { return pieces_.empty() ? 0 : pieces_.back().end; }
  /// Contiguous and ascending; neighbours have different labels.
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  [[nodiscard]] bool blank() const { return blank_; }

  /// For lo <= i < hi: joins the label at i with that of `source` at i + shift. Coordinates that
  /// one of them lacks are unchanged.
  void join(const Zones& zones, int lo, int hi, const Steps& source, int shift);
  /// Joins all labels in [lo, hi) with `label`.
  void join(const Zones& zones, int lo, int hi, Label label);
  /// For lo <= i < hi: copies the label of `source` at i.
  void assign(int lo, int hi, const Steps& source);
  /// Removes the labels in [lo, hi).
  void clear(int lo, int hi);
  /// Returns the join of all labels, relative to `zone`.
  [[nodiscard]] Label all(const Zone& zone, int bands) const;
  /// Gives all coordinates of each block one label, the join of their labels. Blocks have `block`
  /// coordinates and begin at lo().
  void make_blocks(const Zones& zones, int block);

 private:
  [[nodiscard]] int first_change(const Zones& zones, int lo, int hi, const Steps& source,
                                 int shift) const;
  template <class Change>
  void change(int lo, int hi, const Steps* source, int shift, std::size_t most, Change&& label_at);

  bool blank_ = true;  ///< if true, there are no labels
  std::vector<Piece> pieces_;
};

}  // namespace Atoll::stencil
