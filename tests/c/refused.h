/* What a host can get wrong. Part of smoke.c. */
#ifndef REFUSED_H
#define REFUSED_H

static void wrong_handles_are_refused(void) {
  toolkeep_runtime *runtime = open_runtime(NULL);
  toolkeep_string *out = NULL;
  toolkeep_string *string = NULL;
  toolkeep_subscription *subscription = NULL;
  toolkeep_str echo = TOOLKEEP_STR("echo");
  Box box = BOX;
  void *wrong[2] = {NULL, NULL};
  int i;
  OK(toolkeep_scrub(TOOLKEEP_STR("text"), &string));
  wrong[1] = string;
  for (i = 0; i < 2; i++) {
    toolkeep_runtime *bad = (toolkeep_runtime *)wrong[i];
    uint32_t code = TOOLKEEP_INVALID_HANDLE;
    FAILS(code, toolkeep_call(bad, NO_TEXT, echo, NO_TEXT, &out));
    FAILS(code, toolkeep_call_async(bad, NO_TEXT, echo, NO_TEXT, done, &box, destroy, NULL));
    FAILS(code, toolkeep_call_all(bad, NO_TEXT, TOOLKEEP_STR("[]"), &out));
    FAILS(code, toolkeep_definitions(bad, NO_TEXT, TOOLKEEP_STR("mcp"), &out));
    FAILS(code, toolkeep_explain(bad, NO_TEXT, echo, &out));
    FAILS(code, toolkeep_invoke(bad, TOOLKEEP_STR("config.get"), NO_TEXT, &out));
    FAILS(code, toolkeep_invoke_async(bad, echo, NO_TEXT, done, &box, destroy, NULL));
    FAILS(code, toolkeep_tool_register(bad, SPEC("echo"), tool_echo, &box, destroy));
    FAILS(code, toolkeep_tool_unregister(bad, echo));
    FAILS(code, toolkeep_runtime_set_handler(bad, TOOLKEEP_STR("approve"), tool_echo, &box, destroy));
    FAILS(code, toolkeep_events_subscribe(bad, NO_TEXT, event, &box, destroy, &subscription));
    FAILS(code, toolkeep_runtime_close(bad));
    FAILS(code, toolkeep_operation_cancel(wrong[i]));
    FAILS(code, toolkeep_invocation_on_cancel(wrong[i], happened, &box, destroy));
    CHECK(box.destroyed == 6 * (i + 1) && box.count == 0);
    CHECK(!toolkeep_invocation_resolve(wrong[i], echo));
    CHECK(!toolkeep_invocation_reject(wrong[i], 1, echo));
    CHECK(toolkeep_invocation_args(wrong[i]).len == 0);
    CHECK(toolkeep_invocation_context(wrong[i]).len == 0);
    CHECK(toolkeep_invocation_plan(wrong[i]).len == 0);
    CHECK(toolkeep_invocation_is_cancelled(wrong[i]));
    CHECK(toolkeep_error_code(wrong[i]) == (i ? code : TOOLKEEP_OK));
    CHECK(*toolkeep_error_name(wrong[i]) == 0 && *toolkeep_error_message(wrong[i]) == 0);
    toolkeep_runtime_free(bad);
    toolkeep_operation_free(wrong[i]);
    toolkeep_subscription_free(wrong[i]);
    toolkeep_invocation_free(wrong[i]);
    toolkeep_error_free(wrong[i]);
  }
  CHECK(toolkeep_string_data(NULL) == NULL && toolkeep_string_len(NULL) == 0);
  CHECK(toolkeep_string_data((toolkeep_string *)(void *)runtime) == NULL);
  toolkeep_string_free((toolkeep_string *)(void *)runtime);
  toolkeep_string_free(NULL);
  CHECK(holds(string, "text") && out == NULL && subscription == NULL);
  toolkeep_runtime_free(runtime);
}

static void missing_functions_and_places_are_refused(void) {
  toolkeep_runtime *runtime = open_runtime("");
  uint32_t code = TOOLKEEP_INVALID_ARGUMENT;
  toolkeep_subscription *subscription = NULL;
  toolkeep_str name = TOOLKEEP_STR("datetime");
  Box box = BOX;
  int64_t cursor = 7;
  uint64_t dropped = 7;
  FAILS(code, toolkeep_runtime_open(NO_TEXT, NULL));
  FAILS(code, toolkeep_scrub(name, NULL));
  FAILS(code, toolkeep_call(runtime, NO_TEXT, name, NO_TEXT, NULL));
  FAILS(code, toolkeep_call_async(runtime, NO_TEXT, name, NO_TEXT, NULL, &box, destroy, NULL));
  FAILS(code, toolkeep_tool_register(runtime, SPEC("none"), NULL, &box, destroy));
  FAILS(code, toolkeep_events_subscribe(runtime, NO_TEXT, NULL, &box, destroy, &subscription));
  FAILS(code, toolkeep_events_subscribe(runtime, NO_TEXT, event, &box, destroy, NULL));
  FAILS(code, toolkeep_events_subscribe(runtime, TOOLKEEP_STR("{\"tenants\": \"x\"}"), event, &box,
                                        destroy, &subscription));
  FAILS(code, toolkeep_events_subscribe(runtime, TOOLKEEP_STR("{\"tenant\": \"\"}"), event, &box,
                                        destroy, &subscription));
  CHECK(box.destroyed == 6 && box.count == 0);
  OK(toolkeep_events_subscribe(runtime, NO_TEXT, event, &box, destroy, &subscription));
  FAILS(code, toolkeep_subscription_cursor(subscription, NULL));
  FAILS(code, toolkeep_subscription_dropped(subscription, NULL));
  FAILS(TOOLKEEP_INVALID_HANDLE, toolkeep_subscription_cursor(NULL, &cursor));
  FAILS(TOOLKEEP_INVALID_HANDLE, toolkeep_subscription_dropped(NULL, &dropped));
  CHECK(cursor == 7 && dropped == 7);
  toolkeep_subscription_free(subscription);
  toolkeep_runtime_free(runtime);
}

/* `count` times `unit`, with `start` before and `end` after. */
static char *repeat(const char *start, const char *unit, size_t count, const char *end) {
  size_t length = strlen(unit), at = strlen(start), i;
  char *text = malloc(at + length * count + strlen(end) + 1);
  CHECK(text != NULL);
  memcpy(text, start, at);
  for (i = 0; i < count; i++, at += length)
    memcpy(text + at, unit, length);
  strcpy(text + at, end);
  return text;
}

static void huge_and_deep_input_is_refused(void) {
  toolkeep_runtime *runtime = open_runtime("");
  toolkeep_string *out = NULL;
  toolkeep_str op = TOOLKEEP_STR("agents.put");
  char *huge = repeat("{\"id\": \"", "x", (size_t)64 << 20, "\"}");
  char *deep = repeat("{\"id\": ", "[", 10000, "");
  add(runtime, SPEC("echo"), tool_echo, NULL);
  CHECK(holds(call(runtime, "echo", huge), "\"code\":\"invalid_arguments\""));
  CHECK(holds(call(runtime, "echo", deep), "\"code\":\"invalid_arguments\""));
  FAILS(TOOLKEEP_TOO_LARGE, toolkeep_invoke(runtime, op, toolkeep_cstr(huge), &out));
  FAILS(TOOLKEEP_INVALID_JSON, toolkeep_invoke(runtime, op, toolkeep_cstr(deep), &out));
  FAILS(TOOLKEEP_TOO_LARGE,
        toolkeep_call(runtime, toolkeep_cstr(huge), TOOLKEEP_STR("echo"), NO_TEXT, &out));
  FAILS(TOOLKEEP_INVALID_JSON, toolkeep_call_all(runtime, NO_TEXT, toolkeep_cstr(deep), &out));
  CHECK(holds(call(runtime, huge, ""), "\"code\":\"unknown_tool\""));
  CHECK(out == NULL);
  free(huge);
  free(deep);
  toolkeep_runtime_free(runtime);
}

static void text_that_is_none_is_refused(void) {
  toolkeep_runtime *runtime = open_runtime("");
  toolkeep_runtime *other = NULL;
  toolkeep_string *out = NULL;
  toolkeep_str bad = TOOLKEEP_STR("{\"id\": \"\xff\xfe\"}");
  toolkeep_str broken = TOOLKEEP_STR("{\"id\": ");
  toolkeep_str wrong = TOOLKEEP_STR("{\"agnet\": \"a\"}");
  toolkeep_str nowhere = {NULL, 5};
  toolkeep_str name = TOOLKEEP_STR("datetime"), op = TOOLKEEP_STR("agents.put");
  Box box = BOX;
  uint32_t utf8 = TOOLKEEP_INVALID_UTF8, json = TOOLKEEP_INVALID_JSON;
  uint32_t argument = TOOLKEEP_INVALID_ARGUMENT;
  FAILS(utf8, toolkeep_runtime_open(bad, &other));
  FAILS(utf8, toolkeep_runtime_open_file(bad, &other));
  FAILS(utf8, toolkeep_scrub(bad, &out));
  FAILS(utf8, toolkeep_call(runtime, bad, name, NO_TEXT, &out));
  FAILS(utf8, toolkeep_call(runtime, NO_TEXT, bad, NO_TEXT, &out));
  FAILS(utf8, toolkeep_call(runtime, NO_TEXT, name, bad, &out));
  FAILS(utf8, toolkeep_call_async(runtime, NO_TEXT, name, bad, done, &box, destroy, NULL));
  FAILS(utf8, toolkeep_invoke(runtime, op, bad, &out));
  FAILS(utf8, toolkeep_tool_register(runtime, bad, tool_echo, &box, destroy));
  FAILS(json, toolkeep_tool_register(runtime, broken, tool_echo, &box, destroy));
  FAILS(json, toolkeep_call(runtime, broken, name, NO_TEXT, &out));
  FAILS(json, toolkeep_invoke(runtime, op, broken, &out));
  FAILS(json, toolkeep_call_all(runtime, NO_TEXT, broken, &out));
  FAILS(argument, toolkeep_call(runtime, wrong, name, NO_TEXT, &out));
  FAILS(argument, toolkeep_call(runtime, nowhere, name, NO_TEXT, &out));
  FAILS(argument, toolkeep_call_all(runtime, NO_TEXT, wrong, &out));
  FAILS(argument, toolkeep_call_all(runtime, NO_TEXT, TOOLKEEP_STR("[5]"), &out));
  FAILS(argument, toolkeep_invoke(runtime, op, wrong, &out));
  FAILS(argument, toolkeep_tool_register(runtime, wrong, tool_echo, &box, destroy));
  FAILS(argument, toolkeep_definitions(runtime, NO_TEXT, TOOLKEEP_STR("antropic"), &out));
  FAILS(TOOLKEEP_NAME_TAKEN,
        toolkeep_tool_register(runtime, SPEC("datetime"), tool_echo, &box, destroy));
  FAILS(TOOLKEEP_NOT_FOUND, toolkeep_explain(runtime, NO_TEXT, TOOLKEEP_STR("nope"), &out));
  FAILS(TOOLKEEP_UNKNOWN_OPERATION,
        toolkeep_invoke(runtime, TOOLKEEP_STR("agents.putt"), NO_TEXT, &out));
  CHECK(box.destroyed == 5 && box.count == 0 && out == NULL && other == NULL);
  CHECK(holds(call(runtime, "datetime", "{\"timezone\": "), "\"code\":\"invalid_arguments\""));
  CHECK(holds(call(runtime, "date_time", ""), "datetime"));
  toolkeep_runtime_free(runtime);
}

static void unusable_configurations_are_refused(const char *folder) {
  toolkeep_runtime *runtime = NULL;
  char path[4096], config[8192];
  FILE *file;
  snprintf(path, sizeof path, "%s/corrupt.db", folder);
  file = fopen(path, "w");
  CHECK(file != NULL);
  CHECK(fputs("This is no database, and it is long enough to be looked at as one.", file) >= 0);
  fclose(file);
  snprintf(config, sizeof config, "{\"store\": \"sqlite:%s\"}", path);
  FAILS(TOOLKEEP_STORE_CORRUPT, toolkeep_runtime_open(toolkeep_cstr(config), &runtime));
  snprintf(config, sizeof config, "{\"store\": \"sqlite:%s\"}", folder);
  FAILS(TOOLKEEP_STORE_PATH, toolkeep_runtime_open(toolkeep_cstr(config), &runtime));
  snprintf(config, sizeof config, "{\"workspace\": \"%s/nowhere\"}", folder);
  FAILS(TOOLKEEP_INVALID_CONFIG, toolkeep_runtime_open(toolkeep_cstr(config), &runtime));
  FAILS(TOOLKEEP_INVALID_CONFIG,
        toolkeep_runtime_open(TOOLKEEP_STR("{\"polcy\": {}}"), &runtime));
  FAILS(TOOLKEEP_INVALID_CONFIG, toolkeep_runtime_open(TOOLKEEP_STR("{\"policy\": 5}"), &runtime));
  FAILS(TOOLKEEP_INVALID_CONFIG, toolkeep_runtime_open(TOOLKEEP_STR("{"), &runtime));
  snprintf(path, sizeof path, "%s/nowhere.toml", folder);
  FAILS(TOOLKEEP_INVALID_CONFIG, toolkeep_runtime_open_file(toolkeep_cstr(path), &runtime));
  CHECK(runtime == NULL);
  snprintf(path, sizeof path, "%s/toolkeep.toml", folder);
  file = fopen(path, "w");
  CHECK(file != NULL);
  CHECK(fputs("workspace = \".\"\n", file) >= 0);
  fclose(file);
  OK(toolkeep_runtime_open_file(toolkeep_cstr(path), &runtime));
  CHECK(holds(call(runtime, "read_file", "{\"path\": \"toolkeep.toml\"}"), "workspace"));
  toolkeep_runtime_free(runtime);
}

#endif
