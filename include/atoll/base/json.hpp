// JSON values: built in memory, parsed from text, printed as text. nlohmann-json parses and prints
// them; this header doesn't include it, as it takes seconds to compile.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace Atoll {

/// A text that isn't JSON, or a value that isn't of the requested type.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class T>
concept JsonText = std::convertible_to<const T&, std::string_view>;  ///< becomes a string
template <class T>
concept JsonList = !JsonText<T> && requires(const T& list) {  ///< becomes an array or an object
  list.begin() != list.end();
  list.size();
};

/// A value: null, a boolean, a signed or unsigned integer, a double, a string, an array or an
/// object. An object keeps the order in which its members were added. Integers are exact from
/// -2^63 to 2^64 - 1. Members are found by linear search, so objects should be small.
class Json {
 public:
  using Member = std::pair<std::string, Json>;
  class Item;

  Json() noexcept;  ///< null
  Json(std::nullptr_t) noexcept : Json() {}
  Json(std::string text);
  /// Numbers, text, and ranges of values. A map with text as keys becomes an object.
  template <class T>
    requires(!std::same_as<T, Json> && (std::is_arithmetic_v<T> || JsonText<T> || JsonList<T>))
  Json(const T& value);
  /// If all items are pairs that begin with a text, an object: {{"node", 0}, {"bytes", 4096}}. The
  /// first of equal keys counts. Otherwise an array.
  Json(std::initializer_list<Item> items);
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(Json other) noexcept;
  ~Json();

  [[nodiscard]] static Json array();
  [[nodiscard]] static Json object();

  [[nodiscard]] bool is_null() const { return value_.index() == kNull; }
  [[nodiscard]] bool is_boolean() const { return value_.index() == kBoolean; }
  [[nodiscard]] bool is_string() const { return value_.index() == kString; }
  [[nodiscard]] bool is_array() const { return value_.index() == kArray; }
  [[nodiscard]] bool is_object() const { return value_.index() == kObject; }
  /// True for arrays and objects.
  [[nodiscard]] bool is_structured() const { return is_array() || is_object(); }
  [[nodiscard]] bool is_number_signed() const { return value_.index() == kSigned; }
  [[nodiscard]] bool is_number_unsigned() const { return value_.index() == kUnsigned; }
  [[nodiscard]] bool is_number_double() const { return value_.index() == kDouble; }
  [[nodiscard]] bool is_number() const {
    return is_number_signed() || is_number_unsigned() || is_number_double();
  }

  /// Returns the value as a T: bool, a number (converted as by static_cast), a string, or a
  /// container of such values. Throws JsonError if it has another type.
  template <class T>
  [[nodiscard]] T get() const;
  template <class T>
  void get_to(T& to) const {
    to = get<T>();
  }
  /// Throws JsonError unless this is a string.
  [[nodiscard]] const std::string& string() const;

  /// Number of elements or members; 0 for null, 1 for other values.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }

  /// Elements of an array. Null has none. Throws JsonError for other values.
  [[nodiscard]] const Json* begin() const { return elements().data(); }
  [[nodiscard]] const Json* end() const { return elements().data() + elements().size(); }
  [[nodiscard]] const Json& operator[](std::size_t position) const { return at(position); }
  [[nodiscard]] Json& operator[](std::size_t position) { return const_cast<Json&>(at(position)); }
  [[nodiscard]] const Json& at(std::size_t position) const;
  [[nodiscard]] Json& back();
  /// Appends an element. Null becomes an array first.
  void push_back(Json value);

  /// Members of an object, in their order. Null has none. Throws JsonError for other values.
  [[nodiscard]] const std::vector<Member>& items() const;
  /// Returns the member's value, or nullptr if there is none. Throws JsonError if this is neither
  /// an object nor null.
  [[nodiscard]] const Json* find(std::string_view key) const;
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// Throws JsonError if there is no such member.
  [[nodiscard]] const Json& at(std::string_view key) const;
  [[nodiscard]] const Json& operator[](std::string_view key) const { return at(key); }
  /// Returns the member's value. If there is none, adds null. Null becomes an object first.
  Json& operator[](std::string_view key);
  /// Returns the member's value, or `fallback` if there is none.
  template <class T>
  [[nodiscard]] T value(std::string_view key, T fallback) const {
    const Json* const found = find(key);
    return found == nullptr ? fallback : found->get<T>();
  }

  /// Numbers are equal by value. Objects are equal if they have the same members in any order.
  friend bool operator==(const Json& left, const Json& right) { return equal(left, right); }

  /// Returns the text: on one line if `indent` is negative, else with a line for each element and
  /// member. Bytes that aren't UTF-8 become U+FFFD. NaN and infinities become null.
  [[nodiscard]] std::string dump(int indent = -1) const;
  /// Returns the text with the members of each object sorted by key.
  [[nodiscard]] std::string dump_sorted(int indent = -1) const;

  /// Throws JsonError with line and column unless `text` is JSON. The last of equal keys counts.
  [[nodiscard]] static Json parse(std::string_view text);

 private:
  friend class JsonBuilder;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;
  // Strings, arrays and objects are allocated separately, so that a number needs 16 bytes.
  using Value =
      std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                   std::unique_ptr<std::string>, std::unique_ptr<Array>, std::unique_ptr<Object>>;
  enum : std::size_t { kNull, kBoolean, kSigned, kUnsigned, kDouble, kString, kArray, kObject };

  static bool equal(const Json& left, const Json& right);
  void set(bool value);
  void set(std::int64_t value);
  void set(std::uint64_t value);
  void set(double value);
  void set(std::string_view text);
  void reserve(std::size_t elements);
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] const std::vector<Json>& elements() const;
  [[nodiscard]] JsonError wrong(std::string_view needed) const;

  Value value_;
};

/// Element of an initializer list. The value is moved out of it.
class Json::Item {
 public:
  Item() = default;
  Item(std::initializer_list<Item> items) : value_(items) {}
  template <class T>
    requires std::constructible_from<Json, T>
  Item(T&& value) : value_(std::forward<T>(value)) {}

  [[nodiscard]] const Json& value() const { return value_; }
  [[nodiscard]] Json take() const { return std::move(value_); }

 private:
  mutable Json value_;
};

template <class T>
  requires(!std::same_as<T, Json> && (std::is_arithmetic_v<T> || JsonText<T> || JsonList<T>))
Json::Json(const T& value) : Json() {
  if constexpr (std::same_as<T, bool>) {
    set(value);
  } else if constexpr (std::floating_point<T>) {
    set(static_cast<double>(value));
  } else if constexpr (std::unsigned_integral<T>) {
    set(static_cast<std::uint64_t>(value));
  } else if constexpr (std::integral<T>) {
    set(static_cast<std::int64_t>(value));
  } else if constexpr (JsonText<T>) {
    set(std::string_view(value));
  } else if constexpr (requires { typename T::mapped_type; }) {
    *this = object();
    for (const auto& [key, one] : value) (*this)[key] = one;
  } else {
    reserve(value.size());
    for (const auto& one : value) push_back(one);
  }
}

template <class T>
T Json::get() const {
  if constexpr (std::same_as<T, bool>) {
    return boolean();
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (is_number_unsigned()) return static_cast<T>(*std::get_if<kUnsigned>(&value_));
    if (is_number_signed()) return static_cast<T>(*std::get_if<kSigned>(&value_));
    if (is_number_double()) return static_cast<T>(*std::get_if<kDouble>(&value_));
    throw wrong("a number");
  } else if constexpr (std::same_as<T, std::string>) {
    return string();
  } else {
    T all;
    for (const Json& one : *this) all.push_back(one.get<typename T::value_type>());
    return all;
  }
}

}  // namespace Atoll
