"""C programs for the front end dbi."""

import subprocess
import textwrap

N = 50000

# One array per thread; every element is read and written once.
THREADS = f"""
    volatile long cells[8][{N}] WHOLE_LINES;
    void* work(void* which) {{
      volatile long* own = cells[(long)which];
      for (int i = 0; i < {N}; ++i) own[i] = own[i] + 1;
      return 0;
    }}
    int main(void) {{
      pthread_t threads[8];
      for (long i = 0; i < 8; ++i) pthread_create(threads + i, 0, work, (void*)i);
      for (int i = 0; i < 8; ++i) pthread_join(threads[i], 0);
      printf("%ld\\n", cells[7][{N - 1}]);
      return 0;
    }}
"""


def compiled(folder, name, text, *flags):
    source = folder / f"{name}.c"
    source.write_text("#include <pthread.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
                      "#include <string.h>\n#include <sys/time.h>\n#include <sys/wait.h>\n"
                      "#include <unistd.h>\n"
                      "#define WHOLE_LINES __attribute__((aligned(64)))\n" + textwrap.dedent(text))
    program = folder / name
    subprocess.run(["gcc", "-O1", "-pthread", *flags, source, "-o", program], check=True)
    return program
