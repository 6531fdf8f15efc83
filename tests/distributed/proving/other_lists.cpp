// Tasks that were started with different lists, or as another task than others expect: a step between them fails at once.

#include <flowgraph/distributed/tcp.hpp>

#include "../../harness/free_addresses.hpp"
#include "../simulated_cluster.hpp"

#include <chrono>
#include <mutex>

using namespace flowgraph_test;
using namespace std::chrono_literals;

namespace {

// Runs a step at `master` with a value from /job:worker/task:1, and returns its error.
fg::error error_between(const std::string& master, const fg::connect_options& options = {}) {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  fg::out<float> far;
  {
    const auto on = g.on_device(on_worker(1));
    far = x * x;
  }
  const auto on = g.on_device(on_worker(0));
  const auto y = far + 1.f;
  fg::session s{g, fg::tcp::connect(master, options)};
  const auto begun = std::chrono::steady_clock::now();
  const auto made = s.try_run(fg::fetch(y), {{x, 2.f}});
  CHECK(std::chrono::steady_clock::now() - begun < 1s);
  if (made) CHECK(made->scalar() == 5);
  return made ? fg::error() : made.error();
}

bool list_error_says(const fg::error& why, const std::string& words) {
  const std::string text = why.what();
  CAPTURE(text);
  CHECK(text.find(words) != std::string::npos);
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("lists of tasks: one that has the addresses the other way round") {
  const auto at = free_addresses(2);
  const fg::tcp::server a(fg::cluster({{"worker", {at[0], at[1]}}}), "worker", 0, cluster_ops());
  const fg::tcp::server b(fg::cluster({{"worker", {at[1], at[0]}}}), "worker", 0, cluster_ops());
  const fg::error why = error_between(a.address());
  CHECK(list_error_says(
      why, "at " + at[1] + " is /job:worker/task:0, and by the list of this end /job:worker/task:1 should be there"));
}

TEST_CASE("lists of tasks: one with a job more quotes the first entry that differs, and both tasks hear of it") {
  const auto at = free_addresses(3);
  std::mutex mutex;
  std::vector<std::string> refused;
  fg::task_options options;
  options.on_refused = [&](const fg::error& why) {
    const std::lock_guard lock(mutex);
    refused.emplace_back(why.what());
  };
  const fg::tcp::server a(fg::cluster({{"worker", {at[0], at[1]}}}), "worker", 0, cluster_ops());
  const fg::tcp::server b(fg::cluster({{"worker", {at[0], at[1]}}, {"ps", {at[2]}}}), "worker", 1, cluster_ops(), options);
  const fg::error why = error_between(a.address());
  list_error_says(why, "has another list of tasks than /job:worker/task:0");
  list_error_says(why, "entry 2 of that list is '/job:ps with 1 task', of this end's list nothing");
  const std::lock_guard lock(mutex);
  REQUIRE(refused.size() >= 1);
  CHECK(refused[0].find("entry 2 of that list is nothing, of this end's list '/job:ps with 1 task'") != std::string::npos);
}

TEST_CASE("lists of tasks: addresses may be spelled differently, and a client may say whom it wants") {
  const auto at = free_addresses(2);
  const std::string other_spelling = "localhost" + at[1].substr(at[1].rfind(':'));
  const fg::tcp::server a(fg::cluster({{"worker", {at[0], other_spelling}}}), "worker", 0, cluster_ops());
  const fg::tcp::server b(fg::cluster({{"worker", {at[0], at[1]}}}), "worker", 1, cluster_ops());
  CHECK_FALSE(error_between(a.address()));
  fg::connect_options named;
  named.task = on_worker(0);
  CHECK_FALSE(error_between(a.address(), named));
  named.task = on_worker(1);
  list_error_says(error_between(a.address(), named),
                  "is /job:worker/task:0, and by the list of this end /job:worker/task:1 should be there");
}
