#pragma once
// A cluster on a simulated network. Its hosts are named a, b, c and so on, with host_26 after z; each host has a task.

#include "cluster_ops.hpp"

#include <flowgraph/flowgraph.hpp>

#include <flowgraph/distributed/connection.hpp>
#include <flowgraph/distributed/simulated_network.hpp>
#include <flowgraph/distributed/task.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

namespace flowgraph_test {

namespace fg = flowgraph;

// Returns a number from the environment.
inline int wanted(const char* name, int otherwise) {
  const char* const said = std::getenv(name);
  return said ? std::atoi(said) : otherwise;
}

inline std::string on_worker(std::uint32_t task) { return fg::message{"/job:worker/task:", task}; }

class simulated_cluster {
public:
  explicit simulated_cluster(std::uint32_t tasks, std::uint64_t seed = 1, const fg::registry& ops = cluster_ops(),
                             const fg::task_options& options = {}, const fg::simulated_network_options& network = {})
      : net(seed, network), ops_(ops), options_(options) {
    fg::cluster::job workers{"worker", {}};
    for (std::uint32_t i = 0; i < tasks; ++i) workers.addresses.push_back(host(i) + ":1");
    all = fg::cluster({workers});
    for (std::uint32_t i = 0; i < tasks; ++i) tasks_.push_back(make(i));
  }
  ~simulated_cluster() { tasks_.clear(); }

  static std::string host(std::uint32_t task) {
    return task < 26 ? std::string(1, static_cast<char>('a' + task)) : std::string(fg::message{"host_", task});
  }
  fg::task& operator[](std::uint32_t task) { return *tasks_[task]; }

  // Simulates a killed process, and a process that is started in its place. Nothing of the killed process runs any more, so the
  // objects that its runs wait with are not freed. They remain reachable for LeakSanitizer, since the memory of a killed process
  // is no leak.
  void kill(std::uint32_t task) {
    static auto& killed = *new std::vector<std::unique_ptr<fg::task>>;
    net.kill(host(task));
    killed.push_back(std::move(tasks_[task]));
  }
  void restart(std::uint32_t task) { tasks_[task] = make(task); }
  // 0: links between the two break then; 1: the first stops for 4 s; 2: nothing passes between them, for 1 ms to 6 s; otherwise
  // nothing happens. The cut does not last 0 ms: events at the same time have any order, and a link that is healed first would
  // remain cut.
  void disturb(std::uint64_t how, const std::string& first, const std::string& second, std::chrono::nanoseconds when) {
    using namespace std::chrono_literals;
    switch (how) {
      case 0: net.at(when, [this, first, second] { net.break_links(first, second); }); break;
      case 1:
        net.at(when, [this, first] { net.pause(first); });
        net.at(when + 4s, [this, first] { net.resume(first); });
        break;
      case 2:
        net.at(when, [this, first, second] { net.cut(first, second); });
        net.at(when + std::chrono::milliseconds(1 + net.draw(6000)), [this, first, second] { net.heal(first, second); });
        break;
      default: break;
    }
  }

  fg::session_target connect(std::uint32_t master = 0, const fg::connect_options& options = {}) {
    return fg::connect(net.host("client"), host(master) + ":1", options);
  }

  fg::simulated_network net;
  fg::cluster all;

private:
  std::unique_ptr<fg::task> make(std::uint32_t task) {
    return fg::task::make(net.host(host(task)), all, "worker", task, ops_, options_).value();
  }
  const fg::registry& ops_;
  const fg::task_options options_;
  std::vector<std::unique_ptr<fg::task>> tasks_;
};

}  // namespace flowgraph_test
