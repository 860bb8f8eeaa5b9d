// The result of a chunk: its centres, moved to the means of their points.
#pragma once

#include <atoll/atoll.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "points.hpp"

namespace streamcluster {

/// Moves each centre to the weighted mean of its points, accumulated in order.
inline void move_to_means(Points& points) {
  const std::uint32_t* const centres = points.centres.master();
  float* const weights = points.weights.master();
  for (std::size_t i = 0; i < points.count; ++i) {
    const std::uint32_t centre = centres[i];
    if (centre == i) continue;
    const float part = weights[i] / (weights[centre] + weights[i]);
    float* const to = points.row(centre);
    const float* const from = points.row(i);
    for (std::size_t d = 0; d < points.dimensions; ++d) {
      to[d] = static_cast<float>(to[d] * (1.0 - part));
      to[d] += from[d] * part;
    }
    weights[centre] += weights[i];
  }
}

/// The centres of all chunks so far, stored as weighted points.
class Centres {
 public:
  /// `points` has capacity for `most` points.
  Centres(Points points, std::uint64_t most) : points_(std::move(points)), most_(most) {}

  /// Appends the centres of a chunk that starts at position `before` of the stream. Throws Error
  /// (input) if there is no room.
  void append(Points& chunk, std::uint64_t before) {
    for (std::size_t i = 0; i < chunk.count; ++i) {
      if (chunk.centres.master()[i] != i) continue;
      if (points_.count == most_)
        throw Atoll::Error::input("clustersize",
                                  "the chunks up to point " + std::to_string(before + chunk.count) +
                                      " have more than " + std::to_string(most_) + " centres",
                                  "raise it, or take larger chunks");
      std::copy_n(chunk.row(i), chunk.dimensions, points_.row(points_.count));
      points_.weights.master()[points_.count] = chunk.weights.master()[i];
      ids_.push_back(before + i);
      ++points_.count;
    }
  }

  [[nodiscard]] Points& points() { return points_; }

  /// Returns the text of the output file: for each point that is a centre after the final search,
  /// its id, weight and coordinates. The search swaps points but not their ids, as in the original.
  [[nodiscard]] std::string text() {
    std::vector<bool> is_centre(points_.count);
    for (std::size_t i = 0; i < points_.count; ++i) is_centre[points_.centres.master()[i]] = true;
    std::string text;
    for (std::size_t i = 0; i < points_.count; ++i) {
      if (!is_centre[i]) continue;
      text += std::to_string(ids_[i]) + "\n" + with_six_digits(points_.weights.master()[i]) + "\n";
      for (std::size_t d = 0; d < points_.dimensions; ++d)
        text += with_six_digits(points_.row(i)[d]) + " ";
      text += "\n\n";
    }
    return text;
  }

 private:
  static std::string with_six_digits(double value) {
    char text[64];  // a float has at most 39 digits before the decimal point
    return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%f", value))};
  }

  Points points_;
  const std::uint64_t most_;
  std::vector<std::uint64_t> ids_;  ///< position of each point in the stream
};

}  // namespace streamcluster
