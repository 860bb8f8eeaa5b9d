// State of the checker for the current loop and point.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "atoll/stencil/checker.hpp"
#include "stencil/state.hpp"

namespace Atoll::stencil::detail {

struct Checker::State {
  /// Copy of a value that the kernel accessed.
  struct Copy {
    int argument = 0;
    Offset offset;
    int component = 0;
    std::size_t bytes = 0;
    bool write_only = false;  ///< write-only: the kernel may write it but not read it
    alignas(8) std::array<std::byte, 8> value{}, before{};
  };
  static constexpr int kNone = -1, kAll = -2;

  const DeclaredLoop* loop = nullptr;
  const void* body = nullptr;
  bool reads_unwritten = false;  ///< true if the kernel read a value at this point that was never
                                 ///< written; allowed for boundary conditions only
  Index at;
  int poisoned = kNone;     ///< argument whose unwritten values are changed in this call, or kNone
                            ///< or kAll
  std::deque<Copy> copies;  ///< a deque, because the kernel holds references
  std::vector<Copy> first;
  std::vector<std::vector<std::uint64_t>> reduced;

  /// Runs the kernel at `at` as often as needed, and stores its results in the fields. Throws Error
  /// (input) for accesses that the loop doesn't declare.
  void run_point(const Checker& checker);
  std::byte* access(int argument, Offset offset, int component);
  /// Index of a point in FieldStorage::whole().
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
