// Detection of the user's code in a call stack. The frames were recorded from programs in C, C++,
// Rust and Fortran.
#include "process/own_code.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace Atoll::process {
namespace {

constexpr std::string_view kProgram = "/home/user/app/target/release/app";
constexpr std::string_view kLibc = "/lib/x86_64-linux-gnu/libc.so.6";

TEST(OwnCode, ByFile) {
  for (const std::string_view file :
       {"/home/user/app/src/main.rs", "/home/user/app/grid.f90", "/work/library.cpp", "src/a.c"})
    EXPECT_TRUE(is_own({"f", file, kProgram}, kProgram)) << file;
  for (const std::string_view file :
       {"/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/alloc/src/alloc.rs",
        "library/std/src/rt.rs", "/rust/deps/hashbrown-0.16.1/src/raw/mod.rs",
        "/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rayon-1.10.0/src/iter/mod.rs",
        "/usr/include/c++/12/bits/stl_vector.h", "/opt/gcc/include/c++/13/bits/new_allocator.h",
        "/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h",
        "/usr/local/go/src/runtime/malloc.go", "/home/user/go/pkg/mod/github.com/x/y/z.go"})
    EXPECT_FALSE(is_own({"f", file, kProgram}, kProgram)) << file;
  // A library with debug information. Its paths refer to the computer that compiled it.
  EXPECT_FALSE(
      is_own({"g_malloc", "../../../glib/gmem.c", "/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0"},
             kProgram));
  EXPECT_TRUE(is_own({"f", "f.cpp", "/home/user/app/libf.so"}, kProgram));
}

TEST(OwnCode, WithoutFileByNameAndModule) {
  for (const std::string_view name :
       {"app::store::Table<T>::with_cells", "<app::store::Table<u64>>::with_cells",
        "<app::Big as core::clone::Clone>::clone", "MAIN__", "main", "solve_",
        "grow(std::vector<int>&)", "std::vector<int> make<std::vector<int>>(int)",
        "(anonymous namespace)::fill(double*)", "Grid::operator new_cells(int)", "reallocate_grid",
        "mallocate", "runtime_of"})
    EXPECT_TRUE(is_own({name, "", kProgram}, kProgram)) << name;
  for (const std::string_view name :
       {"alloc::alloc::alloc", "<alloc::vec::Vec<app::Big> as core::clone::Clone>::clone",
        "<&mut alloc::vec::Vec<u8>>::push", "__rust_alloc", "core::ptr::drop_in_place<app::Big>",
        "std::vector<int, std::allocator<int> >::_M_default_append(unsigned long)",
        "void std::vector<App, std::allocator<App> >::_M_realloc_append<App>(App&&)",
        "operator new(unsigned long)", "operator new[](unsigned long)", "_gfortran_st_read",
        "runtime.mallocgc", "zmalloc", "ztrymalloc_usable_internal", "sqlite3Malloc",
        "PyMem_RawRealloc", "je_arena_palloc",
        "hashbrown::raw::RawTable<(u64, u64)>::reserve_rehash", ""})
    EXPECT_FALSE(is_own({name, "", kProgram}, kProgram)) << name;
  EXPECT_FALSE(is_own({"qsort", "", kLibc}, kProgram));
  EXPECT_TRUE(is_own({"getCommand", "", "/usr/bin/redis-server"}, "/usr/bin/redis-server"));
  EXPECT_TRUE(is_own({"f", "", "/usr/lib/app/app"}, "/usr/lib/app/app")) << "wherever it lies";
  EXPECT_FALSE(is_own({"f", "", "libglib-2.0.so.0"}, "")) << "a plan has no paths";
  EXPECT_TRUE(is_own({"f", "", "app"}, ""));
}

TEST(OwnCode, AnAllocatorIsNoneWhereverItsFileLies) {
  EXPECT_FALSE(is_own({"zmalloc", "/home/user/redis/src/zmalloc.c", kProgram}, kProgram));
  EXPECT_FALSE(is_own({"operator new(unsigned long)", "/home/user/new.cpp", kProgram}, kProgram));
}

TEST(OwnCode, AtollsHeadersAndLibrariesAreNotTheUsers) {
  EXPECT_FALSE(is_own({"Atoll::Array<double>::Array(Atoll::memory::Context const&, unsigned long)",
                       "/opt/atoll/include/atoll/array/array.hpp", kProgram},
                      kProgram));
  EXPECT_FALSE(is_own({"Atoll::memory::Block::Block(unsigned long)", "", kProgram}, kProgram))
      << "linked statically";
  EXPECT_FALSE(is_own({"Atoll::memory::Block::populate()", "/build/src/memory/block.cpp", kProgram},
                      kProgram))
      << "linked statically, with debug information";
  EXPECT_TRUE(
      is_own({"fill(Atoll::Array<double>&)", "/home/user/app/fill.cpp", kProgram}, kProgram));
  EXPECT_TRUE(
      is_own({"main::{lambda(int)#1}::operator()(int) const", "part.cpp", kProgram}, kProgram));
}

std::string_view found(const std::vector<CodePlace>& stack) {
  const CodePlace* level = own_level(stack, kProgram, [](const CodePlace& place) { return place; });
  return level == nullptr ? "nothing" : level->function;
}

TEST(OwnCode, TheDeepestLevelWithAFileIsShown) {
  const CodePlace library{"alloc::alloc::alloc", "/rustc/5980/library/alloc/src/alloc.rs",
                          kProgram};
  const CodePlace inner{"app::grow", "/home/user/app/src/main.rs", kProgram};
  const CodePlace outer{"app::main", "/home/user/app/src/main.rs", kProgram};
  const CodePlace stripped{"app::hidden", "", kProgram};
  const CodePlace unknown{"", "", kLibc}, named{"qsort", "", kLibc};
  EXPECT_EQ(found({library, inner, outer, stripped}), "app::grow");
  EXPECT_EQ(found({library, stripped, outer}), "app::main");
  EXPECT_EQ(found({library, stripped, unknown}), "app::hidden");
  EXPECT_EQ(found({unknown, named, library}), "qsort") << "else the deepest that is known";
  EXPECT_EQ(found({unknown}), "");
  EXPECT_EQ(found({}), "nothing");
}

TEST(OwnCode, AStrippedProgramsLevelIsShownBeforeNamesOfTheSystem) {
  const CodePlace library{"", "", kLibc}, start{"__libc_start_main", "", kLibc};
  const CodePlace inner{"", "", kProgram}, outer{"", "", kProgram}, named{"main", "", kProgram};
  const auto level = [](const std::vector<CodePlace>& stack) {
    return own_level(stack, kProgram, [](const CodePlace& place) { return place; }) - stack.data();
  };
  EXPECT_EQ(level({library, inner, outer, start}), 1);
  EXPECT_EQ(level({library, inner, named, start}), 2) << "its own names are better";
  EXPECT_EQ(level({{"", "", ""}, start}), 1) << "code that is in no file";
}

TEST(OwnCode, AStrippedLibraryIsNotNamedAfterItsCaller) {
  constexpr std::string_view kHeap = "/lib/x86_64-linux-gnu/libjemalloc.so.2";
  const CodePlace heap{"", "", kHeap}, heaps_function{"mallocx", "", kHeap};
  const CodePlace caller{"bindtextdomain", "", kLibc};
  const auto level = [](const std::vector<CodePlace>& stack) {
    return own_level(stack, kProgram, [](const CodePlace& place) { return place; }) - stack.data();
  };
  EXPECT_EQ(level({heap, heap, caller}), 0) << "module+offset";
  EXPECT_EQ(level({heap, heaps_function, caller}), 1) << "its own exported function is a name";
  EXPECT_EQ(level({heap, caller, {"", "", kProgram}}), 2) << "the program's level comes first";
}

}  // namespace
}  // namespace Atoll::process
