// Describes the arguments and results of a library's procedures.
#include "atoll/program/library.hpp"

namespace Atoll::program {

bool describe_argument(const Offered& offered, int i, LibraryArgument& argument) {
  const Procedure& procedure = offered.description;
  const auto is = [&i] { return i-- == 0; };
  const auto type = [](ValueType value) { return static_cast<int>(value); };
  for (const Argument& one : procedure.arguments)
    if (is()) {
      argument = {one.name.c_str(),
                  static_cast<int>(ArgumentKind::scalar),
                  type(one.type),
                  type(one.type),
                  static_cast<int>(!one.output),
                  static_cast<int>(one.output),
                  static_cast<int>(one.graph)};
      return true;
    }
  for (const ArrayUse& use : procedure.arrays) {
    if (!use.input && !use.result) continue;
    if (is()) {
      const auto kind = use.edges ? ArgumentKind::edges : ArgumentKind::nodes;
      argument = {use.name.c_str(),
                  static_cast<int>(kind),
                  type(use.type),
                  type(use.type),
                  static_cast<int>(use.input),
                  static_cast<int>(use.result),
                  static_cast<int>(use.graph)};
      return true;
    }
  }
  for (const CollectionUse& use : procedure.collections) {
    if (!use.input && !use.result) continue;
    if (is()) {
      const auto kind = use.place != CollectionPlace::alone
                            ? ArgumentKind::many
                            : static_cast<ArgumentKind>(static_cast<int>(ArgumentKind::set) +
                                                        static_cast<int>(use.kind));
      argument = {use.name.c_str(),
                  static_cast<int>(kind),
                  type(use.key),
                  type(use.value),
                  static_cast<int>(use.input),
                  static_cast<int>(use.result),
                  static_cast<int>(use.graph)};
      return true;
    }
  }
  if (!procedure.returns || !is()) return false;
  argument = {"",
              static_cast<int>(ArgumentKind::scalar),
              type(*procedure.returns),
              type(*procedure.returns),
              0,
              1,
              static_cast<int>(procedure.returned_graph)};
  return true;
}

}  // namespace Atoll::program
