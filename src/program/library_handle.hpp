// How exceptions become codes and messages.
#pragma once

#include <exception>
#include <mutex>
#include <new>
#include <optional>

#include "atoll/base/error.hpp"
#include "atoll/program/library.hpp"
#include "program/names.hpp"

namespace Atoll::program {

/// A graph, as long as a handle or a call needs it.
struct LibraryGraph::Shared {
  graph::Graph graph;
  std::string file;   ///< empty: the caller's arrays
  std::mutex making;  ///< held while in-edges are made, or nodes looked for by their labels
  std::optional<Names> names;  ///< for labels, with an index that is made when it pays
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
    message_.clear();  // there is no memory for it
  }
}

/// What the options say, those that a shorter struct lacks as they are by default. Throws Error
/// (input).
[[nodiscard]] RunOptions run_options(const LibraryOptions* options);

}  // namespace Atoll::program
