#pragma once
// The active sanitizers, 0 or 1 each. Faults that a sanitizer finds need fewer rounds than faults that only a test can find.
// Sanitizers have operators new and delete of their own.

#if defined(__has_feature)
#define SEES_ADDRESSES __has_feature(address_sanitizer)
#define SEES_THREADS __has_feature(thread_sanitizer)
#else
#ifdef __SANITIZE_ADDRESS__
#define SEES_ADDRESSES 1
#else
#define SEES_ADDRESSES 0
#endif
#ifdef __SANITIZE_THREAD__
#define SEES_THREADS 1
#else
#define SEES_THREADS 0
#endif
#endif

namespace flowgraph_test {

constexpr bool is_sanitized = SEES_ADDRESSES || SEES_THREADS;

}  // namespace flowgraph_test
