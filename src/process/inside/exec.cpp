// Interposes the exec functions. Before an exec, pending events are reported, and the new program's
// environment gets the variables by which it is watched. All of this may run in the child of a
// vfork, so it uses only stack memory.
#include <alloca.h>
#include <stdarg.h>

#include "process/inside/environment.hpp"
#include "process/inside/process.hpp"

using namespace Atoll::process::inside;

namespace {

bool before() {
  (void)started();
  process_ends();
  return watched.load(std::memory_order_acquire);
}

/// Handles an exec that failed: the process continues.
int failed(int result) {
  process_exec_failed();
  return result;
}

}  // namespace

// A macro, because memory of alloca must belong to the caller's frame.
#define ATOLL_KEPT(environment, result)                                                  \
  char** result = static_cast<char**>(alloca(entries_for(environment) * sizeof(char*))); \
  copy_with_saved(environment, result)

ATOLL_INTERPOSE int execve(const char* path, char* const arguments[], char* const environment[]) {
  if (!before()) return next.execve(path, arguments, environment);
  ATOLL_KEPT(environment, kept);
  return failed(next.execve(path, arguments, kept));
}

ATOLL_INTERPOSE int execv(const char* path, char* const arguments[]) {
  return execve(path, arguments, environ);
}

ATOLL_INTERPOSE int execvpe(const char* file, char* const arguments[], char* const environment[]) {
  if (!before()) return next.execvpe(file, arguments, environment);
  ATOLL_KEPT(environment, kept);
  return failed(next.execvpe(file, arguments, kept));
}

ATOLL_INTERPOSE int execvp(const char* file, char* const arguments[]) {
  return execvpe(file, arguments, environ);
}

ATOLL_INTERPOSE int fexecve(int file, char* const arguments[], char* const environment[]) {
  if (!before()) return next.fexecve(file, arguments, environment);
  ATOLL_KEPT(environment, kept);
  return failed(next.fexecve(file, arguments, kept));
}

// Copies a variadic call's arguments to the stack. `list` then points past the terminating null.
// NOLINTBEGIN(bugprone-macro-parentheses): names that are declared can't stand in parentheses
#define ATOLL_LIST(first, result, list)                                     \
  va_list list;                                                             \
  va_start(list, first);                                                    \
  std::size_t count = 1;                                                    \
  while (va_arg(list, char*) != nullptr) ++count;                           \
  va_end(list);                                                             \
  char** result = static_cast<char**>(alloca((count + 1) * sizeof(char*))); \
  va_start(list, first);                                                    \
  result[0] = const_cast<char*>(first);                                     \
  for (std::size_t i = 1; i != count + 1; ++i) result[i] = va_arg(list, char*)
// NOLINTEND(bugprone-macro-parentheses)

ATOLL_INTERPOSE int execl(const char* path, const char* first, ...) {
  ATOLL_LIST(first, arguments, list);
  va_end(list);
  return execve(path, arguments, environ);
}

ATOLL_INTERPOSE int execlp(const char* file, const char* first, ...) {
  ATOLL_LIST(first, arguments, list);
  va_end(list);
  return execvpe(file, arguments, environ);
}

ATOLL_INTERPOSE int execle(const char* path, const char* first, ...) {
  ATOLL_LIST(first, arguments, list);
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  return execve(path, arguments, environment);
}

ATOLL_INTERPOSE int posix_spawn(pid_t* pid, const char* path,
                                const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes, char* const arguments[],
                                char* const environment[]) {
  (void)started();
  if (!watched) return next.posix_spawn(pid, path, actions, attributes, arguments, environment);
  ATOLL_KEPT(environment, kept);
  return next.posix_spawn(pid, path, actions, attributes, arguments, kept);
}

ATOLL_INTERPOSE int posix_spawnp(pid_t* pid, const char* file,
                                 const posix_spawn_file_actions_t* actions,
                                 const posix_spawnattr_t* attributes, char* const arguments[],
                                 char* const environment[]) {
  (void)started();
  if (!watched) return next.posix_spawnp(pid, file, actions, attributes, arguments, environment);
  ATOLL_KEPT(environment, kept);
  return next.posix_spawnp(pid, file, actions, attributes, arguments, kept);
}
