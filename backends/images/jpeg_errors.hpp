#pragma once
// libjpeg reports an error by a function that must not return.

#include <csetjmp>
#include <cstdio>  // which jpeglib.h needs
#include <string>

#include <jpeglib.h>

namespace flowgraph_images_1 {

// Its functions are those of one reader or writer of a file.
class jpeg_errors {
public:
  jpeg_errors() {
    jpeg_std_error(&manager_.functions);
    manager_.functions.error_exit = [](j_common_ptr from) {
      auto* to = reinterpret_cast<manager*>(from->err);  // its first member
      to->functions.format_message(from, to->text);
      std::longjmp(to->handler, 1);
    };
    manager_.functions.output_message = [](j_common_ptr) {};
  }
  jpeg_errors(const jpeg_errors&) = delete;
  jpeg_errors& operator=(const jpeg_errors&) = delete;

  jpeg_error_mgr* functions() { return &manager_.functions; }
  std::string text() const { return manager_.text; }

  // Calls f, which calls libjpeg; false after an error. An error leaves f at once, so f must not have objects with destructors, and keeps
  // its results in memory of the caller.
  template <class F> [[gnu::noinline]] bool attempt(F& f) {
    if (setjmp(manager_.handler) != 0) return false;  // NOLINT(cert-err52-cpp)
    f();
    return true;
  }

private:
  struct manager {
    jpeg_error_mgr functions;
    std::jmp_buf handler;
    char text[JMSG_LENGTH_MAX];
  };
  manager manager_{};
};

}  // namespace flowgraph_images_1
