/*
 * Toolkeep for C++17: a header over toolkeep.h whose classes own and release the handles of C.
 *
 * Text is UTF-8 and structured data is JSON text, as in C. Errors of the C functions are thrown as
 * toolkeep::Error. A mistake of a model is a result with "is_error", never an exception.
 */

#ifndef TOOLKEEP_HPP
#define TOOLKEEP_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "toolkeep.h"

namespace toolkeep {

namespace detail {

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T *handle) const noexcept {
    Free(handle);
  }
};

template <typename T, auto Free>
using Handle = std::unique_ptr<T, Deleter<Free>>;

inline toolkeep_str lend(std::string_view text) noexcept {
  return toolkeep_str{reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

inline std::string_view view(toolkeep_str text) noexcept {
  return std::string_view(reinterpret_cast<const char *>(text.ptr), text.len);
}

/** Copies a string and frees it. */
inline std::string take(toolkeep_string *string) {
  Handle<toolkeep_string, toolkeep_string_free> owned(string);
  return std::string(view(toolkeep_string_str(string)));
}

}  // namespace detail

/** An error of a call: a mistake of the host, a store that does not answer, a cancellation, a closed
 * runtime. */
class Error : public std::runtime_error {
 public:
  /** Takes an error over from C and frees it. */
  explicit Error(toolkeep_error *error) : Error(Owned(error)) {}

  /** The stable number: one of the TOOLKEEP_… codes. */
  uint32_t code() const noexcept { return code_; }

  /** The stable name, the same as in other languages: "not_found". */
  const std::string &name() const noexcept { return name_; }

 private:
  using Owned = detail::Handle<toolkeep_error, toolkeep_error_free>;

  explicit Error(const Owned &error)
      : std::runtime_error(toolkeep_error_message(error.get())),
        code_(toolkeep_error_code(error.get())),
        name_(toolkeep_error_name(error.get())) {}

  uint32_t code_;
  std::string name_;
};

/** Thrown by a tool to fail with a code of its own: one of those below 40. */
class ToolError : public std::runtime_error {
 public:
  ToolError(uint32_t code, const std::string &message)
      : std::runtime_error(message), code_(code) {}

  /** The stable number. */
  uint32_t code() const noexcept { return code_; }

 private:
  uint32_t code_;
};

namespace detail {

inline void check(toolkeep_error *error) {
  if (error != nullptr) {
    throw Error(error);
  }
}

/** Keeps a callable for C: `release` undoes `keep`. */
template <typename F>
void *keep(F &&callable) {
  return new std::decay_t<F>(std::forward<F>(callable));
}

template <typename F>
void release(void *kept) {
  delete static_cast<F *>(kept);
}

}  // namespace detail

/**
 * One call that a tool has to answer. Answer it once, from any thread. Dropping it without an
 * answer ends the call with the code tool_failed.
 */
class Invocation {
 public:
  /** Takes an invocation over from C. */
  explicit Invocation(toolkeep_invocation *invocation) noexcept : handle_(invocation) {}

  /** The arguments, a JSON object. Valid until the call is answered. */
  std::string_view args() const noexcept {
    return detail::view(toolkeep_invocation_args(handle_.get()));
  }

  /** The context of the call (the caller), a JSON object. Valid until the call is answered. */
  std::string_view context() const noexcept {
    return detail::view(toolkeep_invocation_context(handle_.get()));
  }

  /** How to run the command of the call, a JSON object; empty without a command. */
  std::string_view plan() const noexcept {
    return detail::view(toolkeep_invocation_plan(handle_.get()));
  }

  /** True once nobody waits for the answer any more. */
  bool is_cancelled() const noexcept { return toolkeep_invocation_is_cancelled(handle_.get()); }

  /** Calls a function, at most once, when nobody waits for the answer any more. */
  void on_cancel(std::function<void()> cancelled) const {
    using F = std::function<void()>;
    auto run = [](void *kept) {
      try {
        (*static_cast<F *>(kept))();
      } catch (...) {
        // There is nobody to tell.
      }
    };
    void *kept = detail::keep(std::move(cancelled));
    detail::check(toolkeep_invocation_on_cancel(handle_.get(), run, kept, detail::release<F>));
  }

  /** Answers with JSON. False if nobody waited for it. */
  bool resolve(std::string_view json) {
    return toolkeep_invocation_resolve(handle_.release(), detail::lend(json));
  }

  /** Answers with a failure. False if nobody waited for it. */
  bool reject(uint32_t code, std::string_view message) {
    return toolkeep_invocation_reject(handle_.release(), code, detail::lend(message));
  }

  /** Answers with the exception that is being handled. Only within a catch block. */
  bool reject_current_exception() {
    try {
      throw;
    } catch (const ToolError &error) {
      return reject(error.code(), error.what());
    } catch (const std::exception &error) {
      const std::string_view what = error.what();
      return reject(TOOLKEEP_TOOL_FAILED, what.empty() ? typeid(error).name() : what);
    } catch (...) {
      return reject(TOOLKEEP_TOOL_FAILED, "The tool threw something that is no exception.");
    }
  }

 private:
  detail::Handle<toolkeep_invocation, toolkeep_invocation_free> handle_;
};

/** Work that was started, to cancel it. Dropping it does not. */
class Operation {
 public:
  /** No operation. */
  Operation() noexcept = default;

  /** Takes an operation over from C. */
  explicit Operation(toolkeep_operation *operation) noexcept : handle_(operation) {}

  /** Cancels the work: its future then throws an Error with TOOLKEEP_CANCELLED. */
  void cancel() const { detail::check(toolkeep_operation_cancel(handle_.get())); }

 private:
  detail::Handle<toolkeep_operation, toolkeep_operation_free> handle_;
};

/** A subscription to events. Dropping it ends it. */
class Subscription {
 public:
  /** No subscription. */
  Subscription() noexcept = default;

  /** Takes a subscription over from C. */
  explicit Subscription(toolkeep_subscription *subscription) noexcept : handle_(subscription) {}

  /** The `seq` of the last event that it is done with. Give it as "after" to go on from here. */
  std::int64_t cursor() const {
    std::int64_t seq = 0;
    detail::check(toolkeep_subscription_cursor(handle_.get(), &seq));
    return seq;
  }

  /** How many events were pruned before it reached them. */
  std::uint64_t dropped() const {
    std::uint64_t count = 0;
    detail::check(toolkeep_subscription_dropped(handle_.get(), &count));
    return count;
  }

 private:
  detail::Handle<toolkeep_subscription, toolkeep_subscription_free> handle_;
};

/** A tool that returns its result as JSON, or throws. It may block. */
using ToolFunction = std::function<std::string(const Invocation &)>;

/** A tool that answers its invocation itself: now, or later after moving it elsewhere. An exception
 * before that is the answer. */
using DeferredToolFunction = std::function<void(Invocation &)>;

/** Takes one event, a JSON object. */
using EventFunction = std::function<void(std::string_view)>;

/**
 * The governed tool layer of one agent program. Any number of threads may use one at once.
 *
 * `context` describes the caller: {"agent": …, "session": …}; empty is the default.
 */
class Runtime {
 public:
  /** Opens a runtime with that configuration, a JSON object; empty means all defaults. */
  explicit Runtime(std::string_view config = {}) {
    toolkeep_runtime *runtime = nullptr;
    detail::check(toolkeep_runtime_open(detail::lend(config), &runtime));
    handle_.reset(runtime);
  }

  /** The same, with a function that returns the key that seals secrets, such as one from a keychain. */
  Runtime(std::string_view config, std::string_view key) {
    toolkeep_runtime *runtime = nullptr;
    detail::check(toolkeep_runtime_open_with_key(detail::lend(config), give_key, &key, &runtime));
    handle_.reset(runtime);
  }

  /** Opens the runtime that a .toml or .json file describes. */
  static Runtime open(std::string_view path) {
    toolkeep_runtime *runtime = nullptr;
    detail::check(toolkeep_runtime_open_file(detail::lend(path), &runtime));
    return Runtime(runtime);
  }

  /** The same, with a function that returns the key that seals secrets. */
  static Runtime open(std::string_view path, std::string_view key) {
    toolkeep_runtime *runtime = nullptr;
    detail::check(
        toolkeep_runtime_open_file_with_key(detail::lend(path), give_key, &key, &runtime));
    return Runtime(runtime);
  }

  /** Closes the runtime and writes queued rows. Closing again does nothing. */
  void close() { detail::check(toolkeep_runtime_close(handle_.get())); }

  /** Calls a tool and waits. `args` is the JSON as the model wrote it. Returns the result as JSON. */
  std::string call(std::string_view name, std::string_view args,
                   std::string_view context = {}) const {
    toolkeep_string *result = nullptr;
    detail::check(toolkeep_call(handle_.get(), detail::lend(context), detail::lend(name),
                                detail::lend(args), &result));
    return detail::take(result);
  }

  /** Starts calling a tool. With `operation` it can be cancelled. */
  std::future<std::string> call_async(std::string_view name, std::string_view args,
                                      std::string_view context = {},
                                      Operation *operation = nullptr) const {
    return start(operation, [&](toolkeep_done_fn done, void *kept, toolkeep_destroy_fn destroy,
                                toolkeep_operation **out) {
      return toolkeep_call_async(handle_.get(), detail::lend(context), detail::lend(name),
                                 detail::lend(args), done, kept, destroy, out);
    });
  }

  /** Makes the calls of one model turn: [{"id", "name", "arguments"}] to [{"id", "result"}]. */
  std::string call_all(std::string_view requests, std::string_view context = {}) const {
    toolkeep_string *answers = nullptr;
    detail::check(toolkeep_call_all(handle_.get(), detail::lend(context), detail::lend(requests),
                                    &answers));
    return detail::take(answers);
  }

  /** The definitions of the tools that this caller may call, in the form of a provider: "anthropic",
   * or {"dialect": "openai", "strict": true}. */
  std::string definitions(std::string_view dialect, std::string_view context = {}) const {
    toolkeep_string *definitions = nullptr;
    detail::check(toolkeep_definitions(handle_.get(), detail::lend(context),
                                       detail::lend(dialect), &definitions));
    return detail::take(definitions);
  }

  /** The definitions, and the tools that are left out: {"tools", "quarantined", "deferred"}. */
  std::string definitions_report(std::string_view dialect, std::string_view context = {}) const {
    toolkeep_string *report = nullptr;
    detail::check(toolkeep_definitions_report(handle_.get(), detail::lend(context),
                                              detail::lend(dialect), &report));
    return detail::take(report);
  }

  /** Whether this caller may call a tool, and which rule decides. */
  std::string explain(std::string_view name, std::string_view context = {}) const {
    toolkeep_string *explanation = nullptr;
    detail::check(toolkeep_explain(handle_.get(), detail::lend(context), detail::lend(name),
                                   &explanation));
    return detail::take(explanation);
  }

  /** Runs an operation of the control plane: invoke("agents.put", R"({"id": "helper"})"). */
  std::string invoke(std::string_view operation, std::string_view args = {}) const {
    toolkeep_string *result = nullptr;
    detail::check(toolkeep_invoke(handle_.get(), detail::lend(operation), detail::lend(args),
                                  &result));
    return detail::take(result);
  }

  /** Starts an operation of the control plane. With `operation` it can be cancelled. */
  std::future<std::string> invoke_async(std::string_view name, std::string_view args = {},
                                        Operation *operation = nullptr) const {
    return start(operation, [&](toolkeep_done_fn done, void *kept, toolkeep_destroy_fn destroy,
                                toolkeep_operation **out) {
      return toolkeep_invoke_async(handle_.get(), detail::lend(name), detail::lend(args), done,
                                   kept, destroy, out);
    });
  }

  /** Registers a tool: {"name", "description", "parameters", …} and a function. With `replace` it
   * may replace another tool. */
  void tool(std::string_view spec, ToolFunction function, bool replace = false) const {
    auto answer = [function = std::move(function)](Invocation &invocation) {
      invocation.resolve(function(invocation));
    };
    deferred_tool(spec, std::move(answer), replace);
  }

  /** Registers a tool that answers later, from any thread. */
  void deferred_tool(std::string_view spec, DeferredToolFunction function,
                     bool replace = false) const {
    using F = DeferredToolFunction;
    void *kept = detail::keep(std::move(function));
    auto add = replace ? toolkeep_tool_replace : toolkeep_tool_register;
    detail::check(add(handle_.get(), detail::lend(spec), run_deferred, kept, detail::release<F>));
  }

  /**
   * Sets the handler of that name: host code that toolkeep asks, such as "approve". The invocation's
   * arguments are the request; the function ends the invocation with the answer, at once or later. An
   * empty function takes the handler away. toolkeep_runtime_set_handler() says what each name is asked.
   */
  void handler(std::string_view name, DeferredToolFunction function) const {
    using F = DeferredToolFunction;
    if (!function) {
      detail::check(toolkeep_runtime_set_handler(handle_.get(), detail::lend(name), nullptr,
                                                 nullptr, nullptr));
      return;
    }
    void *kept = detail::keep(std::move(function));
    detail::check(toolkeep_runtime_set_handler(handle_.get(), detail::lend(name), run_deferred, kept,
                                               detail::release<F>));
  }

  /** Removes a tool. */
  void unregister(std::string_view name) const {
    detail::check(toolkeep_tool_unregister(handle_.get(), detail::lend(name)));
  }

  /**
   * Calls a function for every event. The options are {"tenant", "after", "subject", "kinds"}. The
   * function must not throw.
   */
  Subscription events(EventFunction function, std::string_view options = {}) const {
    using F = EventFunction;
    auto run = [](void *kept, toolkeep_str event) noexcept {
      (*static_cast<F *>(kept))(detail::view(event));
    };
    toolkeep_subscription *subscription = nullptr;
    void *kept = detail::keep(std::move(function));
    detail::check(toolkeep_events_subscribe(handle_.get(), detail::lend(options), run, kept,
                                            detail::release<F>, &subscription));
    return Subscription(subscription);
  }

  /** The handle, for functions of C. This object still owns it. */
  toolkeep_runtime *get() const noexcept { return handle_.get(); }

 private:
  explicit Runtime(toolkeep_runtime *runtime) noexcept : handle_(runtime) {}

  static void run_deferred(void *kept, toolkeep_invocation *given) noexcept {
    Invocation invocation(given);
    try {
      (*static_cast<DeferredToolFunction *>(kept))(invocation);
    } catch (...) {
      invocation.reject_current_exception();
    }
  }

  template <typename Start>
  static std::future<std::string> start(Operation *operation, Start start) {
    using Promise = std::promise<std::string>;
    auto done = [](void *kept, toolkeep_string *result, toolkeep_error *error) noexcept {
      Promise &promise = *static_cast<Promise *>(kept);
      try {
        detail::check(error);
        promise.set_value(detail::take(result));
      } catch (...) {
        promise.set_exception(std::current_exception());
      }
    };
    Promise promise;
    std::future<std::string> future = promise.get_future();
    void *kept = detail::keep(std::move(promise));
    toolkeep_operation *handle = nullptr;
    toolkeep_operation **out = operation == nullptr ? nullptr : &handle;
    detail::check(start(done, kept, detail::release<Promise>, out));
    if (operation != nullptr) {
      *operation = Operation(handle);
    }
    return future;
  }

  static toolkeep_str give_key(void *key) {
    return detail::lend(*static_cast<std::string_view *>(key));
  }

  detail::Handle<toolkeep_runtime, toolkeep_runtime_free> handle_;
};

/** Makes a new random key for the host to keep, as 64 hexadecimal digits. */
inline std::string generate_key() {
  toolkeep_string *key = nullptr;
  detail::check(toolkeep_generate_key(&key));
  return detail::take(key);
}

/** Masks a text that arrives piece by piece. Only one thread at a time may use it. */
class ScrubStream {
 public:
  /** Takes a stream over from C. */
  explicit ScrubStream(toolkeep_scrub_stream *stream) noexcept : handle_(stream) {}

  /** Takes the next piece, which may end anywhere, and returns the part that is certain by now. */
  std::string push(std::string_view piece) {
    toolkeep_string *masked = nullptr;
    detail::check(toolkeep_scrub_stream_push(handle_.get(), detail::lend(piece), &masked));
    return detail::take(masked);
  }

  /** Ends the text and returns the rest. */
  std::string finish() {
    toolkeep_string *masked = nullptr;
    detail::check(toolkeep_scrub_stream_finish(handle_.get(), &masked));
    return detail::take(masked);
  }

 private:
  detail::Handle<toolkeep_scrub_stream, toolkeep_scrub_stream_free> handle_;
};

/** Masks secrets in text, with a profile and values of its own. Any number of threads may use one. */
class Scrubber {
 public:
  /** Makes a scrubber: {"profile": …, "values": […], "key": …}; empty means all defaults. */
  explicit Scrubber(std::string_view options = {}) {
    toolkeep_scrubber *scrubber = nullptr;
    detail::check(toolkeep_scrubber_new(detail::lend(options), &scrubber));
    handle_.reset(scrubber);
  }

  /** The text with its secrets masked. */
  std::string scrub(std::string_view text) const {
    std::string masked;
    return scrub_into(text, masked) ? masked : std::string(text);
  }

  /** Masks a text without copying a clean one: false, and `masked` untouched, if it is clean. */
  bool scrub_into(std::string_view text, std::string &masked) const {
    toolkeep_string *out = nullptr;
    detail::check(toolkeep_scrubber_scrub(handle_.get(), detail::lend(text), &out));
    if (out == nullptr) {
      return false;
    }
    masked = detail::take(out);
    return true;
  }

  /** The secrets found in a text, a JSON array. It never contains the secrets themselves. */
  std::string findings(std::string_view text) const {
    toolkeep_string *out = nullptr;
    detail::check(toolkeep_scrubber_findings(handle_.get(), detail::lend(text), &out));
    return detail::take(out);
  }

  /** Registers a value. Returns an empty text, or the code of a warning: "value_too_short". */
  std::string add(std::string_view value, std::string_view kind = {}) const {
    toolkeep_string *warning = nullptr;
    detail::check(toolkeep_scrubber_add(handle_.get(), detail::lend(value), detail::lend(kind),
                                        &warning));
    return warning == nullptr ? std::string() : detail::take(warning);
  }

  /** Forgets a registered value; throws not_found if it is not registered. */
  void remove(std::string_view value) const {
    detail::check(toolkeep_scrubber_remove(handle_.get(), detail::lend(value)));
  }

  /** Begins a text that arrives in pieces. */
  ScrubStream stream() const {
    toolkeep_scrub_stream *stream = nullptr;
    detail::check(toolkeep_scrubber_stream(handle_.get(), &stream));
    return ScrubStream(stream);
  }

 private:
  detail::Handle<toolkeep_scrubber, toolkeep_scrubber_free> handle_;
};

/** Masks the secrets in a text with the profile `precise`. */
inline std::string scrub(std::string_view text) {
  toolkeep_string *masked = nullptr;
  detail::check(toolkeep_scrub(detail::lend(text), &masked));
  return detail::take(masked);
}

/**
 * What a shell command does, and whether it may run, as a JSON object with "verdict": "allow",
 * "ask" or "deny". The options are those of `shell` in the configuration, and "env".
 */
inline std::string check_command(std::string_view command, std::string_view options = {}) {
  toolkeep_string *check = nullptr;
  detail::check(toolkeep_check_command(detail::lend(command), detail::lend(options), &check));
  return detail::take(check);
}

/** The version of the loaded library. */
inline std::string_view version() noexcept { return toolkeep_version(); }

}  // namespace toolkeep

#endif  // TOOLKEEP_HPP
