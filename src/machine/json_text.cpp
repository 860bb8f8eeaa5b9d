// Parsing and printing of JSON text.
#include "machine/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "atoll/base/error.hpp"

namespace Atoll::detail {
namespace {

std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("{}:{}", std::count(before.begin(), before.end(), '\n') + 1,
                     before.size() - line_start + 1);
}

/// The parser's own words, without its prefix of error numbers and positions.
std::string detail_of(const nlohmann::json::parse_error& error) {
  std::string_view words = error.what();
  for (const std::string_view before : {"column ", ": "}) {
    const std::size_t at = words.find(before);
    if (at != std::string_view::npos) words.remove_prefix(at + before.size());
  }
  return std::string(words);
}

void print(const nlohmann::ordered_json& value, std::size_t indent, std::string& text) {
  constexpr std::size_t kWidth = 100;
  const auto dump = [](const nlohmann::ordered_json& part) {
    return part.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  };
  if (!value.is_structured() || value.empty()) {
    text += dump(value);
    return;
  }
  const char open = value.is_object() ? '{' : '[';
  const char close = value.is_object() ? '}' : ']';
  const std::size_t line_start = text.rfind('\n') + 1;
  const std::size_t used = text.size() - line_start;
  for (const bool one_line : {true, false}) {
    const std::size_t start = text.size();
    text += open;
    bool first = true;
    for (const auto& [key, item] : value.items()) {
      if (!first) text += one_line ? ", " : ",";
      first = false;
      if (!one_line) text.append("\n").append(indent + 2, ' ');
      if (value.is_object()) text.append(dump(key)).append(": ");
      print(item, indent + 2, text);
    }
    if (!one_line) text.append("\n").append(indent, ' ');
    text += close;
    const bool fits =
        text.size() - start + used < kWidth && text.find('\n', start) == std::string::npos;
    if (!one_line || fits) return;
    text.resize(start);
  }
}

}  // namespace

nlohmann::json parse_json(std::string_view text, std::string_view where) {
  std::vector<std::set<std::string>> keys;  // of the objects around
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
                       "not JSON: " + detail_of(error), "docs/machine-file.md shows the format");
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
