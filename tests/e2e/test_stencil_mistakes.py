"""Mistakes in stencil programs that the compiler reports: one short message that names the argument."""

import subprocess

import pytest

PROGRAM = """
#include <atoll/stencil/stencil.hpp>
struct Table {{ double value[1 << 21]; }};
static Table table;
using namespace Atoll::stencil;
int main() {{
  Program program;
  Mesh& mesh = program.mesh("plate", {{32, 16}});
  auto u = mesh.field<double>("u"), v = mesh.field<double>("v");
  auto whole = program.reduction<int>();
  auto sum = program.reduction<double>();
  auto row = mesh.column<float>("row");
  {loop}
}}
"""
MOST_LINES = 10


def compiled(source, tmp_path, loop, *flags, compiler="g++"):
    file = tmp_path / "program.cpp"
    file.write_text(PROGRAM.format(loop=loop))
    return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", *flags, f"-I{source}/include", file],
                          capture_output=True, text=True, timeout=120)


MISTAKES = [
    ('mesh.loop("l", mesh.interior(), [](auto u) { u() = 1; }, read(u), write(v));',
     ["the kernel has no parameter for this argument", "<2, ", "AccessMode::write"]),
    ('mesh.loop("l", mesh.interior(), [](auto u, auto v) { v() = u(); }, read(u), write(v), index(), index());',
     ["the kernel has no parameter for this argument", "<3, ", "IndexArgument"]),
    ('mesh.loop("l", mesh.interior(), [](auto u, auto v, auto w) { v() = u() + w(); }, read(u), write(v));',
     ["the kernel has more parameters than the loop has arguments", "<3, 2>"]),
    ('mesh.loop("l", mesh.interior(), [](auto u, auto v) { v() = u(); }, u, write(v));',
     ["an argument of the loop isn't wrapped", "<1, ", "Field<double"]),
    ('mesh.loop("l", mesh.interior(), [](auto u, double a) { u() = a; }, write(u), 2.5);',
     ["an argument of the loop isn't wrapped", "<2, double>"]),
    ('mesh.loop("l", mesh.interior(), [](auto u, auto r) { r(u()); }, read(u), sum);',
     ["an argument of the loop isn't wrapped", "<2, ", "Reduction<double>"]),
    ('mesh.loop("l", mesh.interior(), [](auto u, int at) { u() = at; }, write(u), index());',
     ["the kernel can't be called with one parameter for each argument"]),
    ('mesh.loop("l", mesh.interior(), [n = 0](auto u) mutable { u() = ++n; }, write(u));',
     ["can't be called", "mutable"]),
    ('mesh.loop("l", mesh.interior(), [t = table](auto u) { u() = t.value[5]; }, write(u));',
     ["captures more than 64 KiB"]),
    ('mesh.loop("l", mesh.interior(), [](auto u, const auto& t) { u() = t.value[5]; }, write(u), value(table));',
     ["captures more than 64 KiB"]),
]


@pytest.mark.parametrize("compiler,loop,says", [("g++", *one) for one in MISTAKES] +
                         [("clang++-16", *one) for one in MISTAKES[::3]])
def test_a_mistake_has_one_short_message(source, tmp_path, compiler, loop, says):
    done = compiled(source, tmp_path, loop, compiler=compiler)
    assert done.returncode != 0
    assert done.stderr.count("\n") <= MOST_LINES, done.stderr
    assert done.stderr.count("error:") == 1, done.stderr
    for words in says:
        assert words in done.stderr, done.stderr


@pytest.mark.parametrize("value,right", [("u()", False), ("1.5F", False), ("static_cast<int>(u())", True), ("'a'", True)])
def test_an_integer_reduction_takes_no_floating_point_values(source, tmp_path, value, right):
    loop = f'mesh.loop("l", mesh.interior(), [](auto u, auto r) {{ (void)u; r({value}); }}, read(u), reduce_sum(whole));'
    done = compiled(source, tmp_path, loop)
    assert (done.returncode == 0) == right, done.stderr
    assert right or "an integer reduction would truncate" in done.stderr


@pytest.mark.parametrize("flags,right", [
    (["-ffast-math"], False), (["-Ofast"], False), (["-ffinite-math-only"], False), (["-O3"], True),
    (["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"], False),
    (["-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"], True)], ids=str)
def test_inexact_arithmetic_is_refused(source, tmp_path, flags, right):
    done = compiled(source, tmp_path, "", *flags)
    assert (done.returncode == 0) == right, done.stderr
    assert right or "can't be compiled with -ffast-math" in done.stderr


@pytest.mark.parametrize("compiler", ["g++", "clang++-16"])
def test_right_loops_of_every_kind_compile(source, tmp_path, compiler):
    loops = """
  mesh.loop("a", mesh.interior(), [](auto u, const Index& at) { u() = at.x; }, write(u), index());
  mesh.loop("b", mesh.interior(), [](auto u, const auto&... more) { u() = (0.0 + ... + more()); }, write(u), read(v),
            read(row));
  mesh.loop("c", mesh.interior(), [](auto&& u, double a, auto r) { r(u() * a); r[0](1); }, read(u), value(2),
            reduce_max(sum));
  struct Kernel { void operator()(PointAccess<double, false> p) const { p() = 1; }
                  void operator()(detail::CheckedPoint<double> p) const { p() = 1; } };
  mesh.loop("d", mesh.interior(), Kernel{}, write(u));
  mesh.loop("e", mesh.interior(), []() {});
  mesh.loop("f", mesh.interior(), [](auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto) {},
            read(u), read(u), read(u), read(u), read(u), read(u), read(u), read(u), read(u), read(u), read(u), read(u),
            read(u), read(u));
"""
    done = compiled(source, tmp_path, loops, compiler=compiler)
    assert done.returncode == 0, done.stderr
