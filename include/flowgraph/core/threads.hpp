#pragma once
// Locks, threads and stop tokens of the standard library. In a build without threads (WebAssembly, or FLOWGRAPH_NO_THREADS) locks
// have no effect. If the standard library has no std::stop_token (libc++ before 20), an equivalent replaces it.
//
//     fg::stop_source stop;                                        // a std::stop_source
//     s.run({.stop = stop.get_token()}, train);

#include <flowgraph/config.hpp>

#include <version>

#ifdef FLOWGRAPH_NO_THREADS
#include <flowgraph/core/detail/one_thread.hpp>
#else
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>
#endif

#ifdef __cpp_lib_jthread
#include <stop_token>
#endif

namespace flowgraph::inline FLOWGRAPH_ABI {

#ifdef FLOWGRAPH_NO_THREADS
namespace threading = detail::one_thread;
#else
namespace threading = std;
#endif

#ifdef __cpp_lib_jthread
using std::stop_callback;
using std::stop_source;
using std::stop_token;
#endif

}  // namespace flowgraph

#ifndef __cpp_lib_jthread
#include <flowgraph/core/detail/stop_token.hpp>
#endif
