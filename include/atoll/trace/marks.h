/* Marks that a program may make for a tool that watches it. Without such a tool they do nothing, in
 * a few nanoseconds. They need no library: the calls are weak, and a recorder defines them. */
#ifndef ATOLL_TRACE_MARKS_H
#define ATOLL_TRACE_MARKS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Recording may be limited to what lies between these (atoll profile --between-marks). */
void atoll_record_begin(void) __attribute__((weak));
void atoll_record_end(void) __attribute__((weak));
/* A new iteration of the loop that --iterations counts. */
void atoll_iteration(void) __attribute__((weak));

static inline void atoll_mark_begin(void) {
  if (atoll_record_begin) atoll_record_begin();
}
static inline void atoll_mark_end(void) {
  if (atoll_record_end) atoll_record_end();
}
static inline void atoll_mark_iteration(void) {
  if (atoll_iteration) atoll_iteration();
}

#ifdef __cplusplus
}
#endif
#endif
