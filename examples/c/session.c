/* Prints which tools a model gets and why it lacks one, runs the calls of a session file on a
 * workspace, and prints what was decided and what the model sees: session WORKSPACE SESSION */
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

/* Prints what stands at a place in a JSON text. 0 if nothing does. */
static int print_at(toolkeep_string *json, const char *before, const char *place) {
    toolkeep_string *text = NULL;
    toolkeep_str all = toolkeep_string_str(json);
    toolkeep_error *error = toolkeep_json_get(all, toolkeep_cstr(place), &text);
    if (error != NULL) {
        toolkeep_error_free(error);
        return 0;
    }
    printf("%s%s", before, toolkeep_string_data(text));
    toolkeep_string_free(text);
    return 1;
}

static const char *word(toolkeep_string *json, const char *place) {
    toolkeep_string *allowed = NULL;
    int is;
    check(toolkeep_json_get(toolkeep_string_str(json), toolkeep_cstr(place), &allowed));
    is = strcmp(toolkeep_string_data(allowed), "true") == 0;
    toolkeep_string_free(allowed);
    return is ? "allowed" : "refused";
}

/* Which tools a model gets, and what each list of the policy did to one that it lacks. */
static void print_policy(toolkeep_runtime *rt, toolkeep_str context) {
    toolkeep_string *tools = NULL, *why = NULL;
    char place[64], before[64];
    int index = 0;
    check(toolkeep_definitions(rt, context, TOOLKEEP_STR("anthropic"), &tools));
    printf("tools    ");
    do {
        snprintf(place, sizeof place, "/%d/name", index++);
    } while (print_at(tools, " ", place));
    check(toolkeep_explain(rt, context, TOOLKEEP_STR("write_file"), &why));
    print_at(why, "\nexplain   ", "/tool");
    for (index = 0;; index++) {
        snprintf(place, sizeof place, "/steps/%d/source", index);
        if (!print_at(why, "\n  | ", place)) {
            break;
        }
        snprintf(before, sizeof before, "/steps/%d/before", index);
        snprintf(place, sizeof place, "/steps/%d/after", index);
        printf(": %s -> %s", word(why, before), word(why, place));
    }
    if (!print_at(why, "\n  | ", "/rule/text")) {
        printf("\n  | allowed");
    }
    printf("\n\n");
    toolkeep_string_free(tools);
    toolkeep_string_free(why);
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
             " \"rate_limit\": {\"calls\": 12}, \"secrets\": {\"key\": {\"env\": \"TOOLKEEP_KEY\"}}}",
             argv[1]);
    check(toolkeep_runtime_open(toolkeep_cstr(config), &rt));
    check(toolkeep_tool_register(
        rt,
        TOOLKEEP_STR("{\"name\": \"count_words\", \"description\": \"Counts the words of a text.\","
                     " \"parameters\": {\"type\": \"object\", \"required\": [\"text\"],"
                     " \"properties\": {\"text\": {\"type\": \"string\"}},"
                     " \"additionalProperties\": false}}"),
        count_words, NULL, NULL));
    print_policy(rt, TOOLKEEP_STR("{\"agent\": \"demo\"}"));
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
