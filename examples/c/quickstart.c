/* Governed calls from C: open a runtime with a policy, add a tool of your own, see what a model
 * gets and why it lacks a tool, make the calls. */
#include <stdio.h>
#include <toolkeep.h>

/* The model sees what this resolves to, with secrets masked. */
static void weather(void *user_data, toolkeep_invocation *call) {
  (void)user_data;
  printf("asked: %s\n", (const char *)toolkeep_invocation_args(call).ptr);
  toolkeep_invocation_resolve(call, TOOLKEEP_STR("\"18 degrees, password=hunter2hunter2\""));
}

/* Prints an answer or an error, and frees it. True if all went well. */
static int show(const char *what, toolkeep_error *error, toolkeep_string *answer) {
  int good = error == NULL;
  if (!good)
    fprintf(stderr, "%s: %s\n", toolkeep_error_name(error), toolkeep_error_message(error));
  else if (answer)
    printf("%s: %s\n", what, toolkeep_string_data(answer));
  toolkeep_error_free(error);
  toolkeep_string_free(answer);
  return good;
}

int main(void) {
  toolkeep_str config = TOOLKEEP_STR("{\"policy\": {\"deny\": [\"edit\"]}}");
  toolkeep_str spec =
      TOOLKEEP_STR("{\"name\": \"weather\", \"description\": \"The weather now.\"}");
  toolkeep_str city = TOOLKEEP_STR("{\"city\": \"Oslo\"}");
  toolkeep_str who = TOOLKEEP_STR("{\"agent\": \"helper\", \"session\": \"chat-7\"}");
  toolkeep_runtime *rt = NULL;
  toolkeep_string *out = NULL;
  toolkeep_error *error = toolkeep_runtime_open(config, &rt);
  int good = show("open", error, NULL);
  if (good) good = show("add", toolkeep_tool_register(rt, spec, weather, NULL, NULL), NULL);
  if (good) error = toolkeep_definitions(rt, who, TOOLKEEP_STR("anthropic"), &out);
  if (good) good = show("definitions", error, out);
  if (good) error = toolkeep_explain(rt, who, TOOLKEEP_STR("edit"), &out);
  if (good) good = show("why not edit", error, out);
  if (good) error = toolkeep_call(rt, who, TOOLKEEP_STR("weather"), city, &out);
  if (good) good = show("result", error, out);
  if (good) error = toolkeep_call(rt, who, TOOLKEEP_STR("edit"), TOOLKEEP_STR("{}"), &out);
  if (good) good = show("refused", error, out);
  toolkeep_runtime_free(rt);
  return !good;
}
