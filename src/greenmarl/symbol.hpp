// Ids of a procedure's symbols.
#pragma once

#include <compare>
#include <cstdint>

namespace Atoll::greenmarl::ir {

/// An index into Procedure::symbols.
struct SymbolId {
  std::uint32_t value = UINT32_MAX;
  friend auto operator<=>(SymbolId, SymbolId) = default;
};
inline constexpr SymbolId kNoSymbol{};

}  // namespace Atoll::greenmarl::ir
