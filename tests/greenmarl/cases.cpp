#include "cases.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <fstream>

#include "greenmarl/cxx.hpp"

namespace Atoll::greenmarl::oracle {
namespace {

/// Returns the program's C++ in its own namespace, with its entry instead of main().
std::string in_namespace(const CompiledProcedure& program, std::size_t number) {
  std::string text = fmt::format("namespace case_{} {{\n", number);
  const std::size_t main = program.cpp.find("int main(");
  for (std::size_t begin = 0; begin < main;) {
    const std::size_t end = program.cpp.find('\n', begin) + 1;
    const std::string line = program.cpp.substr(begin, end - begin);
    if (!line.starts_with("#include")) text += line;
    begin = end;
  }
  const std::size_t entry = program.cpp.find("Atoll::program::Entry::of(", main);
  std::size_t end = program.cpp.rfind("}));");
  if (main == std::string::npos || entry == std::string::npos || end == std::string::npos)
    throw std::logic_error("an emitted program has no main()");
  end += 2;
  return text + "Atoll::program::Entry entry() { return " + program.cpp.substr(entry, end - entry) +
         "; }\n}\n";
}

}  // namespace

Library::Library(const std::string& folder, const std::string& name,
                 const std::vector<CompiledProcedure>& programs, int ids) {
  const std::string stem = folder + "/" + name;
  std::ofstream file(stem + ".cpp");
  const std::string& first = programs.at(0).cpp;
  for (std::size_t begin = 0; begin < first.size();) {
    const std::size_t end = first.find('\n', begin) + 1;
    if (first.compare(begin, 8, "#include") == 0) file << first.substr(begin, end - begin);
    begin = end;
  }
  std::string table;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    file << in_namespace(programs[i], i);
    table += fmt::format("{{&case_{0}::describe, &case_{0}::entry}},\n", i);
  }
  file << "struct Case { Atoll::Procedure (*describe)(); Atoll::program::Entry (*entry)(); };\n"
          "extern \"C\" const Case cases[] = {\n"
       << table << "};\n";
  file.close();

  std::vector<std::string> command = find_cxx(ATOLL_TEST_CXX).command;
  // -Og has the shortest total time to compile and run. Contraction is off, because the interpreter
  // rounds each operation.
  for (const char* word : {"-std=c++20", "-Og", "-fwrapv", "-fopenmp", "-DNDEBUG", "-fPIC",
                           "-shared", "-ffp-contract=off", "-w"})
    command.emplace_back(word);
  for (std::string& word : split_words(ATOLL_TEST_CXXFLAGS)) command.push_back(std::move(word));
  command.push_back(fmt::format("-DATOLL_IDS={}", ids));
  command.push_back("-I" ATOLL_SOURCE_DIR "/include");
  for (const std::string& word : {stem + ".cpp", std::string("-o"), stem + ".so"})
    command.push_back(word);
  run_logged(command, stem + ".log", "compiling " + name, stem + ".so");
  library_ = {::dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL), [](void* library) {
                if (library != nullptr) ::dlclose(library);
              }};
  if (library_ == nullptr) throw Error::failed(name, ::dlerror());
  cases_ = static_cast<const Case*>(::dlsym(library_.get(), "cases"));
}

}  // namespace Atoll::greenmarl::oracle
