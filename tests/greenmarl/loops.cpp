// Executes loops and traversals.
#include <algorithm>
#include <map>
#include <tuple>

#include "machine.hpp"

namespace Atoll::greenmarl::oracle {
namespace {

using Kind = ast::TypeName::Kind;

std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

}  // namespace

Handle Machine::iterator(const World& world, Value value, Id edge) const {
  auto it = std::make_shared<Object>();
  it->type.value = value.type;
  it->type.world = &world;
  it->value = value;
  it->edge = edge;
  return it;
}

std::vector<Handle> Machine::range(const ast::Header& header) {
  std::vector<Handle> all;
  switch (header.range) {
    case Range::nodes: {
      const World& world = *variable(header.source.name.text)->type.world;
      for (Id id = 0; id < world.nodes; ++id) all.push_back(iterator(world, node(id)));
      return all;
    }
    case Range::edges: {
      const World& world = *variable(header.source.name.text)->type.world;
      for (std::size_t e = 0; e < world.edges.size(); ++e)
        all.push_back(iterator(world, edge(static_cast<Id>(e)), static_cast<Id>(e)));
      return all;
    }
    case Range::items: {
      const Handle source = collection(header.source);
      for (const Id id : source->items) all.push_back(iterator(*source->type.world, node(id)));
      for (const Handle& one : source->held) all.push_back(std::make_shared<Object>(*one));
      if (header.backwards) std::ranges::reverse(all);
      return all;
    }
    default:
      return neighbours(header);
  }
}

std::vector<Handle> Machine::neighbours(const ast::Header& header) {
  std::vector<Handle> all;
  const World& world = world_of(header.source);
  const Id from = element(header.source);
  if (header.range == Range::common_nbrs) {
    const Id other = element(header.args[0]);
    std::set<Id> first, both;
    for (const Id e : world.out[index(from)]) first.insert(world.edges[index(e)].second);
    for (const Id e : world.out[index(other)])
      if (first.contains(world.edges[index(e)].second)) both.insert(world.edges[index(e)].second);
    for (const Id id : both) all.push_back(iterator(world, node(id)));
    return all;
  }
  const bool by_level = header.range == Range::up_nbrs || header.range == Range::down_nbrs;
  const Search* const search = by_level ? searches_.back() : nullptr;
  const bool incoming = header.range == Range::in_nbrs ||
                        (by_level && (header.range == Range::up_nbrs) != search->transposed);
  const int step = header.range == Range::up_nbrs ? -1 : 1;
  for (const Id e : (incoming ? world.in : world.out)[index(from)]) {
    const auto& [source, target] = world.edges[index(e)];
    const Id id = incoming ? source : target;
    if (by_level && (search->level[index(from)] < 0 || search->level[index(id)] < 0 ||
                     search->level[index(id)] != search->level[index(from)] + step))
      continue;
    all.push_back(iterator(world, node(id), e));
  }
  return all;
}

/// Ends a loop and executes the assignments that were deferred until its end.
void Machine::end_loop() {
  const std::vector<Deferred> deferred = std::move(call().loops.back().deferred);
  call().loops.pop_back();
  std::map<std::tuple<Object*, std::optional<Id>, std::optional<Value>>, Value> values;
  for (const Deferred& one : deferred) {
    const auto [known, is_new] =
        values.try_emplace({one.target.get(), one.element, one.key}, one.value);
    if (!is_new && !(known->second == one.value)) loose_ = true;
    if (one.key)
      one.target->map[*one.key] = one.value;
    else
      store(one.target, one.element, one.value);
  }
}

Flow Machine::loop(const ast::Stmt& stmt) {
  const ast::Header& header = stmt.header[0];
  Flow flow = Flow::next;
  const std::vector<Handle> all = range(header);
  call().loops.push_back({header.iterator.text, {}});
  for (const Handle& it : all) {
    call().scopes.emplace_back();
    declare(header.iterator.text, it);
    if (holds(stmt.condition)) flow = block(stmt.body);
    call().scopes.pop_back();
    if (flow == Flow::returned) break;
  }
  end_loop();
  return flow;
}

Flow Machine::traversal(const ast::Stmt& stmt) {
  const ast::Header& header = stmt.header[0];
  const World& world = *variable(header.source.name.text)->type.world;
  const Id root = evaluate(stmt.root[0], ValueType::node).integer;
  if (root == kNil) return Flow::next;
  Search search{&world, header.transposed, std::vector<std::int64_t>(index(world.nodes), -1)};
  searches_.push_back(&search);
  search.level[index(root)] = 0;
  call().loops.push_back({header.iterator.text, {}});
  const Flow flow =
      stmt.breadth_first ? breadth_first(stmt, root, search) : depth_first(stmt, root, search);
  searches_.pop_back();
  end_loop();
  return flow;
}

/// Evaluates the navigator: returns true if the node is entered.
bool Machine::enters(const ast::Stmt& stmt, Id id, const Search& search) {
  if (stmt.navigator.empty()) return true;
  call().scopes.emplace_back();
  declare(stmt.header[0].iterator.text, iterator(*search.world, node(id)));
  const bool entered = holds(stmt.navigator[0]);
  call().scopes.pop_back();
  return entered;
}

/// Executes the body for one node if the filter permits it.
Flow Machine::visit(const ast::Stmt& stmt, Id id, const Search& search, bool forward) {
  Flow flow = Flow::next;
  call().scopes.emplace_back();
  declare(stmt.header[0].iterator.text, iterator(*search.world, node(id)));
  if (holds(forward ? stmt.condition : stmt.other_condition))
    flow = block(forward ? stmt.body : stmt.otherwise);
  call().scopes.pop_back();
  return flow;
}

std::vector<Id> Machine::next_level(const ast::Stmt& stmt, const std::vector<Id>& level,
                                    Search& search) {
  std::vector<Id> next;
  const World& world = *search.world;
  for (const Id from : level)
    for (const Id e : (search.transposed ? world.in : world.out)[index(from)]) {
      const auto& [source, target] = world.edges[index(e)];
      const Id id = search.transposed ? source : target;
      if (search.level[index(id)] >= 0 || !enters(stmt, id, search)) continue;
      search.level[index(id)] = search.level[index(from)] + 1;
      next.push_back(id);
    }
  std::ranges::sort(next);
  return next;
}

bool Machine::uses_down_neighbours(const std::vector<ast::Stmt>& body) const {
  const std::string text = [&] {
    ast::Procedure procedure;
    procedure.body = body;
    return ast::print(procedure);
  }();
  return text.find(".DownNbrs") != std::string::npos;
}

Flow Machine::breadth_first(const ast::Stmt& stmt, Id root, Search& search) {
  ast::Stmt filter;  // the filter may use DownNbrs, too
  filter.kind = ast::StmtKind::while_;
  filter.condition = stmt.condition;
  const bool looks_ahead = uses_down_neighbours(stmt.body) ||
                           (!stmt.condition.empty() && uses_down_neighbours({filter}));
  std::vector<std::vector<Id>> levels = {{root}};
  while (!levels.back().empty()) {
    const std::vector<Id> level = levels.back();
    std::vector<Id> next;
    if (looks_ahead) next = next_level(stmt, level, search);
    for (const Id id : level) visit(stmt, id, search, true);
    if (!looks_ahead) next = next_level(stmt, level, search);
    levels.push_back(std::move(next));
  }
  if (!stmt.has_otherwise) return Flow::next;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level)
    for (const Id id : *level) visit(stmt, id, search, false);
  return Flow::next;
}

Flow Machine::depth_first(const ast::Stmt& stmt, Id id, Search& search) {
  step();
  if (visit(stmt, id, search, true) == Flow::returned) return Flow::returned;
  const World& world = *search.world;
  for (const Id e : (search.transposed ? world.in : world.out)[index(id)]) {
    const auto& [source, target] = world.edges[index(e)];
    const Id next = search.transposed ? source : target;
    if (search.level[index(next)] >= 0 || !enters(stmt, next, search)) continue;
    search.level[index(next)] = 0;
    if (depth_first(stmt, next, search) == Flow::returned) return Flow::returned;
  }
  return stmt.has_otherwise ? visit(stmt, id, search, false) : Flow::next;
}

}  // namespace Atoll::greenmarl::oracle
