/* C interface of the paper's library [imi §4.3]: one device per program, with blocks by handle.
   shape.hpp defines the shapes and the conversion from bytes. For C11 and C++.

   If a call fails, it returns NULL (or a code other than BMEM_OK), leaves the device unchanged, and
   sets the calling thread's bmem_errno(). All calls are thread-safe, except that no other call may
   run during bmem_dtor(), and that a handle may be used by one thread at a time. */
#ifndef ATOLL_PIM_BMEM_H
#define ATOLL_PIM_BMEM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HORI, /* an element's bits are in one row */
  VERT, /* an element's bits are in one column */
  RAW   /* requested in rows and subarrays; occurs only in bmem_block */
} BMEM_DIM;

enum {
  BMEM_OK,
  BMEM_EINVAL, /* an invalid request or geometry */
  BMEM_ESTATE, /* no device; for bmem_init(): there is a device already */
  BMEM_ENOFIT, /* no bank has such a rectangle free */
  BMEM_EHANDLE /* not the handle of a block: freed already, or never one */,
  BMEM_ENOMEM /* no host memory for the allocator's own data */
};

/* Result of bmem_where(). The block is rows [row, row + rows) of subarrays [subarray, subarray +
   subarrays). `bytes` is the requested size; 0 for a raw block. */
typedef struct {
  uint32_t bank, subarray, subarrays, row, rows;
  BMEM_DIM dim;
  uint64_t bytes;
} bmem_block;

/* Creates the device. `rows` and `columns` are per subarray, `subarrays` per bank. */
int bmem_init(uint64_t rows, uint64_t columns, uint64_t subarrays, uint64_t banks);
/* Destroys the device and invalidates all handles. Returns BMEM_ESTATE without a device. */
int bmem_dtor(void);

/* Returns a handle, which must not be dereferenced. As with malloc(), a freed handle may be that of
   a later block. */
void* bmem_malloc(uint64_t bytes, BMEM_DIM dim);
void* bmem_malloc_raw(uint64_t subarrays, uint64_t rows);
/* Does nothing for NULL. */
int bmem_free(void* handle);
int bmem_where(const void* handle, bmem_block* where);

/* Code of this thread's last failed call, and its message in one line. The message's address is
   valid until the thread ends; the next failed call overwrites the message. */
int bmem_errno(void);
const char* bmem_strerror(void);

#ifdef __cplusplus
}
#endif

#endif
