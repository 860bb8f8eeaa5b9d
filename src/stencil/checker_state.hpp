// What the checker knows of the loop and the point that it is at.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "atoll/stencil/checker.hpp"
#include "stencil/state.hpp"

namespace Atoll::stencil::detail {

struct Checker::State {
  /// A value that the kernel got.
  struct Copy {
    int argument = 0;
    Offset offset;
    int component = 0;
    std::size_t bytes = 0;
    bool blind = false;  ///< the kernel may write it, but not look at it
    alignas(8) std::array<std::byte, 8> value{}, before{};
  };
  static constexpr int kNone = -1, kAll = -2;

  const DeclaredLoop* loop = nullptr;
  const void* body = nullptr;
  bool reads_unwritten = false;  ///< at this point; boundary conditions alone may do so
  Index at;
  int poisoned = kNone;     ///< which argument's unwritten values are others this time
  std::deque<Copy> copies;  ///< a deque: the kernel holds references
  std::vector<Copy> first;
  std::vector<std::vector<std::uint64_t>> reduced;

  /// Runs the kernel at `at`, as often as needed, and writes what it gives. Throws Error (input)
  /// for what the loop doesn't declare.
  void run_point(const Checker& checker);
  std::byte* access(int argument, Offset offset, int component);
  /// The position of a point among a field's.
  [[nodiscard]] static std::size_t position(const FieldStorage& field, Index point);

 private:
  [[noreturn]] void report(const FieldUse& use, Offset offset, const std::string& what,
                           const std::string& way_out) const;
  [[nodiscard]] bool within_mesh(Offset offset) const;
  [[nodiscard]] bool written(const FieldUse& use, Offset offset) const;
  void poison(Copy& copy, bool other) const;
  void call(const Checker& checker, int poisoned_argument);
  [[nodiscard]] const Copy* find(const Copy& like) const;
  [[nodiscard]] const Copy* difference() const;
};

}  // namespace Atoll::stencil::detail
