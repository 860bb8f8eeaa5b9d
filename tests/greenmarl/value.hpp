// Values of Green-Marl as docs/green-marl.md defines them, for the interpreter of the tests. It
// stands apart from src/greenmarl: of it only the syntax tree and the operators' names are used.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "atoll/pattern/procedure.hpp"
#include "greenmarl/operators.hpp"
#include "greenmarl/source.hpp"

namespace Atoll::greenmarl::oracle {

/// The number of a node or an edge.
using Id = std::int64_t;
inline constexpr Id kNil = std::numeric_limits<Id>::max();

/// The program stops, and says where.
class Stop : public std::runtime_error {
 public:
  Stop(Position place, const std::string& what) : std::runtime_error(what), at(place) {}
  Position at;
};

/// An Int, Long, Bool, Node or Edge is in `integer`, a Float or Double in `real`.
struct Value {
  ValueType type = ValueType::int32;
  std::int64_t integer = 0;
  double real = 0;

  /// Types and values are the same; NaN is NaN.
  friend bool operator==(const Value& a, const Value& b) {
    return a.type == b.type && a.integer == b.integer &&
           (a.real == b.real || (a.real != a.real && b.real != b.real));
  }
  /// The order of a map's keys.
  friend bool operator<(const Value& a, const Value& b) {
    return a.integer != b.integer ? a.integer < b.integer : a.real < b.real;
  }
};

[[nodiscard]] bool is_real(ValueType type);
[[nodiscard]] bool is_number(ValueType type);
[[nodiscard]] bool is_element(ValueType type);

/// An integer as an Int or a Long: its low bits, so that arithmetic wraps round.
[[nodiscard]] Value integer(ValueType type, std::int64_t value);
[[nodiscard]] Value real(ValueType type, double value);
[[nodiscard]] Value boolean(bool value);
[[nodiscard]] Value node(Id id);
[[nodiscard]] Value edge(Id id);
/// 0, False or NIL.
[[nodiscard]] Value nothing(ValueType type);
/// INF or -INF.
[[nodiscard]] Value infinity(ValueType type, bool negative);
/// What combining with `op` begins with.
[[nodiscard]] Value neutral(AssignOp op, ValueType type);

/// As an assignment converts; stops if a Long doesn't fit into an Int.
[[nodiscard]] Value assigned(const Value& value, ValueType to, Position at);
/// As a cast converts.
[[nodiscard]] Value cast(const Value& value, ValueType to);
/// The type that arithmetic on two numbers has.
[[nodiscard]] ValueType meeting(ValueType a, ValueType b);

[[nodiscard]] Value negated(const Value& value);
[[nodiscard]] Value absolute(const Value& value);
/// Both are of one type.
[[nodiscard]] Value computed(BinaryOp op, const Value& a, const Value& b, Position at);
[[nodiscard]] Value combined(AssignOp op, const Value& a, const Value& b);

/// As `atoll run` prints it: "INF", "NIL", "0.5".
[[nodiscard]] std::string to_string(const Value& value);

}  // namespace Atoll::greenmarl::oracle
