#pragma once

#include <flowgraph/op/call_kernel.hpp>

#include <new>

#ifdef FLOWGRAPH_EXCEPTIONS
namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_COLD FLOWGRAPH_INLINE error error_of_exception(const char* thrower) {
  try {
    throw;
  } catch (const error& why) { return why; } catch (const std::bad_alloc&) {
    return error(error_code::resource_exhausted, message{thrower, " has thrown std::bad_alloc: there is not enough memory"});
  } catch (const std::exception& e) {
    return error(error_code::unknown, message{thrower, " has thrown an exception: ", e.what()});
  } catch (...) { return error(error_code::unknown, message{thrower, " has thrown something that is not a std::exception"}); }
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE void report_exception(kernel_call& call) { cpu(call).fail(error_of_exception("the kernel")); }

}  // namespace flowgraph::detail
#endif
