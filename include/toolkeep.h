/*
 * The C ABI of toolkeep: the governed tool layer for LLM agents, as an embedded library.
 *
 * An agent program passes every tool call of its model to a toolkeep_runtime. Toolkeep decides
 * whether the call may run, runs it confined, masks secrets in the result, and returns the text for
 * the model.
 *
 * Conventions
 *  - Text is UTF-8. Arguments are toolkeep_str, which is borrowed for the call. Results are
 *    toolkeep_string, which the host frees. Structured data is JSON text.
 *  - A function that can fail returns a toolkeep_error, which the host frees, or NULL. An out
 *    parameter is set on success only.
 *  - Handles are opaque, and each has one function that releases it. NULL and handles of another
 *    kind are refused with TOOLKEEP_INVALID_HANDLE. Do not use a handle after releasing it.
 *  - A callback comes with user_data, which any thread must be able to use, and destroy, which is
 *    called exactly once. Callbacks run on threads of toolkeep's that may block. Within a callback,
 *    the functions that wait (open, close, call, call_all, definitions, explain, invoke) fail with
 *    TOOLKEEP_WOULD_BLOCK: use those that end in _async.
 *  - Every function may be called from any thread unless its type says otherwise.
 *  - No panic crosses the ABI. A panic in toolkeep is reported as TOOLKEEP_PANIC.
 *
 * This file is generated from the crate in ffi/; do not edit it.
 */

#ifndef TOOLKEEP_H
#define TOOLKEEP_H


#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Marks the functions of the library; define it before including to set a visibility. */
#ifndef TOOLKEEP_API
#define TOOLKEEP_API
#endif


/**
 * No error.
 */
#define TOOLKEEP_OK 0

/**
 * No such file, artifact, agent or other named thing.
 */
#define TOOLKEEP_NOT_FOUND 1

/**
 * No tool of that name is registered and enabled.
 */
#define TOOLKEEP_UNKNOWN_TOOL 2

/**
 * The arguments are missing or do not fit the tool's schema.
 */
#define TOOLKEEP_INVALID_ARGUMENTS 3

/**
 * A policy layer hides the tool from this caller.
 */
#define TOOLKEEP_DENIED_BY_POLICY 4

/**
 * The path is outside the workspace or otherwise closed to the caller.
 */
#define TOOLKEEP_ACCESS_DENIED 5

/**
 * The session used up its calls for now; `retry_after_ms` says when to come back.
 */
#define TOOLKEEP_RATE_LIMITED 6

/**
 * The tool did not finish before its deadline.
 */
#define TOOLKEEP_TIMEOUT 7

/**
 * The caller cancelled the call, or dropped it.
 */
#define TOOLKEEP_CANCELLED 8

/**
 * The tool ran and reported a failure.
 */
#define TOOLKEEP_TOOL_FAILED 9

/**
 * The tool panicked; the panic was contained.
 */
#define TOOLKEEP_TOOL_PANICKED 10

/**
 * The tool returned something that is not a tool result.
 */
#define TOOLKEEP_INVALID_RESULT 11

/**
 * The thing to be changed is not in the expected state.
 */
#define TOOLKEEP_CONFLICT 12

/**
 * The tool exists but cannot work with the runtime's configuration (for example, without a
 * workspace).
 */
#define TOOLKEEP_UNAVAILABLE 13

/**
 * The tool's own rule for this call refused it.
 */
#define TOOLKEEP_DENIED_BY_TOOL 14

/**
 * Somebody has to approve the call; it waits under the id in the result. The same call again uses
 * the decision.
 */
#define TOOLKEEP_APPROVAL_PENDING 15

/**
 * The call was not approved: somebody said no, or nobody said anything in time.
 */
#define TOOLKEEP_APPROVAL_DENIED 16

/**
 * The run has used up its calls.
 */
#define TOOLKEEP_BUDGET_EXHAUSTED 17

/**
 * The run repeats the same calls without anything new.
 */
#define TOOLKEEP_LOOP_DETECTED 18

/**
 * The arguments have a placeholder where its secret may not be put in.
 */
#define TOOLKEEP_SECRET_UNBOUND 19

/**
 * The shell command would do something that is denied.
 */
#define TOOLKEEP_COMMAND_DENIED 20

/**
 * The configuration is wrong; the message names the key.
 */
#define TOOLKEEP_INVALID_CONFIG 40

/**
 * The runtime is closed.
 */
#define TOOLKEEP_CLOSED 41

/**
 * A handle is NULL, freed, or of another kind.
 */
#define TOOLKEEP_INVALID_HANDLE 42

/**
 * Text is not valid UTF-8.
 */
#define TOOLKEEP_INVALID_UTF8 43

/**
 * Text is not valid JSON, or is nested too deeply.
 */
#define TOOLKEEP_INVALID_JSON 44

/**
 * An argument of the host's own call is wrong; the message names it.
 */
#define TOOLKEEP_INVALID_ARGUMENT 45

/**
 * There is no operation of that name.
 */
#define TOOLKEEP_UNKNOWN_OPERATION 46

/**
 * A name is taken, or one name would mean two things.
 */
#define TOOLKEEP_NAME_TAKEN 47

/**
 * An input is larger than its limit.
 */
#define TOOLKEEP_TOO_LARGE 48

/**
 * A blocking call was made on a thread that must not block.
 */
#define TOOLKEEP_WOULD_BLOCK 49

/**
 * The runtime was made in another process; it does not survive `fork`.
 */
#define TOOLKEEP_FORKED 50

/**
 * A secret was to be stored or read, and no key is configured. Secrets are never kept in clear
 * text.
 */
#define TOOLKEEP_NO_KEY 51

/**
 * A stored secret cannot be opened: it was altered, moved, or sealed under a key that is not
 * configured.
 */
#define TOOLKEEP_SECRET_UNREADABLE 52

/**
 * The store does not answer or failed in an unexpected way.
 */
#define TOOLKEEP_STORE_UNAVAILABLE 60

/**
 * The store's file is damaged or is no toolkeep store.
 */
#define TOOLKEEP_STORE_CORRUPT 61

/**
 * The store can be read but not written.
 */
#define TOOLKEEP_STORE_READ_ONLY 62

/**
 * Another process holds the store for longer than the wait allowed.
 */
#define TOOLKEEP_STORE_LOCKED 63

/**
 * The store was written by a newer toolkeep.
 */
#define TOOLKEEP_STORE_NEWER 64

/**
 * The store's place cannot be used: a missing folder, a wrong URL, a login that is refused.
 */
#define TOOLKEEP_STORE_PATH 65

/**
 * The disk under the store is full.
 */
#define TOOLKEEP_STORE_FULL 66

/**
 * The store took longer than the wait allowed.
 */
#define TOOLKEEP_STORE_TIMEOUT 67

/**
 * A fault of toolkeep's own.
 */
#define TOOLKEEP_INTERNAL 90

/**
 * Toolkeep panicked. The panic did not cross into the host's language.
 */
#define TOOLKEEP_PANIC 100

/**
 * The version of the ABI that this header describes. It grows with every change that can break a
 * program compiled against an older header.
 */
#define TOOLKEEP_ABI_VERSION 1

/**
 * An error, owned by the host. Release it with toolkeep_error_free().
 *
 * Every function that can fail returns one of these; NULL means success. Any thread may read it;
 * it never changes.
 */
typedef struct toolkeep_error toolkeep_error;

/**
 * One call of a tool of the host's, or one question to its `approve` function. The host owns it
 * and ends it exactly once, with toolkeep_invocation_resolve(), toolkeep_invocation_reject() or
 * toolkeep_invocation_free(): from any thread, at any time, even after the runtime was freed.
 *
 * All of them consume it. Before the callback returns, a second answer is ignored. Afterwards,
 * using the pointer is undefined behaviour. An answer is ignored if the call was cancelled or has
 * timed out. Any thread may use an invocation, but only one at a time while it is being ended.
 */
typedef struct toolkeep_invocation toolkeep_invocation;

/**
 * Work that was started and will call a toolkeep_done_fn. Any number of threads may use one at
 * once.
 */
typedef struct toolkeep_operation toolkeep_operation;

/**
 * The governed tool layer of one agent program. Any number of threads may use one at once.
 * toolkeep_runtime_free() must be the last use. Runtimes in one process are independent of each
 * other.
 *
 * It has two threads of its own, and makes more for callbacks of the host's, which may block. It
 * does not survive `fork()`: the child gets `TOOLKEEP_FORKED` and opens its own.
 */
typedef struct toolkeep_runtime toolkeep_runtime;

/**
 * Masks a text that arrives piece by piece. Only one thread at a time may use it.
 */
typedef struct toolkeep_scrub_stream toolkeep_scrub_stream;

/**
 * Masks secrets in text. Any number of threads may use one at once.
 */
typedef struct toolkeep_scrubber toolkeep_scrubber;

/**
 * Text that toolkeep made and the host owns. Release it with toolkeep_string_free().
 *
 * Any thread may read it; it never changes.
 */
typedef struct toolkeep_string toolkeep_string;

/**
 * A subscription to events. Any thread may free it.
 */
typedef struct toolkeep_subscription toolkeep_subscription;

/**
 * A piece of UTF-8 text, borrowed from its owner.
 *
 * A function borrows it for the length of the call; toolkeep copies the text that it keeps. `ptr`
 * may be NULL if `len` is 0. Make one with `TOOLKEEP_STR("literal")` or `toolkeep_cstr(text)`.
 */
typedef struct {
  /**
   * The first byte. No NUL is needed at the end.
   */
  const uint8_t *ptr;
  /**
   * The number of bytes.
   */
  size_t len;
} toolkeep_str;

/**
 * Receives the outcome of an operation. Either `result` or `error` is NULL; the host owns the
 * other and frees it.
 *
 * It is called exactly once, unless the function that started the operation returned an error. It
 * runs on a thread of toolkeep's that may block, possibly before the starting function returns.
 */
typedef void (*toolkeep_done_fn)(void *user_data, toolkeep_string *result, toolkeep_error *error);

/**
 * Releases a `user_data`. May be NULL.
 *
 * It is called exactly once, when toolkeep will not use the data again. That holds even if the
 * function that took it returns an error. It may run on any thread, and must not call toolkeep's
 * blocking functions.
 */
typedef void (*toolkeep_destroy_fn)(void *user_data);

/**
 * The function of a tool. From now on the host owns `invocation`. It ends it exactly once, with
 * toolkeep_invocation_resolve() or toolkeep_invocation_reject(): within this function or after it
 * has returned, from any thread.
 *
 * It runs on a thread of toolkeep's that may block. Several calls run it several times at once. It
 * must not call toolkeep's blocking functions; those that end in _async are fine. A C++ exception
 * must not leave it.
 */
typedef void (*toolkeep_tool_fn)(void *user_data, toolkeep_invocation *invocation);

/**
 * Tells the host that nobody waits for its answer any more. It runs at most once, on a thread of
 * toolkeep's that may block. It must not use the invocation, since it may race with an answer.
 */
typedef void (*toolkeep_cancelled_fn)(void *user_data);

/**
 * Returns the key that seals secrets: 64 hexadecimal digits, or 44 characters of standard base64.
 * The text must stay valid until the function that asked for it returns; toolkeep copies it and
 * wipes its copy. An empty text (`len` is 0) means that there is no key; then the runtime is not
 * opened.
 *
 * It runs once, on the thread that opens the runtime. A C++ exception must not leave it.
 */
typedef toolkeep_str (*toolkeep_key_fn)(void *user_data);

/**
 * Receives an event, a JSON object with `seq`, `tenant`, `at_ms`, `kind`, `subject` and `data`.
 * The text is valid during the call only. Events come one at a time, in order, on a thread of
 * toolkeep's that may block.
 */
typedef void (*toolkeep_event_fn)(void *user_data, toolkeep_str event_json);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Calls a tool and waits for the result.
 *
 * `context_json` describes the caller: an object with any of `tenant`, `agent`, `user`, `session`,
 * `parent` (an object like this one), `tools`, `timeout_ms`, …; empty means the default tenant and
 * nothing else. `args_json` is the JSON object of arguments as the model wrote it. Invalid JSON is
 * the model's mistake, and the result says so. On success `*result` is the result as JSON, owned
 * by the host: release it with toolkeep_string_free(). It has the keys `for_llm`, `for_user`,
 * `is_error`, `code`, `rule`, `retry_after_ms`, `silent`, `is_async`, `media`, `structured`,
 * `artifact`, `repairs`, `approval`, `cached`, `call_id`, `duration_us`, and others. A mistake of
 * the model is a result with `is_error`, not an error.
 *
 * Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`. Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_call(const toolkeep_runtime *runtime,
                              toolkeep_str context_json,
                              toolkeep_str name,
                              toolkeep_str args_json,
                              toolkeep_string **result);

/**
 * Starts calling a tool; `done` gets the result, as toolkeep_call() describes it.
 *
 * `done` may not be NULL and gets `user_data`. `destroy`, which may be NULL, releases it after
 * that, or before this function returns an error. If `operation` is not NULL, `*operation` is set
 * to a handle that the host owns: release it with toolkeep_operation_free(). It is set before
 * `done` can run. Callbacks may call this function.
 *
 * Returns NULL, or an error that the host owns; then `done` is never called.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_call_async(const toolkeep_runtime *runtime,
                                    toolkeep_str context_json,
                                    toolkeep_str name,
                                    toolkeep_str args_json,
                                    toolkeep_done_fn done,
                                    void *user_data,
                                    toolkeep_destroy_fn destroy,
                                    toolkeep_operation **operation);

/**
 * Makes the calls of one model turn and waits for all of them. Independent calls run side by side,
 * the rest in order.
 *
 * `requests_json` is an array of `{"id", "name", "arguments"}`, where `arguments` is an object, or
 * its JSON text in a string. On success `*answers` is an array of `{"id", "result"}` in the same
 * order, owned by the host: release it with toolkeep_string_free(). Every request is answered.
 *
 * Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`. Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_call_all(const toolkeep_runtime *runtime,
                                  toolkeep_str context_json,
                                  toolkeep_str requests_json,
                                  toolkeep_string **answers);

/**
 * Returns the definitions of the tools that this caller may call, for a model request.
 *
 * `dialect` is `openai`, `openai-responses`, `anthropic`, `gemini`, `mcp` or `json-schema`; or an
 * object, `{"dialect": "openai", "strict": true}`, for the strict form, which the provider makes
 * its model follow exactly. On success `*definitions` is a JSON array, the same bytes every time,
 * owned by the host: release it with toolkeep_string_free().
 *
 * Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`. Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_definitions(const toolkeep_runtime *runtime,
                                     toolkeep_str context_json,
                                     toolkeep_str dialect,
                                     toolkeep_string **definitions);

/**
 * Returns the definitions as toolkeep_definitions() does, and the tools that are left out of them.
 *
 * On success `*report` is a JSON object, owned by the host: `dialect`, `strict`, `tools` (the
 * definitions), `quarantined` (`[{"tool", "dialect", "reason", "path"}]`: tools whose schemas the
 * provider does not accept) and `deferred` (the names of those that `tool_search` finds). Release
 * it with toolkeep_string_free().
 *
 * Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`. Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_definitions_report(const toolkeep_runtime *runtime,
                                            toolkeep_str context_json,
                                            toolkeep_str dialect,
                                            toolkeep_string **report);

/**
 * Says whether this caller may call a tool, and which rule decides, without running anything.
 *
 * On success `*explanation` is a JSON object with `tool`, `allowed`, `code`, `rule`, `steps`, …,
 * owned by the host: release it with toolkeep_string_free().
 *
 * Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`. Returns NULL, or an error that the host owns:
 * `TOOLKEEP_NOT_FOUND` for an unknown tool.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_explain(const toolkeep_runtime *runtime,
                                 toolkeep_str context_json,
                                 toolkeep_str name,
                                 toolkeep_string **explanation);

/**
 * Says what a shell command does, and whether it may run. Runs nothing. Any thread may call it,
 * callbacks too.
 *
 * `options_json` is an object; empty means the defaults. It takes the keys of `shell` in the
 * configuration (`profile`: `strict`, the default, or `workspace`; `groups`, `deny`, `allow`, …)
 * and `env`, which describes where the command would run (`cwd`, `home`, `workspace`,
 * `read_roots`, `deny_paths`, `links`, …); by default in the virtual folder `/workspace`. To judge
 * a command in the folders of a caller, invoke the operation `shell.check` of a runtime.
 *
 * On success `*out` is a JSON object, owned by the host: release it with toolkeep_string_free(). It
 * has the keys `verdict` (`allow`, `ask` or `deny`), `categories`, `reasons`, `effects`, `segments`,
 * `unknowns`, `for_llm`, `for_user`, `suggestion`, and others. Returns NULL, or an error that the
 * host owns: TOOLKEEP_INVALID_ARGUMENT names the option.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_check_command(toolkeep_str command,
                                       toolkeep_str options_json,
                                       toolkeep_string **out);

/**
 * The stable number of an error: one of the `TOOLKEEP_…` codes. `TOOLKEEP_OK` for NULL.
 */
TOOLKEEP_API uint32_t toolkeep_error_code(const toolkeep_error *error);

/**
 * The stable name of an error, the same as in other languages: `"not_found"`.
 *
 * Borrowed from the error: valid until it is freed. Empty, never NULL, for NULL or a wrong handle.
 */
TOOLKEEP_API const char *toolkeep_error_name(const toolkeep_error *error);

/**
 * What is wrong and what to do about it, for a person.
 *
 * Borrowed from the error: valid until it is freed. Empty, never NULL, for NULL or a wrong handle.
 */
TOOLKEEP_API const char *toolkeep_error_message(const toolkeep_error *error);

/**
 * Releases an error. NULL is fine.
 */
TOOLKEEP_API void toolkeep_error_free(toolkeep_error *error);

/**
 * Sets the handler of that name: host code that toolkeep asks. It takes the place of the function that
 * was set before. NULL takes it away.
 *
 * toolkeep calls `handler` as it calls a tool's function: with an invocation. The invocation's arguments
 * are the request. The host resolves the invocation with the answer, at once or later, from any thread.
 * toolkeep_invocation_is_cancelled() and toolkeep_invocation_on_cancel() tell when nobody waits for the
 * answer any more.
 *
 * `approve` decides a call that wants approval. Its request has `id`, `tool`, `description`, `arguments`
 * (with every secret in them), `reasons`, `plan`, `proposals` (what may be kept as a rule, so that it is
 * not asked again), `agent`, `user`, `session`, `expires_at_ms`. Its answer is `true`, `false`, an object
 * (`allow`; optional are `by`, `reason`, `edited` arguments, and `always`, the number of a proposal), or
 * `null` to leave the decision to others. The first decision counts, wherever it comes from. Any other
 * answer, a rejection, or none denies the call: the approval's `reason` says why, and the model does not
 * see it.
 *
 * `handler` gets `user_data`, which any thread must be able to use. `destroy`, which may be NULL, releases
 * it: once another function was set, or the runtime was closed or freed, and the last `handler` has
 * returned; or before this function returns an error. For callbacks, too.
 *
 * Returns NULL, or an error that the host owns: `TOOLKEEP_INVALID_ARGUMENT` for a name that no handler
 * has.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_runtime_set_handler(const toolkeep_runtime *runtime,
                                             toolkeep_str name,
                                             toolkeep_tool_fn handler,
                                             void *user_data,
                                             toolkeep_destroy_fn destroy);

/**
 * The arguments of the call: a JSON object that fits the tool's schema. For `approve`: the
 * request. A NUL follows.
 *
 * Borrowed from the invocation: valid until it is ended. Empty for NULL or a wrong handle.
 */
TOOLKEEP_API toolkeep_str toolkeep_invocation_args(const toolkeep_invocation *invocation);

/**
 * The context of the call (the caller) as a JSON object. A NUL follows.
 *
 * Borrowed from the invocation: valid until it is ended. Empty for NULL or a wrong handle.
 */
TOOLKEEP_API toolkeep_str toolkeep_invocation_context(const toolkeep_invocation *invocation);

/**
 * For tools with a `shell_command`: how to run the command of the call, as a JSON object. It has
 * `run` (`as` `direct` with `program`, `arguments` and `environment`; `canonical` with `script`;
 * or `verbatim` with `text`), `cwd`, and `confinement`: what the command may do. Run it so, and it
 * runs exactly as it was judged and approved. A NUL follows.
 *
 * Borrowed from the invocation: valid until it is ended. Empty in a call without a command, if the
 * vault has put a secret into the command, and for NULL or a wrong handle.
 */
TOOLKEEP_API toolkeep_str toolkeep_invocation_plan(const toolkeep_invocation *invocation);

/**
 * True once nobody waits for the answer any more: the call was cancelled or timed out, or the
 * runtime closed. True for NULL or a wrong handle.
 */
TOOLKEEP_API bool toolkeep_invocation_is_cancelled(const toolkeep_invocation *invocation);

/**
 * Calls `cancelled` when nobody waits for the answer any more; at once if that is so already.
 *
 * `cancelled` may not be NULL and gets `user_data`. `destroy`, which may be NULL, releases it
 * after that, or when the invocation is ended, or before this function returns an error.
 *
 * Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_invocation_on_cancel(const toolkeep_invocation *invocation,
                                              toolkeep_cancelled_fn cancelled,
                                              void *user_data,
                                              toolkeep_destroy_fn destroy);

/**
 * Ends a call with the tool's result, and consumes the invocation.
 *
 * `json` is borrowed. A string is the text for the model, `null` or an empty text an empty result,
 * an object with the key `for_llm` a whole result, and any other JSON is data. Text that is not
 * JSON, or an object that is not a whole result, ends the call with the code `invalid_result`.
 *
 * True if the call got the answer. False if it was ignored, because the call had ended or the
 * handle is not valid.
 */
TOOLKEEP_API bool toolkeep_invocation_resolve(toolkeep_invocation *invocation, toolkeep_str json);

/**
 * Ends a call with a failure, and consumes the invocation.
 *
 * `code` is one of the codes below 40; any other means `TOOLKEEP_TOOL_FAILED`. `message` is
 * borrowed. It is the text for the model: what failed, why, and what to try next.
 *
 * True if the call got the answer. False if it was ignored, because the call had ended or the
 * handle is not valid.
 */
TOOLKEEP_API
bool toolkeep_invocation_reject(toolkeep_invocation *invocation,
                                uint32_t code,
                                toolkeep_str message);

/**
 * Releases an invocation without an answer: the call ends with the code `tool_failed`. NULL is
 * fine. Do not call it after toolkeep_invocation_resolve() or toolkeep_invocation_reject(), which
 * consume the invocation.
 */
TOOLKEEP_API void toolkeep_invocation_free(toolkeep_invocation *invocation);

/**
 * Runs an operation of the control plane, such as `agents.put`, and waits for the result. The
 * reference lists them all.
 *
 * `args_json` is a JSON object; empty means no arguments. On success `*result` is JSON, owned by
 * the host: release it with toolkeep_string_free().
 *
 * Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`. Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_invoke(const toolkeep_runtime *runtime,
                                toolkeep_str operation_name,
                                toolkeep_str args_json,
                                toolkeep_string **result);

/**
 * Starts an operation of the control plane; `done` gets the result, as toolkeep_invoke()
 * describes it.
 *
 * `done`, `user_data`, `destroy` and `operation` are as in toolkeep_call_async(); the host owns a
 * handle in `*operation`. A cancellation does not undo finished work. Callbacks may call this
 * function.
 *
 * Returns NULL, or an error that the host owns; then `done` is never called.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_invoke_async(const toolkeep_runtime *runtime,
                                      toolkeep_str operation_name,
                                      toolkeep_str args_json,
                                      toolkeep_done_fn done,
                                      void *user_data,
                                      toolkeep_destroy_fn destroy,
                                      toolkeep_operation **operation);

/**
 * Returns one value of a JSON text: of a result, or of the arguments of a tool. `pointer` is a
 * JSON Pointer (RFC 6901) such as `/for_llm` or `/media/0/path`; an empty one means the whole. Any
 * thread may call it, callbacks too.
 *
 * On success `*out` is the text of a string, or any other value as compact JSON (`null`, `true`,
 * `12`, `{"a":1}`), owned by the host: release it with toolkeep_string_free(). Returns NULL, or an
 * error that the host owns: TOOLKEEP_NOT_FOUND if there is nothing at that place,
 * TOOLKEEP_INVALID_JSON.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_json_get(toolkeep_str json,
                                  toolkeep_str pointer,
                                  toolkeep_string **out);

/**
 * Cancels an operation: its `done` gets `TOOLKEEP_CANCELLED`, unless it has ended already. The
 * handle must still be freed. Returns NULL, or `TOOLKEEP_INVALID_HANDLE`, which the host owns.
 */
TOOLKEEP_API toolkeep_error *toolkeep_operation_cancel(const toolkeep_operation *operation);

/**
 * Releases an operation's handle, at any time. That does not cancel the operation: its `done` is
 * still called. NULL is fine.
 */
TOOLKEEP_API void toolkeep_operation_free(toolkeep_operation *operation);

/**
 * Opens a runtime.
 *
 * `config_json` is the configuration, a JSON object; empty means all defaults. On success `*out`
 * is a runtime that the host owns: release it with toolkeep_runtime_free(). Fails in callbacks
 * with `TOOLKEEP_WOULD_BLOCK`.
 *
 * Returns NULL, or an error that the host owns: `TOOLKEEP_INVALID_CONFIG` naming the key, or the
 * store's.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_runtime_open(toolkeep_str config_json,
                                      toolkeep_runtime **out);

/**
 * Opens a runtime as toolkeep_runtime_open() does, with a key from the host, such as one from a
 * keychain. `key` may not be NULL and gets `user_data`. It replaces the setting `secrets.key`;
 * giving both is an error.
 *
 * Returns NULL, or an error that the host owns: as toolkeep_runtime_open(), and
 * `TOOLKEEP_INVALID_CONFIG` if `key` returned no key or an invalid one. The error never contains
 * the key.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_runtime_open_with_key(toolkeep_str config_json,
                                               toolkeep_key_fn key,
                                               void *user_data,
                                               toolkeep_runtime **out);

/**
 * Opens the runtime that a `.toml` or `.json` file describes. Relative paths in it start at its
 * folder; without a `store` the state is kept in `toolkeep.db` beside it.
 *
 * On success `*out` is a runtime that the host owns: release it with toolkeep_runtime_free().
 * Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`.
 *
 * Returns NULL, or an error that the host owns: `TOOLKEEP_INVALID_CONFIG` naming the file and the
 * key, or the store's.
 */
TOOLKEEP_API toolkeep_error *toolkeep_runtime_open_file(toolkeep_str path, toolkeep_runtime **out);

/**
 * Opens a runtime as toolkeep_runtime_open_file() does, with a key from the host, as
 * toolkeep_runtime_open_with_key() does.
 *
 * Returns NULL, or an error that the host owns, like these two.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_runtime_open_file_with_key(toolkeep_str path,
                                                    toolkeep_key_fn key,
                                                    void *user_data,
                                                    toolkeep_runtime **out);

/**
 * Closes a runtime: running calls fail with `TOOLKEEP_CLOSED`, queued rows are written, and the
 * store is closed. Closing again does nothing. The handle stays valid, and must still be freed.
 * Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`.
 *
 * Returns NULL, or an error that the host owns: the store's, if the last records could not be
 * written.
 */
TOOLKEEP_API toolkeep_error *toolkeep_runtime_close(toolkeep_runtime *runtime);

/**
 * Releases a runtime, and closes it first if it is still open. NULL is fine.
 *
 * It waits up to a second for the records to be written and for callbacks to return. A callback
 * that takes longer goes on, and its answer is ignored. Operations, subscriptions and invocations
 * stay valid and must be freed separately. No other thread may be using the runtime. In a callback
 * it does not wait: another thread does that.
 */
TOOLKEEP_API void toolkeep_runtime_free(toolkeep_runtime *runtime);

/**
 * Masks the secrets in a text with the profile `precise`. Any thread may call it, callbacks too.
 * For other profiles, values of your own, findings and streams see toolkeep_scrubber_new().
 *
 * On success `*out` is the masked text, owned by the host: release it with
 * toolkeep_string_free(). Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API toolkeep_error *toolkeep_scrub(toolkeep_str text, toolkeep_string **out);

/**
 * Makes a scrubber. `options_json` is an object; empty means the defaults. `profile`: `precise`
 * (the default), `seed` or `paranoid`. `values`: a list of texts that are always masked, in many
 * encodings, each a string or an object with `value` and `kind`. `key`: the key of the tags, 64
 * hexadecimal digits; by default a new random one.
 *
 * On success `*out` is a handle that the host owns: release it with toolkeep_scrubber_free().
 * Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_scrubber_new(toolkeep_str options_json,
                                      toolkeep_scrubber **out);

/**
 * Masks the secrets in a text. Bytes that are not UTF-8 pass unchanged.
 *
 * On success `*out` is the masked text, owned by the host: release it with toolkeep_string_free().
 * It is NULL if there was nothing to mask: then use the text itself, which was not copied. Returns
 * NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_scrubber_scrub(const toolkeep_scrubber *scrubber,
                                        toolkeep_str text,
                                        toolkeep_string **out);

/**
 * The secrets found in a text, as a JSON array of objects with `kind`, `start` and `end` (in
 * bytes), `confidence` (`low`, `medium`, `high`), `verified` (a checksum in it is right),
 * `encoding` (the form of a registered value, else null) and `tag` (null if the placeholder has
 * none). It never contains a secret itself.
 *
 * On success `*out` is owned by the host: release it with toolkeep_string_free(). Returns NULL,
 * or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_scrubber_findings(const toolkeep_scrubber *scrubber,
                                           toolkeep_str text,
                                           toolkeep_string **out);

/**
 * Registers a value: from now on it is always masked, in many encodings. `kind` is its kind in
 * placeholders (lower-case letters, digits and hyphens, at most 40); empty means `secret`.
 *
 * `warning` may be NULL. Otherwise `*warning` is NULL if the value is masked in all encodings, or
 * a code, such as `value_too_short`, that the host owns: release it with toolkeep_string_free().
 * Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_scrubber_add(const toolkeep_scrubber *scrubber,
                                      toolkeep_str value,
                                      toolkeep_str kind,
                                      toolkeep_string **warning);

/**
 * Forgets a registered value. Returns NULL, or an error that the host owns: `TOOLKEEP_NOT_FOUND`
 * if it is not registered.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_scrubber_remove(const toolkeep_scrubber *scrubber,
                                         toolkeep_str value);

/**
 * Releases a scrubber. NULL is fine. Its streams stay valid.
 */
TOOLKEEP_API void toolkeep_scrubber_free(toolkeep_scrubber *scrubber);

/**
 * Begins to mask a text that arrives in pieces. The output pieces together are the same text as
 * toolkeep_scrubber_scrub() of the whole, wherever it is cut. At most 8 KiB are held back.
 *
 * On success `*out` is a handle that the host owns: release it with
 * toolkeep_scrub_stream_free(). Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_scrubber_stream(const toolkeep_scrubber *scrubber,
                                         toolkeep_scrub_stream **out);

/**
 * Takes the next piece of a text, and returns the part that is certain by now, which may be empty.
 * A piece may end anywhere, even in the middle of a character.
 *
 * On success `*out` is owned by the host: release it with toolkeep_string_free(). Returns NULL,
 * or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_scrub_stream_push(const toolkeep_scrub_stream *stream,
                                           toolkeep_str piece,
                                           toolkeep_string **out);

/**
 * Ends a text, and returns the rest of it. The stream accepts no more pieces.
 *
 * On success `*out` is owned by the host: release it with toolkeep_string_free(). Returns NULL,
 * or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_scrub_stream_finish(const toolkeep_scrub_stream *stream,
                                             toolkeep_string **out);

/**
 * Releases a stream, finished or not. NULL is fine.
 */
TOOLKEEP_API void toolkeep_scrub_stream_free(toolkeep_scrub_stream *stream);

/**
 * Makes a new random key for the host to keep, as 64 hexadecimal digits. Losing it means losing
 * the secrets that are sealed under it. Any thread may call it, callbacks too.
 *
 * On success `*out` is the key's text, owned by the host: release it with toolkeep_string_free().
 * Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API toolkeep_error *toolkeep_generate_key(toolkeep_string **out);

/**
 * The bytes of a string, followed by a NUL, so that it can be printed with `%s`. Scrubbed text may
 * contain a NUL itself; then only toolkeep_string_len() gives its length.
 *
 * Borrowed from the string: valid until it is freed. NULL for NULL or a wrong handle.
 */
TOOLKEEP_API const char *toolkeep_string_data(const toolkeep_string *string);

/**
 * The length of a string in bytes, without the NUL. 0 for NULL or a wrong handle.
 */
TOOLKEEP_API size_t toolkeep_string_len(const toolkeep_string *string);

/**
 * A string as a `toolkeep_str`, to pass it on. Borrowed from the string: valid until it is freed.
 * Empty for NULL or a wrong handle.
 */
TOOLKEEP_API toolkeep_str toolkeep_string_str(const toolkeep_string *string);

/**
 * Releases a string. NULL is fine.
 */
TOOLKEEP_API void toolkeep_string_free(toolkeep_string *string);

/**
 * Calls `callback` for every event of a tenant, until the subscription is freed or the runtime
 * closes.
 *
 * `options_json` is an object; empty means the defaults. `tenant` (default: `"default"`), `after`,
 * the `seq` of the last event already known (default: 0, from the beginning; the operation
 * `events.last` gives the newest), `subject` (only events about this), `kinds` (a list: only
 * events whose kind begins with one of these, such as `"call."`).
 *
 * Events are delivered at least once to a host that saves toolkeep_subscription_cursor(): if the
 * process ends before a callback has returned, its event comes again. If the store does not
 * answer, it is asked again and again. The subscription ends if `after` is greater than the newest
 * event of the store, since then it is another store.
 *
 * `callback` may not be NULL and gets `user_data`. `destroy`, which may be NULL, releases it when
 * the subscription ends, or before this function returns an error. On success `*out` is a handle
 * that the host owns: release it with toolkeep_subscription_free(). Callbacks may call this
 * function.
 *
 * Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_events_subscribe(const toolkeep_runtime *runtime,
                                          toolkeep_str options_json,
                                          toolkeep_event_fn callback,
                                          void *user_data,
                                          toolkeep_destroy_fn destroy,
                                          toolkeep_subscription **out);

/**
 * The `seq` of the last event that the subscription is done with: the callback has returned for
 * it, or the options leave it out. Give it as `after` to go on from here. Any thread may ask.
 * Within the callback it is the event before the current one.
 *
 * `*out` gets the number. Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_subscription_cursor(const toolkeep_subscription *subscription,
                                             int64_t *out);

/**
 * How many events of the tenant were pruned before the subscription reached them, including those
 * that the options leave out. A callback that is too slow misses the oldest events once the store
 * has pruned them (`retention` in the configuration). Any thread may ask, callbacks too.
 *
 * `*out` gets the number. Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_subscription_dropped(const toolkeep_subscription *subscription,
                                              uint64_t *out);

/**
 * Ends a subscription and releases its handle. NULL is fine.
 *
 * It waits until the callback is not running, and the callback is not called again. Within the
 * callback itself it does not wait, and that call is the last. It may be called after
 * toolkeep_runtime_free().
 */
TOOLKEEP_API void toolkeep_subscription_free(toolkeep_subscription *subscription);

/**
 * Registers a tool of the host's.
 *
 * `spec_json` is an object: `name`, `description` for the model, `parameters` (a JSON Schema), and
 * optionally `group`, `capabilities` (`["read-only"]`, …), `timeout_ms`, `touches` (`[{"argument",
 * "resource", "effect"}]`), `channels`, `argument_aliases`, `polling`, `needs_approval`, `taints`,
 * `action`, `original_name`, `shell_command` (the argument that is a shell command, which is then
 * judged first), `shell_cwd` and `shell_stdin`. `run` may not be NULL and gets `user_data`, which
 * any thread must be able to use. `destroy`, which may be NULL, releases it: after the tool is
 * unregistered or the runtime freed, once the last `run` has returned; or before this function
 * returns an error. Callbacks may call this function.
 *
 * Returns NULL, or an error that the host owns: `TOOLKEEP_NAME_TAKEN`, or
 * `TOOLKEEP_INVALID_ARGUMENT` for an unusable name or schema.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_tool_register(const toolkeep_runtime *runtime,
                                       toolkeep_str spec_json,
                                       toolkeep_tool_fn run,
                                       void *user_data,
                                       toolkeep_destroy_fn destroy);

/**
 * Registers a tool like toolkeep_tool_register(), but may replace another tool of the same name,
 * whose aliases it takes over, or an alias. Running calls of the old tool go on. Callbacks may
 * call this function.
 *
 * Returns NULL, or an error that the host owns.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_tool_replace(const toolkeep_runtime *runtime,
                                      toolkeep_str spec_json,
                                      toolkeep_tool_fn run,
                                      void *user_data,
                                      toolkeep_destroy_fn destroy);

/**
 * Removes a tool of any origin, with its aliases. Running calls go on. Callbacks may call this
 * function.
 *
 * Returns NULL, or an error that the host owns: `TOOLKEEP_NOT_FOUND` if there is no such tool.
 */
TOOLKEEP_API
toolkeep_error *toolkeep_tool_unregister(const toolkeep_runtime *runtime,
                                         toolkeep_str name);

/**
 * The ABI version of the loaded library. Compare it with `TOOLKEEP_ABI_VERSION` before anything
 * else. Any thread may ask.
 */
TOOLKEEP_API uint32_t toolkeep_abi_version(void);

/**
 * The version of the loaded library, such as `"0.1.0"`, ending in a NUL. It is static: do not free
 * it. Any thread may ask.
 */
TOOLKEEP_API const char *toolkeep_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

/** A toolkeep_str of a string literal. */
#ifdef __cplusplus
#define TOOLKEEP_STR(literal) \
  (toolkeep_str{reinterpret_cast<const uint8_t *>("" literal), sizeof(literal) - 1})
#else
#define TOOLKEEP_STR(literal) ((toolkeep_str){(const uint8_t *)("" literal), sizeof(literal) - 1})
#endif

/** A toolkeep_str of a text that ends in a NUL; NULL is the empty text. It borrows the text. */
static inline toolkeep_str toolkeep_cstr(const char *text) {
  toolkeep_str str;
  str.ptr = (const uint8_t *)text;
  str.len = text ? strlen(text) : 0;
  return str;
}

#endif /* TOOLKEEP_H */
