#pragma once
// The functions of cuBLASLt that products of matrices need. The header of the library is not included, so flowgraph::cuda builds
// and runs with and without the library. The test tests/cuda/cublaslt_header.cpp compares this file with that header.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda::cublaslt {

// Objects of the library.
using handle = struct handle_object*;
using layout = struct layout_object*;
using product = struct product_object*;
using preference = struct preference_object*;

struct algorithm {
  std::uint64_t data[8];
};
struct found_algorithm {
  algorithm by;
  std::size_t workspace;  // in bytes
  int status;
  float waves;
  int reserved[4];
};

// Values of enumerations of the library.
namespace status {
inline constexpr int success = 0, not_initialized = 1, allocation_failed = 3, invalid_value = 7, architecture_mismatch = 8,
                     execution_failed = 13, internal_error = 14, not_supported = 15;
}
namespace type {
inline constexpr int float32 = 0, float64 = 1, float16 = 2;
}
namespace compute {
inline constexpr int float32 = 68, float64 = 70;  // float32 does not round operands to TF32
}
namespace of_layout {
inline constexpr int batch_count = 5, batch_step = 6;
}
namespace of_product {
inline constexpr int turns_a = 3, turns_b = 4;
}
namespace of_preference {
inline constexpr int workspace = 1, reductions = 3, alignment_a = 5, alignment_b = 6, alignment_c = 7, alignment_d = 8,
                     implementations = 12;
}
namespace of_algorithm {
inline constexpr int parts_of_inner = 2, reduction = 3;
}
inline constexpr std::int32_t is_turned = 1;
inline constexpr std::uint32_t no_reduction = 0;
inline constexpr std::uint64_t rounds_to_tf32 = std::uint64_t{4} << 16;  // a property of an implementation

// The functions of the library that is open.
struct functions {
  int (*create)(handle*) = nullptr;
  int (*destroy)(handle) = nullptr;
  std::size_t (*version)() = nullptr;
  const char* (*name_of)(int status) = nullptr;
  int (*create_layout)(layout*, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t column_step) = nullptr;
  int (*destroy_layout)(layout) = nullptr;
  int (*set_layout)(layout, int attribute, const void* value, std::size_t bytes) = nullptr;
  int (*create_product)(product*, int compute, int scale_type) = nullptr;
  int (*destroy_product)(product) = nullptr;
  int (*set_product)(product, int attribute, const void* value, std::size_t bytes) = nullptr;
  int (*create_preference)(preference*) = nullptr;
  int (*destroy_preference)(preference) = nullptr;
  int (*set_preference)(preference, int attribute, const void* value, std::size_t bytes) = nullptr;
  int (*find_algorithms)(handle, product, layout a, layout b, layout c, layout d, preference, int wanted, found_algorithm*,
                         int* found) = nullptr;
  int (*get_algorithm)(const algorithm*, int attribute, void* value, std::size_t bytes, std::size_t* written) = nullptr;
  // d = alpha a b + beta c; alpha and beta are on the host.
  int (*multiply)(handle, product, const void* alpha, const void* a, layout, const void* b, layout, const void* beta,
                  const void* c, layout, void* d, layout, const algorithm*, void* workspace, std::size_t bytes,
                  void* stream) = nullptr;
};

// Calls f(name, pointer to function) for each function. The name is the function's name in the library.
template <class F> void each_function(functions& of, const F& f) {
  f("cublasLtCreate", of.create);
  f("cublasLtDestroy", of.destroy);
  f("cublasLtGetVersion", of.version);
  f("cublasLtGetStatusName", of.name_of);
  f("cublasLtMatrixLayoutCreate", of.create_layout);
  f("cublasLtMatrixLayoutDestroy", of.destroy_layout);
  f("cublasLtMatrixLayoutSetAttribute", of.set_layout);
  f("cublasLtMatmulDescCreate", of.create_product);
  f("cublasLtMatmulDescDestroy", of.destroy_product);
  f("cublasLtMatmulDescSetAttribute", of.set_product);
  f("cublasLtMatmulPreferenceCreate", of.create_preference);
  f("cublasLtMatmulPreferenceDestroy", of.destroy_preference);
  f("cublasLtMatmulPreferenceSetAttribute", of.set_preference);
  f("cublasLtMatmulAlgoGetHeuristic", of.find_algorithms);
  f("cublasLtMatmulAlgoConfigGetAttribute", of.get_algorithm);
  f("cublasLtMatmul", of.multiply);
}

// Fills the table by `find`, which returns the address of a function, or null. Returns an error that names a missing function.
result<functions> find_functions(function_ref<void*(const char* name)> find);

// Opens the first of these shared libraries that there is; it stays open. Returns an error that names the missing part.
result<functions> open_library(std::span<const char* const> names);
// Opens cuBLASLt 13 or 12.
result<functions> open_library();

}
}
}  // namespace flowgraph::cuda::cublaslt
