#pragma once
// One kernel for all updates: it checks the call, then lets the method's step walk over the elements.
//
// A step is made of the op and its scalars, and changes the variable and what belongs to it, element by element:
//
//     template <class T> struct adagrad_step {
//       using C = computed<T>;                                       // what it computes in
//       template <class Op> adagrad_step(const Op& op, const std::array<C, 1>& s);  // a third parameter where steps are counted
//       void operator()(C gradient, C& w, C& accum) const;
//
//       static constexpr bool wants_columns = true;                  // sparse: an empty row is an error
//       const char* refusal() const;                                 // why these scalars are not allowed, or null
//       void packets(T* const* v, const T* gradient, std::int64_t n) const;         // for float and double
//     };
//
// The last three are there where the method has them.

#include <flowgraph/ops/shared/detail/number.hpp>
#include <flowgraph/ops/state/detail/scatter_rows.hpp>
#include <flowgraph/ops/training/update.hpp>

#include <cmath>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// -1, 0 or 1; NaN stays NaN.
template <class C> C direction_of(C x) { return x > C(0) ? C(1) : x < C(0) ? C(-1) : x; }
// x drawn toward zero by a bound, and no further. A negative one pushes it away.
template <class C> C shrunk(C x, C bound) {
  const C size = std::abs(x) - bound;
  return direction_of(x) * (size < 0 ? C(0) : size);
}

// A call with its types forgotten.
struct update_call {
  std::span<variable_state* const> variables = {};
  std::span<const flowgraph::shape* const> scalars = {};
  const char* const* names = nullptr;  // of the scalars
  const flowgraph::shape* gradient = nullptr;
  any_indices rows = {};  // of a sparse gradient
  bool is_handle = false, is_sparse = false, wants_columns = false;
};
// Says what is wrong with a call, or gives the elements of its variables to be changed.
bool begin_update(cpu ctx, const update_call& call, dtype type, void** elements);
void refuse_update(cpu ctx, const char* why);

template <class T, class Step, std::size_t... V>
void update_range(const Step& given, T* const* v, const T* gradient, std::int64_t n, std::index_sequence<V...>) {
  if constexpr (has_packets<T> && requires { given.packets(v, gradient, n); }) {
    given.packets(v, gradient, n);
  } else {
    using C = typename Step::C;
    const Step step = given;  // whose members nothing that is written here can change
    T* const at[]{v[V]...};
    for (std::int64_t i = 0; i < n; ++i) {
      C x[]{C(at[V][i])...};
      step(C(gradient[i]), x[V]...);
      ((at[V][i] = T(x[V])), ...);
    }
  }
}

template <class T, class Step, std::size_t... V>
void update_elements(cpu ctx, const Step& step, const update_call& call, void* const* elements, const T* gradient,
                     std::index_sequence<V...> all) {
  T* const v[]{static_cast<T*>(elements[V])...};
  const auto size = static_cast<std::int64_t>(call.variables[0]->value().size());
  if (!call.is_sparse)
    return ctx.parallel_ranges(size, elements_per_block, [&](std::int64_t first, std::int64_t last) {
      T* const part[]{(v[V] + first)...};
      update_range(step, part, gradient + first, last - first, all);
    });
  // Columns are cut, so that rows keep their order.
  const std::int64_t row_size = product_of(call.variables[0]->value().shape(), 1, call.variables[0]->value().shape().rank);
  const auto count = static_cast<std::int64_t>(call.rows.size());
  ctx.parallel_ranges(row_size, columns_per_block, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t to = call.rows[i] * row_size + first;
      T* const row[]{(v[V] + to)...};
      update_range(step, row, gradient + i * row_size + first, last - first, all);
    }
  });
}

template <class T, class Op, std::size_t V, std::size_t N, std::size_t S>
void run_update(cpu ctx, const Op& op, update_call call, variable_state* const (&variables)[V],
                const std::array<const view<const T>*, N>& given, const std::array<const view<const std::int64_t>*, S>& steps,
                const view<const T>& gradient) {
  static_assert(std::size(Op::scalars) == N + S, "a name for each scalar");
  const flowgraph::shape* shapes[N + S];
  for (std::size_t i = 0; i < N; ++i) shapes[i] = &given[i]->shape();
  for (std::size_t i = 0; i < S; ++i) shapes[N + i] = &steps[i]->shape();
  using Step = typename Op::template step<T>;
  using C = typename Step::C;
  if constexpr (requires { Step::wants_columns; }) call.wants_columns = call.is_sparse;
  call.variables = variables;
  call.scalars = shapes;
  call.names = Op::scalars;
  call.gradient = &gradient.shape();
  void* elements[V];
  if (!begin_update(ctx, call, dtype_of<T>, elements)) return;

  std::array<C, N> scalars;
  for (std::size_t i = 0; i < N; ++i) scalars[i] = C(given[i]->scalar());
  Step step = [&] {
    if constexpr (S > 0) return Step(op, scalars, steps[0]->scalar());
    else return Step(op, scalars);
  }();
  if constexpr (requires { step.set_row_size(1); }) {
    const flowgraph::shape changed = variables[0]->value().shape();
    step.set_row_size(product_of(changed, 1, changed.rank));
  }
  if constexpr (requires { step.refusal(); }) {
    if (const char* why = step.refusal()) return refuse_update(ctx, why);
  }
  update_elements<T>(ctx, step, call, elements, gradient.data(), std::make_index_sequence<V>{});
}

template <class Op, class Form, std::size_t... V, std::size_t... B, std::size_t... A, std::size_t... S, std::size_t... R>
template <class T>
void dense_update<
    Op, Form, std::index_sequence<V...>, std::index_sequence<B...>, std::index_sequence<A...>, std::index_sequence<S...>,
    std::index_sequence<R...>>::operator()(cpu ctx, typename repeated<V, typename Form::template access<T>>::type... variables,
                                           typename repeated<B, view<const T>>::type... before, view<const T> gradient,
                                           typename repeated<A, view<const T>>::type... after,
                                           typename repeated<S, view<const std::int64_t>>::type... steps,
                                           typename repeated<R, reference_out<T>>::type...) const {
  run_update<T>(ctx, static_cast<const Op&>(*this), {.is_handle = Form::is_handle, .is_sparse = false}, {&variables.state()...},
                std::array<const view<const T>*, sizeof...(B) + sizeof...(A)>{&before..., &after...},
                std::array<const view<const std::int64_t>*, sizeof...(S)>{&steps...}, gradient);
}

template <class Op, class Form, std::size_t... V, std::size_t... B, std::size_t... A, std::size_t... S, std::size_t... R>
template <class T, class I>
void sparse_update<
    Op, Form, std::index_sequence<V...>, std::index_sequence<B...>, std::index_sequence<A...>, std::index_sequence<S...>,
    std::index_sequence<R...>>::operator()(cpu ctx, typename repeated<V, typename Form::template access<T>>::type... variables,
                                           typename repeated<B, view<const T>>::type... before, view<const T> gradient,
                                           index_view<I> indices, typename repeated<A, view<const T>>::type... after,
                                           typename repeated<S, view<const std::int64_t>>::type... steps,
                                           typename repeated<R, reference_out<T>>::type...) const {
  run_update<T>(ctx, static_cast<const Op&>(*this), {.rows = indices, .is_handle = Form::is_handle, .is_sparse = true},
                {&variables.state()...}, std::array<const view<const T>*, sizeof...(B) + sizeof...(A)>{&before..., &after...},
                std::array<const view<const std::int64_t>*, sizeof...(S)>{&steps...}, gradient);
}

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/training/impl/update.hpp>
#endif
