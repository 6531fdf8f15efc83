#pragma once
// Counts what the calling thread does besides computing: allocations, releases, locks and system calls. One source of a program may
// include it.
//
// Allocations and locks: the C library's functions, which everything ends in, are replaced here. System calls: a seccomp filter
// sends each to a handler that counts it; time is read without one.

#include <dlfcn.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iterator>

namespace {

// Constant at the beginning: reading them makes nothing, not even in a thread's first allocation.
constinit thread_local volatile bool counting = false;
constinit thread_local volatile long allocations = 0, releases = 0, locks = 0, system_calls = 0;

void count(volatile long& what) {
  if (counting) what = what + 1;
}

template <class F> F next(const char* name) { return reinterpret_cast<F>(dlsym(RTLD_NEXT, name)); }

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t) noexcept;
void* __libc_calloc(std::size_t, std::size_t) noexcept;
void* __libc_realloc(void*, std::size_t) noexcept;
void* __libc_memalign(std::size_t, std::size_t) noexcept;
void __libc_free(void*) noexcept;

void* malloc(std::size_t n) noexcept { return count(allocations), __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t size) noexcept { return count(allocations), __libc_calloc(n, size); }
void* realloc(void* p, std::size_t n) noexcept { return count(allocations), __libc_realloc(p, n); }
void* memalign(std::size_t alignment, std::size_t n) noexcept { return count(allocations), __libc_memalign(alignment, n); }
void* aligned_alloc(std::size_t alignment, std::size_t n) noexcept { return count(allocations), __libc_memalign(alignment, n); }
int posix_memalign(void** p, std::size_t alignment, std::size_t n) noexcept {
  count(allocations);
  *p = __libc_memalign(alignment, n);
  return *p ? 0 : 12;
}
void free(void* p) noexcept {
  if (p) count(releases);
  __libc_free(p);
}

int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  static const auto original = next<int (*)(pthread_mutex_t*)>("pthread_mutex_lock");
  return count(locks), original(m);
}
int pthread_mutex_trylock(pthread_mutex_t* m) noexcept {
  static const auto original = next<int (*)(pthread_mutex_t*)>("pthread_mutex_trylock");
  return count(locks), original(m);
}
int pthread_rwlock_rdlock(pthread_rwlock_t* l) noexcept {
  static const auto original = next<int (*)(pthread_rwlock_t*)>("pthread_rwlock_rdlock");
  return count(locks), original(l);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* l) noexcept {
  static const auto original = next<int (*)(pthread_rwlock_t*)>("pthread_rwlock_wrlock");
  return count(locks), original(l);
}
int pthread_cond_signal(pthread_cond_t* c) noexcept {
  static const auto original = next<int (*)(pthread_cond_t*)>("pthread_cond_signal");
  return count(locks), original(c);
}
int pthread_cond_broadcast(pthread_cond_t* c) noexcept {
  static const auto original = next<int (*)(pthread_cond_t*)>("pthread_cond_broadcast");
  return count(locks), original(c);
}

}  // extern "C"

namespace {

// From here on every system call of this thread but a return from the handler, a write and the end of the process is counted and not made.
bool trap_system_calls() {
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t*, void*) { count(system_calls); };
  if (sigaction(SIGSYS, &action, nullptr) != 0) return false;

  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(code)), code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// The counters do count: an allocation, a lock and a system call of our own are seen.
bool counters_work() {
  counting = true;
  void* volatile p = std::malloc(10);
  std::free(p);
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  syscall(SYS_getppid);
  counting = false;
  const bool seen = allocations == 1 && releases == 1 && locks == 1 && system_calls == 1;
  for (volatile long* counter : {&allocations, &releases, &locks, &system_calls}) *counter = 0;
  return seen;
}

// Ends the process with the counts as lines `name value`, and `more` such lines behind them.
[[noreturn]] void end_with_counts(const char* more) {
  char text[400];
  const int length = std::snprintf(text, sizeof text, "allocations %ld\nreleases %ld\nlocks %ld\nsystem_calls %ld\n%s",
                                   allocations, releases, locks, system_calls, more);
  const bool written = write(1, text, static_cast<std::size_t>(length)) == length;
  syscall(SYS_exit_group, written ? 0 : 1);
  std::abort();
}

}  // namespace
