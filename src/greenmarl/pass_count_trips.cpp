#include "greenmarl/pass_count_trips.hpp"

#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {

void count_trips(ir::Procedure& procedure) {
  std::vector<ir::Stmt> counters;
  ir::for_each_stmt(procedure.body, [&](ir::Stmt& stmt) {
    if (stmt.trip.empty()) return;
    const ir::SymbolId counter =
        procedure.add({.name = "trips_" + stmt.trip, .type = ValueType::int64, .at = stmt.at});
    counters.push_back(ir::declare(counter, stmt.at));
    stmt.body.insert(
        stmt.body.begin(),
        ir::assign(counter, AssignOp::sum, ir::literal(1, ValueType::int64, stmt.at), stmt.at));
    procedure.trips.emplace_back(stmt.trip, counter);
  });
  procedure.body.insert(procedure.body.begin(), counters.begin(), counters.end());
}

}  // namespace Atoll::greenmarl
