/* The marks are in <atoll/marks/marks.h>; this header remains for programs that include it. */
#include "atoll/marks/marks.h" /* IWYU pragma: export */
