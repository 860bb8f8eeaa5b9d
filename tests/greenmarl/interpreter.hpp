// Executes the syntax tree of a Green-Marl program, slowly and on one thread. It is independent of
// lowering, passes and emitter, so their output can be compared with its results. Iterations of a
// Foreach run sequentially in ascending order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "greenmarl/ast.hpp"
#include "value.hpp"

namespace Atoll::greenmarl::oracle {

struct Graph {
  Id nodes = 0;
  std::vector<std::pair<Id, Id>> edges;  ///< sorted; an edge's number is its index
};

using Entries = std::vector<std::pair<Value, Value>>;
/// Contents of the collections in a Collection, or in a property (one for each node or edge).
using Many = std::vector<std::vector<Id>>;

/// Inputs of a procedure by name. Missing ones are 0, False, NIL or empty.
struct Inputs {
  std::map<std::string, Value> scalars;
  std::map<std::string, std::vector<Value>> properties;
  std::map<std::string, std::vector<Id>> collections;
  std::map<std::string, Many> many;
  std::map<std::string, Entries> maps;
};

/// Outputs of a procedure: output scalars, and all properties, collections and maps that are
/// arguments.
struct Outputs {
  std::optional<Value> returned;
  std::map<std::string, Value> scalars;
  std::map<std::string, std::vector<Value>> properties;
  std::map<std::string, std::vector<Id>> collections;
  std::map<std::string, Many> many;
  std::map<std::string, Entries> maps;
  bool random = false;  ///< drew a random number, so other results are valid
  /// Several results are valid: a floating-point sum or product was rounded, an argmin of
  /// properties had equal candidates, or several deferred values were for one element.
  bool loose = false;
};

struct Limits {
  std::uint64_t steps = 10'000'000;  ///< statements and expressions; throws TooLong if exceeded
};

class TooLong : public std::runtime_error {
 public:
  TooLong() : std::runtime_error("the program takes too many steps") {}
};

/// The program has a construct that the interpreter doesn't support (foreign text).
class NotTaken : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs `procedure` (if empty, the first one that isn't Local) on as many graphs as it has
/// parameters for. The program must be valid for the compiler. Throws Stop if the program stops
/// with an error.
[[nodiscard]] Outputs interpret(const ast::Module& module, const std::vector<Graph>& graphs,
                                const Inputs& inputs, const std::string& procedure = "",
                                const Limits& limits = {});

}  // namespace Atoll::greenmarl::oracle
