#include "greenmarl/pass_swap_second_arrays.hpp"

#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {

void swap_second_arrays(ir::Procedure& procedure) {
  ir::for_each_stmt(procedure.body, [](ir::Stmt& stmt) {
    if (stmt.kind == ir::StmtKind::copy) stmt.kind = ir::StmtKind::swap;
  });
}

}  // namespace Atoll::greenmarl
