// The only way to read an environment variable. In a program with more rights than its user
// (set-uid, set-gid or file capabilities) the user must not choose the files that it opens, so
// every variable counts as not set there. Header only: code that runs in other processes uses it.
#pragma once

#include <stdlib.h>

namespace Atoll {

/// Returns the variable's value; null if it is not set, or if the program has privileges.
inline const char* environment_variable(const char* name) {
  return ::secure_getenv(name);
}

}  // namespace Atoll
