// Allocates blocks of a mebibyte until there is no more, and says how many it got.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int blocks = 0;
  void* volatile block;  // else a compiler leaves out what is never used
  while (blocks < 1000000 && (block = malloc(1 << 20)) != NULL) ++blocks;
  printf("%d blocks\n", blocks);
  return 0;
}
