/* One governed call from C: open a runtime, add a tool of your own, call it. */
#include <stdio.h>
#include <toolkeep.h>

/* The model sees what this resolves to, with secrets masked. */
static void weather(void *user_data, toolkeep_invocation *call) {
  (void)user_data;
  printf("asked: %s\n", (const char *)toolkeep_invocation_args(call).ptr);
  toolkeep_invocation_resolve(call, TOOLKEEP_STR("\"18 degrees, password=hunter2hunter2\""));
}

int main(void) {
  toolkeep_str context = TOOLKEEP_STR("{\"agent\": \"helper\", \"session\": \"chat-7\"}");
  toolkeep_runtime *runtime = NULL;
  toolkeep_string *result = NULL;
  toolkeep_error *error = toolkeep_runtime_open(TOOLKEEP_STR("{}"), &runtime);
  if (!error)
    error = toolkeep_tool_register(
        runtime, TOOLKEEP_STR("{\"name\": \"weather\", \"description\": \"The weather now.\"}"),
        weather, NULL, NULL);
  if (!error)
    error = toolkeep_call(runtime, context, TOOLKEEP_STR("weather"),
                          TOOLKEEP_STR("{\"city\": \"Oslo\"}"), &result);
  if (error)
    fprintf(stderr, "%s: %s\n", toolkeep_error_name(error), toolkeep_error_message(error));
  else
    printf("result: %s\n", toolkeep_string_data(result));
  int failed = error != NULL;
  toolkeep_error_free(error);
  toolkeep_string_free(result);
  toolkeep_runtime_free(runtime);
  return failed;
}
