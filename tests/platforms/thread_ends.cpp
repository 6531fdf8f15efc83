// For MinGW: destructors of a thread's thread_local objects run before their memory is given back. g++ 12 has both done by keys of
// pthreads, and winpthreads goes through the keys in the order in which they were made. By itself the library of g++ makes the key of the
// memory first, so that doctest's messages of a thread are destroyed in freed memory (https://gcc.gnu.org/bugzilla/show_bug.cgi?id=80816).

extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*);

namespace {

[[gnu::constructor(101)]] void make_key_of_destructors() {
  __cxa_thread_atexit([](void*) {}, nullptr, nullptr);
}

}  // namespace
