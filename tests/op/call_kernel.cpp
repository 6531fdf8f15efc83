#include <flowgraph/op/call_kernel.hpp>

#include "call.hpp"

#include <doctest/doctest.h>

#include <new>
#include <stdexcept>

namespace fg = flowgraph;

namespace {

struct throwing {
  int what = 0;
};

void run(const void* op, fg::detail::kernel_call& call) {
  switch (static_cast<const throwing*>(op)->what) {
    case 0: return fg::cpu(call).fail("said");
#ifdef FLOWGRAPH_EXCEPTIONS
    case 1: throw std::runtime_error("broken");
    case 2: throw std::bad_alloc();
    case 3: throw fg::error(fg::error_code::not_found, "gone");
    case 4: throw 7;
    case 5: fg::cpu(call).fail("said first"); throw std::runtime_error("broken");
#endif
    default: break;
  }
}

fg::error error_of(int what) {
  test::kernel_caller caller({});
  const throwing op{what};
  fg::detail::call_kernel(&run, &op, caller.call());
  return caller.failure;
}

}  // namespace

TEST_CASE("call_kernel runs the kernel and keeps its error") {
  CHECK_FALSE(error_of(-1));
  CHECK(error_of(0).message() == "said");
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("call_kernel: each kind of exception has its code") {
  CHECK(error_of(1).code() == fg::error_code::unknown);
  CHECK(error_of(1).message() == "the kernel has thrown an exception: broken");
  CHECK(error_of(2).code() == fg::error_code::resource_exhausted);
  CHECK(error_of(3).code() == fg::error_code::not_found);
  CHECK(error_of(3).message() == "gone");
  CHECK(error_of(4).code() == fg::error_code::unknown);
  CHECK(error_of(5).message() == "said first");
}
#endif
