/* The C ABI as a C program meets it: what works, and what must be refused without harm. */
#include "check.h"

/* ---- tools ---- */

static void tool_echo(void *data, toolkeep_invocation *call) {
  (void)data;
  CHECK(!toolkeep_invocation_is_cancelled(call));
  CHECK(toolkeep_invocation_resolve(call, toolkeep_invocation_args(call)));
}

static pthread_t answering;

static void *answer_elsewhere(void *call) {
  pause_ms(20);
  CHECK(toolkeep_invocation_resolve(call, TOOLKEEP_STR("\"from another thread\"")));
  return NULL;
}

static void tool_elsewhere(void *data, toolkeep_invocation *call) {
  (void)data;
  CHECK(pthread_create(&answering, NULL, answer_elsewhere, call) == 0);
}

static void tool_twice(void *data, toolkeep_invocation *call) {
  (void)data;
  CHECK(toolkeep_invocation_resolve(call, TOOLKEEP_STR("\"first\"")));
  CHECK(!toolkeep_invocation_resolve(call, TOOLKEEP_STR("\"second\"")));
  CHECK(!toolkeep_invocation_reject(call, TOOLKEEP_CONFLICT, TOOLKEEP_STR("third")));
  CHECK(toolkeep_invocation_args(call).len == 0);
  toolkeep_invocation_free(call);
}

/* Keeps its invocation in the box; somebody else will end it. */
static void tool_keep(void *data, toolkeep_invocation *call) {
  Box *box = data;
  box->invocation = call;
  OK(toolkeep_invocation_on_cancel(call, happened, box, NULL));
  box_tick(box, &box->count);
}

/* Returns only when the box says so. */
static void tool_stuck(void *data, toolkeep_invocation *call) {
  Box *box = data;
  box_wait(box, &box->count, 1);
  CHECK(toolkeep_invocation_is_cancelled(call));
  CHECK(!toolkeep_invocation_resolve(call, TOOLKEEP_STR("\"too late\"")));
}

static void tool_dropped(void *data, toolkeep_invocation *call) {
  (void)data;
  toolkeep_invocation_free(call);
  CHECK(!toolkeep_invocation_resolve(call, NO_TEXT));
}

/* Answers with the bytes in the box. */
static void tool_says(void *data, toolkeep_invocation *call) {
  CHECK(toolkeep_invocation_resolve(call, toolkeep_cstr(((Box *)data)->text)));
}

/* Approves as the text in the box says. */
static void approves(void *data, toolkeep_invocation *asked) {
  toolkeep_str args = toolkeep_invocation_args(asked);
  CHECK(strstr((const char *)args.ptr, "\"tool\":\"pay\"") != NULL);
  CHECK(strstr((const char *)args.ptr, "\"arguments\":{\"amount\":5}") != NULL);
  CHECK(toolkeep_invocation_resolve(asked, toolkeep_cstr(((Box *)data)->text)));
}

static void tool_refuses(void *data, toolkeep_invocation *call) {
  (void)data;
  CHECK(toolkeep_invocation_reject(call, TOOLKEEP_CONFLICT, TOOLKEEP_STR("It has changed.")));
}

/* Uses its own runtime, whose address is in the box, from within a call. */
static void tool_inside(void *data, toolkeep_invocation *call) {
  toolkeep_runtime *runtime = *(toolkeep_runtime **)data;
  toolkeep_string *string = NULL;
  toolkeep_runtime *other = NULL;
  Box box = BOX;
  FAILS(TOOLKEEP_WOULD_BLOCK,
        toolkeep_call(runtime, NO_TEXT, TOOLKEEP_STR("echo"), NO_TEXT, &string));
  FAILS(TOOLKEEP_WOULD_BLOCK,
        toolkeep_invoke(runtime, TOOLKEEP_STR("registry.list"), NO_TEXT, &string));
  FAILS(TOOLKEEP_WOULD_BLOCK, toolkeep_runtime_close(runtime));
  FAILS(TOOLKEEP_WOULD_BLOCK, toolkeep_runtime_open(NO_TEXT, &other));
  OK(toolkeep_call_async(runtime, NO_TEXT, TOOLKEEP_STR("echo"), TOOLKEEP_STR("{\"a\": 1}"), done,
                         &box, destroy, NULL));
  box_wait(&box, &box.destroyed, 1);
  CHECK(toolkeep_invocation_resolve(call, toolkeep_string_str(box.result)));
  toolkeep_string_free(box.result);
}

/* ---- helpers of the tests ---- */

static toolkeep_runtime *open_runtime(const char *config) {
  toolkeep_runtime *runtime = NULL;
  OK(toolkeep_runtime_open(toolkeep_cstr(config), &runtime));
  return runtime;
}

static void add(toolkeep_runtime *runtime, toolkeep_str spec, toolkeep_tool_fn run, void *data) {
  OK(toolkeep_tool_register(runtime, spec, run, data, NULL));
}

static toolkeep_string *call(toolkeep_runtime *runtime, const char *name, const char *args) {
  toolkeep_string *result = NULL;
  OK(toolkeep_call(runtime, NO_TEXT, toolkeep_cstr(name), toolkeep_cstr(args), &result));
  return result;
}

/* ---- tests ---- */

static void versions_agree(void) {
  CHECK(toolkeep_abi_version() == TOOLKEEP_ABI_VERSION);
  CHECK(strchr(toolkeep_version(), '.') != NULL);
}

static void a_tool_may_answer_in_every_way(void) {
  toolkeep_runtime *runtime = open_runtime("");
  Box says = BOX;
  add(runtime, SPEC("echo"), tool_echo, NULL);
  add(runtime, SPEC("elsewhere"), tool_elsewhere, NULL);
  add(runtime, SPEC("twice"), tool_twice, NULL);
  add(runtime, SPEC("dropped"), tool_dropped, NULL);
  add(runtime, SPEC("refuses"), tool_refuses, NULL);
  add(runtime, SPEC("says"), tool_says, &says);
  add(runtime, SPEC("inside"), tool_inside, &runtime);
  CHECK(holds(call(runtime, "echo", "{\"a\": [1]}"), "\"structured\":{\"a\":[1]}"));
  CHECK(holds(call(runtime, "elsewhere", "{}"), "\"for_llm\":\"from another thread\""));
  pthread_join(answering, NULL);
  CHECK(holds(call(runtime, "twice", ""), "\"for_llm\":\"first\""));
  CHECK(holds(call(runtime, "dropped", ""), "\"code\":\"tool_failed\""));
  CHECK(holds(call(runtime, "refuses", ""),
              "\"for_llm\":\"It has changed.\",\"for_user\":null,\"is_error\":true,"
              "\"code\":\"conflict\""));
  CHECK(holds(call(runtime, "inside", ""), "\"is_error\":false"));
  strcpy(says.text, "\"password=hunter2hunter2\"");
  CHECK(holds(call(runtime, "says", ""), "\"for_llm\":\"password=[REDACTED:password]\""));
  strcpy(says.text, "");
  CHECK(holds(call(runtime, "says", ""), "\"for_llm\":\"\""));
  strcpy(says.text, "{\"for_llm\": 5}");
  CHECK(holds(call(runtime, "says", ""), "\"code\":\"invalid_result\""));
  strcpy(says.text, "{\"unfinished");
  CHECK(holds(call(runtime, "says", ""), "\"code\":\"invalid_result\""));
  strcpy(says.text, "\"\xff\"");
  CHECK(holds(call(runtime, "says", ""), "\"code\":\"invalid_result\""));
  FAILS(TOOLKEEP_NAME_TAKEN,
        toolkeep_tool_register(runtime, SPEC("echo"), tool_refuses, &says, destroy));
  CHECK(says.destroyed == 1);
  OK(toolkeep_tool_replace(runtime, SPEC("echo"), tool_refuses, &says, destroy));
  CHECK(holds(call(runtime, "echo", ""), "\"code\":\"conflict\""));
  OK(toolkeep_tool_unregister(runtime, TOOLKEEP_STR("echo")));
  FAILS(TOOLKEEP_NOT_FOUND, toolkeep_tool_unregister(runtime, TOOLKEEP_STR("echo")));
  CHECK(holds(call(runtime, "echo", ""), "\"code\":\"unknown_tool\""));
  toolkeep_runtime_free(runtime);
}

static void an_approver_decides(void) {
  toolkeep_runtime *runtime = open_runtime("{\"approval\": {\"external\": false}}");
  toolkeep_str spec = TOOLKEEP_STR("{\"name\": \"pay\", \"needs_approval\": true}");
  Box first = BOX, box = BOX, outcome = BOX;
  toolkeep_operation *operation = NULL;
  add(runtime, spec, tool_echo, NULL);
  CHECK(holds(call(runtime, "pay", "{\"amount\": 5}"), "\"code\":\"approval_denied\""));
  FAILS(TOOLKEEP_INVALID_ARGUMENT,
        toolkeep_runtime_set_handler(runtime, TOOLKEEP_STR("aprove"), approves, &box, destroy));
  CHECK(box.destroyed == 1);
  box.destroyed = 0;
  OK(toolkeep_runtime_set_handler(runtime, TOOLKEEP_STR("approve"), approves, &first, destroy));
  strcpy(first.text, "true");
  CHECK(holds(call(runtime, "pay", "{\"amount\": 5}"), "\"structured\":{\"amount\":5}"));
  strcpy(first.text, "{\"allow\": false, \"reason\": \"too much\"}");
  CHECK(holds(call(runtime, "pay", "{\"amount\": 5}"), "too much"));
  strcpy(first.text, "{\"allow\": true, \"edited\": {\"amount\": 1}}");
  CHECK(holds(call(runtime, "pay", "{\"amount\": 5}"), "\"structured\":{\"amount\":1}"));
  strcpy(first.text, "\"yes\"");
  CHECK(holds(call(runtime, "pay", "{\"amount\": 5}"), "\"code\":\"approval_denied\""));

  /* It may answer later, and is told when nobody waits any more. */
  OK(toolkeep_runtime_set_handler(runtime, TOOLKEEP_STR("approve"), tool_keep, &box, destroy));
  box_wait(&first, &first.destroyed, 1);
  OK(toolkeep_call_async(runtime, NO_TEXT, TOOLKEEP_STR("pay"), TOOLKEEP_STR("{\"amount\": 5}"),
                         done, &outcome, destroy, &operation));
  box_wait(&box, &box.count, 1);
  OK(toolkeep_operation_cancel(operation));
  box_wait(&box, &box.count, 2);
  CHECK(!toolkeep_invocation_resolve(box.invocation, TOOLKEEP_STR("true")));
  box_wait(&outcome, &outcome.destroyed, 1);
  FAILS(TOOLKEEP_CANCELLED, outcome.error);
  toolkeep_operation_free(operation);
  toolkeep_runtime_free(runtime);
  box_wait(&box, &box.destroyed, 1);
}

static void a_call_can_be_cancelled_and_times_out(void) {
  toolkeep_runtime *runtime = open_runtime("{\"execute\": {\"timeout_ms\": 60000}}");
  toolkeep_str brief = TOOLKEEP_STR("{\"timeout_ms\": 50}");
  Box tool = BOX, outcome = BOX;
  toolkeep_operation *operation = NULL;
  toolkeep_string *result = NULL;
  add(runtime, SPEC("keep"), tool_keep, &tool);

  OK(toolkeep_call_async(runtime, NO_TEXT, TOOLKEEP_STR("keep"), NO_TEXT, done, &outcome, destroy,
                         &operation));
  box_wait(&tool, &tool.count, 1);
  CHECK(!toolkeep_invocation_is_cancelled(tool.invocation));
  OK(toolkeep_operation_cancel(operation));
  box_wait(&outcome, &outcome.destroyed, 1);
  CHECK(outcome.count == 1 && outcome.result == NULL);
  FAILS(TOOLKEEP_CANCELLED, outcome.error);
  OK(toolkeep_operation_cancel(operation));
  toolkeep_operation_free(operation);
  box_wait(&tool, &tool.count, 2); /* told */
  CHECK(toolkeep_invocation_is_cancelled(tool.invocation));
  OK(toolkeep_invocation_on_cancel(tool.invocation, happened, &tool, NULL));
  box_wait(&tool, &tool.count, 3); /* told at once */
  CHECK(!toolkeep_invocation_resolve(tool.invocation, TOOLKEEP_STR("\"late\"")));

  tool.count = 0;
  OK(toolkeep_call(runtime, brief, TOOLKEEP_STR("keep"), NO_TEXT, &result));
  CHECK(holds(result, "\"code\":\"timeout\""));
  box_wait(&tool, &tool.count, 2);
  CHECK(toolkeep_invocation_is_cancelled(tool.invocation));
  toolkeep_invocation_free(tool.invocation);
  toolkeep_runtime_free(runtime);
}

static void what_a_runtime_leaves_behind_stays_good(void) {
  toolkeep_runtime *runtime = open_runtime("");
  Box tool = BOX, stuck = BOX, outcome = BOX, other = BOX;
  toolkeep_operation *operation = NULL;
  double start;
  OK(toolkeep_tool_register(runtime, SPEC("keep"), tool_keep, &tool, destroy));
  OK(toolkeep_tool_register(runtime, SPEC("stuck"), tool_stuck, &stuck, destroy));
  OK(toolkeep_call_async(runtime, NO_TEXT, TOOLKEEP_STR("keep"), NO_TEXT, done, &outcome, destroy,
                         &operation));
  box_wait(&tool, &tool.count, 1);
  OK(toolkeep_call_async(runtime, NO_TEXT, TOOLKEEP_STR("stuck"), NO_TEXT, done, &other, destroy,
                         NULL));
  pause_ms(50);
  start = now();
  toolkeep_runtime_free(runtime);
  CHECK(now() - start < 20); /* about one second; a machine may be busy */
  box_wait(&outcome, &outcome.destroyed, 1);
  FAILS(TOOLKEEP_CLOSED, outcome.error);
  box_wait(&other, &other.destroyed, 1);
  FAILS(TOOLKEEP_CLOSED, other.error);
  box_wait(&tool, &tool.destroyed, 1);
  CHECK(stuck.destroyed == 0);
  happened(&stuck);
  box_wait(&stuck, &stuck.destroyed, 1);
  OK(toolkeep_operation_cancel(operation));
  toolkeep_operation_free(operation);
  CHECK(toolkeep_invocation_is_cancelled(tool.invocation));
  CHECK(!toolkeep_invocation_reject(tool.invocation, TOOLKEEP_CONFLICT, TOOLKEEP_STR("late")));
}

#include "events.h"
#include "scrubbers.h"
#include "refused.h"

static void the_rest_of_the_face_works(void) {
  toolkeep_runtime *runtime = open_runtime("{\"policy\": {\"deny\": [\"edit\"]}}");
  toolkeep_string *out = NULL;
  Box box = BOX;
  add(runtime, SPEC("echo"), tool_echo, NULL);
  OK(toolkeep_call_all(runtime, TOOLKEEP_STR("{\"session\": \"s\"}"),
                       TOOLKEEP_STR("[{\"id\": \"1\", \"name\": \"echo\", \"arguments\": {}},"
                                    " {\"id\": \"2\", \"name\": \"nope\"}]"),
                       &out));
  CHECK(strncmp(toolkeep_string_data(out), "[{\"id\":\"1\"", 10) == 0);
  CHECK(holds(out, "\"code\":\"unknown_tool\""));
  OK(toolkeep_definitions(runtime, NO_TEXT, TOOLKEEP_STR("anthropic"), &out));
  CHECK(holds(out, "\"name\":\"echo\""));
  OK(toolkeep_definitions(runtime, NO_TEXT,
                          TOOLKEEP_STR("{\"dialect\": \"openai\", \"strict\": true}"), &out));
  CHECK(holds(out, "\"strict\":true"));
  OK(toolkeep_definitions_report(runtime, NO_TEXT, TOOLKEEP_STR("mcp"), &out));
  CHECK(holds(out, "\"quarantined\":[]"));
  FAILS(TOOLKEEP_INVALID_ARGUMENT,
        toolkeep_definitions(runtime, NO_TEXT, TOOLKEEP_STR("{\"dialekt\": \"mcp\"}"), &out));
  FAILS(TOOLKEEP_INVALID_JSON, toolkeep_definitions(runtime, NO_TEXT, TOOLKEEP_STR("{"), &out));
  OK(toolkeep_explain(runtime, NO_TEXT, TOOLKEEP_STR("edit"), &out));
  CHECK(holds(out, "\"allowed\":false"));
  OK(toolkeep_invoke(runtime, TOOLKEEP_STR("agents.put"), TOOLKEEP_STR("{\"id\": \"a\"}"), &out));
  CHECK(holds(out, "\"id\":\"a\""));
  OK(toolkeep_invoke_async(runtime, TOOLKEEP_STR("agents.get"), TOOLKEEP_STR("{\"id\": \"a\"}"),
                           done, &box, destroy, NULL));
  box_wait(&box, &box.destroyed, 1);
  CHECK(box.error == NULL && holds(box.result, "\"id\":\"a\""));
  OK(toolkeep_invoke(runtime, TOOLKEEP_STR("config.get"), NO_TEXT, &out));
  CHECK(holds(out, "\"deny\":[\"edit\"]"));
  OK(toolkeep_runtime_close(runtime));
  OK(toolkeep_runtime_close(runtime));
  FAILS(TOOLKEEP_CLOSED, toolkeep_call(runtime, NO_TEXT, TOOLKEEP_STR("echo"), NO_TEXT, &out));
  FAILS(TOOLKEEP_CLOSED, toolkeep_definitions(runtime, NO_TEXT, TOOLKEEP_STR("mcp"), &out));
  FAILS(TOOLKEEP_CLOSED, toolkeep_invoke(runtime, TOOLKEEP_STR("config.get"), NO_TEXT, &out));
  FAILS(TOOLKEEP_CLOSED,
        toolkeep_tool_register(runtime, SPEC("late"), tool_echo, &box, destroy));
  CHECK(box.destroyed == 2);
  toolkeep_runtime_free(runtime);
}

static void json_can_be_looked_into(void) {
  toolkeep_str json = TOOLKEEP_STR("{\"a/b\": [1, {\"t\": \"h\\u00e9\"}], \"n\": null}");
  toolkeep_string *out = NULL;
  const char *cases[][2] = {{"/a~1b/1/t", "h\xc3\xa9"}, {"/a~1b/0", "1"}, {"/n", "null"},
                            {"/a~1b/1", "{\"t\":\"h\xc3\xa9\"}"}};
  size_t i;
  for (i = 0; i < sizeof cases / sizeof *cases; i++) {
    OK(toolkeep_json_get(json, toolkeep_cstr(cases[i][0]), &out));
    CHECK(strcmp(toolkeep_string_data(out), cases[i][1]) == 0);
    toolkeep_string_free(out);
  }
  FAILS(TOOLKEEP_NOT_FOUND, toolkeep_json_get(json, TOOLKEEP_STR("/none"), &out));
  FAILS(TOOLKEEP_NOT_FOUND, toolkeep_json_get(json, TOOLKEEP_STR("n"), &out));
  FAILS(TOOLKEEP_INVALID_JSON, toolkeep_json_get(TOOLKEEP_STR("{"), NO_TEXT, &out));
  FAILS(TOOLKEEP_INVALID_ARGUMENT, toolkeep_json_get(json, TOOLKEEP_STR("/n"), NULL));
}

static void a_forked_child_is_told(void) {
  toolkeep_runtime *runtime = open_runtime("");
  toolkeep_string *out = NULL;
  int status = 0;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    FAILS(TOOLKEEP_FORKED, toolkeep_call(runtime, NO_TEXT, TOOLKEEP_STR("x"), NO_TEXT, &out));
    toolkeep_runtime_free(runtime);
    execlp("true", "true", (char *)NULL); /* no checker looks at what the child leaves */
    _exit(1);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  toolkeep_runtime_free(runtime);
}

static void *call_often(void *runtime) {
  int i;
  for (i = 0; i < 50; i++)
    toolkeep_string_free(call(runtime, "echo", "{\"a\": 1}"));
  return NULL;
}

static void threads_may_share_a_runtime(void) {
  toolkeep_runtime *runtime = open_runtime("");
  pthread_t threads[4];
  int i;
  add(runtime, SPEC("echo"), tool_echo, NULL);
  for (i = 0; i < 4; i++)
    CHECK(pthread_create(&threads[i], NULL, call_often, runtime) == 0);
  for (i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  toolkeep_runtime_free(runtime);
}

static void free_inside(void *data, toolkeep_invocation *invocation) {
  toolkeep_runtime_free(*(toolkeep_runtime **)data);
  toolkeep_invocation_resolve(invocation, NO_TEXT);
}

static void a_runtime_may_be_freed_from_a_callback(void) {
  toolkeep_runtime *runtime = open_runtime("");
  Box box = BOX;
  add(runtime, SPEC("free"), free_inside, &runtime);
  OK(toolkeep_call_async(runtime, NO_TEXT, TOOLKEEP_STR("free"), NO_TEXT, done, &box, destroy,
                         NULL));
  box_wait(&box, &box.destroyed, 1);
  CHECK(box.count == 1 && (box.result != NULL) != (box.error != NULL));
  toolkeep_string_free(box.result);
  toolkeep_error_free(box.error);
  pause_ms(200); /* until the thread that ends the runtime has done so */
}

/* ---- a key of the host's ---- */

static toolkeep_str key_from(void *data) {
  return *(toolkeep_str *)data;
}

static void a_key_of_the_host_seals(void) {
  toolkeep_str put = TOOLKEEP_STR("{\"name\": \"gh\", \"env\": {\"TOKEN\": \"hunter2\"}}");
  toolkeep_str both = TOOLKEEP_STR("{\"secrets\": {\"key\": {\"file\": \"no.key\"}}}");
  toolkeep_runtime *runtime = NULL;
  toolkeep_string *key = NULL;
  toolkeep_string *out = NULL;
  toolkeep_error *error;
  toolkeep_str lent = NO_TEXT;
  FAILS(TOOLKEEP_INVALID_ARGUMENT, toolkeep_generate_key(NULL));
  OK(toolkeep_generate_key(&key));
  CHECK(toolkeep_string_len(key) == 64);
  lent = toolkeep_string_str(key);
  OK(toolkeep_runtime_open_with_key(NO_TEXT, key_from, &lent, &runtime));
  OK(toolkeep_invoke(runtime, TOOLKEEP_STR("credentials.put"), put, &out));
  CHECK(holds(out, "\"key_id\""));
  OK(toolkeep_invoke(runtime, TOOLKEEP_STR("credentials.check"),
                     TOOLKEEP_STR("{\"name\": \"gh\"}"), &out));
  CHECK(holds(out, "\"version\":1"));
  toolkeep_runtime_free(runtime);

  FAILS(TOOLKEEP_INVALID_CONFIG, toolkeep_runtime_open_with_key(both, key_from, &lent, &runtime));
  FAILS(TOOLKEEP_INVALID_CONFIG, toolkeep_runtime_open_file_with_key(TOOLKEEP_STR("no.toml"),
                                                                     key_from, &lent, &runtime));
  FAILS(TOOLKEEP_INVALID_ARGUMENT, toolkeep_runtime_open_with_key(NO_TEXT, NULL, NULL, &runtime));
  FAILS(TOOLKEEP_INVALID_ARGUMENT, toolkeep_runtime_open_with_key(NO_TEXT, key_from, &lent, NULL));
  lent = TOOLKEEP_STR("\xff\xfe");
  FAILS(TOOLKEEP_INVALID_CONFIG, toolkeep_runtime_open_with_key(NO_TEXT, key_from, &lent, &runtime));
  lent = NO_TEXT;
  FAILS(TOOLKEEP_INVALID_CONFIG, toolkeep_runtime_open_with_key(NO_TEXT, key_from, &lent, &runtime));
  lent = TOOLKEEP_STR("sw0rdf1sh");
  error = toolkeep_runtime_open_with_key(NO_TEXT, key_from, &lent, &runtime);
  CHECK(toolkeep_error_code(error) == TOOLKEEP_INVALID_CONFIG);
  CHECK(strstr(toolkeep_error_message(error), "secrets.key") != NULL);
  CHECK(strstr(toolkeep_error_message(error), "sw0rdf1sh") == NULL);
  toolkeep_error_free(error);
  toolkeep_string_free(key);
}

int main(int count, char **arguments) {
  toolkeep_string *leak = NULL;
  if (count == 3 && strcmp(arguments[1], "leak") == 0) {
    /* Proves that the checkers see what the library allocates. */
    OK(toolkeep_scrub(toolkeep_cstr(arguments[2]), &leak));
    leak = NULL;
    return 0;
  }
  CHECK(count == 2);
  versions_agree();
  a_tool_may_answer_in_every_way();
  an_approver_decides();
  a_call_can_be_cancelled_and_times_out();
  what_a_runtime_leaves_behind_stays_good();
  events_are_followed_until_the_subscription_is_freed();
  a_slow_reader_sees_how_much_it_missed();
  the_rest_of_the_face_works();
  secrets_are_masked_without_a_runtime();
  a_scrubber_masks_and_finds();
  a_stream_gives_what_the_whole_gives();
  wrong_scrubbers_are_refused();
  json_can_be_looked_into();
  wrong_handles_are_refused();
  missing_functions_and_places_are_refused();
  huge_and_deep_input_is_refused();
  text_that_is_none_is_refused();
  unusable_configurations_are_refused(arguments[1]);
  a_key_of_the_host_seals();
  a_forked_child_is_told();
  threads_may_share_a_runtime();
  a_runtime_may_be_freed_from_a_callback();
  printf("smoke.c: %d checks\n", checks);
  return 0;
}
