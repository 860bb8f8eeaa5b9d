// The interpreter's state: objects by name, procedure calls, open loops.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <set>

#include "interpreter.hpp"

namespace Atoll::greenmarl::oracle {

/// A graph with its outgoing and incoming edges by node.
struct World {
  explicit World(const Graph& graph);

  Id nodes = 0;
  std::vector<std::pair<Id, Id>> edges;
  std::vector<std::vector<Id>> out;  ///< by node: outgoing edges, ascending
  std::vector<std::vector<Id>> in;   ///< by node: incoming edges, by source
};

struct Object;
using Handle = std::shared_ptr<Object>;

/// A resolved type.
struct Type {
  ast::TypeName::Kind kind = ast::TypeName::Kind::value;
  ValueType value = ValueType::int32;
  const World* world = nullptr;  ///< the graph that it belongs to
  std::vector<Type> of;
};

/// An object that has a name: a variable, a graph, a property, a collection or a map.
struct Object {
  Type type;
  Value value;                 ///< of a variable
  Id edge = kNil;              ///< of an iterator over neighbours: the traversed edge
  std::vector<Value> values;   ///< of a property
  std::vector<Handle> held;    ///< collections in a property or a Collection
  std::vector<Id> items;       ///< of a set (ascending), an order or a sequence
  std::map<Value, Value> map;  ///< of a map
};

/// An expression's type before its context is known. INF, NIL and expressions that only pass them
/// on have no type yet.
struct Static {
  std::optional<ValueType> type;
  bool literal = false;
  bool element = false;                   ///< has no type yet: NIL
  ValueType number = ValueType::float64;  ///< has no type yet: the type if the context gives none

  [[nodiscard]] ValueType alone() const {
    return type.value_or(element ? ValueType::node : number);
  }
};

enum class Flow : std::uint8_t { next, returned };

class Machine {
 public:
  Machine(const ast::Module& module, const Limits& limits) : module_(module), limits_(limits) {}

  Outputs run(const ast::Procedure& procedure, const std::vector<const World*>& worlds,
              const Inputs& inputs);

 private:
  struct Deferred {
    Handle target;
    std::optional<Id> element;
    Value value;
    std::optional<Value> key;  ///< if the target is a map
  };
  struct OpenLoop {
    std::string iterator;
    std::vector<Deferred> deferred;
  };
  struct Search {
    const World* world;
    bool transposed;
    std::vector<std::int64_t> level;  ///< by node; -1 if not entered
  };
  using Names = std::map<std::string, Handle>;
  struct Scope {
    Names variables, properties;
  };
  /// A procedure call in progress.
  struct Call {
    std::vector<Scope> scopes;
    std::vector<OpenLoop> loops;
    std::optional<ValueType> returns;
    std::optional<Value> returned;
    const Object* group = nullptr;  ///< in G.p = …: the graph or collection, whose name means
                                    ///< `element`
    Value element;                  ///< the current element of `group`
  };

  // Names and types (machine.cpp)
  [[nodiscard]] Call& call() { return calls_.back(); }
  [[nodiscard]] Handle variable(const std::string& name);
  [[nodiscard]] Handle property(const std::string& name);
  void declare(const std::string& name, Handle object);
  [[nodiscard]] Type type_of(const ast::TypeName& written, const World* around = nullptr);
  [[nodiscard]] Handle make(const Type& type) const;
  void step();

  // Types of expressions, without evaluating them (types.cpp)
  [[nodiscard]] Static static_type(const ast::Expr& expr);
  [[nodiscard]] Static static_conditional(const ast::Expr& expr);
  [[nodiscard]] Static static_reduction(const ast::Expr& expr);
  [[nodiscard]] Static static_method(const ast::Expr& expr);
  [[nodiscard]] ValueType own_type(const ast::Expr& expr);
  [[nodiscard]] ValueType common_type(const Static& a, const Static& b);

  // Expressions (expressions.cpp)
  [[nodiscard]] Value evaluate(const ast::Expr& expr);
  [[nodiscard]] Value evaluate(const ast::Expr& expr, ValueType wanted);
  [[nodiscard]] bool holds(const ast::Expr& expr);
  [[nodiscard]] bool holds(const std::vector<ast::Expr>& condition);
  [[nodiscard]] Id element(const ast::Expr& expr);
  [[nodiscard]] Value binary(const ast::Expr& expr);
  [[nodiscard]] static Value negated_or_infinite(const ast::Expr& expr, const Value& operand);
  [[nodiscard]] Value reduction(const ast::Expr& expr);
  [[nodiscard]] bool takes_set(const ast::Expr& expr);
  [[nodiscard]] Handle collection(const ast::Expr& expr);
  [[nodiscard]] bool is_group(const ast::Expr& expr);
  [[nodiscard]] Id edge_to(const ast::Expr& expr);

  // Built-ins (builtins.cpp)
  std::optional<Value> method(const ast::Expr& expr);
  [[nodiscard]] Value of_graph(const World& world, const ast::Expr& expr);
  [[nodiscard]] Value of_element(const World& world, const Value& value, const ast::Expr& expr);
  std::optional<Value> of_collection(Object& object, const ast::Expr& expr);
  std::optional<Value> of_map(Object& object, const ast::Expr& expr);
  [[nodiscard]] Value of_nothing(const ast::Expr& expr);
  [[nodiscard]] Id draw(Id count);
  [[nodiscard]] const World& world_of(const ast::Expr& expr);

  // Calls (calls.cpp)
  std::optional<Value> procedure_call(const ast::Procedure& callee, const ast::Expr& expr);
  [[nodiscard]] const ast::Procedure* find(const std::string& name) const;

  // Statements (statements.cpp)
  Flow block(const std::vector<ast::Stmt>& statements);
  Flow statements(const std::vector<ast::Stmt>& statements);
  Flow statement(const ast::Stmt& stmt);
  void declaration(const ast::Stmt& stmt);
  void assignment(const ast::Stmt& stmt);
  void group_assignment(const ast::Stmt& stmt, const Handle& group);
  void best_assignment(const ast::Stmt& stmt);
  void map_assignment(const ast::Stmt& stmt);
  [[nodiscard]] bool assigns_group(const ast::Stmt& stmt);
  void store(const Handle& target, std::optional<Id> at, const Value& value);
  [[nodiscard]] const Value& load(const Handle& target, std::optional<Id> at) const;
  void defer(const ast::Stmt& stmt, Deferred deferred);
  static void copy(const Object& from, Object& to);
  /// Returns combined(). Sets loose_ if the result was rounded.
  [[nodiscard]] Value combine(AssignOp op, const Value& a, const Value& b);

  // Loops and traversals (loops.cpp)
  Flow loop(const ast::Stmt& stmt);
  Flow traversal(const ast::Stmt& stmt);
  Flow breadth_first(const ast::Stmt& stmt, Id root, Search& search);
  Flow depth_first(const ast::Stmt& stmt, Id node, Search& search);
  Flow visit(const ast::Stmt& stmt, Id node, const Search& search, bool forward);
  [[nodiscard]] bool enters(const ast::Stmt& stmt, Id node, const Search& search);
  [[nodiscard]] std::vector<Id> next_level(const ast::Stmt& stmt, const std::vector<Id>& level,
                                           Search& search);
  [[nodiscard]] bool uses_down_neighbours(const std::vector<ast::Stmt>& statements) const;
  /// Returns the iterators of a header, one for each iteration.
  [[nodiscard]] std::vector<Handle> range(const ast::Header& header);
  [[nodiscard]] std::vector<Handle> neighbours(const ast::Header& header);
  [[nodiscard]] Handle iterator(const World& world, Value value, Id edge = kNil) const;
  void end_loop();

  const ast::Module& module_;
  Limits limits_;
  std::uint64_t steps_ = 0;
  std::vector<Call> calls_;
  std::vector<Search*> searches_;
  std::vector<std::shared_ptr<World>> local_graphs_;
  std::mt19937_64 random_{1};
  bool drew_ = false;
  bool loose_ = false;
};

}  // namespace Atoll::greenmarl::oracle
