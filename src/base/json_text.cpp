// Parses and prints JSON text.
#include "base/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "atoll/base/error.hpp"

namespace Atoll::detail {
namespace {

std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0: the first line
  return fmt::format("{}:{}", std::count(before.begin(), before.end(), '\n') + 1,
                     before.size() - line_start + 1);
}

/// Returns the parser's message without its prefix (error number, position) and without the last
/// bytes read, which may not be text.
std::string detail_of(const nlohmann::json::parse_error& error) {
  std::string_view words = error.what();
  for (const std::string_view before : {"column ", ": "}) {
    const std::size_t at = words.find(before);
    if (at != std::string_view::npos) words.remove_prefix(at + before.size());
  }
  return std::string(words.substr(0, words.find("; last read")));
}

using Json = nlohmann::ordered_json;
constexpr std::size_t kWidth = 100;

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Appends the whole value without line breaks. Returns false as soon as `text` is longer than
/// `most`.
bool append_in_line(const Json& value, std::size_t most, std::string& text) {
  if (!value.is_structured()) {
    text += dump(value);
    return text.size() <= most;
  }
  text += value.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, item] : value.items()) {
    if (!first) text += ", ";
    first = false;
    if (value.is_object()) text.append(dump(key)).append(": ");
    if (!append_in_line(item, most, text)) return false;
  }
  text += value.is_object() ? '}' : ']';
  return text.size() <= most;
}

void print(const Json& value, std::size_t indent, std::string& text) {
  const std::size_t start = text.size();
  const std::size_t line_start = text.rfind('\n') + 1;  // npos + 1 == 0: the first line
  if (append_in_line(value, line_start + kWidth - 1, text) || !value.is_structured()) return;
  text.resize(start);
  text += value.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, item] : value.items()) {
    text.append(first ? "\n" : ",\n").append(indent + 2, ' ');
    first = false;
    if (value.is_object()) text.append(dump(key)).append(": ");
    print(item, indent + 2, text);
  }
  text.append("\n").append(indent, ' ').append(1, value.is_object() ? '}' : ']');
}

}  // namespace

nlohmann::json parse_json(std::string_view text, std::string_view where, std::string_view way_out) {
  std::vector<std::set<std::string>> keys;  // keys of each enclosing object
  const auto no_key_twice = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second)
      throw Error::input(where,
                         fmt::format("the key {} is there twice in one object", parsed.dump()),
                         "keep one of them");
    return true;
  };
  try {
    return nlohmann::json::parse(text, no_key_twice);
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
    throw Error::input(fmt::format("{}:{}", where, line_and_column(text, byte)),
                       "not JSON: " + detail_of(error), way_out);
  } catch (const nlohmann::json::exception& error) {
    throw Error::input(where, std::string("not JSON: ") + error.what());
  }
}

std::string format_json(const nlohmann::ordered_json& value) {
  std::string text;
  print(value, 0, text);
  text += '\n';
  return text;
}

}  // namespace Atoll::detail
