// Allocates blocks of 1 MiB until malloc() fails, and prints their number.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int blocks = 0;
  void* volatile block;  // volatile, so that compilers keep the unused allocations
  while (blocks < 1000000 && (block = malloc(1 << 20)) != NULL) ++blocks;
  printf("%d blocks\n", blocks);
  return 0;
}
