#pragma once
// Processes of a test: this program, started again for one of its cases. Each communicates with the test over a pair of sockets,
// its input.

#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

namespace flowgraph_test {

class own_process {
public:
  // Starts the case with this name, which is skipped otherwise, with an additional environment variable. Returns when the process
  // has reported that it is ready.
  own_process(const std::string& test_case, const std::string& variable) {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    std::vector<std::string> words{"test", "--test-case=" + test_case, "--no-skip"}, variables{variable};
    for (char** v = environ; *v; ++v) variables.emplace_back(*v);
    const auto pointers = [](std::vector<std::string>& all) {
      std::vector<char*> made;
      for (std::string& s : all) made.push_back(s.data());
      made.push_back(nullptr);
      return made;
    };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    REQUIRE(posix_spawn(&id_, "/proc/self/exe", &actions, nullptr, pointers(words).data(), pointers(variables).data()) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    socket_ = ends[0];
    char said = 0;
    REQUIRE(read(socket_, &said, 1) == 1);
  }
  ~own_process() { kill(); }
  own_process(own_process&& from) noexcept : id_(std::exchange(from.id_, 0)), socket_(std::exchange(from.socket_, -1)) {}
  own_process& operator=(own_process&& from) noexcept {
    kill();
    id_ = std::exchange(from.id_, 0);
    socket_ = std::exchange(from.socket_, -1);
    return *this;
  }

  pid_t id() const noexcept { return id_; }
  void signal(int number) const { ::kill(id_, number); }
  // Returns when every thread of the process is stopped: after a signal they may still run as long as the processors are busy
  // with other work.
  void stop() const {
    signal(SIGSTOP);
    int status = 0;
    REQUIRE(waitpid(id_, &status, WUNTRACED) == id_);
    REQUIRE(WIFSTOPPED(status));
  }
  void go_on() const { signal(SIGCONT); }
  void kill() {
    if (id_ == 0) return;
    signal(SIGKILL);
    waitpid(std::exchange(id_, 0), nullptr, 0);
    close(std::exchange(socket_, -1));
  }
  // Requests numbers from the process.
  template <std::size_t N> void ask(std::uint64_t (&answer)[N]) const {
    REQUIRE(write(socket_, "?", 1) == 1);
    REQUIRE(recv(socket_, answer, sizeof answer, MSG_WAITALL) == static_cast<ssize_t>(sizeof answer));
  }

  // The same in two steps. Returns false if the process has ended.
  void begin_to_ask() const { (void)!send(socket_, "?", 1, MSG_NOSIGNAL); }
  template <std::size_t N> bool hear(std::uint64_t (&answer)[N]) const {
    return recv(socket_, answer, sizeof answer, MSG_WAITALL) == static_cast<ssize_t>(sizeof answer);
  }

  // These functions run in the process itself. They report that it is ready, wait for a request, and answer. is_asked() returns
  // false if the test has ended.
  static void say_ready() { (void)!write(0, "!", 1); }
  static bool is_asked() {
    char said = 0;
    return read(0, &said, 1) == 1;
  }
  template <std::size_t N> static void answer(const std::uint64_t (&numbers)[N]) { (void)!write(0, numbers, sizeof numbers); }

private:
  pid_t id_ = 0;
  int socket_ = -1;
};

}  // namespace flowgraph_test
