// Reads a program's file.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/emit.hpp"
#include "greenmarl/parser.hpp"
#include "greenmarl/pipeline.hpp"

namespace Atoll::greenmarl {

namespace {

std::string text_of(const std::string& path) {
  constexpr const char* kExample = "name a Green-Marl program, such as pagerank.gm";
  if (std::error_code error; std::filesystem::is_directory(path, error))
    throw Error::input(path, "is a directory", kExample);
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) throw Error::input(path, "can't be read", kExample);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace

CompiledProcedure compile_file(const std::string& path, const CompileOptions& options) {
  return compile(text_of(path), path, options);
}

Library compile_library(const std::string& path, const std::string& name,
                        const CompileOptions& options) {
  const std::string text = text_of(path);
  Library library{.name = name, .procedures = {}, .cpp = {}, .header = {}};
  library.procedures.push_back(compile(text, path, options));  // reports the file's errors
  if (options.procedure.empty())
    for (const std::string& procedure : offered_procedures(text, path)) {
      if (procedure == library.procedures.front().procedure.name) continue;
      CompileOptions one = options;
      one.procedure = procedure;
      library.procedures.push_back(compile(text, path, one));
    }
  emit_library(library);
  return library;
}

}  // namespace Atoll::greenmarl
