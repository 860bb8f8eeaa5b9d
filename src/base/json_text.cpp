// Parses and prints JSON text. This file alone includes nlohmann-json.
#include "base/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "atoll/base/error.hpp"

namespace Atoll {

/// Builds a value from the parser's events. Values may be nested as deep as a text is long, so the
/// enclosing ones are on a stack of its own.
class JsonBuilder {
 public:
  using number_integer_t = std::int64_t;
  using number_unsigned_t = std::uint64_t;
  using number_float_t = double;
  using string_t = std::string;
  using binary_t = nlohmann::json::binary_t;

  virtual ~JsonBuilder() = default;
  /// Called for each key, before its value.
  virtual void check_key(const std::string& /*key*/) {}
  virtual void begin_keys() {}
  virtual void end_keys() {}

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(Json(value)); }
  bool number_integer(std::int64_t value) { return add(Json(value)); }
  bool number_unsigned(std::uint64_t value) { return add(Json(value)); }
  bool number_float(double value, const std::string&) { return add(Json(value)); }
  // Texts are copied: the parser reuses the memory of its own string for the next one.
  bool string(const std::string& value) { return add(Json(value)); }
  bool binary(binary_t&) { return false; }  // JSON text has none
  bool start_object(std::size_t) {
    begin_keys();
    open_.push_back(Json::object());
    return true;
  }
  bool key(const std::string& key) {
    check_key(key);
    members(open_.back()).emplace_back(key, Json());
    return true;
  }
  bool end_object() {
    end_keys();
    keep_last_of_equal(members(open_.back()));
    return close();
  }
  bool start_array(std::size_t) {
    open_.push_back(Json::array());
    return true;
  }
  bool end_array() { return close(); }
  template <class Exception>
  bool parse_error(std::size_t, const std::string&, const Exception& error) {
    throw error;
  }

  [[nodiscard]] Json take() { return std::move(result_); }

 private:
  static Json::Object& members(Json& object) {
    return **std::get_if<Json::kObject>(&object.value_);
  }
  bool add(Json value) {
    if (open_.empty())
      result_ = std::move(value);
    else if (open_.back().is_array())
      open_.back().push_back(std::move(value));
    else
      members(open_.back()).back().second = std::move(value);
    return true;
  }
  bool close() {
    Json last = std::move(open_.back());
    open_.pop_back();
    return add(std::move(last));
  }
  /// Merges members with equal keys. Keys in ascending order, as in files that Atoll writes, are
  /// recognised in linear time.
  static void keep_last_of_equal(Json::Object& all) {
    const auto not_ascending = [](const Json::Member& a, const Json::Member& b) {
      return a.first >= b.first;
    };
    if (std::ranges::adjacent_find(all, not_ascending) == all.end()) return;
    std::map<std::string, std::size_t> positions;
    Json::Object kept;
    for (Json::Member& member : all) {
      const auto [known, is_new] = positions.try_emplace(member.first, kept.size());
      if (is_new)
        kept.push_back(std::move(member));
      else
        kept[known->second].second = std::move(member.second);
    }
    all = std::move(kept);
  }

  std::vector<Json> open_;
  Json result_;
};

namespace {

using nlohmann::json;

/// Refuses an object that has a key twice.
class StrictBuilder : public JsonBuilder {
 public:
  explicit StrictBuilder(std::string_view where) : where_(where) {}
  void begin_keys() override { keys_.emplace_back(); }
  void end_keys() override { keys_.pop_back(); }
  void check_key(const std::string& key) override {
    if (!keys_.back().insert(key).second)
      throw Error::input(where_,
                         fmt::format("the key {} is there twice in one object", Json(key).dump()),
                         "keep one of them");
  }

 private:
  std::string_view where_;
  std::vector<std::set<std::string>> keys_;  // keys of each enclosing object
};

std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0: the first line
  return fmt::format("{}:{}", std::count(before.begin(), before.end(), '\n') + 1,
                     before.size() - line_start + 1);
}

/// Returns the parser's message without its prefix (error number, position) and without the last
/// bytes read, which may not be text.
std::string detail_of(const json::parse_error& error) {
  std::string_view words = error.what();
  for (const std::string_view before : {"column ", ": "}) {
    const std::size_t at = words.find(before);
    if (at != std::string_view::npos) words.remove_prefix(at + before.size());
  }
  return std::string(words.substr(0, words.find("; last read")));
}

/// Appends values to a text. One serializer of nlohmann-json prints all strings and doubles, so
/// that nothing is allocated for each of them.
class Printer {
 public:
  Printer(std::string& text, bool is_sorted)
      : text_(text),
        is_sorted_(is_sorted),
        serializer_(nlohmann::detail::output_adapter<char>(text), ' ',
                    json::error_handler_t::replace) {}

  void scalar(const Json& value) {
    if (value.is_string()) return string(value.string());
    if (value.is_number_unsigned())
      integer(value.get<std::uint64_t>());
    else if (value.is_number_signed())
      integer(value.get<std::int64_t>());
    else if (value.is_number_double())
      serializer_.dump(value.get<double>(), false, false, 0);
    else if (value.is_boolean())
      text_ += value.get<bool>() ? "true" : "false";
    else
      text_ += "null";
  }

  void string(const std::string& value) {
    const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
    if (std::ranges::all_of(value, is_plain)) {
      text_.append(1, '"').append(value) += '"';
    } else {
      string_.get_ref<std::string&>() = value;
      serializer_.dump(string_, false, false, 0);
    }
  }

  /// Appends a value. If `step` is positive or zero, each element and member has a line of its own,
  /// indented by `step` more than `indent`.
  void value(const Json& value, int step, std::size_t indent) {
    if (!value.is_structured()) return scalar(value);
    text_ += value.is_object() ? '{' : '[';
    const std::size_t inside = indent + static_cast<std::size_t>(std::max(step, 0));
    bool is_first = true;
    const auto separate = [&] {
      if (!is_first) text_ += ',';
      is_first = false;
      if (step >= 0) text_.append(1, '\n').append(inside, ' ');
    };
    const auto member = [&](const Json::Member& one) {
      separate();
      string(one.first);
      text_ += step >= 0 ? ": " : ":";
      this->value(one.second, step, inside);
    };
    if (value.is_array()) {
      for (const Json& element : value) {
        separate();
        this->value(element, step, inside);
      }
    } else if (!is_sorted_) {
      for (const Json::Member& one : value.items()) member(one);
    } else {
      std::vector<const Json::Member*> sorted;
      sorted.reserve(value.size());
      for (const Json::Member& one : value.items()) sorted.push_back(&one);
      std::ranges::sort(sorted, {}, [](const Json::Member* one) { return one->first; });
      for (const Json::Member* const one : sorted) member(*one);
    }
    if (step >= 0 && !value.empty()) text_.append(1, '\n').append(indent, ' ');
    text_ += value.is_object() ? '}' : ']';
  }

 private:
  template <class Integer>
  void integer(Integer value) {
    std::array<char, 24> digits;
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    text_.append(digits.data(), result.ptr);
  }

  std::string& text_;
  bool is_sorted_;
  json string_ = std::string();
  nlohmann::detail::serializer<json> serializer_;
};

std::string dumped(const Json& value, int indent, bool is_sorted) {
  std::string text;
  Printer(text, is_sorted).value(value, indent, 0);
  return text;
}

/// Prints a file that people edit.
class FilePrinter {
 public:
  void value(const Json& value, std::size_t indent) {
    const std::size_t start = text_.size();
    const std::size_t line_start = text_.rfind('\n') + 1;  // npos + 1 == 0: the first line
    if (in_line(value, line_start + kWidth - 1) || !value.is_structured()) return;
    text_.resize(start);
    text_ += value.is_object() ? '{' : '[';
    bool is_first = true;
    const auto separate = [&] {
      text_.append(is_first ? "\n" : ",\n").append(indent + 2, ' ');
      is_first = false;
    };
    if (value.is_object())
      for (const auto& [key, item] : value.items()) {
        separate();
        print_.string(key);
        text_ += ": ";
        this->value(item, indent + 2);
      }
    else
      for (const Json& item : value) {
        separate();
        this->value(item, indent + 2);
      }
    text_.append("\n").append(indent, ' ').append(1, value.is_object() ? '}' : ']');
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  static constexpr std::size_t kWidth = 100;

  /// Appends the whole value without line breaks. Returns false as soon as the text is longer than
  /// `most`.
  bool in_line(const Json& value, std::size_t most) {
    if (!value.is_structured()) {
      print_.scalar(value);
      return text_.size() <= most;
    }
    text_ += value.is_object() ? '{' : '[';
    bool is_first = true;
    const auto separate = [&] {
      if (!is_first) text_ += ", ";
      is_first = false;
    };
    if (value.is_object())
      for (const auto& [key, item] : value.items()) {
        separate();
        print_.string(key);
        text_ += ": ";
        if (!in_line(item, most)) return false;
      }
    else
      for (const Json& item : value) {
        separate();
        if (!in_line(item, most)) return false;
      }
    text_ += value.is_object() ? '}' : ']';
    return text_.size() <= most;
  }

  std::string text_;
  Printer print_{text_, false};
};

}  // namespace

Json Json::parse(std::string_view text) {
  JsonBuilder builder;
  try {
    json::sax_parse(text, &builder);
  } catch (const json::exception& error) {
    throw JsonError(error.what());
  }
  return builder.take();
}

std::string Json::dump(int indent) const {
  return dumped(*this, indent, false);
}
std::string Json::dump_sorted(int indent) const {
  return dumped(*this, indent, true);
}

Json detail::parse_json(std::string_view text, std::string_view where, std::string_view way_out) {
  StrictBuilder builder(where);
  try {
    json::sax_parse(text, &builder);
  } catch (const json::parse_error& error) {
    const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
    throw Error::input(fmt::format("{}:{}", where, line_and_column(text, byte)),
                       "not JSON: " + detail_of(error), way_out);
  } catch (const json::exception& error) {
    throw Error::input(where, std::string("not JSON: ") + error.what());
  }
  return builder.take();
}

std::string detail::format_json(const Json& value) {
  FilePrinter printer;
  printer.value(value, 0);
  return printer.take() + '\n';
}

}  // namespace Atoll
