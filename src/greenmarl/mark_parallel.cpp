#include "greenmarl/mark_parallel.hpp"

namespace Atoll::greenmarl {
namespace {

bool can_be_shared(const ir::Procedure& procedure, const ir::Stmt& loop) {
  if (!loop.unordered || loop.serial) return false;
  switch (loop.range) {
    case Range::nodes:
    case Range::edges:
    case Range::level:
      return true;
    case Range::items: {
      const Type& type = ir::element_type(procedure[loop.node]);
      return type.is(CollectionShape::set) || type.is(CollectionShape::order);
    }
    case Range::out_nbrs:
    case Range::in_nbrs:
    case Range::up_nbrs:
    case Range::down_nbrs:
    case Range::common_nbrs:
      return false;
  }
  return false;
}

void mark(const ir::Procedure& procedure, std::vector<ir::Stmt>& statements) {
  for (ir::Stmt& stmt : statements) {
    if (stmt.kind == ir::StmtKind::loop && can_be_shared(procedure, stmt)) {
      stmt.parallel = true;
      continue;
    }
    // All threads already evaluate a navigator concurrently.
    if (stmt.kind != ir::StmtKind::traversal) mark(procedure, stmt.condition);
    mark(procedure, stmt.body);
    mark(procedure, stmt.otherwise);
  }
}

}  // namespace

void mark_parallel_loops(ir::Procedure& procedure) {
  mark(procedure, procedure.body);
}

}  // namespace Atoll::greenmarl
