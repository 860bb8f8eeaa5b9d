// Source of points: random numbers, or raw floats in a file.
#pragma once

#include <atoll/atoll.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "draws.hpp"
#include "points.hpp"

namespace streamcluster {

/// A stream of points, read chunk by chunk.
class Stream {
 public:
  /// Generates `generated` random points; if `generated` is 0, reads `file`. Throws Error (input)
  /// if the file can't be read, is empty, or ends within a point.
  Stream(std::uint64_t generated, std::string file, std::uint64_t dimensions, Draws& draws)
      : draws_(draws), name_(std::move(file)), dimensions_(dimensions), size_(generated) {
    if (generated == 0) open();
  }
  /// Total number of points.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t left() const { return size_ - read_; }
  [[nodiscard]] std::uint64_t points_read() const { return read_; }

  /// Reads the next chunk, of at most `most` points, into the first rows. Each point has weight 1.
  void read(Points& points, std::uint64_t most) {
    points.count = std::min(most, left());
    const std::size_t numbers = points.count * dimensions_;
    float* const block = points.coordinates.master();
    if (file_)
      read_floats(block, numbers);
    else
      for (std::size_t i = 0; i < numbers; ++i) block[i] = draws_.unit();
    points.coordinates.sync();
    std::fill_n(points.weights.master(), points.count, 1.0F);
    read_ += points.count;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void open() {
    file_.reset(std::fopen(name_.c_str(), "rb"));
    if (!file_ || std::fseek(file_.get(), 0, SEEK_END) != 0)
      throw Atoll::Error::input(name_, std::string("it can't be read: ") + std::strerror(errno));
    const auto bytes = static_cast<std::uint64_t>(std::ftell(file_.get()));
    std::rewind(file_.get());
    const std::uint64_t point = dimensions_ * sizeof(float);
    if (bytes == 0)
      throw Atoll::Error::input(name_, "it has no points", "it takes raw 4-byte floats");
    if (bytes % point != 0)
      throw Atoll::Error::input(
          name_,
          "its last point is cut after " + std::to_string(bytes % point) + " of " +
              std::to_string(point) + " bytes",
          "it takes " + std::to_string(dimensions_) + " raw 4-byte floats for each point");
    size_ = bytes / point;
  }

  void read_floats(float* block, std::size_t numbers) {
    if (std::fread(block, sizeof(float), numbers, file_.get()) != numbers)
      throw Atoll::Error::input(name_, "it became shorter while it was read");
    for (std::size_t i = 0; i < numbers; ++i)
      if (!std::isfinite(block[i]))
        throw Atoll::Error::input(
            name_ + ": point " + std::to_string(read_ + i / dimensions_),
            "its number " + std::to_string(i % dimensions_) + " is " + std::to_string(block[i]),
            "coordinates are finite");
  }

  Draws& draws_;
  const std::string name_;
  const std::uint64_t dimensions_;
  std::uint64_t size_;
  std::uint64_t read_ = 0;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace streamcluster
