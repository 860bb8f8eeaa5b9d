#include "value.hpp"

#include <fmt/format.h>

#include <cmath>

namespace Atoll::greenmarl::oracle {
namespace {

using I32 = std::numeric_limits<std::int32_t>;
using I64 = std::numeric_limits<std::int64_t>;

std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

/// Rounds towards zero. Values out of range become the nearest limit, NaN becomes 0.
std::int64_t truncated(double value, ValueType to) {
  if (std::isnan(value)) return 0;
  const std::int64_t least = to == ValueType::int32 ? I32::min() : I64::min();
  const std::int64_t greatest = to == ValueType::int32 ? I32::max() : I64::max();
  // As a double, the maximum of Long is 2^63, which exceeds Long.
  if (value >= static_cast<double>(greatest)) return greatest;
  if (value <= static_cast<double>(least)) return least;
  return static_cast<std::int64_t>(std::trunc(value));
}

double as_real(const Value& value) {
  return is_real(value.type) ? value.real : static_cast<double>(value.integer);
}

Value number(const Value& value, ValueType to) {
  if (to == ValueType::float32 && !is_real(value.type))
    return real(to, static_cast<double>(static_cast<float>(value.integer)));  // rounds once
  if (is_real(to)) return real(to, as_real(value));
  return integer(to, is_real(value.type) ? truncated(value.real, to) : value.integer);
}

bool less(const Value& a, const Value& b) {
  return is_real(a.type) ? a.real < b.real : a.integer < b.integer;
}

bool equal(const Value& a, const Value& b) {
  return is_real(a.type) ? a.real == b.real : a.integer == b.integer;
}

Value arithmetic(BinaryOp op, const Value& a, const Value& b, Position at) {
  if (a.type == ValueType::float32 || a.type == ValueType::float64) {
    const bool narrow = a.type == ValueType::float32;
    const auto x = a.real, y = b.real;
    const auto f = static_cast<float>(x), g = static_cast<float>(y);
    switch (op) {
      case BinaryOp::add:
        return real(a.type, narrow ? static_cast<double>(f + g) : x + y);
      case BinaryOp::subtract:
        return real(a.type, narrow ? static_cast<double>(f - g) : x - y);
      case BinaryOp::multiply:
        return real(a.type, narrow ? static_cast<double>(f * g) : x * y);
      default:
        return real(a.type, narrow ? static_cast<double>(f / g) : x / y);
    }
  }
  const std::int64_t x = a.integer, y = b.integer;
  switch (op) {
    case BinaryOp::add:
      return integer(a.type, static_cast<std::int64_t>(bits(x) + bits(y)));
    case BinaryOp::subtract:
      return integer(a.type, static_cast<std::int64_t>(bits(x) - bits(y)));
    case BinaryOp::multiply:
      return integer(a.type, static_cast<std::int64_t>(bits(x) * bits(y)));
    default:
      break;
  }
  if (y == 0) throw Stop(at, "division by zero");
  if (y == -1)  // the minimum's negation overflows
    return op == BinaryOp::modulo ? integer(a.type, 0) : negated(a);
  return integer(a.type, op == BinaryOp::modulo ? x % y : x / y);
}

}  // namespace

bool is_real(ValueType type) {
  return type == ValueType::float32 || type == ValueType::float64;
}
bool is_number(ValueType type) {
  return is_real(type) || type == ValueType::int32 || type == ValueType::int64;
}
bool is_element(ValueType type) {
  return type == ValueType::node || type == ValueType::edge;
}

Value integer(ValueType type, std::int64_t value) {
  return {type, type == ValueType::int32 ? static_cast<std::int32_t>(bits(value)) : value, 0};
}
Value real(ValueType type, double value) {
  return {type, 0,
          type == ValueType::float32 ? static_cast<double>(static_cast<float>(value)) : value};
}
Value boolean(bool value) {
  return {ValueType::boolean, value ? 1 : 0, 0};
}
Value node(Id id) {
  return {ValueType::node, id, 0};
}
Value edge(Id id) {
  return {ValueType::edge, id, 0};
}

Value nothing(ValueType type) {
  return {type, is_element(type) ? kNil : 0, 0};
}

// INF of a node or edge is NIL.
Value infinity(ValueType type, bool negative) {
  if (is_element(type)) return {type, negative ? 0 : kNil, 0};
  if (is_real(type)) {
    const double infinite = std::numeric_limits<double>::infinity();
    return {type, 0, negative ? -infinite : infinite};
  }
  if (type == ValueType::int32) return {type, negative ? I32::min() : I32::max(), 0};
  return {type, negative ? I64::min() : I64::max(), 0};
}

Value neutral(AssignOp op, ValueType type) {
  switch (op) {
    case AssignOp::product:
      return number(integer(ValueType::int32, 1), type);
    case AssignOp::min:
      return infinity(type, false);
    case AssignOp::max:
      return infinity(type, true);
    case AssignOp::all:
      return boolean(true);
    default:
      return nothing(type);
  }
}

Value assigned(const Value& value, ValueType to, Position at) {
  if (value.type == to) return value;
  if (value.type == ValueType::int64 && to == ValueType::int32) {
    if (value.integer == I64::max()) return infinity(to, false);
    if (value.integer == I64::min()) return infinity(to, true);
    if (value.integer != static_cast<std::int32_t>(value.integer))
      throw Stop(at, "a Long does not fit into an Int");
  }
  if (!is_number(value.type) || !is_number(to))
    throw std::logic_error("the interpreter was given a program of wrong types");
  return number(value, to);
}

Value cast(const Value& value, ValueType to) {
  if (value.type == to) return value;
  if (to == ValueType::boolean)
    return boolean(is_real(value.type) ? value.real != 0 : value.integer != 0);
  if (value.type == ValueType::int64 && to == ValueType::int32) {
    if (value.integer == I64::max()) return infinity(to, false);
    if (value.integer == I64::min()) return infinity(to, true);
  }
  return number(value, to);
}

ValueType meeting(ValueType a, ValueType b) {
  for (const ValueType type : {ValueType::float64, ValueType::float32, ValueType::int64})
    if (a == type || b == type) return type;
  return ValueType::int32;
}

Value negated(const Value& value) {
  if (is_real(value.type)) return real(value.type, -value.real);
  return integer(value.type, static_cast<std::int64_t>(0 - bits(value.integer)));
}

Value absolute(const Value& value) {
  if (is_real(value.type)) return real(value.type, std::fabs(value.real));
  return value.integer < 0 ? negated(value) : value;
}

Value computed(BinaryOp op, const Value& a, const Value& b, Position at) {
  switch (op) {
    case BinaryOp::equal:
      return boolean(equal(a, b));
    case BinaryOp::not_equal:
      return boolean(!equal(a, b));
    case BinaryOp::less:
      return boolean(less(a, b));
    case BinaryOp::less_equal:
      return boolean(less(a, b) || equal(a, b));
    case BinaryOp::greater:
      return boolean(less(b, a));
    case BinaryOp::greater_equal:
      return boolean(less(b, a) || equal(a, b));
    default:
      return arithmetic(op, a, b, at);
  }
}

Value combined(AssignOp op, const Value& a, const Value& b) {
  switch (op) {
    case AssignOp::set:
      return b;
    case AssignOp::sum:
      return arithmetic(BinaryOp::add, a, b, {});
    case AssignOp::product:
      return arithmetic(BinaryOp::multiply, a, b, {});
    case AssignOp::min:
      return less(b, a) ? b : a;
    case AssignOp::max:
      return less(a, b) ? b : a;
    case AssignOp::all:
      return boolean(a.integer != 0 && b.integer != 0);
    case AssignOp::any:
      return boolean(a.integer != 0 || b.integer != 0);
  }
  return b;
}

std::string to_string(const Value& value) {
  switch (value.type) {
    case ValueType::boolean:
      return value.integer != 0 ? "True" : "False";
    case ValueType::node:
    case ValueType::edge:
      return value.integer == kNil ? "NIL" : fmt::format("{}", value.integer);
    case ValueType::float32:
      return fmt::format("{}", static_cast<float>(value.real));
    case ValueType::float64:
      return fmt::format("{}", value.real);
    default:
      if (value == infinity(value.type, false)) return "INF";
      if (value == infinity(value.type, true)) return "-INF";
      return fmt::format("{}", value.integer);
  }
}

}  // namespace Atoll::greenmarl::oracle
