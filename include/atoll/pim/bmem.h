/* The calls of the paper's library [imi §4.3], for C: one device for the whole program, blocks by
   handle. What a shape is, and how bytes become one: shape.hpp. C11 and C++.

   A call that fails returns NULL (or a code other than BMEM_OK), leaves the device as it was, and
   sets the calling thread's bmem_errno(). All may be called by several threads at once, except that
   bmem_dtor() must be the only call while it runs, and that a handle is used by one thread at a
   time. */
#ifndef ATOLL_PIM_BMEM_H
#define ATOLL_PIM_BMEM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HORI, /* an element's bits lie along a row */
  VERT, /* an element's bits lie down a column */
  RAW   /* asked for in rows and subarrays: in bmem_block alone */
} BMEM_DIM;

enum {
  BMEM_OK,
  BMEM_EINVAL, /* a request or a device that can't be */
  BMEM_ESTATE, /* before bmem_init() or after bmem_dtor(); bmem_init() when there is a device */
  BMEM_ENOFIT, /* no bank has such a rectangle free */
  BMEM_EHANDLE /* not a handle of a block: freed already, or never one */,
  BMEM_ENOMEM /* no host memory for the allocator's own data */
};

/* What bmem_where() tells. The block is rows [row, row + rows) of subarrays [subarray, subarray +
   subarrays). `bytes` is as asked for; of a raw block 0. */
typedef struct {
  uint32_t bank, subarray, subarrays, row, rows;
  BMEM_DIM dim;
  uint64_t bytes;
} bmem_block;

/* Makes the device. `rows` and `columns` are those of a subarray, `subarrays` those of a bank. */
int bmem_init(uint64_t rows, uint64_t columns, uint64_t subarrays, uint64_t banks);
/* Ends it. Handles mean nothing from then on. Without a device: BMEM_ESTATE. */
int bmem_dtor(void);

/* A handle, which isn't an address of the host's memory: nothing may be read or written there. As
   with malloc(), one that was freed may be the handle of a later block. */
void* bmem_malloc(uint64_t bytes, BMEM_DIM dim);
void* bmem_malloc_raw(uint64_t subarrays, uint64_t rows);
/* Of NULL: nothing happens. */
int bmem_free(void* handle);
int bmem_where(const void* handle, bmem_block* where);

/* The code of the last call of this thread that failed, and one line that says what is wrong. The
   line's address stays valid as long as the thread; the next call that fails writes its own there. */
int bmem_errno(void);
const char* bmem_strerror(void);

#ifdef __cplusplus
}
#endif

#endif
