// Runs a command and writes what it spent: processor seconds, MB of the largest process, seconds that passed.
//
//     gate_spend OUT command argument...

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

int main(int count, char** arguments) {
  if (count < 3) return 2;
  using clock = std::chrono::steady_clock;
  const auto started = clock::now();
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    execvp(arguments[2], arguments + 2);
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 1;
  const double passed = std::chrono::duration<double>(clock::now() - started).count();
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  std::FILE* out = std::fopen(arguments[1], "w");
  if (!out) return 1;
  std::fprintf(out, "%.3f %.1f %.3f\n", seconds(used.ru_utime) + seconds(used.ru_stime),
               static_cast<double>(used.ru_maxrss) / 1024, passed);
  std::fclose(out);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
