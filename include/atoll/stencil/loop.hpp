// A queued loop: kernel with captures, arguments, and the one instance of the kernel that runs any
// box of its points. Internal: programs call Mesh::loop().
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "atoll/stencil/arguments.hpp"

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
    defined(__ASSOCIATIVE_MATH__)
#error \
    "Atoll's stencil programs can't be compiled with -ffast-math: minima of NaN would be undefined, and results would depend on the tiles. Remove it, and -ffinite-math-only and -fassociative-math"
#endif

namespace Atoll::stencil {

class Mesh;

namespace detail {

/// Maximum size in bytes of a kernel's captures plus the loop's value() arguments. Each thread
/// copies them to its stack for each box of points.
inline constexpr std::size_t kMaxBodyBytes = std::size_t{64} << 10;

/// One field argument of a queued loop.
struct FieldUse {
  FieldStorage* field = nullptr;
  AccessMode access = AccessMode::read;
  Stencil stencil;
  friend bool operator==(const FieldUse&, const FieldUse&) = default;
};

/// Function table of one (kernel, arguments) pair. There is one per pair, so its address identifies
/// the kernel.
struct LoopCode {
  void (*run)(const void* body, const Range& box, Worker& worker);
  void (*check)(const void* body, const Index& at, Checker& checker);
  void (*destroy)(void* body);     ///< null if trivially destructible
  std::size_t bytes, alignment;    ///< size and alignment of a body
  std::size_t fields, reductions;  ///< number of field and of reduction arguments
  /// True for the library's boundary conditions. They may read fields of other meshes and may copy
  /// points that were never written.
  bool is_boundary;
};

/// The declaration of a loop, on which planning depends. Queueing copies it unless `is_permanent`.
struct DeclaredLoop {
  const LoopCode* code;
  Mesh* mesh;
  std::string_view name;
  Range range;
  const FieldUse* first_field;
  const ReductionUse* first_reduction;
  /// True for a BoundaryLoop: its address and content don't change during the lifetime of the
  /// program, and no other object declares the same loop.
  bool is_permanent;

  [[nodiscard]] std::span<const FieldUse> fields() const { return {first_field, code->fields}; }
  [[nodiscard]] std::span<const ReductionUse> reductions() const {
    return {first_reduction, code->reductions};
  }
  /// Sums are computed in blocks of this many points, which are never split; 0 if the loop has no
  /// sum.
  [[nodiscard]] int whole_blocks() const {
    for (const ReductionUse& use : reductions())
      if (use.op == ReduceOp::sum) return kBlock;
    return 0;
  }
};

/// Storage for the body of a queued loop.
struct BodyStorage {
  void* at;
  bool holds_body;  ///< true if it already holds a body of the same type from an earlier loop
};

/// Adds the loop to the queue of the mesh's program and returns the storage for its body, which the
/// caller constructs at once. Throws Error (input) for mistakes that are visible at this time, and
/// leaves the queue as it was.
[[nodiscard]] BodyStorage queue_loop(const DeclaredLoop& loop);

template <class Kernel, class... Arguments>
struct LoopBody {
  Kernel kernel;
  std::tuple<Bound<Arguments>...> arguments;

  static constexpr int kReductions = (0 + ... + Bound<Arguments>::kReductions);

  LoopBody(Kernel&& k, const Arguments&... queued)
      : LoopBody(std::move(k), Counters{}, queued...) {}

  // Flattened: the compiler doesn't vectorize over x if a large kernel isn't inlined.
  [[gnu::flatten]] static void run(const void* erased, const Range& box, Worker& worker) {
    const auto& self = *static_cast<const LoopBody*>(erased);
    // A copy on the stack whose address doesn't escape: stores to fields can't alias it, so its
    // members stay in registers.
    const Kernel kernel = self.kernel;
    std::apply(
        [&](const auto&... arguments) {
          for (int z = box.lo[2]; z < box.hi[2]; ++z)
            for (int y = box.lo[1]; y < box.hi[1]; ++y) {
              if constexpr (kReductions == 0) {
                run_row(kernel, worker, box.lo[0], box.hi[0], arguments.row(worker, y, z, 0)...);
              } else {
                for (int x = box.lo[0]; x < box.hi[0];) {
                  const int end = worker.block_end(x, box.hi[0]);
                  worker.begin_block(end - x);
                  run_row(kernel, worker, x, end, arguments.row(worker, y, z, x)...);
                  worker.end_block(x, y, z, end - x);
                  x = end;
                }
              }
            }
        },
        self.arguments);
  }

  static void check(const void* erased, const Index& at, Checker& checker) {
    const auto& self = *static_cast<const LoopBody*>(erased);
    std::apply([&](const auto&... arguments) { self.kernel(arguments.checked(checker, at)...); },
               self.arguments);
  }

  static void destroy(void* erased) { static_cast<LoopBody*>(erased)->~LoopBody(); }

 private:
  struct Counters {
    int fields = 0, reductions = 0;
  };
  LoopBody(Kernel&& k, Counters counters, const Arguments&... queued)
      : kernel(std::move(k)),
        // Braces guarantee evaluation from first to last.
        arguments{Bound<Arguments>(queued, counters.fields, counters.reductions)...} {}

  template <class... Rows>
  [[gnu::always_inline]] static inline void run_row(const Kernel& kernel, const Worker& worker,
                                                    int begin, int end, const Rows... rows) {
    // Points may run in any order, so iterations have no dependences.
#pragma GCC ivdep
    for (int x = begin; x < end; ++x) kernel(rows.at(x)...);
    (check_row(rows, worker), ...);
  }
};

/// Constructs the body of a loop that was just queued. If the storage already holds an equal body,
/// it isn't written: other threads have its cache lines, and a comparison costs less than their
/// invalidation.
template <class Kernel, class... Arguments>
void make_body(BodyStorage place, Kernel&& kernel, const Arguments&... arguments) {
  using Body = LoopBody<Kernel, Arguments...>;
  if constexpr (std::is_trivially_copyable_v<Kernel> &&
                (... && std::is_trivially_copyable_v<Bound<Arguments>>)) {
    const Body body(std::move(kernel), arguments...);
    if (!place.holds_body || std::memcmp(place.at, &body, sizeof body) != 0)
      new (place.at) Body(body);
  } else {
    new (place.at) Body(std::move(kernel), arguments...);
  }
}

/// Appends the argument to the lists that queueing checks; values and indices aren't listed.
template <class T, bool kColumn, AccessMode kAccess>
void list(const FieldArgument<T, kColumn, kAccess>& argument, FieldUse*& fields, ReductionUse*&) {
  *fields++ = {argument.field, kAccess, argument.stencil};
}
template <class T, ReduceOp kOp>
void list(const ReduceArgument<T, kOp>& argument, FieldUse*&, ReductionUse*& reductions) {
  *reductions++ = {argument.reduction, kOp, element_type<T>(), argument.reduction->count()};
}
template <class T>
void list(const ValueArgument<T>&, FieldUse*&, ReductionUse*&) {}
inline void list(const IndexArgument&, FieldUse*&, ReductionUse*&) {}

template <class Argument>
inline constexpr bool kIsField = false;
template <class T, bool kColumn, AccessMode kAccess>
inline constexpr bool kIsField<FieldArgument<T, kColumn, kAccess>> = true;

template <bool kIsBoundary, class Kernel, class... Arguments>
inline constexpr LoopCode kLoopCode = {
    &LoopBody<Kernel, Arguments...>::run,
    &LoopBody<Kernel, Arguments...>::check,
    std::is_trivially_destructible_v<LoopBody<Kernel, Arguments...>>
        ? nullptr
        : &LoopBody<Kernel, Arguments...>::destroy,
    sizeof(LoopBody<Kernel, Arguments...>),
    alignof(LoopBody<Kernel, Arguments...>),
    (std::size_t{0} + ... + std::size_t{kIsField<Arguments>}),
    static_cast<std::size_t>(LoopBody<Kernel, Arguments...>::kReductions),
    kIsBoundary};

/// Queues a loop. `kIsBoundary` is LoopCode::is_boundary.
template <bool kIsBoundary, class Kernel, class... Arguments>
void queue(Mesh& mesh, std::string_view name, const Range& range, Kernel kernel,
           const Arguments&... arguments) {
  constexpr const LoopCode& code = kLoopCode<kIsBoundary, Kernel, Arguments...>;
  FieldUse fields[code.fields + 1];
  ReductionUse reductions[code.reductions + 1];
  FieldUse* next_field = fields;
  ReductionUse* next_reduction = reductions;
  (list(arguments, next_field, next_reduction), ...);
  make_body(queue_loop({&code, &mesh, name, range, fields, reductions, false}), std::move(kernel),
            arguments...);
}

}  // namespace detail
}  // namespace Atoll::stencil
