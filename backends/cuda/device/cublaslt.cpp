// Opens cuBLASLt.
#include <cuda/device/cublaslt.hpp>

#include <flowgraph/core/message.hpp>

#include <dlfcn.h>

#include <cstring>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda::cublaslt {

result<functions> find_functions(function_ref<void*(const char* name)> find) {
  functions result;
  const char* missing = nullptr;
  each_function(result, [&](const char* name, auto& function) {
    void* const found = find(name);
    if (!found && !missing) missing = name;
    static_assert(sizeof function == sizeof found);
    std::memcpy(&function, &found, sizeof found);
  });
  if (missing) return error(error_code::unavailable, message{"cuBLASLt has no function ", missing});
  return result;
}

result<functions> open_library(std::span<const char* const> names) {
  std::string tried;
  for (const char* const name : names) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return find_functions([library](const char* function) { return dlsym(library, function); });
    tried += (tried.empty() ? "" : ", and no ") + std::string(name);
  }
  return error(error_code::unavailable, message{"cuBLASLt is missing: there is no ", tried});
}

result<functions> open_library() {
  constexpr const char* names[] = {"libcublasLt.so.13", "libcublasLt.so.12"};
  return open_library(names);
}

}
}
}  // namespace flowgraph::cuda::cublaslt
