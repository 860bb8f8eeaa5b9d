// Values of Green-Marl as defined in docs/green-marl.md, for the tests' interpreter. Of
// src/greenmarl, only the syntax tree and the operators' names are used.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "atoll/pattern/procedure.hpp"
#include "greenmarl/operators.hpp"
#include "greenmarl/source.hpp"

namespace Atoll::greenmarl::oracle {

/// Number of a node or an edge.
using Id = std::int64_t;
inline constexpr Id kNil = std::numeric_limits<Id>::max();

/// The program stops with an error at this position.
class Stop : public std::runtime_error {
 public:
  Stop(Position place, const std::string& what) : std::runtime_error(what), at(place) {}
  Position at;
};

/// Values of Int, Long, Bool, Node and Edge are in `integer`, those of Float and Double in `real`.
struct Value {
  ValueType type = ValueType::int32;
  std::int64_t integer = 0;
  double real = 0;

  /// Compares types and values. NaN equals NaN.
  friend bool operator==(const Value& a, const Value& b) {
    return a.type == b.type && a.integer == b.integer &&
           (a.real == b.real || (a.real != a.real && b.real != b.real));
  }
  /// Order of the keys in a map.
  friend bool operator<(const Value& a, const Value& b) {
    return a.integer != b.integer ? a.integer < b.integer : a.real < b.real;
  }
};

[[nodiscard]] bool is_real(ValueType type);
[[nodiscard]] bool is_number(ValueType type);
[[nodiscard]] bool is_element(ValueType type);

/// Returns an integer as an Int or a Long. An Int keeps the low 32 bits, so that arithmetic wraps
/// around.
[[nodiscard]] Value integer(ValueType type, std::int64_t value);
[[nodiscard]] Value real(ValueType type, double value);
[[nodiscard]] Value boolean(bool value);
[[nodiscard]] Value node(Id id);
[[nodiscard]] Value edge(Id id);
/// Returns 0, False or NIL.
[[nodiscard]] Value nothing(ValueType type);
/// Returns INF or -INF.
[[nodiscard]] Value infinity(ValueType type, bool negative);
/// Returns the initial value for combining by `op`.
[[nodiscard]] Value neutral(AssignOp op, ValueType type);

/// Converts as an assignment does. Stops the program if a Long exceeds the range of Int.
[[nodiscard]] Value assigned(const Value& value, ValueType to, Position at);
/// Converts as a cast does.
[[nodiscard]] Value cast(const Value& value, ValueType to);
/// Returns the type of an arithmetic operation on two numbers.
[[nodiscard]] ValueType meeting(ValueType a, ValueType b);

[[nodiscard]] Value negated(const Value& value);
[[nodiscard]] Value absolute(const Value& value);
/// Both operands must be of one type.
[[nodiscard]] Value computed(BinaryOp op, const Value& a, const Value& b, Position at);
[[nodiscard]] Value combined(AssignOp op, const Value& a, const Value& b);

/// Prints the value as `atoll run` does: "INF", "NIL", "0.5".
[[nodiscard]] std::string to_string(const Value& value);

}  // namespace Atoll::greenmarl::oracle
