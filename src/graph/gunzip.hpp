// Unpacks gzip and verifies its checksums. libarchive 3.6 doesn't verify them, and a graph with one
// changed digit is still a valid graph.
#pragma once

#include <zlib.h>

#include <string_view>
#include <vector>

#include "graph/byte_source.hpp"

namespace Atoll::graph {

[[nodiscard]] bool is_gzip(std::string_view head);

/// Unpacks concatenated gzip streams, as gzip itself does. Throws Error (input) if the data is
/// damaged or truncated.
class Gunzip : public ByteSource {
 public:
  /// `packed` must outlive this object.
  explicit Gunzip(ByteSource& packed);
  ~Gunzip() override;

  [[nodiscard]] const std::string& name() const override { return packed_.name(); }
  [[nodiscard]] std::size_t bytes() const override { return 0; }
  void stop() noexcept override { packed_.stop(); }

 private:
  std::size_t read_next(char* to, std::size_t bytes) override;
  bool read_packed();

  ByteSource& packed_;
  std::vector<char> block_;
  z_stream stream_{};
  bool between_streams_ = false;
};

}  // namespace Atoll::graph
