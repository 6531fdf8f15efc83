#pragma once
// The program flowgraph-worker as a process: its lines, and its end.

#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace flowgraph_test {

class worker_program {
public:
  // Starts task 0 at any free port. Its cluster has no other task unless a cluster is given. Returns when the task listens.
  explicit worker_program(const std::vector<std::string>& options, std::string cluster = "worker=127.0.0.1:0") {
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    std::vector<std::string> words{FLOWGRAPH_TEST_WORKER, "--cluster", std::move(cluster)};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> pointers;
    for (std::string& w : words) pointers.push_back(w.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    REQUIRE(posix_spawn(&id_, FLOWGRAPH_TEST_WORKER, &actions, nullptr, pointers.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    from_ = ends[0];
    const std::string said = line();
    CAPTURE(said);
    REQUIRE(said.find(" listens at ") != std::string::npos);
    address_ = said.substr(said.rfind(' ') + 1);
  }
  ~worker_program() {
    if (id_ != 0) end();
    close(from_);
  }
  worker_program(const worker_program&) = delete;

  const std::string& address() const noexcept { return address_; }
  // Returns the next line that it prints; empty if there is none within ten seconds, or if the output has ended.
  std::string line() const {
    std::string made;
    pollfd readable{from_, POLLIN, 0};
    for (char next = 0; poll(&readable, 1, 10000) == 1 && read(from_, &next, 1) == 1 && next != '\n';) made += next;
    return made;
  }
  // Ends it by SIGTERM, and returns its exit status.
  int end() {
    kill(id_, SIGTERM);
    int status = 0;
    waitpid(std::exchange(id_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

private:
  pid_t id_ = 0;
  int from_ = -1;
  std::string address_;
};

}  // namespace flowgraph_test
