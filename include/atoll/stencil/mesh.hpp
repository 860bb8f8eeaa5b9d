// A mesh (a block in the paper): the points that loops run over, and the fields on them.
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

/// One face of a mesh.
struct Face {
  int dimension = 0;  ///< 0 is x
  bool high = false;  ///< true: at the last point; false: at the first point
  friend constexpr bool operator==(const Face&, const Face&) = default;
};

/// A mesh of 1 to 3 dimensions. Created by Program::mesh() and owned by the program.
class Mesh {
 public:
  /// Throws Error (input) if there are 0 or more than 3 dimensions, or a size is below 1.
  Mesh(Program& program, std::string name, std::span<const int> sizes, int number);
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  [[nodiscard]] Program& program() const { return *program_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Index among the program's meshes.
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] int dimensions() const { return dimensions_; }
  /// Number of points in one dimension; 1 in dimensions that the mesh lacks.
  [[nodiscard]] int size(int dimension) const {
    return interior_.hi[static_cast<std::size_t>(dimension)];
  }
  /// All points of the mesh, without halos.
  [[nodiscard]] const Range& interior() const { return interior_; }

  /// Creates a field of zeros. Its pages are allocated on the nodes of the threads that compute its
  /// rows. Throws Error (input) if the mesh already has a field of this name, a halo is negative or
  /// there are no components; throws memory::Block's errors if memory is short.
  template <Element T>
  Field<T> field(std::string name, const FieldOptions& options = {}) {
    return Field<T>(add_field(std::move(name), element_type<T>(), options, false));
  }
  /// Creates a field of extent 1 in x: one value for each row of points.
  template <Element T>
  Column<T> column(std::string name, const FieldOptions& options = {}) {
    return Column<T>(add_field(std::move(name), element_type<T>(), options, true));
  }
  /// All fields, in order of creation.
  [[nodiscard]] const std::vector<std::unique_ptr<FieldStorage>>& fields() const { return fields_; }

  /// From now on, each chain writes the data that the next one doesn't read before it reads them:
  /// call it after the start, when the time steps begin. If fields are streamed, data that a chain
  /// writes first then aren't written back [out-of-core §4.1]. The paper calls that unsafe; here, a
  /// loop or an access that needs dropped data throws Error (input). A chain that runs because of
  /// an access to fields writes these back. Before a chain that isn't a whole cycle, call it with
  /// false. Runs the queued loops.
  void cyclic(bool is_cyclic = true);
  [[nodiscard]] bool is_cyclic() const { return is_cyclic_; }

  /// Queues a loop. The kernel is called once for each point of the range, in any order, with one
  /// parameter for each argument (arguments.hpp). The kernel and its captures are copied now; it
  /// may run on any thread of the program, at any time until a result is requested. Throws Error
  /// (input), without queueing the loop, for a field of another mesh, a field that is written
  /// twice, a field of extent 1 that is written in a dimension where the range is longer, a range
  /// beyond a field, or a stencil beyond a halo.
  template <class Kernel, class... Arguments>
  void loop(std::string_view name, const Range& range, Kernel kernel,
            const Arguments&... arguments) {
    // One compiler message for each mistake: with wrong arguments, nothing else is instantiated.
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
  bool is_cyclic_ = false;
  std::vector<std::unique_ptr<FieldStorage>> fields_;
};

}  // namespace Atoll::stencil
