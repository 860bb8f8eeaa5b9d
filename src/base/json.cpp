// Values of JSON documents. json_text.cpp parses and prints them.
#include "atoll/base/json.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace Atoll {

Json::Json() noexcept = default;
Json::Json(std::string text) : value_(std::make_unique<std::string>(std::move(text))) {}

Json::Json(std::initializer_list<Item> items) {
  const bool is_object = std::ranges::all_of(items, [](const Item& item) {
    const Json& pair = item.value();
    return pair.is_array() && pair.size() == 2 && pair[0].is_string();
  });
  if (is_object) {
    Object& members = *value_.emplace<kObject>(std::make_unique<Object>());
    members.reserve(items.size());
    for (const Item& item : items) {
      const Json taken = item.take();
      Array& pair = **std::get_if<kArray>(&taken.value_);
      std::string& key = **std::get_if<kString>(&pair[0].value_);
      if (!contains(key)) members.emplace_back(std::move(key), std::move(pair[1]));
    }
  } else {
    Array& elements = *value_.emplace<kArray>(std::make_unique<Array>());
    elements.reserve(items.size());
    for (const Item& item : items) elements.push_back(item.take());
  }
}

Json::Json(const Json& other) {
  std::visit(
      [this](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (requires { typename T::element_type; })
          value_ = std::make_unique<typename T::element_type>(*value);
        else
          value_ = value;
      },
      other.value_);
}

Json::Json(Json&& other) noexcept : value_(std::move(other.value_)) {
  other.value_.emplace<kNull>();
}

Json& Json::operator=(Json other) noexcept {
  value_.swap(other.value_);
  return *this;
}

/// Values may be nested as deep as a text is long, so nested values are destroyed in a loop.
Json::~Json() {
  if (!is_structured()) return;
  Array nested;
  const auto take_nested = [&nested](Json& from) {
    const auto take = [&nested](Json& value) {
      if (value.is_structured() && !value.empty()) nested.push_back(std::move(value));
    };
    if (auto* const array = std::get_if<kArray>(&from.value_))
      for (Json& value : **array) take(value);
    if (auto* const object = std::get_if<kObject>(&from.value_))
      for (Member& member : **object) take(member.second);
  };
  take_nested(*this);
  while (!nested.empty()) {
    Json last = std::move(nested.back());
    nested.pop_back();
    take_nested(last);
  }
}

Json Json::array() {
  Json json;
  json.value_ = std::make_unique<Array>();
  return json;
}
Json Json::object() {
  Json json;
  json.value_ = std::make_unique<Object>();
  return json;
}

void Json::set(bool value) {
  value_ = value;
}
void Json::set(std::int64_t value) {
  value_ = value;
}
void Json::set(std::uint64_t value) {
  value_ = value;
}
void Json::set(double value) {
  value_ = value;
}
void Json::set(std::string_view text) {
  value_ = std::make_unique<std::string>(text);
}

void Json::reserve(std::size_t elements) {
  *this = array();
  (*std::get_if<kArray>(&value_))->reserve(elements);
}

JsonError Json::wrong(std::string_view needed) const {
  static constexpr std::string_view kNames[] = {"null",     "a boolean", "a number", "a number",
                                                "a number", "a text",    "a list",   "an object"};
  return JsonError(fmt::format("{} where {} is needed", kNames[value_.index()], needed));
}

bool Json::boolean() const {
  if (const bool* const value = std::get_if<kBoolean>(&value_)) return *value;
  throw wrong("a boolean");
}

const std::string& Json::string() const {
  if (const auto* const text = std::get_if<kString>(&value_)) return **text;
  throw wrong("a text");
}

const std::vector<Json>& Json::elements() const {
  static const Array none;
  if (const auto* const array = std::get_if<kArray>(&value_)) return **array;
  if (is_null()) return none;
  throw wrong("a list");
}

const std::vector<Json::Member>& Json::items() const {
  static const Object none;
  if (const auto* const object = std::get_if<kObject>(&value_)) return **object;
  if (is_null()) return none;
  throw wrong("an object");
}

std::size_t Json::size() const {
  if (is_array()) return elements().size();
  return is_object() || is_null() ? items().size() : 1;
}

const Json& Json::at(std::size_t position) const {
  if (position < elements().size()) return elements()[position];
  throw JsonError(fmt::format("element {} of {} is missing", position, elements().size()));
}

Json& Json::back() {
  auto* const array = std::get_if<kArray>(&value_);
  if (array == nullptr || (*array)->empty()) throw wrong("a list with elements");
  return (*array)->back();
}

void Json::push_back(Json value) {
  if (is_null()) value_ = std::make_unique<Array>();
  auto* const array = std::get_if<kArray>(&value_);
  if (array == nullptr) throw wrong("a list");
  (*array)->push_back(std::move(value));
}

const Json* Json::find(std::string_view key) const {
  const Object& members = items();
  const auto found = std::ranges::find(members, key, &Member::first);
  return found == members.end() ? nullptr : &found->second;
}

const Json& Json::at(std::string_view key) const {
  if (const Json* const found = find(key)) return *found;
  throw JsonError(fmt::format("the key '{}' is missing", key));
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = std::make_unique<Object>();
  auto* const object = std::get_if<kObject>(&value_);
  if (object == nullptr) throw wrong("an object");
  const auto found = std::ranges::find(**object, key, &Member::first);
  return found != (*object)->end() ? found->second : (*object)->emplace_back(key, Json()).second;
}

bool Json::equal(const Json& left, const Json& right) {
  if (left.is_number() && right.is_number()) {
    if (left.is_number_double() || right.is_number_double())
      return left.get<double>() == right.get<double>();
    const bool same_sign = (left.is_number_signed() && left.get<std::int64_t>() < 0) ==
                           (right.is_number_signed() && right.get<std::int64_t>() < 0);
    return same_sign && left.get<std::uint64_t>() == right.get<std::uint64_t>();
  }
  if (left.value_.index() != right.value_.index()) return false;
  switch (left.value_.index()) {
    case kBoolean:
      return left.boolean() == right.boolean();
    case kString:
      return left.string() == right.string();
    case kArray:
      return left.elements() == right.elements();
    case kObject:
      return left.size() == right.size() &&
             std::ranges::all_of(left.items(), [&](const Member& member) {
               const Json* const other = right.find(member.first);
               return other != nullptr && member.second == *other;
             });
    default:
      return true;
  }
}

}  // namespace Atoll
