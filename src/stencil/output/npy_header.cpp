// Parser of NumPy's format: "\x93NUMPY", the version, the header's length, and a Python dictionary
// as text [numpy.lib.format].
#include "stencil/output/npy_header.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <string_view>

#include "atoll/base/error.hpp"

namespace Atoll::stencil {
namespace {

constexpr std::size_t kMaxHeaderBytes = std::size_t{1} << 20;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error::input(where, what, "write it with numpy.save() of an array of numbers");
}

/// Returns the text after a key of the dictionary; empty if the key is missing.
std::string_view value_of(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    std::size_t at = header.find(quoted);
    if (at == header.npos) continue;
    at = header.find_first_not_of(" :", at + quoted.size());
    return at == header.npos ? std::string_view{} : header.substr(at);
  }
  return {};
}

std::optional<ElementType> type_of(char kind, char bytes) {
  for (const ElementType type :
       {ElementType::float32, ElementType::float64, ElementType::int8, ElementType::int16,
        ElementType::int32, ElementType::int64, ElementType::uint8, ElementType::uint16,
        ElementType::uint32, ElementType::uint64}) {
    const char its_kind = to_string(type)[0];  // 'f', 'i' or 'u', as in NumPy
    if (its_kind == kind && bytes == static_cast<char>('0' + bytes_of(type))) return type;
  }
  return std::nullopt;
}

bool is_printable(std::string_view text) {
  return text.size() < 20 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void read_type(std::string_view text, NpyHeader& header, const std::string& where) {
  const std::size_t end = text.size() < 2 ? text.npos : text.find(text[0], 1);
  const bool quoted = !text.empty() && (text[0] == '\'' || text[0] == '"') && end != text.npos;
  const std::string_view name = quoted ? text.substr(1, end - 1) : "";
  const std::optional<ElementType> type =
      name.size() == 3 ? type_of(name[1], name[2]) : std::nullopt;
  if (!type || std::string_view("<>=|").find(name[0]) == std::string_view::npos)
    refuse(where, quoted && is_printable(name)
                      ? "its values are of type '" + std::string(name) + "'"
                      : "its values aren't of one type");
  header.type = *type;
  const bool little = std::endian::native == std::endian::little;
  header.swapped =
      bytes_of(*type) > 1 && ((name[0] == '>' && little) || (name[0] == '<' && !little));
}

void read_shape(std::string_view text, NpyHeader& header, const std::string& where) {
  const std::size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == text.npos) refuse(where, "its header has no shape");
  for (std::string_view rest = text.substr(1, end - 1); !rest.empty();) {
    if (rest[0] == ' ' || rest[0] == ',') {
      rest.remove_prefix(1);
      continue;
    }
    std::uint64_t size = 0;
    const auto [after, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    if (error != std::errc() || header.shape.size() >= 32) refuse(where, "its shape isn't one");
    header.shape.push_back(size);
    rest.remove_prefix(static_cast<std::size_t>(after - rest.data()));
    if (rest.starts_with('L')) rest.remove_prefix(1);  // Python 2 appends an L
  }
}

}  // namespace

NpyHeader read_npy_header(std::istream& file, const std::string& where) {
  std::string start(8, '\0');
  if (!file.read(start.data(), 8) || !start.starts_with("\x93NUMPY"))
    refuse(where,
           start.starts_with("PK") ? "is an archive (.npz), not one array" : "isn't a .npy file");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) refuse(where, "is of an unknown version of NumPy's format");
  unsigned char length[4] = {};
  const std::size_t words = version == 1 ? 2 : 4;
  file.read(reinterpret_cast<char*>(length), static_cast<std::streamsize>(words));
  std::size_t bytes = 0;
  for (std::size_t i = words; i-- > 0;) bytes = bytes << 8 | length[i];
  if (!file || bytes > kMaxHeaderBytes) refuse(where, "its header is damaged");
  std::string text(bytes, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(bytes)))
    refuse(where, "is cut short within its header");
  NpyHeader header;
  read_type(value_of(text, "descr"), header, where);
  read_shape(value_of(text, "shape"), header, where);
  const std::string_view order = value_of(text, "fortran_order");
  if (!order.starts_with("True") && !order.starts_with("False"))
    refuse(where, "its header has no fortran_order");
  header.fortran_order = order.starts_with("True");
  return header;
}

}  // namespace Atoll::stencil
