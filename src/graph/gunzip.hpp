// Reads gzip's format, with its checksums: libarchive 3.6 doesn't compare them, and a graph with
// another digit is a graph too.
#pragma once

#include <zlib.h>

#include <string_view>
#include <vector>

#include "graph/byte_source.hpp"

namespace Atoll::graph {

[[nodiscard]] bool is_gzip(std::string_view head);

/// Reads one stream after the other, as gzip itself does. Throws Error (input) for data that is
/// damaged or cut off.
class Gunzip : public ByteSource {
 public:
  /// `packed` outlives this.
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
