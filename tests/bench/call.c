/*
 * The whole path of a call of a no-op tool in C, against the same bridge with an empty core: see
 * docs/benchmarks.md. `call memory` prints what an idle runtime keeps in memory instead.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "toolkeep.h"

enum { TURNS = 61, CALLS = 256, FLIGHT = 64 };

static toolkeep_runtime *runtime;

static void must(toolkeep_error *error) {
  if (error == NULL) return;
  fprintf(stderr, "%s\n", toolkeep_error_message(error));
  exit(1);
}

static void call(const char *name) {
  toolkeep_string *result = NULL;
  must(toolkeep_call(runtime, TOOLKEEP_STR(""), toolkeep_cstr(name),
                     TOOLKEEP_STR("{\"text\":\"hello\"}"), &result));
  toolkeep_string_free(result);
}

static void call_in_turn(const char *name) {
  for (int i = 0; i < CALLS; i++) call(name);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t landed = PTHREAD_COND_INITIALIZER;
static int in_flight;

static void done(void *user_data, toolkeep_string *result, toolkeep_error *error) {
  (void)user_data;
  must(error);
  toolkeep_string_free(result);
  pthread_mutex_lock(&lock);
  in_flight--;
  pthread_cond_signal(&landed);
  pthread_mutex_unlock(&lock);
}

static void wait_for_fewer_than(int most) {
  while (in_flight >= most) pthread_cond_wait(&landed, &lock);
}

static void call_async(const char *name, int at_once) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < CALLS; i++) {
    wait_for_fewer_than(at_once);
    in_flight++;
    pthread_mutex_unlock(&lock);
    must(toolkeep_call_async(runtime, TOOLKEEP_STR(""), toolkeep_cstr(name),
                             TOOLKEEP_STR("{\"text\":\"hello\"}"), done, NULL, NULL, NULL));
    pthread_mutex_lock(&lock);
  }
  wait_for_fewer_than(1);
  pthread_mutex_unlock(&lock);
}

static void call_async_in_turn(const char *name) { call_async(name, 1); }

static void call_async_in_flight(const char *name) { call_async(name, FLIGHT); }

static void noop(void *user_data, toolkeep_invocation *invocation) {
  (void)user_data;
  toolkeep_invocation_resolve(invocation, TOOLKEEP_STR("\"ok\""));
}

static double ns_per_call(void (*calls)(const char *), const char *name) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  calls(name);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) /
         CALLS;
}

/* Writes the ledger, so that its work falls between the turns. */
static void flush(void) {
  toolkeep_string *events = NULL;
  must(toolkeep_invoke(runtime, TOOLKEEP_STR("events.read"), TOOLKEEP_STR("{\"limit\":1}"),
                       &events));
  toolkeep_string_free(events);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *turns) {
  qsort(turns, TURNS, sizeof *turns, ascending);
  return turns[TURNS / 2];
}

/* Both in turns, so that noise hits both; the median, since waking a thread has no typical best. */
static void row(const char *what, void (*calls)(const char *), const char *empty,
                const char *real) {
  double bridge[TURNS], whole[TURNS];
  for (int turn = 0; turn < TURNS; turn++) {
    bridge[turn] = ns_per_call(calls, empty);
    whole[turn] = ns_per_call(calls, real);
    flush();
  }
  double of_bridge = median(bridge), of_whole = median(whole);
  printf("| %s | %.0f | %.0f | %.2f |\n", what, of_bridge, of_whole, of_whole / of_bridge);
}

static double resident_mib(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) exit(1);
  fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static void memory(void) {
  double bare = resident_mib();
  must(toolkeep_runtime_open(TOOLKEEP_STR(""), &runtime));
  call("datetime");
  flush();
  double idle = resident_mib();
  printf("| C | %.1f | %.1f | %.1f |\n", bare, idle, idle - bare);
  toolkeep_runtime_free(runtime);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "memory") == 0) {
    memory();
    return 0;
  }
  must(toolkeep_runtime_open(TOOLKEEP_STR(""), &runtime));
  call("bench:install");
  must(toolkeep_tool_register(runtime,
                              TOOLKEEP_STR("{\"name\":\"host_noop\",\"description\":\"Does "
                                           "nothing.\"}"),
                              noop, NULL, NULL));
  row("C, blocking", call_in_turn, "bench:empty", "noop");
  row("C, async", call_async_in_turn, "bench:empty", "noop");
  row("C, async, 64 in flight", call_async_in_flight, "bench:empty", "noop");
  row("C, blocking, tool in C", call_in_turn, "bench:host_noop", "host_noop");
  toolkeep_runtime_free(runtime);
  return 0;
}
