// Encoding of numbers in the HTML report: varints in columns, deflated, and all of it in base64.
// The page decodes a part when it shows it (page/2_data.js).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "atoll/base/json.hpp"

namespace Atoll::profile {

/// Appends `value` as a varint: seven bits a byte, the lowest first.
void put_varint(std::string& to, std::uint64_t value);
/// Returns `plain` as a zlib stream.
[[nodiscard]] std::string deflated(std::string_view plain);

/// The page's binary data. Each part begins at a multiple of three bytes, so each part is a slice
/// of the base64 text that can be decoded separately.
class HtmlData {
 public:
  struct Part {
    std::size_t offset = 0, bytes = 0;
  };
  Part add(std::string_view part);
  [[nodiscard]] std::size_t bytes() const { return bytes_.size(); }
  [[nodiscard]] std::string base64() const;

 private:
  std::string bytes_;
};

/// Returns {offset, bytes}.
[[nodiscard]] Json to_json(HtmlData::Part part);

}  // namespace Atoll::profile
