/* The paper's example [imi §4.3] in C; run by pim_bmem_test.cpp. */
#include "atoll/pim/bmem.h"

int bmem_calls_of_the_paper(bmem_block where[3]);

int bmem_calls_of_the_paper(bmem_block where[3]) {
  if (bmem_init(1024, 65536, 16, 8) != BMEM_OK) return 1;
  void* ptr1 = bmem_malloc(4096, HORI);
  void* ptr2 = bmem_malloc(128, VERT);
  void* ptr3 = bmem_malloc_raw(2, 17);
  if (ptr1 == 0 || ptr2 == 0 || ptr3 == 0) return 2;
  if (bmem_where(ptr1, &where[0]) != BMEM_OK || bmem_where(ptr2, &where[1]) != BMEM_OK ||
      bmem_where(ptr3, &where[2]) != BMEM_OK)
    return 3;
  if (bmem_free(ptr1) != BMEM_OK || bmem_free(ptr2) != BMEM_OK || bmem_free(ptr3) != BMEM_OK)
    return 4;
  return bmem_dtor() == BMEM_OK ? 0 : 5;
}
