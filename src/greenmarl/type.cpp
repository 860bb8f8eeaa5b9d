#include "greenmarl/type.hpp"

#include <fmt/format.h>

namespace Atoll::greenmarl {

std::string to_string(const Type& type) {
  switch (type.shape) {
    case Shape::value:
      return std::string(to_string(type.value));
    case Shape::property:
      return fmt::format("{}<{}>", type.at_edges ? "Edge_Prop" : "Node_Prop",
                         to_string(type.of[0]));
    case Shape::collection:
      switch (type.collection) {
        case CollectionShape::set:
          return "Node_Set";
        case CollectionShape::order:
          return "Node_Order";
        case CollectionShape::sequence:
          return "Node_Seq";
        case CollectionShape::many:
          return fmt::format("Collection<{}>", to_string(type.of[0]));
      }
      return "a collection";
    case Shape::map:
      return fmt::format("Map<{}, {}>", to_string(type.of[0]), to_string(type.of[1]));
    case Shape::graph:
      return "Graph";
  }
  return "?";
}

bool differ_in_graph(const Type& a, const Type& b) {
  return a != b && to_string(a) == to_string(b);
}

std::string with_article(const Type& type) {
  const std::string name = to_string(type);
  return fmt::format("{} {}", name[0] == 'I' || name[0] == 'E' ? "an" : "a", name);
}

bool is_integer(const Type& type) {
  return type.is(ValueType::int32) || type.is(ValueType::int64);
}
bool is_real(const Type& type) {
  return type.is(ValueType::float32) || type.is(ValueType::float64);
}
bool is_numeric(const Type& type) {
  return is_integer(type) || is_real(type);
}

}  // namespace Atoll::greenmarl
