// Converts exceptions to codes and messages.
#pragma once

#include <exception>
#include <mutex>
#include <new>
#include <optional>

#include "atoll/base/error.hpp"
#include "atoll/program/library.hpp"
#include "program/names.hpp"

namespace Atoll::program {

/// A graph, shared by its handle and by the calls that use it.
struct LibraryGraph::Shared {
  graph::Graph graph;
  std::string file;            ///< empty if the arrays are the caller's
  std::mutex making;           ///< held while in-edges are made or nodes are looked up by label
  std::optional<Names> names;  ///< for labels; makes an index after several look-ups
};

template <class Work>
int LibraryHandle::guarded(Work&& work) noexcept {
  try {
    work();
    set(LibraryCode::ok, "");
  } catch (const Stopped& stopped) {
    set(LibraryCode::stopped, stopped.what());
  } catch (const Error& error) {
    using Kind = Error::Kind;
    set(error.kind() == Kind::input    ? LibraryCode::wrong
        : error.kind() == Kind::memory ? LibraryCode::no_memory
                                       : LibraryCode::failed,
        error.what());
  } catch (const std::bad_alloc&) {
    set(LibraryCode::no_memory, "out of memory");
  } catch (const std::exception& error) {
    set(LibraryCode::failed, error.what());
  } catch (...) {
    set(LibraryCode::failed, "an unknown exception of foreign text");
  }
  return code();
}

inline void LibraryHandle::set(LibraryCode code, const char* message) noexcept {
  code_ = code;
  try {
    message_ = message;
  } catch (...) {
    message_.clear();  // out of memory
  }
}

/// Converts the options. Members that a shorter (older) struct lacks have their defaults. Throws
/// Error (input).
[[nodiscard]] RunOptions run_options(const LibraryOptions* options);

}  // namespace Atoll::program
