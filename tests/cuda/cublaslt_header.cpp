// Compares the declarations of cuda/device/cublaslt.hpp with the header of cuBLASLt, where the compiler finds this header.

#include <cuda/device/cublaslt.hpp>

#include <doctest/doctest.h>

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>

#include <type_traits>

namespace {

namespace lt = flowgraph::cuda::cublaslt;

static_assert(sizeof(lt::algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(lt::found_algorithm) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(lt::found_algorithm, by) == offsetof(cublasLtMatmulHeuristicResult_t, algo));
static_assert(offsetof(lt::found_algorithm, workspace) == offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(lt::found_algorithm, status) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(offsetof(lt::found_algorithm, waves) == offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));
static_assert(sizeof(cublasStatus_t) == sizeof(int));

static_assert(lt::status::success == CUBLAS_STATUS_SUCCESS);
static_assert(lt::status::not_initialized == CUBLAS_STATUS_NOT_INITIALIZED);
static_assert(lt::status::allocation_failed == CUBLAS_STATUS_ALLOC_FAILED);
static_assert(lt::status::invalid_value == CUBLAS_STATUS_INVALID_VALUE);
static_assert(lt::status::architecture_mismatch == CUBLAS_STATUS_ARCH_MISMATCH);
static_assert(lt::status::execution_failed == CUBLAS_STATUS_EXECUTION_FAILED);
static_assert(lt::status::internal_error == CUBLAS_STATUS_INTERNAL_ERROR);
static_assert(lt::status::not_supported == CUBLAS_STATUS_NOT_SUPPORTED);

static_assert(lt::type::float32 == CUDA_R_32F && lt::type::float64 == CUDA_R_64F && lt::type::float16 == CUDA_R_16F);
static_assert(lt::compute::float32 == CUBLAS_COMPUTE_32F && lt::compute::float64 == CUBLAS_COMPUTE_64F);
static_assert(lt::of_layout::batch_count == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
static_assert(lt::of_layout::batch_step == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(lt::of_product::turns_a == CUBLASLT_MATMUL_DESC_TRANSA && lt::of_product::turns_b == CUBLASLT_MATMUL_DESC_TRANSB);
static_assert(lt::of_preference::workspace == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
static_assert(lt::of_preference::reductions == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
static_assert(lt::of_preference::alignment_a == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
static_assert(lt::of_preference::alignment_b == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
static_assert(lt::of_preference::alignment_c == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
static_assert(lt::of_preference::alignment_d == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
static_assert(lt::of_preference::implementations == CUBLASLT_MATMUL_PREF_IMPL_MASK);
static_assert(lt::of_algorithm::parts_of_inner == CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
static_assert(lt::of_algorithm::reduction == CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);
static_assert(lt::is_turned == CUBLAS_OP_T && lt::no_reduction == CUBLASLT_REDUCTION_SCHEME_NONE);
static_assert(lt::rounds_to_tf32 == CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32);

// A parameter as it is passed: enumerations are integers, and objects of the library are addresses.
template <class T> constexpr auto passed_as() {
  if constexpr (std::is_pointer_v<T> && !std::is_arithmetic_v<std::remove_pointer_t<T>>) return static_cast<void*>(nullptr);
  else if constexpr (std::is_enum_v<T>) return int();
  else return std::remove_cv_t<T>();
}
template <class F> struct signature;
template <class R, class... A> struct signature<R (*)(A...)> {
  using type = decltype(passed_as<R>()) (*)(decltype(passed_as<A>())...);
};
template <class R, class... A> struct signature<R(A...)> : signature<R (*)(A...)> {};
template <class Own, class Theirs>
constexpr bool is_same_call = std::is_same_v<typename signature<Own>::type, typename signature<Theirs>::type>;

static_assert(is_same_call<decltype(lt::functions::create), decltype(cublasLtCreate)>);
static_assert(is_same_call<decltype(lt::functions::destroy), decltype(cublasLtDestroy)>);
static_assert(is_same_call<decltype(lt::functions::version), decltype(cublasLtGetVersion)>);
static_assert(is_same_call<decltype(lt::functions::name_of), decltype(cublasLtGetStatusName)>);
static_assert(is_same_call<decltype(lt::functions::create_layout), decltype(cublasLtMatrixLayoutCreate)>);
static_assert(is_same_call<decltype(lt::functions::destroy_layout), decltype(cublasLtMatrixLayoutDestroy)>);
static_assert(is_same_call<decltype(lt::functions::set_layout), decltype(cublasLtMatrixLayoutSetAttribute)>);
static_assert(is_same_call<decltype(lt::functions::create_product), decltype(cublasLtMatmulDescCreate)>);
static_assert(is_same_call<decltype(lt::functions::destroy_product), decltype(cublasLtMatmulDescDestroy)>);
static_assert(is_same_call<decltype(lt::functions::set_product), decltype(cublasLtMatmulDescSetAttribute)>);
static_assert(is_same_call<decltype(lt::functions::create_preference), decltype(cublasLtMatmulPreferenceCreate)>);
static_assert(is_same_call<decltype(lt::functions::destroy_preference), decltype(cublasLtMatmulPreferenceDestroy)>);
static_assert(is_same_call<decltype(lt::functions::set_preference), decltype(cublasLtMatmulPreferenceSetAttribute)>);
static_assert(is_same_call<decltype(lt::functions::find_algorithms), decltype(cublasLtMatmulAlgoGetHeuristic)>);
static_assert(is_same_call<decltype(lt::functions::get_algorithm), decltype(cublasLtMatmulAlgoConfigGetAttribute)>);
static_assert(is_same_call<decltype(lt::functions::multiply), decltype(cublasLtMatmul)>);

}  // namespace

TEST_CASE("flowgraph declares cuBLASLt as its header does") { MESSAGE("version ", CUBLAS_VERSION); }
#else
TEST_CASE("flowgraph declares cuBLASLt as its header does") { MESSAGE("there is no cublasLt.h"); }
#endif
