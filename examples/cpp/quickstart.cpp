// Governed calls from C++: open a runtime with a policy, add a tool of your own, see what a model
// gets and why it lacks a tool, make the calls.
#include <iostream>
#include <toolkeep.hpp>

int main() {
  try {
    toolkeep::Runtime runtime(R"({"policy": {"deny": ["edit"]}})");
    runtime.tool(R"({"name": "weather", "description": "The weather now."})",
                 [](const toolkeep::Invocation &call) -> std::string {
                   std::cout << "asked: " << call.args() << '\n';
                   return R"("18 degrees, password=hunter2hunter2")";
                 });

    const char *context = R"({"agent": "helper", "session": "chat-7"})";
    std::cout << runtime.definitions("anthropic", context) << '\n';
    std::cout << runtime.explain("edit", context) << '\n';
    std::cout << runtime.call("edit", "{}", context) << '\n';
    std::cout << runtime.call("weather", R"({"city": "Oslo"})", context) << '\n';

    auto later = runtime.call_async("wether", "{}", context);
    std::cout << later.get() << '\n';
  } catch (const toolkeep::Error &error) {
    std::cerr << error.name() << ": " << error.what() << '\n';
    return 1;
  }
}
