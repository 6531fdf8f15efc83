#pragma once
// Makes the table of kernels. `Function<Body, Arguments>()` returns the function of a body.

#include "bodies.hpp"
#include "list.hpp"
#include "table.hpp"

namespace flowgraph::cuda {

template <class Make> std::span<const kernel_record> make_records(Make) {
#define FLOWGRAPH_CUDA_OF(name, f, form, number, type)                                                                   \
  {name, kernel_form::form, kernel_type::type, Make::template function<form##_map<functor::f, number>, map_arguments>(), \
   Make::template function<broadcast_map<functor::f, number>, broadcast_arguments>()},
#define FLOWGRAPH_CUDA_SAME(name, f, body, kind, number, type) \
  {name, kernel_form::kind, kernel_type::type, Make::template function<body<functor::f, number>, map_arguments>()},
#define FLOWGRAPH_CUDA_UNARY(name, f) \
  FLOWGRAPH_CUDA_SAME(name, f, unary_map, unary, float, float32) FLOWGRAPH_CUDA_SAME(name, f, unary_map, unary, double, float64)
#define FLOWGRAPH_CUDA_BINARY(name, f) \
  FLOWGRAPH_CUDA_OF(name, f, binary, float, float32) FLOWGRAPH_CUDA_OF(name, f, binary, double, float64)
#define FLOWGRAPH_CUDA_PAIRED(name, f)                             \
  FLOWGRAPH_CUDA_SAME(name, f, binary_map, paired, float, float32) \
  FLOWGRAPH_CUDA_SAME(name, f, binary_map, paired, double, float64)
  static const kernel_record all[] = {
      FLOWGRAPH_CUDA_ELEMENTWISE(FLOWGRAPH_CUDA_UNARY, FLOWGRAPH_CUDA_BINARY, FLOWGRAPH_CUDA_PAIRED)  //
      {"Sum", kernel_form::row_sum, kernel_type::float32, Make::template function<row_sum<float>, row_arguments>()},
      {"Sum", kernel_form::row_sum, kernel_type::float64, Make::template function<row_sum<double>, row_arguments>()}};
  return all;
}

}  // namespace flowgraph::cuda
