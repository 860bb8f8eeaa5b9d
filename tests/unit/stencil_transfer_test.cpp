// Transfers between meshes whose spacings differ by a factor of 2. Linear functions are reproduced
// exactly, and sums are preserved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "atoll/base/error.hpp"
#include "atoll/stencil/stencil.hpp"
#include "atoll/stencil/transfer.hpp"

namespace Atoll::stencil {
namespace {

/// Returns the position of a cell centre or node in a mesh with this spacing.
double place(int at, double spacing, bool staggered) {
  return spacing * (at + (staggered ? 0 : 0.5));
}

/// Queues a loop that sets 3x - 5y + 7z + c at each point, including the halo. If the mesh has no y
/// or z, their terms are omitted.
void set_linear(const Field<double>& field, double spacing) {
  const auto staggered = field.storage().options().staggered;
  const int components = field.storage().options().components;
  Mesh& mesh = field.storage().mesh();
  const double y = mesh.dimensions() > 1 ? -5 : 0, z = mesh.dimensions() > 2 ? 7 : 0;
  mesh.loop(
      "linear", field.storage().whole(),
      [=](auto f, Index at) {
        for (int c = 0; c < components; ++c)
          f[c]() = 3 * place(at.x, spacing, staggered[0]) + y * place(at.y, spacing, staggered[1]) +
                   z * place(at.z, spacing, staggered[2]) + c;
      },
      write(field), index());
}

struct Case {
  std::vector<int> coarse;
  std::array<bool, 3> staggered;
};

class StencilTransfer : public testing::TestWithParam<Case> {
 protected:
  static std::vector<int> doubled(std::vector<int> sizes) {
    for (int& size : sizes) size *= 2;
    return sizes;
  }
  Program program_{Options{.threads = 3}};
  Mesh& coarse_ = program_.mesh("coarse", GetParam().coarse);
  Mesh& fine_ = program_.mesh("fine", doubled(GetParam().coarse));
  FieldOptions options_{.halo = 1, .staggered = GetParam().staggered, .components = 2};
  Field<double> small_ = coarse_.field<double>("small", options_);
  Field<double> large_ = fine_.field<double>("large", options_);
  Field<double> wanted_small_ = coarse_.field<double>("wanted small", options_);
  Field<double> wanted_large_ = fine_.field<double>("wanted large", options_);

  static void expect_near(const Field<double>& one, const Field<double>& other) {
    for (const int c : {0, 1}) {
      const auto a = one.copy(one.storage().interior(), c);
      const auto b = other.copy(other.storage().interior(), c);
      for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-12) << i;
    }
  }
};

TEST_P(StencilTransfer, LinearFunctionsAreReproduced) {
  set_linear(wanted_small_, 2);
  set_linear(wanted_large_, 1);
  prolong_to(large_, wanted_small_);
  expect_near(large_, wanted_large_);
  restrict_to(small_, wanted_large_);
  expect_near(small_, wanted_small_);
}

INSTANTIATE_TEST_SUITE_P(
    Meshes, StencilTransfer,
    testing::Values(Case{{6}, {false, false, false}}, Case{{6}, {true, false, false}},
                    Case{{7, 5}, {false, false, false}}, Case{{7, 5}, {true, true, false}},
                    Case{{4, 9}, {false, true, false}}, Case{{1, 1}, {false, false, false}},
                    Case{{3, 4, 5}, {false, false, false}}, Case{{3, 4, 5}, {true, false, true}}));

TEST(StencilTransferOf, CellsKeepsTheMeanAndConstantsAreSteps) {
  for (const int threads : {1, 2, 7}) {
    Program program(Options{.threads = threads});
    Mesh& coarse = program.mesh("coarse", {4, 3});
    Mesh& fine = program.mesh("fine", {8, 6});
    const auto small = coarse.field<float>("small");
    const auto large = fine.field<float>("large");
    fine.loop(
        "set", fine.interior(),
        [](auto f, Index at) { f() = static_cast<float>(at.x * at.x + 9 * at.y); }, write(large),
        index());
    restrict_to(small, large);
    EXPECT_EQ(small.view()(1, 2), (4 + 9 + 4 + 9) / 4.0F + 9 * 4.5F);
    const auto means = small.copy(), values = large.copy();
    EXPECT_EQ(4 * std::accumulate(means.begin(), means.end(), 0.0),
              std::accumulate(values.begin(), values.end(), 0.0));
    prolong_to(large, small, Prolongation::constant);
    EXPECT_EQ(large.view()(3, 5), small.view()(1, 2));
    EXPECT_EQ(large.view()(2, 4), small.view()(1, 2));
    EXPECT_THROW(prolong_to(large, small), Error);  // linear interpolation needs a halo
  }
}

TEST(StencilTransferOf, OtherMeshesAreRefused) {
  Program program(Options{.threads = 1}), other(Options{.threads = 1});
  Mesh& coarse = program.mesh("coarse", {4, 3});
  Mesh& fine = program.mesh("fine", {8, 6});
  Mesh& odd = program.mesh("odd", {8, 7});
  const auto small = coarse.field<double>("small", {.halo = 1});
  const auto large = fine.field<double>("large");
  EXPECT_THROW(restrict_to(large, small), Error);
  EXPECT_THROW(restrict_to(small, odd.field<double>("odd")), Error);
  EXPECT_THROW(restrict_to(small, fine.field<double>("nodes", {.staggered = {true, true}})), Error);
  EXPECT_THROW(restrict_to(small, fine.field<double>("two", {.components = 2})), Error);
  EXPECT_THROW(restrict_to(small, fine.field<double>("flat", {.flat = {false, true}})), Error);
  EXPECT_THROW(restrict_to(small, other.mesh("fine", {8, 6}).field<double>("alien")), Error);
  EXPECT_THROW(restrict_to(small, Field<double>()), Error);
  restrict_to(small, large);
}

TEST(StencilView, GivesItsPointerAndStrides) {
  Program program(Options{.threads = 1});
  Mesh& mesh = program.mesh("box", {5, 4, 3});
  const auto f = mesh.field<double>("f", {.halo = 2, .components = 3});
  const auto column = mesh.column<float>("column");
  const auto flat = mesh.field<float>("flat", {.flat = {false, true, false}});
  const auto view = f.edit();
  double* const data = view.data();
  EXPECT_EQ(view.stride(0), 1);
  for (const auto& [x, y, z, c] : {std::array{0, 0, 0, 0}, {-2, 3, 4, 2}, {6, -1, 0, 1}})
    EXPECT_EQ(&view(x, y, z, c), data + x * view.stride(0) + y * view.stride(1) +
                                     z * view.stride(2) + c * view.stride_component());
  EXPECT_EQ(column.view().stride(0), 0);
  EXPECT_EQ(&column.view()(0, 2, 1),
            column.view().data() + 2 * column.view().stride(1) + column.view().stride(2));
  EXPECT_EQ(flat.view().stride(1), 0);
}

}  // namespace
}  // namespace Atoll::stencil
