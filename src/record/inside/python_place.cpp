// CPython 3.11's interpreter frames are read in place. PyEval_GetFrame() would allocate a frame
// object, and the interpreter's allocator is not reentrant. The layouts of other versions differ,
// so their programs' allocations keep the names of the C functions.
#include "record/inside/python_place.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include <atomic>
#include <cstdint>

namespace Atoll::record::inside {
namespace {

/// CPython 3.11, 64 bits. The names are CPython's.
struct Object {
  std::intptr_t reference_count;
  const void* type;
};

struct Unicode {
  Object base;
  std::intptr_t length;  ///< in characters
  std::intptr_t hash;
  std::uint32_t state;  ///< bits 2-4: bytes per character; 5: compact; 6: ASCII
  void* wide;
};
/// Additional bytes between a compact string's header and its characters, if it isn't ASCII.
constexpr std::size_t kCompactBytes = 24;

struct Code {
  Object base;
  std::intptr_t size;
  const void* constants[3];
  std::int32_t counts[12];
  const void* locals[2];
  const Unicode* file_name;
  const Unicode* name;
  const void* others[7];
  std::uint16_t units[1];  ///< start of the instructions
};
static_assert(offsetof(Code, file_name) == 112 && offsetof(Code, units) == 184);

struct InterpreterFrame {
  const void* function[4];
  const Code* code;
  const void* frame_object;
  const InterpreterFrame* previous;
  const std::uint16_t* previous_instruction;
};

struct CFrame {
  std::uint64_t use_tracing;
  const InterpreterFrame* current;
};

struct ThreadState {
  const void* others[7];
  const CFrame* c_frame;
  const void* more[11];
  std::uint64_t thread_id;  ///< pthread_self()
};
static_assert(offsetof(ThreadState, c_frame) == 56 && offsetof(ThreadState, thread_id) == 152);

struct Python {
  const ThreadState* (*thread_state)();
  int (*line_of)(const Code*, int);
  const void* code_type;
};
constinit Python python{};
enum class Found : int { unknown, no, yes };
constinit std::atomic<Found> found{Found::unknown};

constexpr int kMaxFrames = 64;  // counted outward from the innermost one

template <typename F>
bool find(F& function, const char* name) {
  function = reinterpret_cast<F>(::dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

bool find_python() {
  const char* (*version)() = nullptr;
  if (!find(version, "Py_GetVersion") || ::strncmp(version(), "3.11.", 5) != 0) return false;
  return find(python.thread_state, "PyGILState_GetThisThreadState") &&
         find(python.line_of, "PyCode_Addr2Line") && find(python.code_type, "PyCode_Type");
}

/// Appends to a buffer of limited length.
class Text {
 public:
  Text(char* text, std::size_t bytes) : at_(text), left_(bytes - 1) { *at_ = '\0'; }

  void add(char byte) {
    if (left_ == 0) return;
    *at_++ = byte;
    *at_ = '\0';
    --left_;
  }
  void add(const char* text) {
    while (*text != '\0') add(*text++);
  }
  void add_number(int number) {
    char digits[12];
    char* first = digits + sizeof digits - 1;
    *first = '\0';
    for (unsigned rest = static_cast<unsigned>(number);
         first == digits + sizeof digits - 1 || rest != 0; rest /= 10)
      *--first = static_cast<char>('0' + rest % 10);
    add(first);
  }
  /// Appends a character in UTF-8.
  void add_character(std::uint32_t code) {
    if (code < 0x80) return add(static_cast<char>(code));
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    const std::uint32_t head = (0xFF00U >> (more + 1)) & 0xFFU;
    if (left_ <= static_cast<std::size_t>(more)) return;
    add(static_cast<char>(head | code >> (6 * more)));
    for (int i = more; i-- > 0;) add(static_cast<char>(0x80 | (code >> (6 * i) & 0x3F)));
  }

 private:
  char* at_;
  std::size_t left_;
};

/// Characters of a string; none if the string isn't compact.
class Characters {
 public:
  explicit Characters(const Unicode& string)
      : data_(reinterpret_cast<const std::uint8_t*>(&string + 1)), width_(string.state >> 2 & 7U) {
    const bool compact = (string.state >> 5 & 1U) != 0, ascii = (string.state >> 6 & 1U) != 0;
    if (!ascii) data_ += kCompactBytes;
    size_ = compact ? string.length : 0;
  }
  [[nodiscard]] std::intptr_t size() const { return size_; }
  [[nodiscard]] std::uint32_t operator[](std::intptr_t i) const {
    std::uint32_t code = 0;
    ::memcpy(&code, data_ + i * width_, width_);
    return code;
  }
  [[nodiscard]] bool contain(const char* word) const {
    const auto length = static_cast<std::intptr_t>(::strlen(word));
    for (std::intptr_t begin = 0; begin + length <= size_; ++begin) {
      std::intptr_t same = 0;
      while (same != length && (*this)[begin + same] == static_cast<std::uint8_t>(word[same]))
        ++same;
      if (same == length) return true;
    }
    return false;
  }

 private:
  const std::uint8_t* data_;
  std::uint32_t width_;
  std::intptr_t size_ = 0;
};
static_assert(sizeof(Unicode) == 48);

/// True for installed packages, and for modules that are part of the interpreter.
bool is_installed(const Characters& file) {
  return file.size() == 0 || file[0] == '<' || file.contain("/site-packages/") ||
         file.contain("/dist-packages/") || file.contain("/lib/python3");
}

bool is_code(const InterpreterFrame& frame) {
  return frame.code != nullptr && frame.code->base.type == python.code_type;
}

void write(const InterpreterFrame& frame, Text text) {
  const Code& code = *frame.code;
  const Characters name(*code.name), file(*code.file_name);
  for (std::intptr_t i = 0; i != name.size(); ++i) text.add_character(name[i]);
  text.add(" (");
  std::intptr_t begin = file.size();
  while (begin != 0 && file[begin - 1] != '/') --begin;
  for (std::intptr_t i = begin; i != file.size(); ++i) text.add_character(file[i]);
  text.add(':');
  const std::intptr_t unit = frame.previous_instruction - code.units;
  text.add_number(python.line_of(&code, static_cast<int>(unit * 2)));
  text.add(')');
}

}  // namespace

bool python_place(char* text, std::size_t bytes) {
  if (found.load(std::memory_order_acquire) == Found::unknown)
    found.store(find_python() ? Found::yes : Found::no, std::memory_order_release);
  if (found.load(std::memory_order_acquire) != Found::yes) return false;
  // If the thread has released the interpreter's lock, as numpy does around calloc, its frames stay
  // valid: it is in a call from the innermost one.
  const ThreadState* const state = python.thread_state();
  if (state == nullptr || state->thread_id != ::pthread_self() || state->c_frame == nullptr)
    return false;
  const InterpreterFrame* innermost = nullptr;
  const InterpreterFrame* frame = state->c_frame->current;
  for (int i = 0; i != kMaxFrames && frame != nullptr; ++i, frame = frame->previous) {
    if (!is_code(*frame)) break;
    if (innermost == nullptr) innermost = frame;
    if (!is_installed(Characters(*frame->code->file_name))) break;
  }
  if (innermost == nullptr) return false;
  const bool own =
      frame != nullptr && is_code(*frame) && !is_installed(Characters(*frame->code->file_name));
  write(own ? *frame : *innermost, Text(text, bytes));
  return true;
}

void look_for_python_again() {
  if (found.load(std::memory_order_relaxed) == Found::no) found.store(Found::unknown);
}

}  // namespace Atoll::record::inside
