#pragma once
// Cases that run in other processes, many in each: one that crashes or hangs ends its process and differs; those after it go on in a
// new one.

#include "replay.hpp"

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace conformance {

// Cases write and read below their working folder: each gets one of its own, so that replays at the same time do not meet.
class workers {
public:
  struct asked {
    std::function<verdict(std::size_t)> run;  // of the case with that index
    std::size_t cases = 0;
    std::size_t processes = 1;  // at a time
    unsigned longest = 120;     // seconds of one case
  };

  explicit workers(asked);
  ~workers();
  workers(const workers&) = delete;
  workers& operator=(const workers&) = delete;

  // The verdict of the next case, in their order.
  verdict next();

private:
  // Takes the cases first, first + processes, first + 2 * processes, ...
  struct process {
    pid_t id = -1;
    int verdicts = -1;  // a pipe: the bytes of each, after their number
  };
  process start(std::size_t first) const;
  [[noreturn]] void work(std::size_t first, int to) const noexcept;
  static std::string ending(process&);

  asked asked_;
  std::vector<process> processes_;
  std::size_t next_ = 0;
};

// While it lives, the working folder is a new one.
class own_folder {
public:
  own_folder();
  ~own_folder();
  own_folder(const own_folder&) = delete;
  own_folder& operator=(const own_folder&) = delete;

private:
  std::string path_, before_;
};

}  // namespace conformance
