// A mesh (the paper's block): the points that loops run over, and the fields on them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atoll/stencil/check_arguments.hpp"
#include "atoll/stencil/field.hpp"
#include "atoll/stencil/loop.hpp"

namespace Atoll::stencil {

class Program;

/// A side of a mesh.
struct Face {
  int dimension = 0;  ///< 0 is x
  bool high = false;  ///< at the last point, else at the first one
  friend constexpr bool operator==(const Face&, const Face&) = default;
};

/// A mesh of 1 to 3 dimensions. Program::mesh() makes it, and the program owns it.
class Mesh {
 public:
  /// Throws Error (input) if there are no or more than 3 dimensions, or one has no points.
  Mesh(Program& program, std::string name, std::span<const int> sizes, int number);
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  [[nodiscard]] Program& program() const { return *program_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Its number among the program's meshes.
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] int dimensions() const { return dimensions_; }
  /// The points in one dimension; 1 in dimensions that it lacks.
  [[nodiscard]] int size(int dimension) const {
    return interior_.hi[static_cast<std::size_t>(dimension)];
  }
  /// All its points.
  [[nodiscard]] const Range& interior() const { return interior_; }

  /// Makes a field, all zero, whose pages lie on the nodes of the threads that compute its rows.
  /// Throws Error (input) for a name that the mesh has already, a negative halo or no components;
  /// memory::Block's errors if there is no memory.
  template <Element T>
  Field<T> field(std::string name, const FieldOptions& options = {}) {
    return Field<T>(add_field(std::move(name), element_type<T>(), options, false));
  }
  /// Makes a field of extent 1 in x: one value for each row of points.
  template <Element T>
  Column<T> column(std::string name, const FieldOptions& options = {}) {
    return Column<T>(add_field(std::move(name), element_type<T>(), options, true));
  }
  /// All its fields, in the order in which they were made.
  [[nodiscard]] const std::vector<std::unique_ptr<FieldStorage>>& fields() const { return fields_; }

  /// Queues a loop: the kernel is called once for each point of the range, in any order, with one
  /// parameter for each argument (arguments.hpp). It is copied now with what it captures; it may
  /// run at any time until results are asked for, on any thread of the program. Throws Error
  /// (input) for a field of another mesh, a field that is written twice or written where it has
  /// extent 1 and the range hasn't, a range that leaves a field, or a stencil that leaves its halo:
  /// nothing is queued then.
  template <class Kernel, class... Arguments>
  void loop(std::string_view name, const Range& range, Kernel kernel,
            const Arguments&... arguments) {
    // One message for a mistake: nothing else is instantiated with wrong arguments.
    constexpr int kWrong = detail::first_wrong<Arguments...>();
    static_assert(detail::kArgumentIsWrapped<kWrong, detail::TypeAt<kWrong, Arguments...>>,
                  "an argument of the loop isn't wrapped: a field in read(), write(), read_write() "
                  "or increment(), a number in value(), a reduction in reduce_sum() and the like");
    if constexpr (kWrong == 0) {
      constexpr int kHas = detail::parameters_of<Kernel>(), kNeeds = sizeof...(Arguments);
      constexpr int kMissing = kHas >= 0 && kHas < kNeeds ? kHas + 1 : 0;
      static_assert(detail::kArgumentHasParameter<kMissing, detail::TypeAt<kMissing, Arguments...>>,
                    "the kernel has no parameter for this argument of the loop");
      static_assert(detail::kParametersHaveArguments<kHas, kNeeds>,
                    "the kernel has more parameters than the loop has arguments");
      if constexpr (kMissing == 0 && kHas <= kNeeds) {
        constexpr bool kCallable = detail::is_callable<Kernel, Arguments...>();
        static_assert(detail::kKernelTakes<kCallable, Arguments...>,
                      "the kernel can't be called with one parameter for each argument of the "
                      "loop, or is 'mutable'; declare each parameter as 'auto'");
        constexpr bool kFits =
            sizeof(detail::LoopBody<Kernel, Arguments...>) <= detail::kMaxBodyBytes;
        static_assert(kFits,
                      "the kernel captures more than 64 KiB, which each thread copies to its "
                      "stack; capture a pointer to data that last until the loop has run");
        if constexpr (kCallable && kFits)
          detail::queue<false>(*this, name, range, std::move(kernel), arguments...);
      }
    }
  }

 private:
  FieldStorage& add_field(std::string name, ElementType type, const FieldOptions& options,
                          bool column);

  Program* program_;
  std::string name_;
  int number_;
  int dimensions_;
  Range interior_;
  std::vector<std::unique_ptr<FieldStorage>> fields_;
};

}  // namespace Atoll::stencil
