/* A C program that uses libraries of graph procedures. If a check fails, prints it and returns 1. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libinputs.h"
#include "libpagerank.h"

static int wrong = 0;
#define CHECK(what) \
  do { \
    if (!(what)) { \
      fprintf(stderr, "use.c:%d: %s\n", __LINE__, #what); \
      wrong = 1; \
    } \
  } while (0)

enum { N = 5000 }; /* arrays of several pages, which a run must not unmap */
static uint32_t begin[N + 1], targets[N];

/* The graph is a ring, so every node's rank is 1 / N. */
static void ranks_of(pagerank_graph *graph, int threads) {
  pagerank_call *call = pagerank_call_new("pagerank");
  pagerank_options options;
  double rank[N];
  const void *view;
  size_t count;
  int type, i;
  pagerank_options_init(&options);
  options.threads = threads;
  CHECK(pagerank_call_options(call, &options) == PAGERANK_OK);
  CHECK(pagerank_call_graph(call, 0, graph) == PAGERANK_OK);
  CHECK(pagerank_call_run(call) == PAGERANK_WRONG);
  CHECK(strstr(pagerank_call_message(call), "has no value for") != NULL);
  pagerank_give_double(call, "e", 1e-9);
  pagerank_give_double(call, "d", 0.85);
  pagerank_give_int32(call, "max", 100);
  for (i = 0; i < 2; ++i) { /* two runs on one graph */
    int n;
    CHECK(pagerank_call_run(call) == PAGERANK_OK);
    CHECK(pagerank_get_array(call, "pg_rank", PAGERANK_DOUBLE, rank, N) == PAGERANK_OK);
    for (n = 0; n < N && fabs(rank[n] - 1.0 / N) < 1e-9; ++n) {
    }
    CHECK(n == N);
  }
  CHECK(pagerank_view_array(call, "pg_rank", &type, &view, &count) == PAGERANK_OK);
  CHECK(type == PAGERANK_DOUBLE && count == N && memcmp(view, rank, sizeof rank) == 0);
  CHECK(pagerank_get_array(call, "pg_rank", PAGERANK_FLOAT, rank, N) == PAGERANK_WRONG);
  CHECK(pagerank_get_array(call, "pg_rank", PAGERANK_DOUBLE, rank, N - 1) == PAGERANK_WRONG);
  pagerank_call_free(call);
}

static inputs_call *call_of(const char *procedure, inputs_graph *graph) {
  inputs_call *call = inputs_call_new(procedure);
  CHECK(inputs_call_graph(call, 0, graph) == INPUTS_OK);
  return call;
}

static void give_and_get(inputs_graph *graph) {
  static const uint32_t start[] = {7, 3};
  static const uint64_t keys[] = {4}, wide_nil[] = {UINT64_MAX};
  static const int64_t values[] = {44};
  const uint32_t outside[] = {N};
  float value[N];
  double doubled[N];
  uint64_t last = 0;
  int32_t returned = 0;
  uint32_t items[2];
  const void *map_keys, *map_values;
  size_t count = 0;
  int key_type, value_type, i;
  inputs_call *call = call_of("inputs", graph);
  for (i = 0; i < N; ++i) value[i] = (float)i;
  CHECK(inputs_give_node(call, "root", 5) == INPUTS_OK);
  CHECK(inputs_give_float(call, "factor", 2) == INPUTS_WRONG);
  CHECK(inputs_give_double(call, "factor", 2) == INPUTS_OK);
  CHECK(inputs_give_double(call, "nothing", 2) == INPUTS_WRONG);
  CHECK(strstr(inputs_call_message(call), "'nothing'") != NULL);
  CHECK(inputs_give_array(call, "value", INPUTS_FLOAT, value, N - 1) == INPUTS_OK);
  CHECK(inputs_call_run(call) == INPUTS_WRONG);
  CHECK(inputs_give_array(call, "value", INPUTS_FLOAT, value, N) == INPUTS_OK);
  CHECK(inputs_give_array(call, "from", INPUTS_ID64, wide_nil, 0) == INPUTS_OK);
  CHECK(inputs_call_run(call) == INPUTS_WRONG);
  {
    uint64_t from[N];
    for (i = 0; i < N; ++i) from[i] = UINT64_MAX;
    CHECK(inputs_give_array(call, "from", INPUTS_ID64, from, N) == INPUTS_OK);
    CHECK(inputs_give_array(call, "start", INPUTS_ID32, outside, 1) == INPUTS_OK);
    CHECK(inputs_call_run(call) == INPUTS_WRONG);
    CHECK(strstr(inputs_call_message(call), "is no node") != NULL ||
          strstr(inputs_call_message(call), "which is no node") != NULL);
    CHECK(inputs_give_array(call, "start", INPUTS_ID32, start, 2) == INPUTS_OK);
    CHECK(inputs_give_map(call, "names", INPUTS_ID64, keys, INPUTS_INT64, values, 1) == INPUTS_OK);
    CHECK(inputs_call_run(call) == INPUTS_OK);
  }
  CHECK(inputs_get_int32(call, "", &returned) == INPUTS_OK && returned == 2);
  CHECK(inputs_get_node(call, "last", &last) == INPUTS_OK && last == 5);
  CHECK(inputs_get_array(call, "doubled", INPUTS_DOUBLE, doubled, N) == INPUTS_OK);
  for (i = 0; i < N && doubled[i] == 2.0 * i; ++i) {
  }
  CHECK(i == N);
  CHECK(inputs_get_array(call, "reached", INPUTS_ID32, items, 2) == INPUTS_OK);
  CHECK(items[0] == 3 && items[1] == 7);
  CHECK(inputs_view_map(call, "names", &key_type, &map_keys, &value_type, &map_values, &count) ==
        INPUTS_OK);
  CHECK(count == 2 && key_type == INPUTS_ID32 && value_type == INPUTS_INT64);
  if (count == 2) {
    CHECK(((const uint32_t *)map_keys)[0] == 4 && ((const uint32_t *)map_keys)[1] == 5);
    CHECK(((const int64_t *)map_values)[0] == 44 &&
          ((const int64_t *)map_values)[1] == INT64_C(9007199254740993));
  }
  inputs_call_free(call);
}

static void faults(inputs_graph *graph) {
  inputs_call *call = call_of("faulty", graph);
  int64_t sum;
  CHECK(inputs_get_int64(call, "", &sum) == INPUTS_WRONG); /* no run yet */
  inputs_give_node(call, "n", 1);
  CHECK(inputs_call_run(call) == INPUTS_FAILED);
  CHECK(strstr(inputs_call_message(call), "inputs.gm:18:") != NULL);
  CHECK(strstr(inputs_call_message(call), "divided by zero") != NULL);
  inputs_give_node(call, "n", UINT64_MAX);
  CHECK(inputs_call_run(call) == INPUTS_FAILED);
  CHECK(strstr(inputs_call_message(call), "inputs.gm:17:") != NULL);
  inputs_give_node(call, "n", N);
  CHECK(inputs_call_run(call) == INPUTS_WRONG);
  inputs_call_free(call);

  call = call_of("emptied", graph);
  CHECK(inputs_call_run(call) == INPUTS_FAILED);
  CHECK(strstr(inputs_call_message(call), "inputs.gm:42:") != NULL);
  inputs_call_free(call);

  call = inputs_call_new("helper"); /* a Local procedure */
  CHECK(inputs_call_code(call) == INPUTS_WRONG && inputs_call_run(call) == INPUTS_WRONG);
  CHECK(strstr(inputs_call_message(call), "'helper'") != NULL);
  inputs_call_free(call);
}

static void labels_and_lengths(const char *file) {
  inputs_graph *graph = inputs_graph_open(file, NULL);
  inputs_call *call = call_of("farthest", graph);
  static const int32_t lengths[] = {1, 9, 1};
  uint64_t oslo = 0, none = 7, far = 0;
  char label[16];
  CHECK(inputs_graph_node(graph, "oslo", &oslo) == INPUTS_OK);
  CHECK(inputs_graph_node(graph, "osl", &none) == INPUTS_WRONG && none == 7);
  CHECK(strstr(inputs_graph_message(graph), "osl") != NULL);
  CHECK(inputs_graph_label(graph, inputs_graph_nodes(graph), label, sizeof label) == 0);
  inputs_give_node(call, "root", oslo);
  CHECK(inputs_call_run(call) == INPUTS_OK); /* uses the lengths of the file */
  CHECK(inputs_get_node(call, "", &far) == INPUTS_OK);
  CHECK(inputs_graph_label(graph, far, label, sizeof label) == 6 && strcmp(label, "bergen") == 0);
  CHECK(inputs_graph_label(graph, far, label, 4) == 6 && strcmp(label, "ber") == 0);
  CHECK(inputs_give_array(call, "len", INPUTS_INT32, lengths, 3) == INPUTS_OK);
  CHECK(inputs_call_run(call) == INPUTS_OK); /* the edges are sorted by target */
  CHECK(inputs_get_node(call, "", &far) == INPUTS_OK);
  CHECK(inputs_graph_label(graph, far, label, sizeof label) == 3 && strcmp(label, "aas") == 0);
  inputs_call_free(call);
  inputs_graph_close(graph);
}

static void *run(void *call) {
  static int code;
  code = inputs_call_run((inputs_call *)call);
  return &code;
}

static void stopped(inputs_graph *graph) {
  inputs_call *call = call_of("endless", graph);
  pthread_t thread;
  void *code;
  pthread_create(&thread, NULL, run, call);
  usleep(300000);
  CHECK(inputs_call_run(call) == INPUTS_BUSY);
  inputs_call_stop(call);
  pthread_join(thread, &code);
  CHECK(*(int *)code == INPUTS_STOPPED);
  inputs_call_stop(call); /* stops the next run */
  CHECK(inputs_call_run(call) == INPUTS_STOPPED);
  inputs_call_free(call);
}

static void descriptions(void) {
  inputs_argument argument;
  int i, seen = 0;
  CHECK(inputs_procedures() == 5 && inputs_procedure_name(5) == NULL);
  CHECK(strcmp(inputs_procedure_name(0), "inputs") == 0 && inputs_procedure_graphs(0) == 1);
  for (i = 0; inputs_procedure_argument(0, i, &argument); ++i) {
    if (strcmp(argument.name, "names") == 0) {
      ++seen;
      CHECK(argument.kind == INPUTS_MAP && argument.type == INPUTS_NODE);
      CHECK(argument.value_type == INPUTS_INT64 && argument.input && argument.output);
    }
    if (strcmp(argument.name, "value") == 0) {
      ++seen;
      CHECK(argument.kind == INPUTS_NODES && argument.type == INPUTS_FLOAT && argument.input);
    }
    if (argument.name[0] == '\0') {
      ++seen;
      CHECK(argument.type == INPUTS_INT32 && !argument.input && argument.output);
    }
  }
  CHECK(seen == 3);
}

/* Runs on 20 million nodes with less memory than their ranks need. */
static void short_of_memory(void) {
#ifndef __SANITIZE_ADDRESS__ /* AddressSanitizer ends the program if memory is exhausted */
  const uint64_t nodes = 20000000;
  uint32_t *offsets = calloc(nodes + 1, sizeof *offsets);
  pagerank_graph *graph = pagerank_graph_csr(nodes, 0, PAGERANK_ID32, offsets, PAGERANK_ID32, NULL);
  pagerank_call *call = pagerank_call_new("pagerank");
  struct rlimit limit;
  unsigned long pages = 0;
  FILE *statm = fopen("/proc/self/statm", "r");
  CHECK(offsets != NULL && statm != NULL && fscanf(statm, "%lu", &pages) == 1);
  fclose(statm);
  CHECK(pagerank_call_graph(call, 0, graph) == PAGERANK_OK);
  pagerank_give_double(call, "e", 1e-9);
  pagerank_give_double(call, "d", 0.85);
  pagerank_give_int32(call, "max", 1);
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + 100000000;
  setrlimit(RLIMIT_AS, &limit);
  CHECK(pagerank_call_run(call) == PAGERANK_NO_MEMORY);
  CHECK(strlen(pagerank_call_message(call)) > 0);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
  CHECK(pagerank_call_run(call) == PAGERANK_OK);
  pagerank_call_free(call);
  pagerank_graph_close(graph);
  free(offsets);
#endif
}

int main(int argc, char **argv) {
  cpu_set_t before, after;
  pagerank_graph *ring, *file;
  inputs_graph *graph;
  int i;
  (void)argc;
  sched_getaffinity(0, sizeof before, &before);
  for (i = 0; i < N; ++i) {
    begin[i + 1] = (uint32_t)(i + 1);
    targets[i] = (uint32_t)((i + 1) % N);
  }
  ring = pagerank_graph_csr(N, N, PAGERANK_ID32, begin, PAGERANK_ID32, targets);
  file = pagerank_graph_open(argv[1], NULL);
  CHECK(pagerank_graph_code(file) == PAGERANK_OK && pagerank_graph_nodes(file) == N);
  ranks_of(ring, 1);
  ranks_of(file, 2);
  ranks_of(ring, 0);
  pagerank_graph_close(file);
  pagerank_graph_close(ring);
  ring = pagerank_graph_open("not there", NULL);
  CHECK(pagerank_graph_code(ring) == PAGERANK_WRONG);
  CHECK(strstr(pagerank_graph_message(ring), "not there") != NULL);
  pagerank_graph_close(ring);
  targets[3] = N;
  ring = pagerank_graph_csr(N, N, PAGERANK_ID32, begin, PAGERANK_ID32, targets);
  CHECK(pagerank_graph_code(ring) == PAGERANK_WRONG);
  pagerank_graph_close(ring);
  targets[3] = 4;

  graph = inputs_graph_csr(N, N, INPUTS_ID32, begin, INPUTS_ID32, targets);
  give_and_get(graph);
  faults(graph);
  labels_and_lengths(argv[2]);
  stopped(graph);
  descriptions();
  short_of_memory();
  inputs_graph_close(graph);
  sched_getaffinity(0, sizeof after, &after);
  CHECK(CPU_EQUAL(&before, &after));
  return wrong;
}
