// Names of types.
#include "atoll/pattern/procedure.hpp"

namespace Atoll {

std::string_view to_string(ValueType type) {
  switch (type) {
    case ValueType::int32:
      return "Int";
    case ValueType::int64:
      return "Long";
    case ValueType::float32:
      return "Float";
    case ValueType::float64:
      return "Double";
    case ValueType::boolean:
      return "Bool";
    case ValueType::node:
      return "Node";
    case ValueType::edge:
      return "Edge";
  }
  return "?";
}

std::string_view to_string(CollectionKind kind) {
  switch (kind) {
    case CollectionKind::set:
      return "Node_Set";
    case CollectionKind::order:
      return "Node_Order";
    case CollectionKind::sequence:
      return "Node_Seq";
    case CollectionKind::map:
      return "Map";
  }
  return "?";
}

std::string type_name(const CollectionUse& use) {
  std::string one(to_string(use.kind));
  if (use.kind == CollectionKind::map)
    one += "<" + std::string(to_string(use.key)) + ", " + std::string(to_string(use.value)) + ">";
  switch (use.place) {
    case CollectionPlace::alone:
      return one;
    case CollectionPlace::listed:
      return "Collection<" + one + ">";
    case CollectionPlace::nodes:
      return "Node_Prop<" + one + ">";
    case CollectionPlace::edges:
      return "Edge_Prop<" + one + ">";
  }
  return one;
}

}  // namespace Atoll
