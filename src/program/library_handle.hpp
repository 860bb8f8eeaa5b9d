// How exceptions become codes and messages.
#pragma once

#include <exception>
#include <mutex>
#include <new>

#include "atoll/base/error.hpp"
#include "atoll/program/library.hpp"

namespace Atoll::program {

/// A graph, as long as a handle or a call needs it.
struct LibraryGraph::Shared {
  graph::Graph graph;
  std::mutex making;  ///< held while in-edges are made
};

template <class Work>
int LibraryHandle::guarded(Work&& work) noexcept {
  try {
    work();
    set(LibraryCode::ok, "");
  } catch (const Stopped& stopped) {
    set(LibraryCode::stopped, stopped.what());
  } catch (const Error& error) {
    set(error.kind() == Error::Kind::input ? LibraryCode::wrong : LibraryCode::failed,
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
