// A traced step of two processes over TCP. The clock of the task is moved if the system allows it, in a time namespace.

#include <flowgraph/distributed/tcp.hpp>

#include "../own_process.hpp"
#ifdef FLOWGRAPH_TEST_WORKER
#include "../program/worker_program.hpp"
#endif
#include "../proving/loopback.hpp"
#include "../simulated_cluster.hpp"

#include <flowgraph/observe/trace.hpp>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

using namespace flowgraph_test;

namespace {

constexpr std::int64_t seconds_ahead = 5000;

// Moves this process' steady clock ahead by a fixed number of nanoseconds. Must be called before the process has a second thread.
std::int64_t move_clock() {
#if defined(__linux__) && defined(CLONE_NEWTIME)
  if (unshare(CLONE_NEWTIME) != 0) return 0;
  const int offsets = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
  const std::string text = fg::message{"monotonic ", seconds_ahead, " 0\n"};
  const bool is_set = offsets >= 0 && write(offsets, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(offsets);
  const int space = open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC);
  const bool is_in = is_set && space >= 0 && setns(space, CLONE_NEWTIME) == 0;
  close(space);
  if (is_in) return seconds_ahead * 1'000'000'000;
#endif
  return 0;
}

}  // namespace

TEST_CASE("traced processes: a task" * doctest::skip()) {
  const std::int64_t ahead = move_clock();
  const fg::tcp::server here(fg::cluster{{"worker", {"127.0.0.1:0"}}}, "worker", 0, cluster_ops(), {.record = fg::record_parts});
  own_process::say_ready();
  const std::string_view address = here.address();
  const auto port = std::strtoul(address.data() + address.rfind(':') + 1, nullptr, 10);
  while (own_process::is_asked()) own_process::answer({static_cast<std::uint64_t>(ahead), port});
}

TEST_CASE("traced processes: another process' records are on the client's timeline, though its clock is far ahead") {
  const own_process task("traced processes: a task", "FLOWGRAPH_TEST_TASK=traced");
  std::uint64_t said[2];
  task.ask(said);
  const auto ahead = static_cast<std::int64_t>(said[0]);
  CAPTURE(ahead);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2}), y = fg::square(x, {.name = "square"});
  fg::session s{g, fg::tcp::connect(fg::message{"127.0.0.1:", said[1]}.string())};
  const fg::tensor<float> value({2}, {1, 2});
  fg::trace_recorder seen;
  for (int i = 0; i < 3; ++i) CHECK(s.run(fg::fetch(y), {{x, value}}, {.trace = &seen})[1] == 4);
  const auto t = seen.collect();
  REQUIRE(t.processes.size() == 2);
  const fg::traced_process& there = t.processes[1];
  CHECK(there.name == "/job:worker/task:0");
  CHECK(there.number != t.processes[0].number);
  CHECK(there.clock_error < 1'000'000'000);
  CHECK(std::abs(there.clock_offset - ahead) <= there.clock_error);
  std::vector<fg::trace_event> steps, squares;
  for (const fg::trace_event& e : t.events) {
    if (e.kind == fg::trace_kind::step && t.threads[e.thread].process == 0) steps.push_back(e);
    if (e.kind == fg::trace_kind::kernel && t.nodes[e.node].name == "square") squares.push_back(e);
  }
  REQUIRE(steps.size() == 3);
  REQUIRE(squares.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(squares[i].step == i + 1);
    CHECK(t.wall_time(squares[i], squares[i].start) + there.clock_error >= t.wall_time(steps[i], steps[i].start));
    CHECK(t.wall_time(squares[i], squares[i].end) - there.clock_error <= t.wall_time(steps[i], steps[i].end));
  }
}

#ifdef FLOWGRAPH_TEST_WORKER
TEST_CASE(
    "traced processes: flowgraph-worker writes what it has recorded to the folder that it is given, and says for whom it waits") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fg::message{"flowgraph_worker_traces_", ::getpid()}.string();
  std::filesystem::create_directory(folder);
  // A process listens there and never answers.
  const int silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const std::uint16_t port = listen_with(silent, 16);
  REQUIRE(port != 0);
  const std::string there = fg::message{"127.0.0.1:", port};

  worker_program worker({"--traces", folder.string()}, "worker=127.0.0.1:0," + there);
  {
    fg::graph g;
    const auto x = g.placeholder<float>("x", {2}), y = fg::square(x, {.name = "square"});
    const auto on = g.on_device("/job:worker/task:1");
    const auto far = fg::square(y);
    fg::session s{g, fg::tcp::connect(worker.address())};
    const fg::tensor<float> value({2}, {1, 2});
    fg::trace_recorder seen;
    CHECK(s.run(fg::fetch(y), {{x, value}}, {.trace = &seen})[1] == 4);
    CHECK(std::filesystem::file_size(folder / "job_worker_task_0.1.trace.json") > 200);
    CHECK_FALSE(s.try_run(fg::fetch(far), {{x, value}}).has_value());
    CHECK(worker.line().starts_with("flowgraph-worker waits for /job:worker/task:1 at " + there + ", since "));
  }
  CHECK(worker.end() == 0);
  close(silent);
  std::filesystem::remove_all(folder);
}
#endif
