// Tables of the operators' spelling and precedence.
#include "greenmarl/operators.hpp"

namespace Atoll::greenmarl {

std::string_view to_string(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
      return "+";
    case BinaryOp::subtract:
      return "-";
    case BinaryOp::multiply:
      return "*";
    case BinaryOp::divide:
      return "/";
    case BinaryOp::modulo:
      return "%";
    case BinaryOp::equal:
      return "==";
    case BinaryOp::not_equal:
      return "!=";
    case BinaryOp::less:
      return "<";
    case BinaryOp::less_equal:
      return "<=";
    case BinaryOp::greater:
      return ">";
    case BinaryOp::greater_equal:
      return ">=";
    case BinaryOp::logical_and:
      return "&&";
    case BinaryOp::logical_or:
      return "||";
  }
  return "?";
}

std::string_view to_string(AssignOp op) {
  switch (op) {
    case AssignOp::set:
      return "=";
    case AssignOp::sum:
      return "+=";
    case AssignOp::product:
      return "*=";
    case AssignOp::min:
      return "min=";
    case AssignOp::max:
      return "max=";
    case AssignOp::all:
      return "&=";
    case AssignOp::any:
      return "|=";
  }
  return "?";
}

std::string_view to_string(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return "Sum";
    case Reduction::product:
      return "Product";
    case Reduction::min:
      return "Min";
    case Reduction::max:
      return "Max";
    case Reduction::count:
      return "Count";
    case Reduction::all:
      return "All";
    case Reduction::exist:
      return "Exist";
    case Reduction::average:
      return "Avg";
  }
  return "?";
}

std::string_view to_string(Range range) {
  switch (range) {
    case Range::nodes:
      return "Nodes";
    case Range::out_nbrs:
      return "Nbrs";
    case Range::in_nbrs:
      return "InNbrs";
    case Range::edges:
      return "Edges";
    case Range::up_nbrs:
      return "UpNbrs";
    case Range::down_nbrs:
      return "DownNbrs";
    case Range::items:
      return "Items";
    case Range::common_nbrs:
      return "CommonNbrs";
    case Range::level:
      return "level";
  }
  return "?";
}

int precedence(BinaryOp op) {
  switch (op) {
    case BinaryOp::logical_or:
      return 1;
    case BinaryOp::logical_and:
      return 2;
    case BinaryOp::equal:
    case BinaryOp::not_equal:
      return 3;
    case BinaryOp::less:
    case BinaryOp::less_equal:
    case BinaryOp::greater:
    case BinaryOp::greater_equal:
      return 4;
    case BinaryOp::add:
    case BinaryOp::subtract:
      return 5;
    case BinaryOp::multiply:
    case BinaryOp::divide:
    case BinaryOp::modulo:
      return 6;
  }
  return 0;
}

bool is_comparison(BinaryOp op) {
  return precedence(op) == 3 || precedence(op) == 4;
}
bool is_arithmetic(BinaryOp op) {
  return precedence(op) >= 5;
}

}  // namespace Atoll::greenmarl
