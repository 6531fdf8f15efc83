#pragma once
// A limit of the address space: a few threads can still be started, which use the stacks of earlier threads again.

#include "../harness/sanitized.hpp"

#include <flowgraph/config.hpp>

#if defined(__linux__) && defined(FLOWGRAPH_EXCEPTIONS)
#define LIMITS_THREADS

#include <cstddef>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

namespace training_tests {

// While it lives, the process may have 4 MB more than at its beginning.
class thread_limit {
public:
  thread_limit() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    ::getrlimit(RLIMIT_AS, &before_);
    rlimit now = before_;
    now.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + (std::size_t{4} << 20);
    ::setrlimit(RLIMIT_AS, &now);
  }
  ~thread_limit() { ::setrlimit(RLIMIT_AS, &before_); }
  thread_limit(const thread_limit&) = delete;
  thread_limit& operator=(const thread_limit&) = delete;

private:
  rlimit before_{};
};

}  // namespace training_tests

#endif
