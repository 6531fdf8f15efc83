#pragma once
// The processes of an example's cluster, all on this machine: copies of the program, each of which is one task until the program ends.
//
//     own_processes tasks({{"ps", 1}, {"worker", 2}});
//     fg::session s{g, fg::tcp::connect(tasks.address("worker", 0))};
//
// Stands first in main(): a process with threads cannot be copied so. Elsewhere each task is started on its machine: flowgraph-worker.

#include "free_ports.hpp"

#include <flowgraph/distributed/tcp.hpp>
#include <flowgraph/op/registry.hpp>
#include <flowgraph/ops/standard.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

class own_processes {
public:
  struct own_task {
    const flowgraph::cluster& all;
    std::string job;
    std::uint32_t index;
    std::function<void()> until_the_end;  // is called once the task listens, and returns when the example has ended
  };
  using body = std::function<void(const own_task&)>;

  explicit own_processes(const std::vector<std::pair<std::string, std::uint32_t>>& jobs, const body& run = standard_task) {
    std::vector<flowgraph::cluster::job> made;
    for (const auto& [name, count] : jobs) made.push_back({name, free_addresses(count)});
    all_ = flowgraph::cluster(std::move(made));
    if (pipe(ending_) != 0 || pipe(ready_) != 0) std::exit(1);
    for (const auto& [name, count] : jobs)
      for (std::uint32_t i = 0; i < count; ++i)
        if (children_.push_back(fork()); children_.back() == 0) be_task(run, name, i);
    close(ready_[1]);
    char said = 0;
    for (std::uint32_t i = 0; i < all_.size(); ++i)
      if (read(ready_[0], &said, 1) != 1) std::exit(1);  // none of those that are left will ever say it
  }
  ~own_processes() {
    close(ending_[1]);
    for (const pid_t child : children_) waitpid(child, nullptr, 0);
  }
  own_processes(const own_processes&) = delete;

  // A task that has all standard ops.
  static void standard_task(const own_task& t) {
    flowgraph::registry ops;
    flowgraph::add_standard_ops(ops).value();
    const flowgraph::tcp::server here(t.all, t.job, t.index, ops);
    t.until_the_end();
  }
  // As a session connects to it.
  std::string address(std::string_view job, std::uint32_t index) const { return all_.address_of(all_.task(job, index).value()); }

private:
  [[noreturn]] void be_task(const body& run, const std::string& job, std::uint32_t index) {
    close(ending_[1]);
    const auto wait = [&] {
      char nothing = 0;
      if (write(ready_[1], "!", 1) == 1) close(ready_[1]);
      (void)!read(ending_[0], &nothing, 1);  // ends with the process that made it, however that ends
    };
    run({all_, job, index, wait});
    std::_Exit(0);
  }

  flowgraph::cluster all_;
  int ending_[2] = {}, ready_[2] = {};
  std::vector<pid_t> children_;
};
