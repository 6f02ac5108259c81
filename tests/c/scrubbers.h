/* Scrubbing without a runtime. Part of smoke.c. */
#ifndef SCRUBBERS_H
#define SCRUBBERS_H

#define GITHUB_TOKEN "ghp_" "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"

static void secrets_are_masked_without_a_runtime(void) {
  toolkeep_string *out = NULL;
  OK(toolkeep_scrub(TOOLKEEP_STR("Authorization: Bearer " GITHUB_TOKEN), &out));
  CHECK(holds(out, "Authorization: Bearer [REDACTED:github-"));
  OK(toolkeep_scrub(NO_TEXT, &out));
  CHECK(toolkeep_string_len(out) == 0 && *toolkeep_string_data(out) == 0);
  toolkeep_string_free(out);
}

static void a_scrubber_masks_and_finds(void) {
  toolkeep_scrubber *scrubber = NULL;
  toolkeep_string *out = NULL, *warning = NULL;
  toolkeep_str word = TOOLKEEP_STR("tangerine-kangaroo-99");
  OK(toolkeep_scrubber_new(TOOLKEEP_STR("{\"profile\": \"precise\"}"), &scrubber));
  OK(toolkeep_scrubber_scrub(scrubber, TOOLKEEP_STR("nothing \xff to hide"), &out));
  CHECK(out == NULL);
  OK(toolkeep_scrubber_scrub(scrubber, TOOLKEEP_STR("\xff " GITHUB_TOKEN "\xff"), &out));
  CHECK(*toolkeep_string_data(out) == '\xff');
  CHECK(holds(out, " [REDACTED:github-"));
  OK(toolkeep_scrubber_findings(scrubber, TOOLKEEP_STR("a " GITHUB_TOKEN), &out));
  CHECK(strstr(toolkeep_string_data(out), GITHUB_TOKEN) == NULL);
  CHECK(holds(out, "\"start\":2,\"end\":42,\"confidence\":\"high\""));
  OK(toolkeep_scrubber_add(scrubber, word, TOOLKEEP_STR("house-word"), &warning));
  CHECK(warning == NULL);
  OK(toolkeep_scrubber_scrub(scrubber, word, &out));
  CHECK(holds(out, "[REDACTED:house-word"));
  OK(toolkeep_scrubber_add(scrubber, TOOLKEEP_STR("ab"), NO_TEXT, &warning));
  CHECK(holds(warning, "value_too_short"));
  OK(toolkeep_scrubber_remove(scrubber, word));
  FAILS(TOOLKEEP_NOT_FOUND, toolkeep_scrubber_remove(scrubber, word));
  OK(toolkeep_scrubber_scrub(scrubber, word, &out));
  CHECK(out == NULL);
  toolkeep_scrubber_free(scrubber);
}

static void a_stream_gives_what_the_whole_gives(void) {
  const char text[] = "\xc3\xa9 token=" GITHUB_TOKEN " and more";
  toolkeep_scrubber *scrubber = NULL;
  toolkeep_scrub_stream *stream = NULL;
  toolkeep_string *out = NULL, *whole = NULL;
  char pieces[sizeof text * 2] = "";
  size_t i;
  OK(toolkeep_scrubber_new(NO_TEXT, &scrubber));
  OK(toolkeep_scrubber_scrub(scrubber, toolkeep_cstr(text), &whole));
  OK(toolkeep_scrubber_stream(scrubber, &stream));
  toolkeep_scrubber_free(scrubber);
  for (i = 0; i + 1 < sizeof text; i++) {
    toolkeep_str piece = {(const uint8_t *)text + i, 1};
    OK(toolkeep_scrub_stream_push(stream, piece, &out));
    strcat(pieces, toolkeep_string_data(out));
    toolkeep_string_free(out);
  }
  OK(toolkeep_scrub_stream_finish(stream, &out));
  strcat(pieces, toolkeep_string_data(out));
  toolkeep_string_free(out);
  CHECK(strcmp(pieces, toolkeep_string_data(whole)) == 0);
  toolkeep_string_free(whole);
  FAILS(TOOLKEEP_CLOSED, toolkeep_scrub_stream_push(stream, NO_TEXT, &out));
  FAILS(TOOLKEEP_CLOSED, toolkeep_scrub_stream_finish(stream, &out));
  toolkeep_scrub_stream_free(stream);
}

static void wrong_scrubbers_are_refused(void) {
  toolkeep_scrubber *scrubber = NULL;
  toolkeep_string *out = NULL;
  FAILS(TOOLKEEP_INVALID_ARGUMENT,
        toolkeep_scrubber_new(TOOLKEEP_STR("{\"profil\": \"seed\"}"), &scrubber));
  FAILS(TOOLKEEP_INVALID_ARGUMENT,
        toolkeep_scrubber_new(TOOLKEEP_STR("{\"profile\": \"strict\"}"), &scrubber));
  FAILS(TOOLKEEP_INVALID_ARGUMENT,
        toolkeep_scrubber_new(TOOLKEEP_STR("{\"key\": \"short\"}"), &scrubber));
  FAILS(TOOLKEEP_INVALID_JSON, toolkeep_scrubber_new(TOOLKEEP_STR("{"), &scrubber));
  FAILS(TOOLKEEP_INVALID_ARGUMENT, toolkeep_scrubber_new(NO_TEXT, NULL));
  CHECK(scrubber == NULL);
  FAILS(TOOLKEEP_INVALID_HANDLE, toolkeep_scrubber_scrub(NULL, NO_TEXT, &out));
  FAILS(TOOLKEEP_INVALID_HANDLE, toolkeep_scrubber_findings(NULL, NO_TEXT, &out));
  FAILS(TOOLKEEP_INVALID_HANDLE, toolkeep_scrub_stream_push(NULL, NO_TEXT, &out));
  OK(toolkeep_scrubber_new(NO_TEXT, &scrubber));
  FAILS(TOOLKEEP_INVALID_ARGUMENT, toolkeep_scrubber_scrub(scrubber, NO_TEXT, NULL));
  FAILS(TOOLKEEP_INVALID_UTF8,
        toolkeep_scrubber_findings(scrubber, TOOLKEEP_STR("\xff"), &out));
  FAILS(TOOLKEEP_INVALID_ARGUMENT,
        toolkeep_scrubber_add(scrubber, TOOLKEEP_STR("tangerine-kangaroo"),
                              TOOLKEEP_STR("No Kind"), NULL));
  toolkeep_scrubber_free(scrubber);
  toolkeep_scrubber_free(NULL);
  toolkeep_scrub_stream_free(NULL);
}

#endif /* SCRUBBERS_H */
