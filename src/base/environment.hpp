// The only function for reading environment variables. A program with more rights than its user
// (set-uid, set-gid or file capabilities) must not let the user choose the files that it opens, so
// all variables count as unset there. Header-only, because code in other processes uses it.
#pragma once

#include <stdlib.h>

namespace Atoll {

/// Returns the variable's value; null if it is not set, or if the program has privileges.
inline const char* environment_variable(const char* name) {
  return ::secure_getenv(name);
}

}  // namespace Atoll
