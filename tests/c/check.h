/* Checking, and waiting for what happens on other threads. */
#ifndef CHECK_H
#define CHECK_H

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <toolkeep.h>

#define NO_TEXT toolkeep_cstr(NULL)
#define SPEC(name) TOOLKEEP_STR("{\"name\": \"" name "\", \"description\": \"A tool of the host.\"}")

static int checks;

#define CHECK(condition)                                               \
  do {                                                                 \
    checks++;                                                          \
    if (!(condition)) {                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);  \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

#define OK(call) expect(TOOLKEEP_OK, (call), __LINE__)
#define FAILS(code, call) expect((code), (call), __LINE__)

static void expect(uint32_t code, toolkeep_error *error, int line) {
  checks++;
  if (toolkeep_error_code(error) != code) {
    fprintf(stderr, "line %d: expected %u, got %u (%s): %s\n", line, (unsigned)code,
            (unsigned)toolkeep_error_code(error), toolkeep_error_name(error),
            toolkeep_error_message(error));
    exit(1);
  }
  CHECK(code == TOOLKEEP_OK || strlen(toolkeep_error_message(error)) > 10);
  toolkeep_error_free(error);
}

/* Whether a string holds a text; frees the string. */
static int holds(toolkeep_string *string, const char *text) {
  int found = string && strstr(toolkeep_string_data(string), text) != NULL;
  if (!found)
    fprintf(stderr, "no %s in %s\n", text, string ? toolkeep_string_data(string) : "NULL");
  toolkeep_string_free(string);
  return found;
}

/* Something that other threads do, counted. */

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int count;     /* how often something happened */
  int destroyed; /* how often the destructor ran */
  toolkeep_string *result;
  toolkeep_error *error;
  toolkeep_invocation *invocation;
  char text[256];
} Box;

#define BOX {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, NULL, NULL, NULL, ""}

static void box_tick(Box *box, int *counter) {
  pthread_mutex_lock(&box->lock);
  ++*counter;
  pthread_cond_broadcast(&box->changed);
  pthread_mutex_unlock(&box->lock);
}

static void box_wait(Box *box, int *counter, int least) {
  struct timespec end;
  int late = 0;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 30;
  pthread_mutex_lock(&box->lock);
  while (*counter < least && !late)
    late = pthread_cond_timedwait(&box->changed, &box->lock, &end);
  pthread_mutex_unlock(&box->lock);
  CHECK(!late);
}

static void pause_ms(long ms) {
  struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&pause, NULL);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void destroy(void *data) { box_tick(data, &((Box *)data)->destroyed); }

static void happened(void *data) { box_tick(data, &((Box *)data)->count); }

static void done(void *data, toolkeep_string *result, toolkeep_error *error) {
  Box *box = data;
  box->result = result;
  box->error = error;
  box_tick(box, &box->count);
}

#endif
