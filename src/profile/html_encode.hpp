// How numbers travel inside the HTML report: varints in columns, deflated, and base64 of it all.
// The page decodes a part when it shows it (page/data.js).
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace Atoll::profile {

/// Seven bits a byte, the lowest first.
void put_varint(std::string& to, std::uint64_t value);
/// A zlib stream of `plain`.
[[nodiscard]] std::string deflated(std::string_view plain);

/// The page's binary data: parts that begin at multiples of three bytes, so that each of them is a
/// piece of the base64 text that can be decoded alone.
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

/// {offset, bytes}.
[[nodiscard]] nlohmann::json to_json(HtmlData::Part part);

}  // namespace Atoll::profile
