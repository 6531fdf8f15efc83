#include "clustered.hpp"

#ifdef FLOWGRAPH_REPLAY_CLUSTERED
#include "../harness/free_addresses.hpp"

#include <flowgraph/distributed/simulated_network.hpp>
#include <flowgraph/distributed/tcp.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace conformance {

namespace fg = flowgraph;

#ifdef FLOWGRAPH_REPLAY_CLUSTERED
namespace {

class tasks_here final : public clustered_tasks {
public:
  tasks_here(unsigned count, std::uint64_t seed, const fg::registry& ops, const fg::further_passes& further) : net_(seed) {
    fg::cluster::job workers{"worker", {}};
    for (unsigned i = 0; i < count; ++i) workers.addresses.push_back("task" + std::to_string(i) + ":1");
    const fg::cluster all({workers});
    for (unsigned i = 0; i < count; ++i)
      tasks_.push_back(
          fg::task::make(net_.host("task" + std::to_string(i)), all, "worker", i, ops, {.further = further}).value());
  }
  fg::session_target connect() override { return fg::connect(net_.host("client"), "task0:1"); }

private:
  fg::simulated_network net_;
  std::vector<std::unique_ptr<fg::task>> tasks_;
};

class tasks_elsewhere final : public clustered_tasks {
public:
  tasks_elsewhere(unsigned count, const fg::registry& ops) {
    const std::vector<std::string> addresses = flowgraph_test::free_addresses(count);
    const fg::cluster all({{"worker", addresses}});
    int ends[2];
    if (::pipe(ends) != 0) std::exit(2);
    const pid_t parent = ::getpid();
    for (unsigned i = 0; i < count; ++i) {
      processes_.push_back(::fork());
      if (processes_.back() != 0) continue;
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(1);
      const fg::tcp::server here(all, "worker", i, ops);
      if (::write(ends[1], "!", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    ::close(ends[1]);
    for (char said = 0, k = 0; k < static_cast<char>(count); ++k)
      if (::read(ends[0], &said, 1) != 1) std::fputs("a task does not begin\n", stderr), std::exit(2);
    ::close(ends[0]);
    address_ = addresses[0];
  }
  ~tasks_elsewhere() override {
    for (const pid_t p : processes_) ::kill(p, SIGKILL), ::waitpid(p, nullptr, 0);
  }
  fg::session_target connect() override { return fg::tcp::connect(address_, {.isolated = true}); }

private:
  std::vector<pid_t> processes_;
  std::string address_;
};

}  // namespace

std::unique_ptr<clustered_tasks> simulated_tasks(unsigned count, std::uint64_t seed, const fg::registry& ops,
                                                 const fg::further_passes& further) {
  return std::make_unique<tasks_here>(count, seed, ops, further);
}
std::unique_ptr<clustered_tasks> task_processes(unsigned count, const fg::registry& ops) {
  return std::make_unique<tasks_elsewhere>(count, ops);
}
#else
namespace {
std::unique_ptr<clustered_tasks> none() {
  std::fputs("replay --clustered needs flowgraph::tcp\n", stderr);
  std::exit(2);
}
}  // namespace

std::unique_ptr<clustered_tasks> simulated_tasks(unsigned, std::uint64_t, const fg::registry&, const fg::further_passes&) {
  return none();
}
std::unique_ptr<clustered_tasks> task_processes(unsigned, const fg::registry&) { return none(); }
#endif

}  // namespace conformance
