// The program `flowgraph-worker`: a task of a cluster with all standard ops, for clients whose graphs have no ops of their own. A
// program with ops of its own is as short: it adds its ops to the registry, and creates the server.

#include "../shared/arguments.hpp"
#include "seldom_lines.hpp"
#include "settings.hpp"

#include <flowgraph/ops/exchange.hpp>
#include <flowgraph/ops/standard.hpp>
#include <flowgraph/version.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <vector>

namespace {

namespace fg = flowgraph;

constexpr int may_pass_code = 1;

// Returns the error as one line, with its causes and without control characters, which a peer may have put into it.
std::string one_line(const fg::error& why) {
  std::string line = why.what();
  for (std::size_t at = 0; (at = line.find('\n', at)) != line.npos;)
    line.replace(at, std::min(line.find_first_not_of("\n ", at), line.size()) - at, "; ");
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }, '?');
  return line;
}

void say(const std::string& line) { std::fprintf(stderr, "flowgraph-worker: %s\n", line.c_str()); }
void say_waiting(const fg::waiting_for& w) { std::fprintf(stderr, "flowgraph-worker %s\n", fg::to_string(w).c_str()); }

bool may_pass(fg::error_code code) {
  switch (code) {
    case fg::error_code::unavailable:
    case fg::error_code::already_exists:
    case fg::error_code::deadline_exceeded:
    case fg::error_code::resource_exhausted: return true;
    default: return false;
  }
}

fg::tcp::launched_task task_of(const worker::settings& given) {
  if (given.is_from_environment)
    return fg::tcp::cluster_from_environment({.roles = given.roles, .token = given.options.token, .on_waiting = say_waiting},
                                             given.network)
        .value();
  return {.all = fg::cluster::parse(given.cluster).value(), .job = given.job, .index = given.task};
}

// Runs the task until a signal arrives.
void serve(worker::settings given) {
  // Blocks these signals in all threads of the server, which inherit the mask, so that this thread receives them.
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGINT);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);

  seldom_lines refusals("more peers were refused");
  given.options.record = fg::record_parts;
  given.options.on_waiting = say_waiting;
  given.options.on_lost = [](const fg::error& why) { say(one_line(why)); };
  given.options.on_refused = [&](const fg::error& why) { refusals.say(one_line(why)); };
  const fg::tcp::launched_task launched = task_of(given);
  if (given.options.listen.empty()) given.options.listen = launched.listen;
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::add_exchange_ops(ops).value();
  const fg::tcp::server here(launched.all, launched.job, launched.index, ops, given.options, given.network);
  std::printf("%s listens at %s\n", here.name().c_str(), here.address().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ending, &signal);
  std::printf("%s ends\n", here.name().c_str());
}

}  // namespace

int main(int count, char** given) try {
  const std::vector<std::string> words(given + (count > 0 ? 1 : 0), given + count);
  const auto has = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
  if (has("--help") || has("-h")) return std::fputs(worker::help().c_str(), stdout), 0;
  if (has("--version")) {
    std::printf("flowgraph-worker %d.%d.%d\n", FLOWGRAPH_VERSION_MAJOR, FLOWGRAPH_VERSION_MINOR, FLOWGRAPH_VERSION_PATCH);
    return 0;
  }
  serve(worker::read_settings(words));
} catch (const command::wrong_usage& why) {
  say(why.text + "; see --help");
  return command::wrong_usage_code;
} catch (const fg::error& why) {
  say(one_line(why));
  return may_pass(why.code()) ? may_pass_code : command::wrong_usage_code;
}
