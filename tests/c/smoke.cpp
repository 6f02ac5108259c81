// The C++ face over the C ABI: ownership, exceptions, futures, lambdas.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <toolkeep.hpp>

namespace {

int checks = 0;

#define CHECK(condition)                                                    \
  do {                                                                      \
    ++checks;                                                               \
    if (!(condition)) {                                                     \
      std::cerr << __FILE__ << ':' << __LINE__ << ": " #condition << '\n';  \
      std::exit(1);                                                         \
    }                                                                       \
  } while (0)

// The code of the Error that `work` throws.
template <typename Work>
uint32_t code_of(Work work) {
  try {
    work();
  } catch (const toolkeep::Error &error) {
    CHECK(!error.name().empty() && std::string(error.what()).size() > 10);
    return error.code();
  }
  return TOOLKEEP_OK;
}

bool has(const std::string &text, const std::string &part) {
  if (text.find(part) == std::string::npos) {
    std::cerr << "no " << part << " in " << text << '\n';
    return false;
  }
  return true;
}

std::string spec(const std::string &name) {
  return R"({"name": ")" + name + R"(", "description": "A tool of the host."})";
}

// Waits, with patience, until another thread has made it so.
template <typename Condition>
void eventually(Condition condition) {
  for (int i = 0; i < 3000 && !condition(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(condition());
}

static_assert(!std::is_copy_constructible_v<toolkeep::Runtime>);
static_assert(std::is_nothrow_move_constructible_v<toolkeep::Runtime>);
static_assert(!std::is_copy_constructible_v<toolkeep::Invocation>);
static_assert(std::is_base_of_v<std::runtime_error, toolkeep::Error>);

void tools_return_and_throw() {
  toolkeep::Runtime first(R"({"policy": {"deny": ["edit"]}})");
  toolkeep::Runtime runtime = std::move(first);
  runtime.tool(spec("echo"), [](const toolkeep::Invocation &call) -> std::string {
    return std::string(call.args());
  });
  runtime.tool(spec("who"), [](const toolkeep::Invocation &call) -> std::string {
    return std::string(call.context());
  });
  runtime.tool(spec("throws"), [](const toolkeep::Invocation &) -> std::string {
    throw std::runtime_error("It went wrong.");
  });
  runtime.tool(spec("refuses"), [](const toolkeep::Invocation &) -> std::string {
    throw toolkeep::ToolError(TOOLKEEP_CONFLICT, "It has changed.");
  });
  runtime.tool(spec("odd"), [](const toolkeep::Invocation &) -> std::string { throw 5; });
  CHECK(has(runtime.call("echo", R"({"a": 1})"), R"("structured":{"a":1})"));
  CHECK(has(runtime.call("who", "", R"({"agent": "helper"})"), R"("agent":"helper")"));
  CHECK(has(runtime.call("throws", ""), R"("for_llm":"It went wrong.")"));
  CHECK(has(runtime.call("throws", ""), R"("code":"tool_failed")"));
  CHECK(has(runtime.call("refuses", ""), R"("code":"conflict")"));
  CHECK(has(runtime.call("odd", ""), R"("code":"tool_failed")"));
  CHECK(has(runtime.call("edit", "{}"), R"("code":"denied_by_policy")"));
  auto second = [](const toolkeep::Invocation &) -> std::string { return R"("second")"; };
  CHECK(code_of([&] { runtime.tool(spec("echo"), second); }) == TOOLKEEP_NAME_TAKEN);
  runtime.tool(spec("echo"), second, true);
  CHECK(has(runtime.call("echo", ""), R"("for_llm":"second")"));
  runtime.unregister("echo");
  CHECK(has(runtime.call("echo", ""), R"("code":"unknown_tool")"));
}

void deferred_tools_answer_later() {
  toolkeep::Runtime runtime;
  std::vector<std::thread> threads;
  runtime.deferred_tool(spec("later"), [&threads](toolkeep::Invocation &call) {
    threads.emplace_back([call = std::move(call)]() mutable {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      CHECK(call.resolve("\"later\""));
      CHECK(!call.resolve("\"twice\""));
    });
  });
  runtime.deferred_tool(spec("throws"), [](toolkeep::Invocation &) {
    throw std::logic_error("Before an answer.");
  });
  runtime.deferred_tool(spec("forgets"), [](toolkeep::Invocation &) {});
  CHECK(has(runtime.call("later", ""), R"("for_llm":"later")"));
  CHECK(has(runtime.call("throws", ""), R"("for_llm":"Before an answer.")"));
  CHECK(has(runtime.call("forgets", ""), R"("code":"tool_failed")"));
  for (std::thread &thread : threads) {
    thread.join();
  }
}

void an_approver_decides_now_or_later() {
  toolkeep::Runtime runtime(R"({"approval": {"external": false}})");
  std::vector<std::thread> threads;
  runtime.tool(R"({"name": "pay", "needs_approval": true})",
               [](const toolkeep::Invocation &) -> std::string { return "\"paid\""; });
  CHECK(has(runtime.call("pay", "{}"), R"("rule":"approval.external = false")"));
  runtime.handler("approve", [&threads](toolkeep::Invocation &asked) {
    CHECK(has(std::string(asked.args()), R"("tool":"pay")"));
    threads.emplace_back([asked = std::move(asked)]() mutable { CHECK(asked.resolve("true")); });
  });
  CHECK(has(runtime.call("pay", "{}"), R"("for_llm":"paid")"));
  runtime.handler("approve", [](toolkeep::Invocation &) { throw std::runtime_error("It went wrong."); });
  std::string denied = runtime.call("pay", "{}");
  CHECK(has(denied, R"("code":"approval_denied")") && !has(denied, "It went wrong."));
  runtime.handler("approve", {});
  CHECK(has(runtime.call("pay", "{}"), R"("rule":"approval.external = false")"));
  for (std::thread &thread : threads) {
    thread.join();
  }
}

void futures_carry_results_and_errors() {
  toolkeep::Runtime runtime;
  std::atomic<int> told{0};
  std::unique_ptr<toolkeep::Invocation> kept;
  std::atomic<bool> began{false};
  runtime.deferred_tool(spec("keep"), [&](toolkeep::Invocation &call) {
    call.on_cancel([&told] { ++told; });
    kept = std::make_unique<toolkeep::Invocation>(std::move(call));
    began = true;
  });
  CHECK(has(runtime.call_async("datetime", "{}").get(), R"("is_error":false)"));
  CHECK(has(runtime.invoke_async("config.get").get(), R"("store")"));

  toolkeep::Operation operation;
  auto cancelled = runtime.call_async("keep", "", {}, &operation);
  eventually([&] { return began.load(); });
  operation.cancel();
  CHECK(code_of([&] { cancelled.get(); }) == TOOLKEEP_CANCELLED);
  eventually([&] { return told == 1; });
  CHECK(kept->is_cancelled() && !kept->resolve("1"));

  began = false;
  auto closed = runtime.call_async("keep", "");
  eventually([&] { return began.load(); });
  runtime.close();
  CHECK(code_of([&] { closed.get(); }) == TOOLKEEP_CLOSED);
  eventually([&] { return told == 2; });
}

void events_reach_a_function() {
  toolkeep::Runtime runtime;
  std::atomic<int> seen{0};
  auto captured = std::make_shared<int>(0);
  toolkeep::Subscription subscription =
      runtime.events([&seen, captured](std::string_view event) {
        seen += event.find("call.completed") != std::string_view::npos;
      });
  runtime.call("datetime", "{}");
  eventually([&] { return seen == 1 && subscription.cursor() == 1; });
  CHECK(subscription.dropped() == 0);
  subscription = toolkeep::Subscription();
  CHECK(code_of([&] { subscription.cursor(); }) == TOOLKEEP_INVALID_HANDLE);
  CHECK(captured.use_count() == 1);
  runtime.call("datetime", "{}");
  CHECK(seen == 1);
}

void mistakes_are_exceptions() {
  CHECK(code_of([] { toolkeep::Runtime runtime(R"({"polcy": {}})"); }) == TOOLKEEP_INVALID_CONFIG);
  CHECK(code_of([] { toolkeep::Runtime::open("/nowhere/toolkeep.toml"); }) ==
        TOOLKEEP_INVALID_CONFIG);
  toolkeep::Runtime runtime;
  CHECK(code_of([&] { runtime.call("datetime", "{}", "{"); }) == TOOLKEEP_INVALID_JSON);
  CHECK(code_of([&] { runtime.call("datetime", "\xff"); }) == TOOLKEEP_INVALID_UTF8);
  CHECK(code_of([&] { runtime.explain("nope"); }) == TOOLKEEP_NOT_FOUND);
  CHECK(code_of([&] { runtime.definitions("latin"); }) == TOOLKEEP_INVALID_ARGUMENT);
  CHECK(has(runtime.definitions_report("mcp"), R"("quarantined":[])"));
  CHECK(code_of([&] { runtime.invoke("agents.get", R"({"id": "a"})"); }) == TOOLKEEP_NOT_FOUND);
  auto captured = std::make_shared<int>(0);
  auto function = [captured](const toolkeep::Invocation &) -> std::string { return "1"; };
  CHECK(code_of([&] { runtime.tool(spec("datetime"), function); }) == TOOLKEEP_NAME_TAKEN);
  CHECK(captured.use_count() == 2);
  CHECK(code_of([&] { toolkeep::Operation().cancel(); }) == TOOLKEEP_INVALID_HANDLE);
  runtime.tool(spec("inside"), [&runtime](const toolkeep::Invocation &) -> std::string {
    return runtime.call("datetime", "{}");
  });
  CHECK(has(runtime.call("inside", ""), R"("is_error":true)"));
}

void the_rest_of_the_face_works() {
  toolkeep::Runtime runtime;
  CHECK(has(runtime.definitions("openai"), R"("name":"datetime")"));
  CHECK(has(runtime.explain("datetime"), R"("allowed":true)"));
  CHECK(has(runtime.call_all(R"([{"id": "1", "name": "datetime", "arguments": {}}])"),
            R"("id":"1")"));
  CHECK(has(runtime.invoke("agents.put", R"({"id": "a"})"), R"("id":"a")"));
  CHECK(toolkeep::scrub("password=hunter2hunter2") == "password=[REDACTED:password]");
  CHECK(toolkeep::scrub(std::string_view("a\0b", 3)) == std::string("a\0b", 3));
  CHECK(!toolkeep::version().empty());
}

void commands_are_judged() {
  CHECK(has(toolkeep::check_command("rm -rf /"), R"("verdict":"deny")"));
  CHECK(has(toolkeep::check_command("ls"), R"("verdict":"allow")"));
  CHECK(has(toolkeep::check_command("ls", R"({"security": "deny"})"), R"("verdict":"deny")"));
  CHECK(code_of([] { toolkeep::check_command("ls", R"({"profile": "loose"})"); }) ==
        TOOLKEEP_INVALID_ARGUMENT);
}

void scrubbers_mask_find_and_stream() {
  toolkeep::Scrubber scrubber(R"({"values": [{"value": "tangerine-kangaroo-99", "kind": "word"}]})");
  std::string masked = "as it was";
  CHECK(!scrubber.scrub_into("nothing to hide", masked) && masked == "as it was");
  CHECK(scrubber.scrub("nothing to hide") == "nothing to hide");
  CHECK(has(scrubber.scrub("a tangerine-kangaroo-99 z"), "a [REDACTED:word"));
  CHECK(has(scrubber.findings("tangerine-kangaroo-99"), R"("start":0,"end":21)"));
  CHECK(scrubber.add("ab") == "value_too_short");
  CHECK(scrubber.add("another-kangaroo-98", "other").empty());
  scrubber.remove("another-kangaroo-98");
  CHECK(code_of([&] { scrubber.remove("another-kangaroo-98"); }) == TOOLKEEP_NOT_FOUND);
  CHECK(code_of([] { toolkeep::Scrubber(R"({"key": "short"})"); }) == TOOLKEEP_INVALID_ARGUMENT);
  toolkeep::ScrubStream stream = scrubber.stream();
  std::string pieces = stream.push("a tangerine-");
  pieces += stream.push("kangaroo-99 z");
  pieces += stream.finish();
  CHECK(pieces == scrubber.scrub("a tangerine-kangaroo-99 z"));
  CHECK(code_of([&] { stream.finish(); }) == TOOLKEEP_CLOSED);
}

void a_key_of_the_host_seals() {
  std::string key = toolkeep::generate_key();
  CHECK(key.size() == 64);
  toolkeep::Runtime runtime("{}", key);
  std::string put = runtime.invoke("credentials.put", R"({"name": "gh", "env": {"TOKEN": "x"}})");
  CHECK(has(put, R"("version":1)"));
  CHECK(has(runtime.invoke("credentials.check", R"({"name": "gh"})"), R"("version":1)"));
}

}  // namespace

int main() {
  CHECK(toolkeep_abi_version() == TOOLKEEP_ABI_VERSION);
  tools_return_and_throw();
  deferred_tools_answer_later();
  an_approver_decides_now_or_later();
  futures_carry_results_and_errors();
  events_reach_a_function();
  mistakes_are_exceptions();
  the_rest_of_the_face_works();
  commands_are_judged();
  scrubbers_mask_find_and_stream();
  a_key_of_the_host_seals();
  std::printf("smoke.cpp: %d checks\n", checks);
}
