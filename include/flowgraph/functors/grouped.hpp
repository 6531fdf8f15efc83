#pragma once
// The functors that a group of element-wise nodes computes in registers, and their numbers.

#include <flowgraph/functors/activation.hpp>
#include <flowgraph/functors/arithmetic.hpp>
#include <flowgraph/functors/gradients.hpp>
#include <flowgraph/functors/power.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

// Short functors: longer ones need the registers of a block themselves, and gain nothing.
using grouped_functors = functor_list<add, sub, mul, div, maximum, minimum, squared_difference, neg, abs, square, reciprocal,
                                      sqrt, rsqrt, relu, relu6, relu_grad, relu6_grad, sigmoid_grad, tanh_grad>;

template <class List> struct functor_numbers;
template <class... Functors> struct functor_numbers<functor_list<Functors...>> {
  static constexpr unsigned count = sizeof...(Functors);
  // Returns the number of F, or `count` if F is not in the list.
  template <class F> static constexpr unsigned of() {
    unsigned number = 0;
    (void)((__is_same(F, Functors) || (++number, false)) || ...);
    return number;
  }
};
using grouped_numbers = functor_numbers<grouped_functors>;

template <unsigned I, class List> struct functor_at;
template <unsigned I, class First, class... Rest>
struct functor_at<I, functor_list<First, Rest...>> : functor_at<I - 1, functor_list<Rest...>> {};
template <class First, class... Rest> struct functor_at<0, functor_list<First, Rest...>> {
  using type = First;
};

}  // namespace flowgraph::functor
