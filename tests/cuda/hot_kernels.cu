// Kernels whose speed matters, for the test hot_kernels.cmake: no registers are spilled, and maps read and write 16 bytes at once.
#include <cuda/kernels/maps.hpp>
#include <cuda/kernels/moves.hpp>
#include <cuda/kernels/reductions.hpp>
#include <cuda/kernels/updates.hpp>

using namespace flowgraph;
using namespace flowgraph::cuda;

template <class Body, class Arguments> __global__ void __launch_bounds__(threads_per_block) run_body(const Arguments a) {
  device_block b;
  Body()(b, a);
}

#define HOT(arguments, ...) template __global__ void run_body<__VA_ARGS__, arguments>(const arguments)

HOT(map_arguments, unary_map<functor::exp, float, float>);
HOT(map_arguments, unary_map<functor::tanh, float, float>);
HOT(map_arguments, unary_map<functor::sigmoid, float, float>);
HOT(map_arguments, unary_map<functor::erf, float, float>);
HOT(map_arguments, unary_map<functor::relu, float, float>);
HOT(map_arguments, unary_map<functor::relu, half, half>);
HOT(map_arguments, binary_map<functor::add, float, float>);
HOT(map_arguments, binary_map<functor::mul, float, float>);
HOT(map_arguments, binary_map<functor::mul, half, half>);
HOT(map_arguments, cast_map<float, half>);
HOT(map_arguments, cast_map<half, float>);
HOT(update_arguments, update_map<gradient_descent, float>);
HOT(update_arguments, update_map<momentum, float>);
HOT(update_arguments, update_map<adam, float>);
HOT(reduce_arguments, reduce_by_block<sum_of, float>);
HOT(reduce_arguments, reduce_by_threads<sum_of, float>);
HOT(row_arguments, softmax_rows<float, false>);
HOT(reduce_arguments, reduce_parts<sum_of, float>);
HOT(reduce_arguments, reduce_parts<sum_of, half>);
HOT(reduce_arguments, join_parts<sum_of, float>);
HOT(reduce_arguments, reduce_columns<sum_of, float>);
HOT(reduce_arguments, join_columns<sum_of, float>);
HOT(move_arguments, strided_copy<4>);
HOT(move_arguments, transpose_tiles<2>);
HOT(move_arguments, transpose_tiles<4>);
HOT(move_arguments, transpose_tiles<8>);
HOT(gather_arguments, gather_rows<4, std::int32_t>);
HOT(gather_arguments, gather_packs<std::int32_t>);
HOT(gather_arguments, gather_packs<std::int64_t>);
