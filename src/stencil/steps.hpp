// A tile's label for each coordinate, as a step function: tiles are few, coordinates many.
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
  /// [lo, hi) with the zones' own tiles, or without any label.
  Steps(const Zones& zones, int lo, int hi, bool home);

  [[nodiscard]] int lo() const { return pieces_.empty() ? 0 : pieces_.front().begin; }
  [[nodiscard]] int hi() const { return pieces_.empty() ? 0 : pieces_.back().end; }
  /// One behind the other, with other labels.
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  [[nodiscard]] bool blank() const { return blank_; }

  /// For lo <= i < hi: joins the label at i with that of `source` at i + shift. Coordinates that
  /// one of both hasn't are left as they are.
  void join(const Zones& zones, int lo, int hi, const Steps& source, int shift);
  /// Joins all labels in [lo, hi) with one.
  void join(const Zones& zones, int lo, int hi, Label label);
  /// For lo <= i < hi: takes the label of `source` at i.
  void assign(int lo, int hi, const Steps& source);
  /// Takes the labels away.
  void clear(int lo, int hi);
  /// The join of all labels, as seen from `zone`.
  [[nodiscard]] Label all(const Zone& zone, int bands) const;
  /// Gives each block of so many coordinates from lo() on one label: the join of its labels.
  void make_blocks(const Zones& zones, int block);

 private:
  [[nodiscard]] int first_change(const Zones& zones, int lo, int hi, const Steps& source,
                                 int shift) const;
  template <class Change>
  void change(int lo, int hi, const Steps* source, int shift, std::size_t most, Change&& label_at);

  bool blank_ = true;  ///< surely no labels
  std::vector<Piece> pieces_;
};

}  // namespace Atoll::stencil
