/* Forks again and again while threads are in calls: each child is told that the runtime is its parent's, and
   opens one of its own. Prints how many children did: forks CONFIG_JSON */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolkeep.h"

#define CHILDREN 40
#define THREADS 2
#define NO_TEXT toolkeep_cstr(NULL)

static const char *config;
static volatile int is_over;

static toolkeep_runtime *opened(void) {
  toolkeep_runtime *runtime = NULL;
  toolkeep_error *error = toolkeep_runtime_open(toolkeep_cstr(config), &runtime);
  if (error)
    fprintf(stderr, "%s\n", toolkeep_error_message(error));
  toolkeep_error_free(error);
  return runtime;
}

static uint32_t called(toolkeep_runtime *runtime) {
  toolkeep_string *out = NULL;
  toolkeep_error *error =
      toolkeep_call(runtime, NO_TEXT, TOOLKEEP_STR("datetime"), NO_TEXT, &out);
  uint32_t code = toolkeep_error_code(error);
  toolkeep_error_free(error);
  toolkeep_string_free(out);
  return code;
}

static void *busy(void *unused) {
  (void)unused;
  while (!is_over) {
    toolkeep_runtime *runtime = opened();
    if (called(runtime) != TOOLKEEP_OK)
      _exit(1);
    toolkeep_runtime_free(runtime);
  }
  return NULL;
}

static int child(toolkeep_runtime *parents) {
  toolkeep_runtime *own;
  int is_well;
  alarm(60);
  if (called(parents) != TOOLKEEP_FORKED)
    return 2;
  own = opened();
  is_well = own && called(own) == TOOLKEEP_OK;
  toolkeep_runtime_free(own);
  return is_well ? 0 : 3;
}

int main(int count, char **arguments) {
  pthread_t threads[THREADS];
  toolkeep_runtime *runtime;
  int status = 0, well = 0;
  if (count != 2)
    return 2;
  config = arguments[1];
  runtime = opened();
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, busy, NULL);
  while (well < CHILDREN && status == 0) {
    pid_t forked = fork();
    if (forked == 0)
      _exit(child(runtime));
    waitpid(forked, &status, 0);
    well += status == 0;
  }
  is_over = 1;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  toolkeep_runtime_free(runtime);
  printf("%d children\n", well);
  return status != 0;
}
