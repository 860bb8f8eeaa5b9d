"""A program that more than one file of tests simulates."""

# Threads give work to each other by a lock and a condition.
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
