#pragma once
// Computes a list of element functions for one block of elements after another. The values of a block stay in registers from
// function to function.

#include <flowgraph/functors/grouped.hpp>
#include <flowgraph/ops/kernel/reduce.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

namespace FLOWGRAPH_LEVEL {

// Some packets, of which a list of steps is computed at once. A single packet may be only a part of one.
template <class T, std::int64_t Packets> struct block {
  static constexpr std::int64_t size = Packets * packet<T>::width;
  packet<T> parts[unsigned{Packets}];

  // `n`: the elements of a single packet.
  FLOWGRAPH_ALWAYS_INLINE static packet<T> part(const T* p, std::int64_t k, std::int64_t n) {
    if constexpr (Packets > 1) return packet<T>::load(p + k * packet<T>::width);
    else return n < size ? packet<T>::load(p, n, 1) : packet<T>::load(p);
  }
  FLOWGRAPH_ALWAYS_INLINE void load(const T* p, std::int64_t n) {
    FLOWGRAPH_UNROLL
    for (std::int64_t k = 0; k < Packets; ++k) parts[k] = part(p, k, n);
  }
  FLOWGRAPH_ALWAYS_INLINE void store(T* p, std::int64_t n) const {
    if constexpr (Packets == 1)
      if (n < size) return parts[0].store(p, n);
    FLOWGRAPH_UNROLL
    for (std::int64_t k = 0; k < Packets; ++k) parts[k].store(p + k * packet<T>::width);
  }
  // Applies the functor. `p`: the first element of the other operand in this block, or a single number.
  template <class F, element_step::form Form> FLOWGRAPH_ALWAYS_INLINE void apply(const T* p, std::int64_t n) {
    using form = element_step::form;
    if constexpr (functor::is_unary<F>) {
      if constexpr (Form == form::right) {
        FLOWGRAPH_UNROLL
        for (std::int64_t k = 0; k < Packets; ++k) parts[k] = F::packet(parts[k]);
      }
    } else if constexpr (Form == form::right || Form == form::left) {
      FLOWGRAPH_UNROLL
      for (std::int64_t k = 0; k < Packets; ++k)
        parts[k] = Form == form::right ? F::packet(parts[k], part(p, k, n)) : F::packet(part(p, k, n), parts[k]);
    } else if constexpr (!functor::is_paired<F>) {
      const packet<T> other = *p;
      FLOWGRAPH_UNROLL
      for (std::int64_t k = 0; k < Packets; ++k)
        parts[k] = Form == form::number_right ? F::packet(parts[k], other) : F::packet(other, parts[k]);
    }
  }
};

// The four forms of functor I.
#define FLOWGRAPH_FORMS(I) \
  FLOWGRAPH_FORM(I, right) FLOWGRAPH_FORM(I, left) FLOWGRAPH_FORM(I, number_right) FLOWGRAPH_FORM(I, number_left)
#define FLOWGRAPH_FORM(I, Form)                                                                                                  \
  case element_step::code_of(I, element_step::form::Form):                                                                       \
    if constexpr (I < functor::grouped_numbers::count)                                                                           \
      values.template apply<typename functor::functor_at<I, functor::grouped_functors>::type, element_step::form::Form>(operand, \
                                                                                                                        n);      \
    break;

// Computes the block that begins at element `at`. `values` then has the results of the last step.
template <class T, std::int64_t Packets>
FLOWGRAPH_ALWAYS_INLINE void run_steps(block<T, Packets>& values, const element_step* steps, std::int64_t at, std::int64_t n) {
  values.load(static_cast<const T*>(steps->operand) + (at & steps->advances), n);
  for (const element_step* s = steps + 1;; ++s) {
    const T* const operand = static_cast<const T*>(s->operand) + (at & s->advances);
    switch (s->code) {
      FLOWGRAPH_FORMS(0)
      FLOWGRAPH_FORMS(1)
      FLOWGRAPH_FORMS(2)
      FLOWGRAPH_FORMS(3)
      FLOWGRAPH_FORMS(4)
      FLOWGRAPH_FORMS(5)
      FLOWGRAPH_FORMS(6)
      FLOWGRAPH_FORMS(7)
      FLOWGRAPH_FORMS(8)
      FLOWGRAPH_FORMS(9)
      FLOWGRAPH_FORMS(10)
      FLOWGRAPH_FORMS(11)
      FLOWGRAPH_FORMS(12)
      FLOWGRAPH_FORMS(13)
      FLOWGRAPH_FORMS(14)
      FLOWGRAPH_FORMS(15)
      FLOWGRAPH_FORMS(16)
      FLOWGRAPH_FORMS(17)
      FLOWGRAPH_FORMS(18)
      case element_step::load: values.load(operand, n); break;
      case element_step::store: values.store(const_cast<T*>(operand), n); break;
      default: return;  // the end
    }
  }
}
static_assert(functor::grouped_numbers::count == 19);

#undef FLOWGRAPH_FORMS
#undef FLOWGRAPH_FORM

}  // namespace FLOWGRAPH_LEVEL

template <> template <class T> void kernels<own>::element_steps(const element_step* steps, std::int64_t n, T* total) {
  constexpr std::int64_t block = floats_in_block(own::instructions), width = FLOWGRAPH_LEVEL::packet<T>::width;
  if (n < block) {
    FLOWGRAPH_LEVEL::block<T, 1> values;
    for (std::int64_t at = 0; at < n; at += width) FLOWGRAPH_LEVEL::run_steps(values, steps, at, n - at);
  }
  using join = FLOWGRAPH_LEVEL::join_sum<T>;
  constexpr int ways = FLOWGRAPH_LEVEL::reduced_ways;
  FLOWGRAPH_LEVEL::block<T, ways> values;
  FLOWGRAPH_LEVEL::packet<T> sums[unsigned{ways}];
  FLOWGRAPH_UNROLL
  for (int way = 0; way < ways; ++way) sums[way] = join::start();
  for (std::int64_t at = 0; at + block <= n; at += block) {
    FLOWGRAPH_LEVEL::run_steps(values, steps, at, block);
    if (!total) continue;
    FLOWGRAPH_UNROLL
    for (int way = 0; way < ways; ++way) sums[way] = join::join(sums[way], values.parts[way]);
  }
  if (total) *total = FLOWGRAPH_LEVEL::joined_ways<join>(sums);
}

}  // namespace flowgraph::kernel
