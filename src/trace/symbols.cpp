#include "trace/symbols.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace Atoll::trace {
namespace {

const Dwfl_Callbacks kCallbacks = {
    .find_elf = nullptr,
    // Only what the file itself has: searching for debug files elsewhere would cost seconds.
    .find_debuginfo = [](Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                         GElf_Word, char**) { return -1; },
    .section_address = nullptr,
    .debuginfo_path = nullptr,
};

std::string demangled(const char* name) {
  if (name == nullptr) return {};
  if (std::string_view(name).substr(0, 2) != "_Z") return name;  // "a" would be signed char
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

std::string function_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned linkage : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (dwarf_attr_integrate(die, linkage, &attribute) != nullptr)
      return demangled(dwarf_formstring(&attribute));
  const char* name = dwarf_diename(die);
  return name == nullptr ? "" : name;
}

/// Where an inlined function was called.
void set_call(Dwarf_Die* inlined, Dwarf_Die* unit, Frame& frame) {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) == 0)
    frame.line = static_cast<int>(number);
  Dwarf_Files* files = nullptr;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) == 0 &&
      dwarf_getsrcfiles(unit, &files, nullptr) == 0)
    if (const char* file = dwarf_filesrc(files, number, nullptr, nullptr)) frame.file = file;
}

}  // namespace

struct Symbols::Module {
  Dwfl* dwfl = nullptr;
  Dwfl_Module* module = nullptr;
  std::string path, build_id;
  bool variables_read = false;
  std::vector<StaticVariable> variables;
  std::map<std::uint64_t, std::vector<Frame>> frames;

  explicit Module(std::string module_path) : path(std::move(module_path)) {
    dwfl = dwfl_begin(&kCallbacks);
    if (dwfl == nullptr) return;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    dwfl_report_begin(dwfl);
    if (file >= 0) {
      // At address 0 and the file's own addresses: so addresses here are those in the file.
      module = dwfl_report_elf(dwfl, path.c_str(), path.c_str(), file, 0, true);
      if (module == nullptr) ::close(file);  // else it is the module's now
    }
    dwfl_report_end(dwfl, nullptr, nullptr);
    if (module == nullptr) return;
    GElf_Addr main_bias = 0;
    if (dwfl_module_getelf(module, &main_bias) == nullptr) {
      module = nullptr;
      return;
    }
    const unsigned char* bits = nullptr;
    GElf_Addr where = 0;
    const int bytes = dwfl_module_build_id(module, &bits, &where);
    for (int i = 0; i < bytes; ++i) build_id += fmt::format("{:02x}", bits[i]);
  }
  ~Module() {
    if (dwfl != nullptr) dwfl_end(dwfl);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  void read_variables() {
    variables_read = true;
    if (module == nullptr) return;
    const int count = dwfl_module_getsymtab(module);
    for (int i = 0; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr address = 0;
      GElf_Word section = 0;
      const char* name =
          dwfl_module_getsym_info(module, i, &symbol, &address, &section, nullptr, nullptr);
      if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0 ||
          section == SHN_UNDEF || section == SHN_ABS)
        continue;
      variables.push_back({name, address, symbol.st_size});
    }
    std::ranges::sort(variables, [](const StaticVariable& a, const StaticVariable& b) {
      return std::tie(a.address, b.bytes, a.name) < std::tie(b.address, a.bytes, b.name);
    });
    const auto [first, last] = std::ranges::unique(
        variables, {}, [](const StaticVariable& variable) { return variable.address; });
    variables.erase(first, last);
    for (StaticVariable& variable : variables) variable.name = demangled(variable.name.c_str());
  }

  /// From the debug information; empty if there is none for the address.
  std::vector<Frame> by_debug_information(std::uint64_t address) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
    Dwarf_Die* scopes = nullptr;
    if (unit == nullptr || dwarf_getscopes(unit, address - bias, &scopes) <= 0) return {};
    Dwarf_Die innermost = scopes[0];
    std::free(scopes);
    // Its parents as nested in the code; those above are nested as in the source.
    const int levels = dwarf_getscopes_die(&innermost, &scopes);
    std::vector<Frame> found;
    Frame frame;
    if (Dwfl_Line* line = dwfl_module_getsrc(module, address)) {
      int number = 0;
      if (const char* file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr))
        frame.file = file;
      frame.line = number;
    }
    for (int i = 0; i < levels; ++i) {
      const int tag = dwarf_tag(&scopes[i]);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
      frame.function = function_name(&scopes[i]);
      frame.inlined = tag == DW_TAG_inlined_subroutine;
      found.push_back(frame);
      if (tag == DW_TAG_subprogram) break;
      frame = {};
      set_call(&scopes[i], unit, frame);
    }
    if (levels > 0) std::free(scopes);
    return found;
  }

  std::vector<Frame> look_up(std::uint64_t return_address) {
    std::vector<Frame> found;
    if (module != nullptr) {
      const std::uint64_t address = return_address - 1;  // within the call
      found = by_debug_information(address);
      if (found.empty()) {
        Frame frame;
        GElf_Off into = 0;
        GElf_Sym symbol;
        const char* name =
            dwfl_module_addrinfo(module, address, &into, &symbol, nullptr, nullptr, nullptr);
        if (name != nullptr && (symbol.st_size == 0 || into < symbol.st_size))
          frame.function = demangled(name);
        found.push_back(frame);
      }
    }
    if (found.empty()) found.emplace_back();
    for (Frame& frame : found) {
      frame.module = path;
      frame.build_id = build_id;
      frame.offset = return_address;
    }
    return found;
  }
};

Symbols::Symbols() = default;
Symbols::~Symbols() = default;

Symbols::Module& Symbols::open(const std::string& path) {
  std::unique_ptr<Module>& module = modules_[path];
  if (module == nullptr) module = std::make_unique<Module>(path);
  return *module;
}

const std::string& Symbols::build_id(const std::string& module) {
  return open(module).build_id;
}

std::span<const StaticVariable> Symbols::variables(const std::string& module) {
  Module& found = open(module);
  if (!found.variables_read) found.read_variables();
  return found.variables;
}

std::span<const Frame> Symbols::frames(const std::string& module, std::uint64_t address) {
  Module& found = open(module);
  const auto [at, is_new] = found.frames.try_emplace(address);
  if (is_new) at->second = found.look_up(address);
  return at->second;
}

}  // namespace Atoll::trace
