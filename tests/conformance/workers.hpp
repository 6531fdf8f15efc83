#pragma once
// Other processes that run cases, many in each. A case that crashes or hangs ends its process and counts as different; the next
// cases run in a new process.

#include "replay.hpp"

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace conformance {

// Cases write and read below their working folder. Each process has its own folder, and empties it after each case.
class workers {
public:
  struct asked {
    std::function<verdict(std::size_t)> run;  // runs the case with that index
    std::size_t cases = 0;
    std::size_t processes = 1;  // number of concurrent processes
    unsigned longest = 120;     // maximum seconds per case
  };

  explicit workers(asked);
  ~workers();
  workers(const workers&) = delete;
  workers& operator=(const workers&) = delete;

  // Returns the verdict of the next case, in their order.
  verdict next();

private:
  // A process that runs the cases first, first + processes, first + 2 * processes, ...
  struct process {
    pid_t id = -1;
    int verdicts = -1;  // a pipe: the number of bytes of each verdict, then the bytes
  };
  process start(std::size_t first) const;
  [[noreturn]] void work(std::size_t first, int to) const noexcept;
  static std::string ending(process&);

  asked asked_;
  std::vector<process> processes_;
  std::size_t next_ = 0;
};

// Changes to a new working folder while the object exists.
class own_folder {
public:
  own_folder();
  ~own_folder();
  void clear();   // returns to the folder, and removes its files
  void remove();  // as the destructor
  own_folder(const own_folder&) = delete;
  own_folder& operator=(const own_folder&) = delete;

private:
  std::string path_, before_;
};

}  // namespace conformance
