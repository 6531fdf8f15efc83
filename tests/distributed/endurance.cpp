// Tests the memory that remains after many connections and many steps, the costs of an idle cluster, and that a busy machine does
// not count as a dead one. FLOWGRAPH_TEST_ENDURANCE: 1,000 connections, a million steps, 20 seconds and 10 minutes; a fraction of
// these otherwise.

#include <flowgraph/distributed/tcp.hpp>

#include "../harness/counted_threads.hpp"
#include "../harness/free_addresses.hpp"
#include "task_process.hpp"
#include "simulated_cluster.hpp"
#include "many_values.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <thread>

using namespace flowgraph_test;
using namespace std::chrono_literals;

namespace {

bool is_whole() { return std::getenv("FLOWGRAPH_TEST_ENDURANCE") != nullptr; }

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) count += entry.path().empty() ? 0 : 1;
  return count;
}

std::int64_t live_bytes() {
#if COUNTS_THREADS
  return counted_threads::alive_bytes;
#else
  return 0;
#endif
}

// Two tasks in this process.
struct pair_of_tasks {
  std::vector<std::string> addresses = free_addresses(2);
  fg::cluster all{{"worker", addresses}};
  fg::tcp::server master{all, "worker", 0, cluster_ops()}, worker{all, "worker", 1, cluster_ops()};
};

// A value that goes to the other task and back: it is fed and fetched at the master, and computed at the other task.
struct errand {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {4}), y;
  errand() {
    {
      const auto on = g.on_device("/job:worker/task:1");
      y = x * x;
    }
    const auto on = g.on_device("/job:worker/task:0");
    y = y + x;
  }
};

// The open descriptors and live bytes when they do not change any more, which takes a second because of farewells.
struct footprint {
  std::size_t descriptors;
  std::int64_t bytes;
};
footprint settled() {
  footprint now{open_descriptors(), live_bytes()};
  for (int same = 0, tries = 0; same < 8 && tries < 200; ++tries) {
    std::this_thread::sleep_for(200ms);
    const footprint next{open_descriptors(), live_bytes()};
    same = next.descriptors == now.descriptors && std::abs(next.bytes - now.bytes) < 512 ? same + 1 : 0;
    now = next;
  }
  return now;
}

// Returns the processor time of all threads of a process, in nanoseconds.
std::uint64_t processor_time(pid_t process) {
  std::uint64_t all = 0;
  for (const auto& thread : std::filesystem::directory_iterator(fg::message{"/proc/", process, "/task"}.string())) {
    std::uint64_t of_thread = 0;
    std::ifstream(thread.path() / "schedstat") >> of_thread;
    all += of_thread;
  }
  return all;
}

#if COUNTS_THREADS
// The number of writes to sockets of this whole program.
std::atomic<std::int64_t> writes{0};
#endif

}  // namespace

#if COUNTS_THREADS
extern "C" {
// Replaces the function of the system.
ssize_t sendmsg(int socket, const msghdr* what, int flags) {
  ++writes;
  return ::syscall(SYS_sendmsg, socket, what, flags);
}
ssize_t send(int socket, const void* what, size_t bytes, int flags) {
  ++writes;
  return ::syscall(SYS_sendto, socket, what, bytes, flags, nullptr, 0);
}
}
#endif

TEST_CASE("endurance: connections that have ended leave neither descriptors nor memory") {
  pair_of_tasks cluster;
  const auto connect_once = [&] {
    errand e;
    fg::session s{e.g, fg::tcp::connect(cluster.master.address())};
    REQUIRE(s.run(fg::fetch(e.y), {{e.x, fg::tensor<float>({4}, {1, 2, 3, 4})}})[3] == 20);
  };
  // Tasks remember the last 256 sessions that were dropped.
  const int before = is_whole() ? 2000 : 300, count = is_whole() ? 1000 : 100;
  for (int i = 0; i < before; ++i) connect_once();
  const footprint began = settled();
  for (int i = 0; i < count; ++i) connect_once();
  const footprint ended = settled();
  CHECK(ended.descriptors == began.descriptors);
  // Blocks are kept for the next connection: as many as were ever in use at the same time.
  CHECK(ended.bytes - began.bytes < 65536);
  CHECK(cluster.master.task().sessions() == 0);
  CHECK(cluster.master.task().kept() + cluster.worker.task().kept() == 0);
  MESSAGE(count, " connections: descriptors ", began.descriptors, " and ", ended.descriptors, ", bytes of the heap ", began.bytes,
          " and ", ended.bytes);
}

TEST_CASE("endurance: a million steps leave nothing") {
  pair_of_tasks cluster;
  errand e;
  fg::session s{e.g, fg::tcp::connect(cluster.master.address())};
  auto step = s.prepare(fg::feed(e.x), fg::fetch(e.y));
  const fg::tensor<float> x({4}, {1, 2, 3, 4});
  const int count = is_whole() ? 1'000'000 : is_sanitized ? 500 : 5'000;
  for (int i = 0; i < std::min(count, 1000); ++i) step(x);
  const footprint began = settled();
  const auto from = std::chrono::steady_clock::now();
  bool is_right = true;
  for (int i = 0; i < count; ++i) is_right = step(x)[3] == 20 && is_right;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - from;
  CHECK(is_right);
  const footprint ended = settled();
  CHECK(ended.descriptors == began.descriptors);
  // As above: on a busy machine the blocks of more steps may have been in use at the same time.
  CHECK(ended.bytes - began.bytes < 65536);
  MESSAGE(count, " steps, ", (took.count() / count * 1e6), " us each: descriptors ", began.descriptors, " and ",
          ended.descriptors, ", bytes of the heap ", began.bytes, " and ", ended.bytes);
}

#if COUNTS_THREADS
namespace {

// Returns the number of heap allocations in a thousand steps, of the client, the master and the worker, which are in this
// process.
template <class Step> std::int64_t allocations_in_a_thousand(Step&& step, int warm) {
  for (int i = 0; i < warm; ++i) step();
  constexpr int count = 1000;
  const auto before = counted_threads::made.load();
  for (int i = 0; i < count; ++i) step();
  return counted_threads::made.load() - before;
}

// Sometimes threads run in a new order, and one of them does not have enough blocks.
constexpr std::int64_t few = 200;

}  // namespace

TEST_CASE("endurance: a warm prepared step takes nothing from the heap, at the client, the master and the worker") {
  pair_of_tasks cluster;
  errand e;
  fg::session s{e.g, fg::tcp::connect(cluster.master.address())};
  auto step = s.prepare(fg::feed(e.x), fg::fetch(e.y));
  const fg::tensor<float> x({4}, {1, 2, 3, 4});
  bool is_right = true;
  CHECK(allocations_in_a_thousand([&] { is_right = step(x)[3] == 20 && is_right; }, 3000) < few);
  CHECK(is_right);
}

TEST_CASE("endurance: warm steps with a loop over tasks, and with values that are asked for, take nothing from the heap either") {
  pair_of_tasks cluster;
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto [rounds, last] = fg::while_loop(
      std::tuple{g.constant(0), x}, [](fg::out<int> i, fg::out<float>) { return i < 12; },
      [&](fg::out<int> i, fg::out<float> v) {
        fg::out<float> there;
        {
          const auto on = g.on_device("/job:worker/task:1");
          there = v * 0.5f;
        }
        const auto on = g.on_device("/job:worker/task:0");
        return std::tuple(i + 1, there - v * 0.25f);
      });
  fg::session s{g, fg::tcp::connect(cluster.master.address())};
  auto step = s.prepare(fg::feed(x), fg::fetch(last));
  for (const std::size_t length : std::initializer_list<std::size_t>{4, 20'000}) {
    const std::vector<float> values(length, 1.f);
    const fg::tensor<float> fed(fg::shape{static_cast<std::int64_t>(length)}, values);
    CHECK(allocations_in_a_thousand([&] { step(fed); }, 1000) < few);
  }
}
#endif

#if COUNTS_THREADS
TEST_CASE("endurance: 300 small values from task to task take five writes at most, pushed or asked for") {
  pair_of_tasks cluster;
  for (const bool pushes : {true, false}) {
    many_values m(0, 1);
    const fg::connect_options how{.pushed_up_to = pushes ? 65536u : 0u};
    fg::session s{m.g, fg::tcp::connect(cluster.master.address(), how)};
    auto step = s.prepare(fg::feed(m.x), fg::fetch(m.sum));
    for (int i = 0; i < 300; ++i) step(1.f);
    std::vector<std::int64_t> counts;
    counts.reserve(101);
    const auto allocations = counted_threads::made.load();
    bool is_right = true;
    const fg::tensor<float> two(2.f);
    for (int i = 0; i < 101; ++i) {
      const auto before = writes.load();
      is_right = step(two).scalar() == -2.f * 299 * 150 && is_right;
      counts.push_back(writes.load() - before);
    }
    CHECK(counted_threads::made.load() - allocations < 101 + few);  // the shape rule of AddN has a list of 300 shapes
    CHECK(is_right);
    std::ranges::sort(counts);
    MESSAGE(std::string(pushes ? "pushed" : "asked for"), ": ", counts.front(), " writes in a step at least, the median ",
            counts[50], ", at most ", counts.back());
    // The run and its answer, and the request to the other task and its answer, need four more writes. On a busy machine the
    // writing thread may overtake the computing thread, so the least number counts.
    CHECK(counts.front() <= 4 + 5);
  }
}
#endif

TEST_CASE("endurance: a task" * doctest::skip()) {
  if (const auto here = started_task(cluster_ops())) (void)own_process::is_asked();
}

namespace {

// Tasks in three processes, and a graph whose step involves all of them.
struct three_processes {
  std::vector<std::string> addresses = free_addresses(3);
  std::vector<own_process> tasks;
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {}), y = x;
  three_processes() {
    for (std::size_t i = 0; i < 3; ++i) tasks.push_back(start_task("endurance: a task", i, addresses));
    for (const char* on_task : {"/job:worker/task:1", "/job:worker/task:2", "/job:worker/task:0"}) {
      const auto on = g.on_device(on_task);
      y = y + x;
    }
  }
};

}  // namespace

TEST_CASE("endurance: a cluster that has nothing to do takes half a percent of a processor at most, in each process") {
  const three_processes all;
  fg::session s{all.g, fg::tcp::connect(all.addresses[0])};
  REQUIRE(s.run(fg::fetch(all.y), {{all.x, 1.f}}).scalar() == 4);
  std::this_thread::sleep_for(200ms);
  const auto time = is_whole() ? 20s : 5s;
  std::vector<pid_t> processes{::getpid()};
  for (const own_process& t : all.tasks) processes.push_back(t.id());
  std::vector<std::uint64_t> before;
  for (const pid_t p : processes) before.push_back(processor_time(p));
  std::this_thread::sleep_for(time);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const double share = static_cast<double>(processor_time(processes[i]) - before[i]) /
                         static_cast<double>(std::chrono::nanoseconds(time).count());
    MESSAGE(std::string(i == 0 ? "the client: " : "a task: "), (100 * share), " % of a processor");
    CHECK(share < (is_sanitized ? 0.02 : 0.005));  // sanitizers use additional time
  }
  CHECK(s.run(fg::fetch(all.y), {{all.x, 2.f}}).scalar() == 8);  // no task was lost meanwhile
}

TEST_CASE("endurance: a program that takes a processor" * doctest::skip()) {
  if (!std::getenv("FLOWGRAPH_TEST_HOG")) return;
  own_process::say_ready();
  for (;;) std::atomic_signal_fence(std::memory_order_seq_cst);
}

TEST_CASE("endurance: beside two programs that take the processors nobody passes for dead") {
  const three_processes all;
  std::vector<own_process> hogs;
  for (int i = 0; i < 2; ++i) hogs.emplace_back("endurance: a program that takes a processor", "FLOWGRAPH_TEST_HOG=1");
  fg::session s{all.g, fg::tcp::connect(all.addresses[0])};
  const auto end = std::chrono::steady_clock::now() + (is_whole() ? 600s : 4s);
  int steps = 0;
  for (auto pause = 1ms; std::chrono::steady_clock::now() < end; pause = pause * 7 % 2000ms, ++steps) {
    const auto answer = s.try_run(fg::fetch(all.y), {{all.x, 1.f}});
    REQUIRE_MESSAGE(answer.has_value(), std::string(answer ? "" : answer.error().what()));
    CHECK(answer->scalar() == 4);
    std::this_thread::sleep_for(pause);
  }
  MESSAGE("steps: ", steps);
}
