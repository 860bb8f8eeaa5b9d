// Reads a field from a file, and writes its values to standard output as bytes, component by
// component: read_stencil FILE DATASET TYPE COMPONENTS X [Y [Z]]. DATASET is "" for .npy files. For
// tests/e2e/test_stencil_input.py.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/exit_code.hpp"
#include "atoll/stencil/input.hpp"
#include "atoll/stencil/stencil.hpp"

namespace {

using namespace Atoll::stencil;

template <Element T>
void print(Mesh& mesh, const std::string& file, const std::string& dataset, int components) {
  const auto field = mesh.field<T>("field", {.halo = 2, .components = components});
  mesh.loop(
      "before", field.storage().whole(),
      [components](auto f) {
        for (int c = 0; c < components; ++c) f[c]() = T{7};
      },
      write(field));
  if (dataset.empty())
    read_npy(file, field);
  else
    read_hdf5(file, dataset, field);
  if (field.view()(-2) != T{7} || field.view()(mesh.size(0)) != T{7})
    throw Atoll::Error::failed(file, "the halo was changed");
  for (int c = 0; c < components; ++c) {
    const std::vector<T> values = field.copy(mesh.interior(), c);
    std::fwrite(values.data(), sizeof(T), values.size(), stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return Atoll::exit_code_of([&] {
    if (argc < 6) throw Atoll::Error::input("call", "too few arguments");
    const std::string file = argv[1], dataset = argv[2], type = argv[3];
    const int components = std::atoi(argv[4]);
    std::vector<int> sizes;
    for (int i = 5; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
    Program program(Options{.threads = 2});
    Mesh& mesh = program.mesh("mesh", sizes);
    if (type == "float64")
      print<double>(mesh, file, dataset, components);
    else if (type == "float32")
      print<float>(mesh, file, dataset, components);
    else if (type == "int8")
      print<std::int8_t>(mesh, file, dataset, components);
    else if (type == "uint16")
      print<std::uint16_t>(mesh, file, dataset, components);
    else if (type == "int32")
      print<std::int32_t>(mesh, file, dataset, components);
    else if (type == "uint64")
      print<std::uint64_t>(mesh, file, dataset, components);
    else
      throw Atoll::Error::input("call", "no such type: " + type);
  });
}
