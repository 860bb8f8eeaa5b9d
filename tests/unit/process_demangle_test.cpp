// Demangled symbol names. Those of Rust were recorded from rustc 1.95, in both of its mangling
// schemes.
#include "process/demangle.hpp"

#include <gtest/gtest.h>

namespace Atoll::process {
namespace {

TEST(Demangle, NamesOfC) {
  EXPECT_EQ(demangled("main"), "main");
  EXPECT_EQ(demangled("counter.0"), "counter.0");  // a static variable within a function
  EXPECT_EQ(function_of_symbol("main.plain"), "main");
  EXPECT_EQ(function_of_symbol("f.part.0"), "f");
  EXPECT_EQ(function_of_symbol(""), "");
  EXPECT_EQ(function_of_symbol(".hidden"), ".hidden");
}

TEST(Demangle, NamesOfCPlusPlus) {
  EXPECT_EQ(demangled("_ZN5Atoll9recording9demangledERKi"),
            "Atoll::recording::demangled(int const&)");
  EXPECT_EQ(function_of_symbol("_Z4workv.constprop.0"), "work()");
  EXPECT_EQ(demangled("_ZNotReally"), "_ZNotReally");
  // Names that resemble hashes, but have a parameter, are alone, or have one wrong letter.
  EXPECT_EQ(demangled("_ZN3app17h0d6cd4306ba54ea9Ev"), "app::h0d6cd4306ba54ea9()");
  EXPECT_EQ(demangled("_ZN17h0df97d432df18057E"), "h0df97d432df18057");
  EXPECT_EQ(demangled("_ZN3app17h0df97d432df1805gE"), "app::h0df97d432df1805g");
}

TEST(Demangle, NewerNamesOfRust) {
  EXPECT_EQ(demangled("_RNvCscAEuU5ehQ2G_3app11count_words"), "app::count_words");
  EXPECT_EQ(demangled("_RNvMNtCscAEuU5ehQ2G_3app5storeINtB2_5TableyE10with_cellsB4_"),
            "<app::store::Table<u64>>::with_cells");
  EXPECT_EQ(demangled("_RNvXs_NtCscAEuU5ehQ2G_3app5storeINtB4_5TableyENtB4_4Fill7fill_up"),
            "<app::store::Table<u64> as app::store::Fill>::fill_up");
  EXPECT_EQ(demangled("_RNCINvNtCsjrHSEGnQ3l9_3std2rt10lang_startuE0CscAEuU5ehQ2G_3app"),
            "std::rt::lang_start::<()>::{closure#0}");
  EXPECT_EQ(function_of_symbol("_RNvCscAEuU5ehQ2G_3app4grow.llvm.9642514970870198668"),
            "app::grow");
  EXPECT_EQ(demangled("_Reality"), "_Reality");
}

TEST(Demangle, OlderNamesOfRust) {
  EXPECT_EQ(demangled("_ZN3app11count_words17h0df97d432df18057E"), "app::count_words");
  EXPECT_EQ(demangled("_ZN3app5store14Table$LT$T$GT$10with_cells17h6346f257f21705d3E"),
            "app::store::Table<T>::with_cells");
  EXPECT_EQ(function_of_symbol("_ZN65_$LT$app..store..Table$LT$u64$GT$$u20$as$u20$app..store..Fill"
                               "$GT$7fill_up17h7278ffdb0e993951E"),
            "<app::store::Table<u64> as app::store::Fill>::fill_up");
  EXPECT_EQ(function_of_symbol("_ZN4core3ptr130drop_in_place$LT$core..result..Result$LT$$LP$$RP$$C$"
                               "alloc..boxed..Box$LT$dyn$u20$core..any..Any$u2b$core..marker..Send"
                               "$GT$$GT$$GT$17h625d8fb844785f67E.llvm.7931107918375628129"),
            "core::ptr::drop_in_place<core::result::Result<(),alloc::boxed::Box<dyn "
            "core::any::Any+core::marker::Send>>>");
  EXPECT_EQ(demangled("_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE"),
            "std::rt::lang_start::{{closure}}");
}

/// Any file may be recorded, so names may be arbitrary. Invalid names are returned unchanged.
TEST(Demangle, DamagedNamesComeBack) {
  for (const char* name :
       {"_R", "_ZN", "_ZN3app", "_ZN3app99x17hE", "_ZN3ap$LT$9999999999999999999999E"})
    EXPECT_EQ(function_of_symbol(name), name);
  EXPECT_EQ(demangled("_ZN4a$X$17h0df97d432df18057E"), "a$X$");
}

}  // namespace
}  // namespace Atoll::process
