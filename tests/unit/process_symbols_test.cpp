// Symbols, compared with addr2line and nm on a program compiled by gcc and by clang. Also invalid
// and stripped files.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "process/symbols.hpp"
#include "temporary_folder.hpp"

namespace Atoll::process {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  std::string text;
  std::array<char, 4096> some;
  for (std::size_t n = 0; (n = std::fread(some.data(), 1, some.size(), pipe.get())) > 0;)
    text.append(some.data(), n);
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string compiled(const TemporaryFolder& folder, const std::string& compiler,
                     const std::string& flags = "-O2 -g") {
  std::string program = folder / ("program-" + compiler);
  const std::string command = compiler + " " + flags +
                              " -Wl,--build-id " ATOLL_SOURCE_DIR "/tests/watched/inlined.cpp -o " +
                              program;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return program;
}

struct Symbol {
  std::uint64_t address, bytes;
  std::string kind, name;
};

std::vector<Symbol> symbols_of(const std::string& program) {
  std::vector<Symbol> symbols;
  for (const std::string& line : lines_of("nm -CS " + program)) {
    std::istringstream words(line);
    Symbol symbol;
    if (!(words >> std::hex >> symbol.address >> symbol.bytes >> symbol.kind)) continue;
    std::getline(words >> std::ws, symbol.name);
    symbols.push_back(symbol);
  }
  return symbols;
}

std::string text_of(const Frame& frame) {
  return (frame.function.empty() ? "??" : frame.function) + " " +
         (frame.file.empty() ? "??" : fs::path(frame.file).filename().string()) + ":" +
         std::to_string(frame.line);
}

std::string place_of(const std::string& frame) {
  return frame.substr(frame.rfind(' '));
}

/// Returns the results of addr2line for these addresses, in the form of our results.
std::vector<std::vector<std::string>> by_addr2line(const std::string& program,
                                                   const std::vector<std::uint64_t>& addresses) {
  const std::string input = program + ".addresses";
  std::ofstream file(input);
  for (const std::uint64_t address : addresses) file << std::hex << address << "\n";
  file.close();
  std::vector<std::vector<std::string>> found;
  const std::vector<std::string> lines = lines_of("addr2line -afCi -e " + program + " < " + input);
  for (std::size_t i = 0; i < lines.size();) {
    if (lines[i].starts_with("0x")) {
      found.emplace_back();
      ++i;
      continue;
    }
    std::string place = lines[i + 1].substr(0, lines[i + 1].find(" ("));
    const std::size_t colon = place.rfind(':');
    const int line = std::atoi(place.c_str() + colon + 1);
    found.back().push_back(lines[i] + " " + fs::path(place.substr(0, colon)).filename().string() +
                           ":" + std::to_string(line));
    i += 2;
  }
  return found;
}

/// Returns the addresses of all instruction bytes in the program's own functions.
std::vector<std::uint64_t> addresses_in(const std::string& program) {
  std::vector<std::uint64_t> addresses;
  for (const Symbol& symbol : symbols_of(program))
    if ((symbol.kind == "t" || symbol.kind == "T" || symbol.kind == "W") &&
        (symbol.name == "main" || symbol.name.find("outer::") != std::string::npos))
      for (std::uint64_t i = 0; i < symbol.bytes; ++i) addresses.push_back(symbol.address + i);
  return addresses;
}

class TraceSymbols : public testing::TestWithParam<const char*> {};

TEST_P(TraceSymbols, FramesAreThoseOfAddr2line) {
  const TemporaryFolder folder;
  const std::string program = compiled(folder, GetParam());
  const std::vector<std::uint64_t> addresses = addresses_in(program);
  ASSERT_GT(addresses.size(), 200U);
  const auto expected = by_addr2line(program, addresses);
  ASSERT_EQ(expected.size(), addresses.size());
  Symbols symbols;
  std::size_t inlined = 0, equal = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    std::vector<std::string> found;
    for (const Frame& frame : symbols.frames(program, addresses[i] + 1)) {
      found.push_back(text_of(frame));
      EXPECT_EQ(frame.offset, addresses[i] + 1);
      EXPECT_EQ(frame.module, program);
      inlined += frame.inlined;
    }
    equal += found == expected[i];
    // addr2line omits some inlined frames: address ranges in clang's format, and single
    // instructions in gcc's output.
    EXPECT_GE(found.size(), expected[i].size());
    EXPECT_EQ(place_of(found[0]), place_of(expected[i][0])) << std::hex << addresses[i];
    EXPECT_EQ(found.back().substr(0, found.back().rfind(' ')),
              expected[i].back().substr(0, expected[i].back().rfind(' ')));
  }
  EXPECT_GT(equal, addresses.size() * 85 / 100);
  EXPECT_GT(inlined, 50U);
}

TEST_P(TraceSymbols, LineTablesAloneTellFileAndLine) {
  const TemporaryFolder folder;
  const std::string program = compiled(folder, GetParam(), "-O2 -g1");
  const std::vector<std::uint64_t> addresses = addresses_in(program);
  ASSERT_GT(addresses.size(), 200U);
  const auto expected = by_addr2line(program, addresses);
  Symbols symbols;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto found = symbols.frames(program, addresses[i] + 1);
    EXPECT_EQ(place_of(text_of(found[0])), place_of(expected[i][0])) << std::hex << addresses[i];
  }
}

TEST_P(TraceSymbols, VariablesAreThoseOfNm) {
  const TemporaryFolder folder;
  const std::string program = compiled(folder, GetParam());
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> found;
  Symbols symbols;
  std::uint64_t last = 0;
  for (const StaticVariable& variable : symbols.variables(program)) {
    EXPECT_GT(variable.address, last);
    last = variable.address;
    found[variable.name] = {variable.address, variable.bytes};
  }
  int compared = 0;
  for (const Symbol& symbol : symbols_of(program))
    if (symbol.name.starts_with("a_") || symbol.name == "outer::a_constant") {
      EXPECT_EQ(found[symbol.name], std::pair(symbol.address, symbol.bytes)) << symbol.name;
      ++compared;
    }
  EXPECT_EQ(compared, 3);
}

TEST_P(TraceSymbols, WithoutDebugInformationFunctionsAreKnownAndStrippedOnlyOffsets) {
  const TemporaryFolder folder;
  const std::string program = compiled(folder, GetParam(), "-O2");
  std::uint64_t main_address = 0;
  for (const Symbol& symbol : symbols_of(program))
    if (symbol.name == "main") main_address = symbol.address;
  Symbols symbols;
  const std::string build_id = symbols.build_id(program);
  ASSERT_EQ(build_id.size(), 40U);
  EXPECT_EQ(lines_of("readelf -n " + program + " | grep -o '" + build_id + "'").size(), 1U);
  ASSERT_EQ(symbols.frames(program, main_address + 8).size(), 1U);
  EXPECT_EQ(symbols.frames(program, main_address + 8)[0].function, "main");
  EXPECT_EQ(symbols.frames(program, main_address + 8)[0].line, 0);
  const std::string stripped = program + ".stripped";
  ASSERT_EQ(std::system(("strip -o " + stripped + " " + program).c_str()), 0);
  ASSERT_EQ(symbols.frames(stripped, main_address + 8).size(), 1U);
  const Frame frame = symbols.frames(stripped, main_address + 8)[0];
  EXPECT_EQ(frame.function, "");
  EXPECT_EQ(frame.offset, main_address + 8);
  EXPECT_EQ(frame.build_id, build_id);
}
INSTANTIATE_TEST_SUITE_P(Compilers, TraceSymbols, testing::Values("g++", "clang++-16"),
                         [](const auto& test) {
                           return std::string(test.param) == "g++" ? "gcc" : "clang";
                         });

TEST(TraceSymbolsOfCopies, ACopyOfAFunctionHasItsName) {
  const TemporaryFolder folder;
  const std::string program = folder / "copy";
  std::ofstream(program + ".cpp") << "extern \"C\" int f() __asm__(\"f.plain\");\n"
                                     "int f() { return 3; }\nint main() { return f(); }\n";
  ASSERT_EQ(std::system(("g++ " + program + ".cpp -o " + program).c_str()), 0);
  Symbols symbols;
  std::size_t found = 0;
  for (const Symbol& symbol : symbols_of(program))
    if (symbol.name == "f.plain") {
      EXPECT_EQ(symbols.frames(program, symbol.address + 1)[0].function, "f");
      ++found;
    }
  EXPECT_EQ(found, 1U);
}

TEST(TraceSymbolsBadFiles, HaveNoSymbolsAndDoNoHarm) {
  const TemporaryFolder folder;
  const std::string program = compiled(folder, "g++");
  std::ifstream file(program, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  ASSERT_GT(content.size(), 10'000U);
  const std::string damaged = folder / "damaged";
  const auto look = [&](const std::string& path) {
    Symbols symbols;
    (void)symbols.build_id(path);
    (void)symbols.variables(path);
    for (std::uint64_t address = 0x1000; address < 0x1400; address += 61)
      EXPECT_FALSE(symbols.frames(path, address).empty());
    EXPECT_FALSE(symbols.frames(path, ~std::uint64_t{0}).empty());
    EXPECT_FALSE(symbols.frames(path, 0).empty());
  };
  for (std::size_t bytes = 0; bytes < content.size(); bytes += 1 + content.size() / 60) {
    std::ofstream(damaged, std::ios::binary | std::ios::trunc)
        .write(content.data(), static_cast<std::streamsize>(bytes));
    look(damaged);
  }
  for (std::size_t at = 0; at < content.size(); at += 1 + content.size() / 60) {
    std::string other = content;
    for (std::size_t i = at; i < std::min(at + 40, other.size()); i += 3) other[i] ^= '\x5a';
    std::ofstream(damaged, std::ios::binary | std::ios::trunc) << other;
    look(damaged);
  }
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  for (const char* path : {"/dev/zero", "/", "linux-vdso.so.1", ""}) look(path);
  for (const char* name : {"fifo", "missing"}) look(folder / name);
}

}  // namespace
}  // namespace Atoll::process
