#pragma once
// Everything that a file built for one level adds to flowgraph::compiled. Only such files include this header.
//
// One constant object per level contains the addresses of its functions, and no code refers to the object. With
// -ffunction-sections, -fdata-sections and --gc-sections, the linker drops the object and every function that the program does
// not use.

#include <flowgraph/functors/all.hpp>
#include <flowgraph/ops/kernel/finish.hpp>
#include <flowgraph/ops/kernel/fourier.hpp>
#include <flowgraph/ops/kernel/gather.hpp>
#include <flowgraph/ops/kernel/largest.hpp>
#include <flowgraph/ops/kernel/interaction_loops.hpp>
#include <flowgraph/ops/kernel/loops.hpp>
#include <flowgraph/ops/kernel/normal.hpp>
#include <flowgraph/ops/kernel/product.hpp>
#include <flowgraph/ops/kernel/reduce.hpp>
#include <flowgraph/ops/kernel/steps.hpp>
#include <flowgraph/ops/kernel/taps.hpp>
#include <flowgraph/ops/kernel/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

// The loops over F, which follow from the form of F.
template <class Level, class F, class T> struct emitted_loops {
  void (*binary)(const T*, const T*, T*, std::int64_t) = &Level::template binary<F, T>;
  void (*left)(const T*, const T*, T*, std::int64_t) = &Level::template binary_scalar_left<F, T>;
  void (*right)(const T*, const T*, T*, std::int64_t) = &Level::template binary_scalar_right<F, T>;
};
template <class Level, class F, class T>
  requires functor::is_unary<F> struct emitted_loops<Level, F, T> {
  void (*unary)(const T*, T*, std::int64_t) = &Level::template unary<F, T>;
};
template <class Level, class F, class T>
  requires functor::is_paired<F> struct emitted_loops<Level, F, T> {
  void (*paired)(const T*, const T*, T*, std::int64_t) = &Level::template binary<F, T>;
};

template <class Level, class T> struct emitted_rest {
  T (*sum)(const T*, std::int64_t) = &Level::template sum<T>;
  T (*max)(const T*, std::int64_t) = &Level::template max<T>;
  T (*min)(const T*, std::int64_t) = &Level::template min<T>;
  void (*add_sums)(T*, const T*, std::int64_t, std::int64_t) = &Level::template add_sums<T>;
  void (*add_rows)(T*, const T*, std::int64_t, std::int64_t, std::int64_t) = &Level::template add_rows<T>;
  T (*exp_minus)(const T*, T, T*, std::int64_t) = &Level::template exp_minus<T>;
  void (*scale)(T*, T, std::int64_t) = &Level::template scale<T>;
  void (*softmax)(const T*, T*, std::int64_t, std::int64_t) = &Level::template softmax<T>;
  void (*log_softmax)(const T*, T*, std::int64_t, std::int64_t) = &Level::template log_softmax<T>;
  void (*sgd)(T*, const T*, T, std::int64_t) = &Level::template sgd<T>;
  void (*momentum)(T*, T*, const T*, T, T, bool, std::int64_t) = &Level::template momentum<T>;
  void (*adam)(T*, T*, T*, const T*, T, T, T, T, bool, std::int64_t) = &Level::template adam<T>;
  void (*adagrad)(T*, T*, const T*, T, bool, std::int64_t) = &Level::template adagrad<T>;
  void (*taps)(const taps_shape&, const T* const*, const T* const*, T*) = &Level::template taps<T>;
  void (*tap_slopes)(const tap_slopes_shape&, const T* const*, const T*, T* const*) = &Level::template tap_slopes<T>;
  void (*largest)(const T* const*, std::int64_t, bool, T*, std::int64_t) = &Level::template largest<T>;
  void (*fourier)(const fourier_pass&, const T*, const T*, const T*, T*, T*) = &Level::template fourier<T>;
  void (*split_pairs)(const T*, T*, T*, std::int64_t) = &Level::template split_pairs<T>;
  void (*join_pairs)(const T*, const T*, T, T*, std::int64_t) = &Level::template join_pairs<T>;
  void (*half_to_real)(const T*, const T*, const T*, const T*, T*, std::int64_t) = &Level::template half_to_real<T>;
  void (*real_to_half)(const T*, const T*, const T*, T*, T*, std::int64_t) = &Level::template real_to_half<T>;
  std::int64_t (*product_scratch)(const product_shape&) = &Level::template product_scratch<T>;
  void (*product)(const product_shape&, const T*, const T*, T*, T*) = &Level::template product<T>;
  void (*product_sum)(const product_shape&, std::int64_t, const T* const*, const T* const*, std::int64_t, std::int64_t, T*,
                      T*) = &Level::template product_sum<T>;
  std::int64_t (*packed_size)(const product_shape&) = &Level::template packed_size<T>;
  void (*pack)(const product_shape&, const T*, T*) = &Level::template pack<T>;
  void (*gathered_product)(const gathered_shape&, const T*, const T*, const T*, T*, T*) = &Level::template gathered_product<T>;
};

template <class Level, class T, class Loops = interaction_kernels<Level>> struct emitted_interactions {
  void (*interactions)(const sample_rows<T>&, T*, T*) = &Loops::template interactions<T>;
  void (*slopes)(const sample_rows<T>&, bool, const T*, const T*, T*) = &Loops::template slopes<T>;
  void (*slope_factors)(const sample_rows<T>&, const T*, const T*, T*) = &Loops::template slope_factors<T>;
  void (*row_slope)(const T*, const std::uint32_t*, std::int64_t, const sample_slopes<T>&, T*) = &Loops::template row_slope<T>;
  void (*sum_of_rows)(const T*, const std::uint32_t*, std::int64_t, std::int64_t, T*) = &Loops::template sum_of_rows<T>;
};

template <class Level, class T, class F, class Loops = interaction_kernels<Level>> struct emitted_field_interactions {
  void (*interactions)(const sample_rows<T>&, const F*, std::int64_t, T*, T*) = &Loops::template field_interactions<T, F>;
  void (*slopes)(const sample_rows<T>&, const F*, std::int64_t, bool, const T*, const T*,
                 T*) = &Loops::template field_slopes<T, F>;
};

template <class Level, class T, class Functors> struct emitted_type;

template <class Level, class T, class... F>
struct emitted_type<Level, T, functor::functor_list<F...>> : emitted_loops<Level, F, T>...,
                                                             emitted_rest<Level, T>,
                                                             emitted_interactions<Level, T>,
                                                             emitted_field_interactions<Level, T, std::int32_t>,
                                                             emitted_field_interactions<Level, T, std::int64_t> {};

template <class Level> struct emitted {
  emitted_type<Level, float, functor::packet_functors> floats;
  emitted_type<Level, double, functor::packet_functors> doubles;
  void (*normal)(std::uint64_t, std::uint64_t, std::uint64_t, float*, std::int64_t) = &Level::template normal<float>;
  void (*element_steps)(const element_step*, std::int64_t, float*) = &Level::template element_steps<float>;
  void (*finish)(const functor::result_finish&, const result_part<float>&) = &Level::template finish<float>;
};

}  // namespace flowgraph::kernel
