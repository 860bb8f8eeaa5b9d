// Checked mode reports wrong declarations of kernels with loop, field, offset and point. Errors
// that are detectable when a loop is queued are refused immediately.
#include <gtest/gtest.h>

#include "atoll/base/error.hpp"
#include "atoll/stencil/stencil.hpp"

namespace Atoll::stencil {
namespace {

/// Returns the message of an error of kind `input`; empty if there is none.
template <class Work>
std::string error_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::input) << error.what();
    return error.what();
  }
  return "";
}

class StencilCheck : public testing::Test {
 protected:
  StencilCheck() {
    mesh.loop(
        "start", u.storage().whole(), [](auto f, Index i) { f() = i.x + 10 * i.y; }, write(u),
        index());
    mesh.loop(
        "start", v.storage().whole(), [](auto f) { f() = 0; }, write(v));
    program.run();
  }
  /// Runs the queued loops. Returns the error.
  std::string lie() {
    return error_of([&] { program.run(); });
  }

  Program program{{.threads = 1, .mode = Mode::checked}};
  Mesh& mesh = program.mesh("plane", {6, 5});
  Field<double> u = mesh.field<double>("u", {.halo = 2});
  Field<double> v = mesh.field<double>("v", {.halo = 2});
};

TEST_F(StencilCheck, WhatIsTrueIsLeftAlone) {
  mesh.loop(
      "true", mesh.interior(), [](auto f, auto g) { g() = f(1, 0) + f(0, -1); }, read(u, star(1)),
      write(v));
  mesh.loop(
      "adds", mesh.interior(), [](auto g, auto f) { g() += f(); }, increment(v), read(u));
  mesh.loop(
      "halves", mesh.interior(),
      [](auto g) {
        if (g() > 20) g() *= 0.5;
      },
      read_write(v));
  EXPECT_EQ(lie(), "");
  EXPECT_EQ(v.view()(2, 1), (3 + 10 + 2 + 0 + 2 + 10) * 0.5);
}

TEST_F(StencilCheck, AnOffsetThatIsNotDeclared) {
  mesh.loop(
      "lies", mesh.interior(), [](auto f, auto g, Index i) { g() = i.x == 3 ? f(1, 1) : f(1, 0); },
      read(u, star(1)), write(v), index());
  EXPECT_EQ(
      lie(),
      "loop 'lies': accesses field 'u' at offset (1,1,0), at point (3,0,0); the loop declares "
      "star(1)");
}

TEST_F(StencilCheck, AnOffsetInADimensionThatTheMeshLacks) {
  mesh.loop(
      "lies", mesh.interior(), [](auto f, auto g) { g() = f(0, 0, 1); }, read(u, star(1)),
      write(v));  // the mesh has no z
  EXPECT_NE(lie().find("offset (0,0,1)"), std::string::npos);
}

TEST_F(StencilCheck, AWriteBesideThePoint) {
  mesh.loop(
      "lies", mesh.interior(), [](auto g) { g(0, 1) = 3; }, write(v));
  EXPECT_EQ(lie(),
            "loop 'lies': accesses a point beside its own of field 'v' at offset (0,1,0), at point "
            "(0,0,0); the loop declares write at its own point");
}

TEST_F(StencilCheck, AWriteBesideThePointOfAFieldThatIsReadThere) {
  mesh.loop(
      "lies", Range::of(0, 6, 0, 1), [](auto g) { g(0, 2) = g() + 1; },
      read_write(v, Stencil{{0, 0}, {0, 2}}));
  EXPECT_EQ(
      lie(),
      "loop 'lies': writes field 'v' at offset (0,2,0), at point (0,0,0); a kernel may write at "
      "its own point alone");
}

TEST_F(StencilCheck, AWriteToAFieldThatIsOnlyRead) {
  mesh.loop(
      "lies", mesh.interior(),
      [](auto f, auto g) {
        const_cast<double&>(f(0, 0)) += 1;  // without the cast it doesn't compile
        g() = 1;
      },
      read(u), write(v));
  EXPECT_EQ(
      lie(),
      "loop 'lies': writes field 'u' at offset (0,0,0), at point (0,0,0); the loop declares that "
      "it only reads it");
}

TEST_F(StencilCheck, AReadOfAWriteOnlyField) {
  mesh.loop(
      "lies", mesh.interior(), [](auto f, auto g) { g() = g() + f() + 1; }, read(u), write(v));
  EXPECT_EQ(
      lie(),
      "loop 'lies': reads the write-only field 'v' at offset (0,0,0), at point (0,0,0); declare "
      "it as read_write()");
}

TEST_F(StencilCheck, AReadOfAWriteOnlyFieldThatChangesAnotherOne) {
  const auto w = mesh.field<int>("w");
  mesh.loop(
      "lies", mesh.interior(),
      [](auto g, auto h) {
        h() = static_cast<int>(g() > 0);
        g() = 2;
      },
      write(v), write(w));
  EXPECT_NE(lie().find("reads the write-only field 'v'"), std::string::npos);
}

TEST_F(StencilCheck, APointThatIsNotWritten) {
  mesh.loop(
      "lies", mesh.interior(),
      [](auto g, Index i) {
        if (i.x != 4) g() = 2;
      },
      write(v), index());
  EXPECT_NE(lie().find("doesn't write field 'v' at offset (0,0,0), at point (4,0,0)"),
            std::string::npos);
}

TEST_F(StencilCheck, AReadOfAPointThatNobodyHasWritten) {
  const auto w = mesh.field<double>("w", {.halo = 1});
  mesh.loop(
      "some", mesh.interior(), [](auto f) { f() = 1; }, write(w));
  mesh.loop(
      "reads", mesh.interior(), [](auto f, auto g) { g() = f(-1, 0); }, read(w, star(1)), write(v));
  EXPECT_EQ(
      lie(),
      "loop 'reads': reads field 'w' at offset (-1,0,0), at point (0,0,0); nobody has written "
      "that point before");
}

TEST_F(StencilCheck, TemporariesAreUnwrittenInEachChain) {
  const auto w = mesh.field<double>("w", {.temporary = true});
  const auto use = [&] {
    mesh.loop(
        "sets", Range::of(0, 5, 0, 5), [](auto f) { f() = 1; }, write(w));
    mesh.loop(
        "uses", Range::of(0, 5, 0, 5), [](auto f, auto g) { g() = f(); }, read(w), write(v));
  };
  use();
  EXPECT_EQ(lie(), "");
  mesh.loop(
      "uses", Range::of(0, 5, 0, 5), [](auto f, auto g) { g() = f(); }, read(w), write(v));
  EXPECT_NE(lie().find("reads the temporary field 'w'"), std::string::npos);
}

TEST_F(StencilCheck, AResultThatDependsOnTheOrderOfPoints) {
  mesh.loop(
      "lies", mesh.interior(), [](auto f) { f() = 2 * f(-1, 0) + 1; },
      read_write(u, Stencil{{-1, 0}}));
  const std::string said = lie();
  EXPECT_NE(
      said.find("loop 'lies': the order of points changes field 'u' at offset (0,0,0), at point ("),
      std::string::npos)
      << said;
}

TEST_F(StencilCheck, BoundaryConditionsMayCopyCornersThatNobodyHasWritten) {
  const auto w = mesh.field<double>("w", {.halo = 1});
  mesh.loop(
      "some", mesh.interior(), [](auto f, Index i) { f() = i.x; }, write(w), index());
  periodic(w, 0, 1);
  periodic(w, 1, 1);
  mesh.loop(
      "reads", mesh.interior(), [](auto f, auto g) { g() = f(-1, -1) + f(1, 1); }, read(w, box(1)),
      write(v));
  EXPECT_EQ(lie(), "");
  periodic(w, 0, 1);
  EXPECT_EQ(w.view()(-1, 2), 5);
}

// The following errors are refused in every mode when the loop is queued.

TEST_F(StencilCheck, ARangeThatLeavesTheField) {
  const auto set = [](auto g) { g() = 1; };
  EXPECT_EQ(
      error_of([&] { mesh.loop("far", Range::of(0, 9, 0, 5), set, write(v)); }),
      "loop 'far': its range [0,9) x [0,5) leaves the field 'v'; the field has [-2,8) x [-2,7)");
  EXPECT_NE(error_of([&] { mesh.loop("z", Range::of(0, 6, 0, 5, 0, 2), set, write(v)); }), "");
  EXPECT_EQ(error_of([&] { mesh.loop("none", Range::of(0, 0, 0, 5), set, write(v)); }), "");
  EXPECT_EQ(program.waiting(), 1U);
}

TEST_F(StencilCheck, AStencilThatIsDeeperThanTheHalo) {
  const auto use = [](auto f, auto g) { g() = f(3, 0); };
  EXPECT_EQ(
      error_of([&] { mesh.loop("deep", mesh.interior(), use, read(u, star(3)), write(v)); }),
      "loop 'deep': reads 'u' at offsets -3 to 3 in dimension 0, beyond its halo; its points there "
      "are -2 to 7");
}

TEST_F(StencilCheck, AFieldOfAnotherMesh) {
  Mesh& other = program.mesh("other", {6, 5});
  const auto w = other.field<double>("w");
  const auto set = [](auto g) { g() = 1; };
  EXPECT_EQ(
      error_of([&] { mesh.loop("far", mesh.interior(), set, write(w)); }),
      "loop 'far': the field 'w' is of mesh 'other', the loop of 'plane'; give fields of one mesh, "
      "and exchange() values between meshes");
}

TEST_F(StencilCheck, AFieldThatIsWrittenTwice) {
  const auto set = [](auto g, auto h) { g() = h() = 1; };
  EXPECT_NE(error_of([&] {
              mesh.loop("twice", mesh.interior(), set, write(v), write(v));
            }).find("the field 'v' is an argument twice"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              mesh.loop(
                  "twice", mesh.interior(), [](auto g, auto h) { g() = h(); }, write(v), read(v));
            }).find("argument twice"),
            std::string::npos);
}

TEST_F(StencilCheck, AFieldOfExtent1ThatIsWrittenFromSeveralPoints) {
  const auto column = mesh.column<double>("column");
  EXPECT_NE(error_of([&] {
              mesh.loop(
                  "several", mesh.interior(), [](auto g) { g() = 1; }, write(column));
            }).find("of extent 1 in dimension 0"),
            std::string::npos);
}

TEST_F(StencilCheck, AReductionWithTwoOperations) {
  const auto r = program.reduction<double>();
  const auto give = [](auto f, auto s) { s(f()); };
  EXPECT_NE(error_of([&] { (void)r.value(); }).find("no loop was queued"), std::string::npos);
  mesh.loop("sum", mesh.interior(), give, read(u), reduce_sum(r));
  EXPECT_NE(error_of([&] {
              mesh.loop("min", mesh.interior(), give, read(u), reduce_min(r));
            }).find("two operations"),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)r.value(1); }).find("it has no value 1"), std::string::npos);
}

TEST_F(StencilCheck, MeshesFieldsAndBoundariesThatCanNotBe) {
  EXPECT_NE(error_of([&] { program.mesh("none", {0, 5}); }), "");
  EXPECT_NE(error_of([&] { program.mesh("many", {1, 2, 3, 4}); }), "");
  EXPECT_NE(error_of([&] { program.mesh("plane", {3}); }).find("two meshes"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)mesh.field<double>("u"); }).find("two fields"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)mesh.field<double>("w", {.halo = -1}); }), "");
  EXPECT_NE(error_of([&] { (void)mesh.field<double>("w", {.components = 0}); }), "");
  EXPECT_NE(error_of([&] { mirror(u, {2, false}, 1); }).find("no dimension 2"), std::string::npos);
  EXPECT_NE(error_of([&] { mirror(u, {0, false}, 3); }).find("3 layers"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)Stencil(std::vector<Offset>{}); }), "");
  EXPECT_NE(error_of([&] { (void)star(-1); }), "");
}

TEST(StencilOptions, WordsAreReadAndWritten) {
  EXPECT_EQ(to_string(tile_from_text("480x16", "--tile")), "480x16");
  EXPECT_EQ(to_string(tile_from_text("7", "--tile")), "7");
  EXPECT_EQ(to_string(tile_from_text("allx16", "--tile")), "allx16");
  EXPECT_EQ(tile_from_text("allx16", "").points, (std::array{0, 16, 0}));
  EXPECT_EQ(tile_from_text("1x2x3", "--tile").points, (std::array{1, 2, 3}));
  for (const char* bad : {"", "0", "480x0", "480x", "x16", "4x4x4x4", "a", "-3", "99999999999",
                          "all", "allall", "al"})
    EXPECT_NE(error_of([&] { (void)tile_from_text(bad, "--tile"); }).find("--tile"),
              std::string::npos)
        << bad;
  for (const Mode mode : {Mode::tiled, Mode::untiled, Mode::checked})
    EXPECT_EQ(mode_from_text(to_string(mode), ""), mode);
  EXPECT_NE(error_of([] { (void)mode_from_text("fast", "--mode"); }), "");
  EXPECT_NE(error_of([] { Program({.threads = -1}); }), "");
}

}  // namespace
}  // namespace Atoll::stencil
