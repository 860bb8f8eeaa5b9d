"""C programs for tests of online simulation."""

# Threads pass work to each other with a lock and a condition variable.
QUEUE = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { kTasks = 256, kWords = 512 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int given, taken;
static double results[kTasks];
static double* data;
static void* work(void* unused) {
  (void)unused;
  for (;;) {
    pthread_mutex_lock(&lock);
    while (taken == given && given < kTasks) pthread_cond_wait(&filled, &lock);
    int task = taken < given ? taken++ : -1;
    pthread_mutex_unlock(&lock);
    if (task < 0) return NULL;
    double sum = 0;
    for (int i = 0; i < kWords; ++i) sum += data[task * kWords + i] * task;
    results[task] = sum;
  }
}
int main(void) {
  long threads = sysconf(_SC_NPROCESSORS_ONLN);
  data = malloc(sizeof *data * kTasks * kWords);
  for (int i = 0; i < kTasks * kWords; ++i) data[i] = i % 7;
  pthread_t ids[threads];
  for (long i = 1; i < threads; ++i) pthread_create(ids + i, NULL, work, NULL);
  for (int task = 0; task < kTasks; ++task) {
    pthread_mutex_lock(&lock);
    ++given;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_lock(&lock);
  pthread_cond_broadcast(&filled);
  pthread_mutex_unlock(&lock);
  double sum = 0;
  for (long i = 1; i < threads; ++i) pthread_join(ids[i], NULL);
  for (int task = 0; task < kTasks; ++task) sum += results[task];
  printf("%.0f\\n", sum);
  return 0;
}
"""

# Each thread fills its part of an array, waits at a barrier, and adds up the next thread's part.
RING = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static long threads, part; static double* all; static double* sums; static pthread_barrier_t barrier;
static void* run(void* which) {
  long me = (long)which;
  for (long i = me * part; i < (me + 1) * part; ++i) all[i] = i;
  pthread_barrier_wait(&barrier);
  double sum = 0;
  long other = (me + 1) % threads;
  for (long i = other * part; i < (other + 1) * part; ++i) sum += all[i];
  sums[me * 8] = sum;
  return NULL;
}
int main(int argc, char** argv) {
  threads = sysconf(_SC_NPROCESSORS_ONLN);
  part = atol(argv[1]) * 512;
  all = malloc(threads * part * sizeof *all);
  sums = malloc(threads * 64);
  pthread_barrier_init(&barrier, NULL, threads);
  pthread_t ids[threads];
  for (long i = 1; i < threads; ++i) pthread_create(ids + i, NULL, run, (void*)i);
  run(NULL);
  double sum = sums[0];
  for (long i = 1; i < threads; ++i) { pthread_join(ids[i], NULL); sum += sums[i * 8]; }
  printf("%ld threads: %.0f\\n", threads, sum);
  return argc > 2 ? atoi(argv[2]) : 0;
}
"""
LOOPS = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  long n = atol(argv[1]) * 512;
  double* a = malloc(n * sizeof *a);
#pragma omp parallel
  {
#pragma omp for
    for (long i = 0; i < n; ++i) a[i] = i;
    for (int round = 0; round < 3; ++round) {
#pragma omp for
      for (long i = 0; i < n; ++i) a[i] += round;
    }
  }
  double sum = 0;
  for (long i = 0; i < n; i += 4096) sum += a[i];
  printf("%d threads: %.0f\\n", omp_get_max_threads(), sum);
  return 0;
}
"""
# OpenMP assigns parts of the loop to threads dynamically. The program prints a sum of all parts, each
# weighted by the number of its thread.
PARTS = """
#include <omp.h>
#include <stdio.h>
static double a[1 << 18];
int main(void) {
  unsigned long owners = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : owners)
  for (long i = 0; i < 1 << 15; ++i) {
    for (long k = 0; k < i % 13; ++k) a[i * 8 + k % 8] += k;
    owners += (unsigned long)(i / 64 + 1) * (unsigned long)(omp_get_thread_num() + 1) * 7919;
  }
  printf("%lu\\n", owners);
  return 0;
}
"""
# Each kind of OpenMP loop schedule.
KINDS = """
#include <omp.h>
#include <stdio.h>
int main(void) {
  unsigned long long sum = 0; long s2 = 0; int secs = 0, singles = 0; unsigned s3 = 0;
#pragma omp parallel reduction(+ : sum, s2, s3)
  {
#pragma omp for schedule(dynamic, 3) nowait
    for (unsigned long long i = 5; i < 1000; i += 2) sum += i;
#pragma omp for schedule(guided)
    for (long i = 1000; i > 0; i -= 3) s2 += i;
#pragma omp for schedule(runtime)
    for (unsigned i = 0; i < 777; ++i) s3 += i;
#pragma omp for schedule(monotonic : dynamic, 2)
    for (unsigned long i = 0; i < 333; ++i) sum += i;
#pragma omp sections
    {
#pragma omp section
      { __atomic_add_fetch(&secs, 1, 5); }
#pragma omp section
      { __atomic_add_fetch(&secs, 10, 5); }
#pragma omp section
      { __atomic_add_fetch(&secs, 100, 5); }
    }
#pragma omp single
    singles++;
#pragma omp critical
    singles += 10;
  }
  printf("%llu %ld %u %d %d\\n", sum, s2, s3, secs, singles);
  return 0;
}
"""
# Two threads, each of which starts parallel regions of four threads.
MASTERS = """
#include <pthread.h>
#include <stdio.h>
static double a[1 << 16];
static void* run(void* which) {
  long begin = (long)which * (1L << 15);
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel for num_threads(4) schedule(static)
    for (long i = begin; i < begin + (1L << 15); ++i) a[i] += i;
  }
  return NULL;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, run, (void*)1);
  run((void*)0);
  pthread_join(other, NULL);
  double sum = 0;
  for (long i = 0; i < 1 << 16; ++i) sum += a[i];
  printf("%.0f\\n", sum);
  return 0;
}
"""
# Before it begins, every thread computes for some milliseconds, as if it waited for a processor.
LATE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
struct begin { void* (*function)(void*); void* argument; };
static void* begin_late(void* data) {
  struct begin begin = *(struct begin*)data;
  free(data);
  int milliseconds = 0;
  FILE* file = fopen("FILE_OF_DELAY", "r");
  if (file == NULL || fscanf(file, "%d", &milliseconds) != 1) abort();
  fclose(file);
  if (milliseconds > 0) fclose(fopen("FILE_OF_DELAY.late", "a"));
  struct timespec first, now;
  clock_gettime(CLOCK_MONOTONIC, &first);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - first.tv_sec) * 1000 + (now.tv_nsec - first.tv_nsec) / 1000000 < milliseconds);
  return begin.function(begin.argument);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
  int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) = dlsym(RTLD_NEXT, "pthread_create");
  struct begin* begin = malloc(sizeof *begin);
  *begin = (struct begin){function, argument};
  return create(thread, attributes, begin_late, begin);
}
"""
# A reduction by 16 threads. Each thread computes for a while before it adds another thread's value; this
# delay isn't simulated.
SUMS = """
#include <omp.h>
#include <stdio.h>
void delay(int thread);
static __thread volatile char own[8];
static double a[1 << 18];
static void add(long* to, const long* from) {
  delay(omp_get_thread_num());
  *to += *from;
}
#pragma omp declare reduction(late : long : add(&omp_out, &omp_in)) initializer(omp_priv = 0)
int main(void) {
  long sum = 0;
  own[0] = 1;
  for (int round = 0; round < 4; ++round) {
#pragma omp parallel for schedule(dynamic, 64) reduction(late : sum)
    for (long i = 0; i < 1 << 12; ++i) {
      for (long k = 0; k < i % 13; ++k) a[i * 8 + k % 8] += k;
      sum += (i / 64 + 1) * (omp_get_thread_num() + 1) * 7919;
    }
  }
  printf("%ld\\n", sum);
  return 0;
}
"""
DELAY = """
#include <stdlib.h>
#include <time.h>
void delay(int thread) {
  const long microseconds = atol(getenv("DELAY")) * (thread * 7 % 5);
  struct timespec first, now;
  clock_gettime(CLOCK_MONOTONIC, &first);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - first.tv_sec) * 1000000 + (now.tv_nsec - first.tv_nsec) / 1000 < microseconds);
}
"""
