#pragma once
// Whether AddressSanitizer or ThreadSanitizer looks on: what they can see needs fewer rounds than what a test can.

namespace flowgraph_test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
constexpr bool is_sanitized = __has_feature(thread_sanitizer) || __has_feature(address_sanitizer);
#else
constexpr bool is_sanitized = false;
#endif

}  // namespace flowgraph_test
