// Implementation of the C functions of a library from `atoll compile --shared`
// (docs/graph-library.md): graphs, and calls of procedures. These functions don't throw, print, end
// the process or handle signals, and don't change the affinity of the caller's threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "atoll/program/program.hpp"

namespace Atoll::program {

/// A procedure that a library exports.
struct Offered {
  Procedure description;
  Entry entry;
};

/// Result of a function. The C header has the same numbers.
enum class LibraryCode : int { ok, failed, wrong, stopped, no_memory, busy };

/// Types of values in memory: those of ValueType, in the same order, then ids by width.
enum class MemoryType : int { int32, int64, float32, float64, boolean, node, edge, id32, id64 };

/// Kinds of arguments. `many` is several collections in one argument, which can't be passed or
/// read.
enum class ArgumentKind : int { scalar, nodes, edges, set, order, sequence, map, many };

/// Has the members of the C struct of the same name, as do the structs below.
struct LibraryArgument {
  const char* name;
  int kind;
  int type;
  int value_type;
  int input;
  int output;
  int graph;
};
/// Threads and placement of a run.
struct LibraryOptions {
  std::size_t size;
  int threads;
  int oversubscribe;
  int layout;
  int policy;
  std::uint64_t seed;
};

/// Describes argument `i` of a procedure: first scalars, then properties, collections, and the
/// return value, whose name is "". Returns false if there is no such argument.
[[nodiscard]] bool describe_argument(const Offered& offered, int i, LibraryArgument& argument);

/// Stores the result of a handle's last function.
class LibraryHandle {
 public:
  [[nodiscard]] int code() const noexcept { return static_cast<int>(code_); }
  [[nodiscard]] const char* message() const noexcept { return message_.c_str(); }

 protected:
  /// Calls work(). Converts an exception to a code and a message.
  template <class Work>
  int guarded(Work&& work) noexcept;
  void set(LibraryCode code, const char* message) noexcept;

  LibraryCode code_ = LibraryCode::ok;
  std::string message_;
};

/// A graph that several calls can use.
class LibraryGraph : public LibraryHandle {
 public:
  /// Loads a graph file.
  LibraryGraph(const char* file, const LibraryOptions* options) noexcept;
  /// Uses the caller's arrays, without a copy.
  LibraryGraph(std::uint64_t nodes, std::uint64_t edges, MemoryType begin_type, const void* begin,
               MemoryType target_type, const void* targets) noexcept;
  [[nodiscard]] std::uint64_t nodes() const noexcept;
  [[nodiscard]] std::uint64_t edges() const noexcept;
  /// Finds the node with that label, or with that number if the graph has no labels.
  int find_node(const char* label, std::uint64_t* node) noexcept;
  /// Writes a node's label, truncated to `size` bytes with the terminating 0. Returns the full
  /// length of the label; 0 if there is no such node.
  std::size_t label(std::uint64_t node, char* text, std::size_t size) const noexcept;

  struct Shared;

 private:
  friend class LibraryCall;
  std::shared_ptr<Shared> shared_;
};

/// A call of a procedure: its arguments and, after a run, its results.
class LibraryCall : public LibraryHandle {
 public:
  LibraryCall(std::span<const Offered> offered, const char* procedure) noexcept;
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

  int use_graph(int position, const LibraryGraph* graph) noexcept;
  int use_options(const LibraryOptions* options) noexcept;
  int give_value(const char* name, MemoryType type, Scalar value) noexcept;
  int give_id(const char* name, MemoryType type, std::uint64_t id) noexcept;
  int give_array(const char* name, MemoryType type, const void* data, std::size_t count) noexcept;
  int give_map(const char* name, MemoryType key_type, const void* keys, MemoryType value_type,
               const void* values, std::size_t count) noexcept;
  int run() noexcept;
  void stop() noexcept;
  /// Writes a scalar in its own type; an id as 64 bits.
  int get_value(const char* name, MemoryType type, void* value) noexcept;
  int get_array(const char* name, MemoryType type, void* data, std::size_t count) noexcept;
  int view_array(const char* name, int* type, const void** data, std::size_t* count) noexcept;
  int view_map(const char* name, int* key_type, const void** keys, int* value_type,
               const void** values, std::size_t* count) noexcept;

 private:
  struct State;
  template <class Work>
  int exclusively(Work&& work) noexcept;

  std::unique_ptr<State> state_;
  std::atomic<bool> busy_{false};
};

}  // namespace Atoll::program
