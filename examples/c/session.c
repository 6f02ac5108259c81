/* Runs the calls of a session file on a workspace, and prints what was decided and what the model
 * sees: session WORKSPACE SESSION */
#include <stdio.h>
#include <stdlib.h>

#include "toolkeep.h"

/* Ends the program with the error's text, if there is an error. */
static void check(toolkeep_error *error) {
    if (error != NULL) {
        fprintf(stderr, "%s: %s\n", toolkeep_error_name(error), toolkeep_error_message(error));
        toolkeep_error_free(error);
        exit(1);
    }
}

/* A tool of the host: counts the words of a text. */
static void count_words(void *user_data, toolkeep_invocation *invocation) {
    toolkeep_string *text = NULL;
    const char *at;
    char answer[64];
    int words = 0;
    (void)user_data;
    check(toolkeep_json_get(toolkeep_invocation_args(invocation), TOOLKEEP_STR("/text"), &text));
    for (at = toolkeep_string_data(text); *at != '\0'; at++) {
        words += at[0] != ' ' && (at[1] == ' ' || at[1] == '\0');
    }
    snprintf(answer, sizeof answer, "\"%d words\"", words);
    toolkeep_string_free(text);
    toolkeep_invocation_resolve(invocation, toolkeep_cstr(answer));
}

/* Prints a text with a mark before each line. */
static void print_lines(const char *text) {
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        printf("  | %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_result(const char *tool, const char *args, toolkeep_string *result) {
    toolkeep_string *text = NULL, *code = NULL, *rule = NULL;
    toolkeep_str json = toolkeep_string_str(result);
    check(toolkeep_json_get(json, TOOLKEEP_STR("/for_llm"), &text));
    check(toolkeep_json_get(json, TOOLKEEP_STR("/code"), &code));
    check(toolkeep_json_get(json, TOOLKEEP_STR("/rule"), &rule));
    printf("call      %s %s\n", tool, args);
    if (strcmp(toolkeep_string_data(code), "null") == 0) {
        printf("decision  allowed\n");
    } else if (strcmp(toolkeep_string_data(rule), "null") == 0) {
        printf("decision  refused: %s\n", toolkeep_string_data(code));
    } else {
        printf("decision  refused: %s by %s\n", toolkeep_string_data(code), toolkeep_string_data(rule));
    }
    printf("the model sees\n");
    print_lines(toolkeep_string_data(text));
    printf("\n");
    toolkeep_string_free(text);
    toolkeep_string_free(code);
    toolkeep_string_free(rule);
}

int main(int argc, char **argv) {
    toolkeep_runtime *rt = NULL;
    char config[4096], line[65536];
    FILE *session;
    if (argc != 3 || (session = fopen(argv[2], "r")) == NULL) {
        fprintf(stderr, "usage: session WORKSPACE SESSION\n");
        return 2;
    }
    snprintf(config, sizeof config,
             "{\"workspace\": \"%s\", \"policy\": {\"deny\": [\"write_file\"]},"
             " \"rate_limit\": {\"calls\": 8}}",
             argv[1]);
    check(toolkeep_runtime_open(toolkeep_cstr(config), &rt));
    check(toolkeep_tool_register(
        rt,
        TOOLKEEP_STR("{\"name\": \"count_words\", \"description\": \"Counts the words of a text.\","
                     " \"parameters\": {\"type\": \"object\", \"required\": [\"text\"],"
                     " \"properties\": {\"text\": {\"type\": \"string\"}},"
                     " \"additionalProperties\": false}}"),
        count_words, NULL, NULL));
    while (fgets(line, sizeof line, session) != NULL) {
        char *args;
        toolkeep_string *result = NULL;
        line[strcspn(line, "\n")] = '\0';
        args = strchr(line, ' ');
        if (line[0] == '#' || args == NULL) {
            continue;
        }
        *args++ = '\0';
        check(toolkeep_call(rt, TOOLKEEP_STR("{\"agent\": \"demo\", \"session\": \"demo-1\"}"),
                            toolkeep_cstr(line), toolkeep_cstr(args), &result));
        print_result(line, args, result);
        toolkeep_string_free(result);
    }
    fclose(session);
    check(toolkeep_runtime_close(rt));
    toolkeep_runtime_free(rt);
    return 0;
}
