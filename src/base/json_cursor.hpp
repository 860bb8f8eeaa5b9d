// A value in a JSON document with its path, so that each error can name the location.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/json.hpp"

namespace Atoll::detail {

class JsonCursor {
 public:
  /// The value, `file` and `way_out` must outlive the cursor. `way_out` ends the error for a
  /// missing key: "docs/… shows the format".
  JsonCursor(const Json& value, std::string_view file, std::string_view way_out)
      : value_(&value), file_(file), way_out_(way_out) {}

  /// Returns the file and a JSON pointer: "machine.json: /links/3/latency".
  [[nodiscard]] std::string where() const {
    return pointer_.empty() ? std::string(file_) : fmt::format("{}: {}", file_, pointer_);
  }
  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  [[nodiscard]] Error wrong(std::string_view what, std::string_view way_out) const {
    return Error::input(where(), what, way_out);
  }

  /// Throws Error (input) unless this is an object whose keys are all in `known`.
  const JsonCursor& with_keys(std::initializer_list<std::string_view> known) const {
    if (!value_->is_object()) throw wrong("must be an object", "write { … }");
    for (const auto& [key, unused] : value_->items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        throw wrong(fmt::format("unknown key '{}'", key),
                    fmt::format("known are {}", fmt::join(known, ", ")));
    return *this;
  }
  [[nodiscard]] std::optional<JsonCursor> find(std::string_view key) const {
    if (!value_->is_object()) return std::nullopt;
    const Json* const found = value_->find(key);
    if (found == nullptr) return std::nullopt;
    return below(*found, key);
  }
  [[nodiscard]] JsonCursor get(std::string_view key) const {
    if (const auto found = find(key)) return *found;
    throw wrong(fmt::format("the key '{}' is missing", key), way_out_);
  }
  /// Returns the keys and values of an object.
  [[nodiscard]] std::vector<std::pair<std::string, JsonCursor>> members() const {
    if (!value_->is_object()) throw wrong("must be an object", "write { … }");
    std::vector<std::pair<std::string, JsonCursor>> all;
    for (const auto& [key, value] : value_->items()) all.emplace_back(key, below(value, key));
    return all;
  }
  [[nodiscard]] std::vector<JsonCursor> elements() const {
    if (!value_->is_array()) throw wrong("must be a list", "write [ … ]");
    std::vector<JsonCursor> all;
    for (std::size_t i = 0; i < value_->size(); ++i) all.push_back(below((*value_)[i], i));
    return all;
  }
  [[nodiscard]] bool is_string() const { return value_->is_string(); }
  [[nodiscard]] const std::string& string() const {
    if (!value_->is_string()) throw wrong("must be a text", "write it in quotes");
    return value_->string();
  }
  [[nodiscard]] double number() const {
    if (!value_->is_number()) throw wrong("must be a number", "write it without quotes");
    return value_->get<double>();
  }
  [[nodiscard]] bool boolean() const {
    if (!value_->is_boolean()) throw wrong("must be true or false", "write it without quotes");
    return value_->get<bool>();
  }
  /// Returns the value as a whole number from 0 to `most`.
  template <std::integral Number>
  [[nodiscard]] Number whole_number(Number most) const {
    const double value = number();
    if (value_->is_number_unsigned()) {  // exact, unlike a double
      const auto exact = value_->get<std::uint64_t>();
      if (exact <= static_cast<std::uint64_t>(most)) return static_cast<Number>(exact);
    } else if (value >= 0 && value <= std::min<double>(static_cast<double>(most), 1LL << 53) &&
               value == std::floor(value)) {
      return static_cast<Number>(value);
    }
    throw wrong(fmt::format("{} is not a whole number from 0 to {}", value, most),
                "write one without quotes");
  }
  /// Returns the value, for code that reads it without a cursor.
  [[nodiscard]] const Json& json() const { return *value_; }

 private:
  template <typename Key>
  [[nodiscard]] JsonCursor below(const Json& value, const Key& key) const {
    JsonCursor cursor(value, file_, way_out_);
    cursor.pointer_ = fmt::format("{}/{}", pointer_, key);
    return cursor;
  }

  const Json* value_;
  std::string_view file_, way_out_;
  std::string pointer_;
};

}  // namespace Atoll::detail
