// A value in a JSON document together with its place there, so that every complaint can name it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/error.hpp"

namespace Atoll::detail {

class JsonCursor {
 public:
  /// Both must outlive the cursor.
  JsonCursor(const nlohmann::json& value, std::string_view file) : value_(&value), file_(file) {}

  /// "machine.json: /links/3/latency" (a JSON pointer).
  [[nodiscard]] std::string where() const {
    return pointer_.empty() ? std::string(file_) : fmt::format("{}: {}", file_, pointer_);
  }
  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  [[nodiscard]] Error wrong(std::string_view what, std::string_view way_out) const {
    return Error::input(where(), what, way_out);
  }

  /// An object with no other keys than these.
  const JsonCursor& with_keys(std::initializer_list<std::string_view> known) const {
    if (!value_->is_object()) throw wrong("must be an object", "write { … }");
    for (const auto& [key, unused] : value_->items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        throw wrong(fmt::format("unknown key '{}'", key),
                    fmt::format("known are {}", fmt::join(known, ", ")));
    return *this;
  }
  [[nodiscard]] std::optional<JsonCursor> find(std::string_view key) const {
    const auto found = value_->find(key);
    if (found == value_->end()) return std::nullopt;
    return JsonCursor(*found, file_, fmt::format("{}/{}", pointer_, key));
  }
  [[nodiscard]] JsonCursor get(std::string_view key) const {
    if (const auto found = find(key)) return *found;
    throw wrong(fmt::format("the key '{}' is missing", key),
                "docs/machine-file.md shows the format");
  }
  /// The keys and values of an object.
  [[nodiscard]] std::vector<std::pair<std::string, JsonCursor>> members() const {
    if (!value_->is_object()) throw wrong("must be an object", "write { … }");
    std::vector<std::pair<std::string, JsonCursor>> all;
    for (const auto& [key, unused] : value_->items()) all.emplace_back(key, get(key));
    return all;
  }
  [[nodiscard]] std::vector<JsonCursor> elements() const {
    if (!value_->is_array()) throw wrong("must be a list", "write [ … ]");
    std::vector<JsonCursor> all;
    for (std::size_t i = 0; i < value_->size(); ++i)
      all.push_back(JsonCursor((*value_)[i], file_, fmt::format("{}/{}", pointer_, i)));
    return all;
  }
  [[nodiscard]] bool is_string() const { return value_->is_string(); }
  [[nodiscard]] const std::string& string() const {
    if (!value_->is_string()) throw wrong("must be a text", "write it in quotes");
    return value_->get_ref<const std::string&>();
  }
  [[nodiscard]] double number() const {
    if (!value_->is_number()) throw wrong("must be a number", "write it without quotes");
    return value_->get<double>();
  }
  /// A whole number from 0 to `most`.
  [[nodiscard]] int whole_number(int most) const {
    const double value = number();
    if (!(value >= 0 && value <= most) || value != static_cast<int>(value))
      throw wrong(fmt::format("{} is not a whole number from 0 to {}", value, most), "");
    return static_cast<int>(value);
  }

 private:
  JsonCursor(const nlohmann::json& value, std::string_view file, std::string pointer)
      : value_(&value), file_(file), pointer_(std::move(pointer)) {}

  const nlohmann::json* value_;
  std::string_view file_;
  std::string pointer_;
};

}  // namespace Atoll::detail
