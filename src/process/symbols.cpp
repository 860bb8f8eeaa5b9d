#include "process/symbols.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "atoll/base/page_size.hpp"
#include "process/demangle.hpp"

namespace Atoll::process {
namespace {

constexpr int kDeepest = 64;  // maximum nesting; damaged files may have more

const Dwfl_Callbacks kCallbacks = {
    .find_elf = nullptr,
    // Uses only the file's own debug information: a search for separate debug files would take
    // seconds.
    .find_debuginfo = [](Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                         GElf_Word, char**) { return -1; },
    .section_address = nullptr,
    .debuginfo_path = nullptr,
};

/// Returns a function's linkage name; null if it has none.
const char* linkage_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (dwarf_attr_integrate(die, name, &attribute) != nullptr) return dwarf_formstring(&attribute);
  return nullptr;
}

std::string function_name(Dwarf_Die* die) {
  if (const char* name = linkage_name(die)) return function_of_symbol(name);
  const char* name = dwarf_diename(die);
  return name == nullptr ? "" : name;
}

/// Sets the file and line of an inlined function's call.
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
  FilePages read_only;
  bool variables_read = false;
  std::vector<StaticVariable> variables;
  std::map<std::uint64_t, std::vector<Frame>> frames;
  /// Code of a function that isn't inlined, at [begin, end).
  struct Function {
    std::uint64_t begin, end;
    Dwarf_Die die, unit;
    Dwarf_Addr bias;
  };
  bool functions_read = false;
  std::vector<Function> functions;  ///< ascending by begin
  std::vector<Function> units;      ///< the same for whole compilation units: `die` is `unit`

  explicit Module(std::string module_path) : path(std::move(module_path)) {
    dwfl = dwfl_begin(&kCallbacks);
    if (dwfl == nullptr) return;
    // A watched program chooses these paths. O_NONBLOCK and the check below keep a FIFO or device
    // from blocking this process.
    int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about = {};
    if (file >= 0 && (::fstat(file, &about) != 0 || !S_ISREG(about.st_mode))) {
      ::close(file);
      file = -1;
    }
    dwfl_report_begin(dwfl);
    if (file >= 0) {
      // Load address 0: addresses are then those in the file.
      module = dwfl_report_elf(dwfl, path.c_str(), path.c_str(), file, 0, true);
      if (module == nullptr) ::close(file);  // on success, the module owns the descriptor
    }
    dwfl_report_end(dwfl, nullptr, nullptr);
    if (module == nullptr) return;
    GElf_Addr main_bias = 0;
    Elf* elf = dwfl_module_getelf(module, &main_bias);
    if (elf == nullptr) {
      module = nullptr;
      return;
    }
    read_only.device = about.st_dev;
    read_only.inode = about.st_ino;
    find_read_only(elf);
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

  /// Collects the pages of segments that aren't writable. A page counts even if it also contains
  /// the start of a writable segment.
  void find_read_only(Elf* elf) {
    std::size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) return;
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr part;
      if (gelf_getphdr(elf, static_cast<int>(i), &part) == nullptr || part.p_type != PT_LOAD ||
          (part.p_flags & PF_W) != 0 || part.p_filesz == 0 ||
          part.p_vaddr % kPageBytes != part.p_offset % kPageBytes ||
          part.p_filesz > ~part.p_vaddr - kPageBytes)
        continue;
      read_only.parts.push_back({part.p_vaddr / kPageBytes,
                                 (part.p_vaddr + part.p_filesz - 1) / kPageBytes + 1,
                                 part.p_offset / kPageBytes});
    }
  }

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
    for (StaticVariable& variable : variables) variable.name = demangled(variable.name);
  }

  /// Returns the symbol whose range contains an address; "" if there is none. A symbol without a
  /// size contains no address: in a stripped library, the nearest exported symbol isn't the name of
  /// a local function.
  std::string symbol_at(std::uint64_t address) {
    GElf_Off into = 0;
    GElf_Sym symbol;
    const char* name =
        dwfl_module_addrinfo(module, address, &into, &symbol, nullptr, nullptr, nullptr);
    return name != nullptr && into < symbol.st_size ? name : "";
  }

  /// Reads all compilation units. libdwfl needs a table of their addresses, which clang doesn't
  /// write, and dwarf_getscopes doesn't find functions in namespaces.
  void read_functions() {
    functions_read = true;
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* unit = dwfl_module_nextcu(module, nullptr, &bias); unit != nullptr;
         unit = dwfl_module_nextcu(module, unit, &bias)) {
      add_ranges(*unit, *unit, bias, units);
      add_functions(*unit, *unit, bias, 0);
    }
    std::ranges::sort(units, {}, &Function::begin);
    std::ranges::sort(functions, {}, &Function::begin);
  }

  static void add_ranges(Dwarf_Die& die, const Dwarf_Die& unit, Dwarf_Addr bias,
                         std::vector<Function>& to) {
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;)
      if (begin < end) to.push_back({begin + bias, end + bias, die, unit, bias});
  }

  /// Returns the element of `sorted` that contains an address; null if there is none.
  static Function* at(std::vector<Function>& sorted, std::uint64_t address) {
    const auto after = std::ranges::upper_bound(sorted, address, {}, &Function::begin);
    if (after == sorted.begin() || std::prev(after)->end <= address) return nullptr;
    return &*std::prev(after);
  }

  static void set_line(Function& function, std::uint64_t address, Frame& frame) {
    Dwarf_Line* line = dwarf_getsrc_die(&function.unit, address - function.bias);
    if (line == nullptr) return;
    if (const char* file = dwarf_linesrc(line, nullptr, nullptr)) frame.file = file;
    (void)dwarf_lineno(line, &frame.line);
  }

  void add_functions(Dwarf_Die& parent, const Dwarf_Die& unit, Dwarf_Addr bias, int depth) {
    Dwarf_Die die;
    if (depth > kDeepest || dwarf_child(&parent, &die) != 0) return;
    do {
      const int tag = dwarf_tag(&die);
      if (tag == DW_TAG_subprogram) {
        add_ranges(die, unit, bias, functions);
      } else if (tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
                 tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_module) {
        add_functions(die, unit, bias, depth + 1);
      }
    } while (dwarf_siblingof(&die, &die) == 0);
  }

  /// Appends the functions that are inlined at `address` within `die`, outermost first.
  static void add_inlined(Dwarf_Die& die, Dwarf_Addr address, std::vector<Dwarf_Die>& levels,
                          int depth) {
    Dwarf_Die child;
    if (depth > kDeepest || dwarf_child(&die, &child) != 0) return;
    do {
      const int tag = dwarf_tag(&child);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) continue;
      if (dwarf_haspc(&child, address) <= 0) continue;
      if (tag == DW_TAG_inlined_subroutine) levels.push_back(child);
      return add_inlined(child, address, levels, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  /// Returns the levels according to the debug information; empty if it doesn't cover the address.
  std::vector<Frame> by_debug_information(std::uint64_t address) {
    if (!functions_read) read_functions();
    Function* const covers = at(functions, address);
    if (covers == nullptr) return {};
    Function& function = *covers;
    std::vector<Dwarf_Die> levels{function.die};
    add_inlined(function.die, address - function.bias, levels, 0);
    std::vector<Frame> found;
    Frame frame;
    set_line(function, address, frame);
    for (std::size_t i = levels.size(); i-- > 0;) {
      frame.function = function_name(&levels[i]);
      frame.inlined = i != 0;
      found.push_back(frame);
      frame = {};
      if (i != 0) set_call(&levels[i], &function.unit, frame);
    }
    // For functions with internal linkage, debug information has only the unqualified name.
    const std::string symbol = symbol_at(address);
    if (linkage_name(&function.die) == nullptr &&
        (symbol.starts_with("_Z") || symbol.starts_with("_R")))
      found.back().function = function_of_symbol(symbol);
    return found;
  }

  std::vector<Frame> look_up(std::uint64_t return_address) {
    std::vector<Frame> found;
    if (module != nullptr) {
      const std::uint64_t address = return_address - 1;  // inside the call instruction
      found = by_debug_information(address);
      if (found.empty()) {
        Frame frame;
        frame.function = function_of_symbol(symbol_at(address));
        // With clang's line tables alone, functions without inlined calls have no entry.
        if (Function* const unit = at(units, address)) set_line(*unit, address, frame);
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

const FilePages& Symbols::read_only_pages(const std::string& module) {
  return open(module).read_only;
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

}  // namespace Atoll::process
