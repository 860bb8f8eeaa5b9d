// Checks the architecture: a module may only include modules to its left in the chains of
// ARCHITECTURE.md.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace Atoll {
namespace {

namespace fs = std::filesystem;

/// Maps each module to the modules to its left. A new module needs a new row.
const std::map<std::string, std::set<std::string>>& allowed() {
  static const auto table = [] {
    std::map<std::string, std::set<std::string>> rows;
    const auto row = [&](const std::string& module, std::set<std::string> left) {
      std::set<std::string> all = left;
      for (const std::string& other : left)
        all.insert(rows.at(other).begin(), rows.at(other).end());
      rows[module] = std::move(all);
    };
    row("marks", {});
    row("base", {"marks"});
    row("options", {"base"});
    row("machine", {"base"});
    row("pattern", {"base"});
    row("plan", {"machine", "pattern"});
    row("threads", {"machine"});
    row("memory", {"threads", "plan"});
    row("array", {"plan", "memory"});
    row("parallel", {"array"});
    row("graph", {"parallel"});
    row("measure", {"parallel"});
    row("pim", {"parallel"});
    row("stencil", {"parallel", "options"});
    row("process", {"plan"});
    row("record", {"process"});
    row("recording", {"record", "parallel"});
    row("profile", {"recording"});
    row("apply", {"recording"});
    row("affinity", {"recording", "graph"});
    row("simulate", {"recording"});
    row("program", {"graph", "options"});
    row("greenmarl", {"base", "pattern"});
    row("cli",
        {"program", "greenmarl", "measure", "pim", "profile", "apply", "affinity", "simulate"});
    return rows;
  }();
  return table;
}

/// Returns the module of an include of "atoll/module/…" or "module/…"; empty for others.
std::string module_of(const std::string& include) {
  static const std::regex path(R"(^(?:atoll/)?([a-z]+)/.*)");
  std::smatch match;
  return std::regex_match(include, match, path) && allowed().contains(match[1]) ? match[1].str()
                                                                                : "";
}

std::vector<std::string> violations(const fs::path& file, const std::string& module,
                                    std::istream& text) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)".*)re");
  std::vector<std::string> found;
  std::smatch match;
  for (std::string line; std::getline(text, line);)
    if (std::regex_match(line, match, include)) {
      const std::string target = module_of(match[1]);
      if (!target.empty() && target != module && !allowed().at(module).contains(target))
        found.push_back(file.string() + " includes " + match[1].str());
    }
  return found;
}

TEST(IncludeOrder, EveryIncludePointsToTheLeft) {
  const fs::path source = ATOLL_SOURCE_DIR;
  int files = 0;
  for (const fs::path& root : {source / "include" / "atoll", source / "src"})
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".hpp" && extension != ".cpp") continue;
      const std::string module = fs::relative(entry.path(), root).begin()->string();
      if (module == entry.path().filename()) continue;  // atoll.hpp includes all headers
      ASSERT_TRUE(allowed().contains(module)) << module << " has no row in the table of this test";
      std::ifstream text(entry.path());
      for (const std::string& violation : violations(entry.path(), module, text))
        ADD_FAILURE() << violation;
      ++files;
    }
  EXPECT_GT(files, 40);
}

/// People and ARCHITECTURE.md name a file by its name within its module, so that name must be
/// unique.
TEST(IncludeOrder, NoTwoFilesOfAModuleHaveOneName) {
  const fs::path source = ATOLL_SOURCE_DIR;
  std::map<std::string, fs::path> files;
  for (const fs::path& root : {source / "include" / "atoll", source / "src"})
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".hpp" && extension != ".cpp" && extension != ".h") continue;
      const std::string module = fs::relative(entry.path(), root).begin()->string();
      const auto [other, is_new] =
          files.emplace(module + "/" + entry.path().filename().string(), entry.path());
      EXPECT_TRUE(is_new) << entry.path() << " and " << other->second;
    }
}

/// Exception: the suite `simulate` uses internal headers, to time the engine on a stream in memory,
/// without a program.
TEST(IncludeOrder, AppsBenchAndDemoUsePublicHeadersOnly) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)".*)re");
  for (const char* folder : {"apps", "bench", "demo"})
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(ATOLL_SOURCE_DIR) / folder)) {
      if (fs::relative(entry.path(), ATOLL_SOURCE_DIR).string().starts_with("bench/simulate"))
        continue;
      std::ifstream text(entry.path());
      std::smatch match;
      for (std::string line; std::getline(text, line);)
        if (std::regex_match(line, match, include) && !module_of(match[1]).empty()) {
          EXPECT_TRUE(match[1].str().starts_with("atoll/"))
              << entry.path() << " includes " << match[1];
        }
    }
}

/// All weak symbols are in the module `marks`, which thereby lists the symbols that a recorder may
/// define. Exception: process.cpp declares one of libc.
TEST(IncludeOrder, WeakSymbolsAreInMarksAlone) {
  const fs::path source = ATOLL_SOURCE_DIR;
  std::set<std::string> found;
  for (const fs::path& root : {source / "include" / "atoll", source / "src"})
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream text(entry.path());
      for (std::string line; std::getline(text, line);)
        if (line.find("__attribute__((weak)") != std::string::npos ||
            line.find("[[gnu::weak]]") != std::string::npos)
          found.insert(fs::relative(entry.path(), root).string());
    }
  EXPECT_EQ(found, (std::set<std::string>{"marks/marks.h", "marks/preloaded.hpp",
                                          "marks/run_time.hpp", "process/inside/process.cpp"}));
}

TEST(IncludeOrder, TheCheckFindsWhatItLooksFor) {
  std::istringstream text(
      "#include \"atoll/base/error.hpp\"\n#include \"atoll/graph/graph.hpp\"\n#include <vector>\n");
  EXPECT_EQ(violations("x.cpp", "machine", text).size(), 1U);
  for (const char* module : {"process", "record", "recording", "profile"}) {
    std::istringstream applies("#include \"apply/run_applied.hpp\"\n");
    EXPECT_EQ(violations("x.cpp", module, applies).size(), 1U) << module;
  }
}

}  // namespace
}  // namespace Atoll
