// `atoll compile PROG.gm`: writes a binary, the access patterns of its arrays, or its C++.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/json.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/separate_files.hpp"
#include "atoll/base/units.hpp"
#include "atoll/greenmarl/driver.hpp"
#include "cli/patterns_report.hpp"
#include "cli/program_options.hpp"
#include "cli/verb.hpp"

namespace Atoll::cli {
namespace {

namespace fs = std::filesystem;

struct CompileOptions {
  std::string program;
  std::string output;
  std::string patterns;  ///< "", "declared" or "final"
  bool emit_cpp = false;
  bool shared = false;
  bool json = false;
  greenmarl::BuildOptions build;
  greenmarl::CompileOptions compile;
};

/// Copies the binary from the cache to the output.
void install(const std::string& binary, AtomicFile& output) {
  std::ifstream from(binary, std::ios::binary);
  std::array<char, 64 * kKiB> buffer;
  do {
    from.read(buffer.data(), buffer.size());
    output.write(std::string_view(buffer.data(), static_cast<std::size_t>(from.gcount())));
  } while (from);
  if (!from.eof()) throw Error::failed(binary, "can't be read", "is the cache being cleaned?");
  output.commit();
}

Json summary(const greenmarl::CompiledProcedure& program) {
  Json json{{"program", program.procedure.name}, {"source", program.source}};
  json["arguments"] = Json::array();
  for (const Argument& argument : program.procedure.arguments)
    json[argument.output ? "outputs" : "arguments"].push_back(
        {{"name", argument.name}, {"type", to_string(argument.type)}});
  return json;
}

std::string patterns_text(const greenmarl::CompiledProcedure& program, bool final) {
  return fmt::format(
      "{}: arrays {}\n\n{}\n"
      "N nodes, E edges, deg E/N; k, k2 … how often bodies of While and Do run in all.\n"
      "ro read only, std the graph's own, tmp temporary, indexed at the own node only.\n",
      program.procedure.name, final ? "as they are executed" : "as declared",
      patterns_table(final ? program.procedure.arrays : program.declared));
}

std::string text_of(const Json& json) {
  return json.dump_sorted() + "\n";
}

/// Calls compile(). With --json, diagnostics go to standard output.
template <class Compile>
auto compiled(const CompileOptions& options, Compile&& compile) {
  if (!options.json) return compile();
  try {
    return compile();
  } catch (const greenmarl::CompileError& error) {
    Json json = Json::parse(error_json_of(error.diagnostics()));
    json["source"] = options.program;
    json["diagnostics"] = diagnostics_json(error.diagnostics());
    fmt::print("{}", text_of(json));
    throw AlreadyReported{};
  }
}

/// Returns the build options; on a terminal, with a message before the C++ compiler starts.
greenmarl::BuildOptions build_options(const CompileOptions& options) {
  greenmarl::BuildOptions build = options.build;
  if (::isatty(STDERR_FILENO) != 0)
    build.on_compile = [](std::string_view line) {
      print_to_stderr(fmt::format("atoll: {}\n", line));
    };
  return build;
}

/// Returns the prefix of C functions: the file's name without "lib" and without its extensions.
std::string c_name(const fs::path& output) {
  std::string name = output.filename().string();
  name.resize(std::min(name.find('.'), name.size()));
  if (name.starts_with("lib")) name.erase(0, 3);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "_" + name;
  return name;
}

/// Writes a shared library, and its header next to it.
void write_library(const CompileOptions& options) {
  if (!options.patterns.empty() || options.emit_cpp)
    throw Error::input("--shared", "is about a library, --patterns and --emit-cpp about a program",
                       "give one of them");
  const fs::path output = options.output.empty()
                              ? "lib" + fs::path(options.program).stem().string() + ".so"
                              : options.output;
  if (output.extension() != ".so")
    throw Error::input(output.string(), "isn't called as a library is", "write -o libNAME.so");
  const std::string header = fs::path(output).replace_extension(".h").string();
  check_separate_files({output.string(), header}, {options.program});
  const std::string name = c_name(output);
  const greenmarl::Library library = compiled(
      options, [&] { return greenmarl::compile_library(options.program, name, options.compile); });
  if (!options.json) print_diagnostics(library.procedures.front().warnings);
  AtomicFile binary_file(output.string(), AtomicFile::Mode::program), header_file(header);
  const greenmarl::Binary binary =
      greenmarl::build(library, output.filename().string(), build_options(options));
  AtomicFiles together;
  install(binary.path, binary_file);
  header_file.write(library.header);
  header_file.commit();
  together.commit();
  Json json{{"library", output.string()},
            {"header", header},
            {"name", name},
            {"cached", binary.cached},
            {"diagnostics", diagnostics_json(library.procedures.front().warnings)}};
  std::string names;
  for (const greenmarl::CompiledProcedure& program : library.procedures) {
    json["procedures"].push_back(program.procedure.name);
    names += (names.empty() ? "" : ", ") + program.procedure.name;
  }
  fmt::print("{}", options.json ? text_of(json)
                                : fmt::format("{}, {}: {}{}\n", output.string(), header, names,
                                              binary.cached ? ", from the cache" : ", compiled"));
}

void run(const CompileOptions& options) {
  if (options.shared) return write_library(options);
  const bool only_look = !options.patterns.empty() || options.emit_cpp;
  const std::string output = !options.output.empty() || only_look
                                 ? options.output
                                 : fs::path(options.program).stem().string();
  check_separate_files({output}, {options.program});
  const greenmarl::CompiledProcedure program =
      compiled(options, [&] { return greenmarl::compile_file(options.program, options.compile); });
  if (!options.json) print_diagnostics(program.warnings);
  const bool final = options.patterns == "final";
  Json json = summary(program);
  json["diagnostics"] = diagnostics_json(program.warnings);
  std::string text;
  if (!options.patterns.empty()) {
    json["stage"] = final ? "final" : "declared";
    json["arrays"] = patterns_json(final ? program.procedure.arrays : program.declared);
    text += patterns_text(program, final);
  }
  if (options.emit_cpp) {
    json["cpp"] = program.cpp;
    text += program.cpp;
  }
  if (!output.empty()) {
    AtomicFile file(output, AtomicFile::Mode::program);  // fails before the compilation
    const greenmarl::Binary binary = greenmarl::build(program, build_options(options));
    install(binary.path, file);
    json["binary"] = output;
    json["cached"] = binary.cached;
    if (!only_look)
      text += fmt::format("{}: {}{}\n", output, program.procedure.name,
                          binary.cached ? ", from the cache" : ", compiled");
  }
  fmt::print("{}", options.json ? text_of(json) : text);
}

}  // namespace

void add_compile(options::Command app) {
  auto options = std::make_shared<CompileOptions>();
  const options::Command verb = app.add_verb("compile", "Compile a Green-Marl program");
  verb.add_option("program", options->program,
                  "The Green-Marl program: a file, or the name of an installed one")
      .required()
      .type_name("PROG.gm");
  verb.add_option("-o,--output", options->output, "The binary to write (PROG in this folder)")
      .type_name("FILE");
  verb.add_flag("--patterns{declared}", options->patterns,
                "Print how each array is used: as declared, or =final as executed")
      .check(value::one_of({"declared", "final"}));
  verb.add_flag("--emit-cpp", options->emit_cpp, "Print the C++ code");
  verb.add_flag("--shared", options->shared,
                "Write a shared library for C programs, libPROG.so, and libPROG.h");
  verb.add_flag("--json", options->json, "Print one JSON object, mistakes and warnings in it");
  verb.add_option("--cxx", options->build.cxx, "C++ compiler ($CXX, or one that is installed)")
      .type_name("COMMAND");
  add_program_options(verb, options->compile);
  verb.add_option("--march", options->build.march, "CPU to compile for (native)").type_name("CPU");
  verb.add_option("--cxxflags", options->build.cxxflags, "More options for the C++ compiler")
      .type_name("OPTIONS");
  verb.footer(
      "With --patterns or --emit-cpp no binary is made, unless -o asks for it.\n"
      "The language, and what a pattern means: docs/green-marl.md.\n\n"
      "  atoll compile pagerank.gm --patterns        Table 1 of the Shoal paper\n"
      "  atoll compile pagerank.gm --patterns=final  after optimisation\n"
      "  atoll compile pagerank.gm -o pagerank && ./pagerank --help\n"
      "  atoll compile pagerank.gm --shared          a library: docs/graph-library.md");
  verb.run([options] {
    options->program = greenmarl::find_program(options->program);
    run(*options);
  });
}

}  // namespace Atoll::cli
