// Varints, zlib streams and base64.
#include "profile/html_encode.hpp"

#include <zlib.h>

#include "atoll/base/error.hpp"
#include "atoll/base/json.hpp"

namespace Atoll::profile {

void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

std::string deflated(std::string_view plain) {
  uLongf bytes = compressBound(plain.size());
  std::string packed(bytes, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &bytes,
                reinterpret_cast<const Bytef*>(plain.data()), plain.size(), 4) != Z_OK)
    throw Error::failed("HTML report", "zlib doesn't compress");
  packed.resize(bytes);
  return packed;
}

Json to_json(HtmlData::Part part) {
  return {part.offset, part.bytes};
}

HtmlData::Part HtmlData::add(std::string_view part) {
  const Part added{.offset = bytes_.size(), .bytes = part.size()};
  bytes_.append(part);
  bytes_.resize((bytes_.size() + 2) / 3 * 3);
  return added;
}

std::string HtmlData::base64() const {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve(bytes_.size() / 3 * 4);
  for (std::size_t i = 0; i < bytes_.size(); i += 3) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes_[i + at]); };
    const unsigned bits = unsigned{byte(0)} << 16U | unsigned{byte(1)} << 8U | byte(2);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) text += kDigits[bits >> shift & 63U];
  }
  return text;
}

}  // namespace Atoll::profile
