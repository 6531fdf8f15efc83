#pragma once
// The common parts of the updates of training. One op takes a gradient and changes a variable and the optimizer's state in one
// pass over memory. A method is one struct with four forms: the variable is behind a reference edge or a handle, and the gradient
// is dense or sparse.
//
//     template <class Form>
//     struct adagrad_update : detail::update<adagrad_update<Form>, Form, 2, 1> {          // 2 variables: var, accum; 1 scalar: lr
//       static constexpr std::string_view name = Form::template name<"Adagrad">;
//       using types = typename Form::template types<differentiable_numbers>;
//       static constexpr const char* scalars[]{"lr"};
//       template <class T> using step = detail::adagrad_step<T>;                          // the arithmetic, see detail/
//     };
//     using sparse_apply_adagrad_op = adagrad_update<sparse_form>;                          // "SparseApplyAdagrad"
//
// All inputs are checked before the first write. A row that is named several times is updated each time, in the order of the
// indices.

#include <flowgraph/ops/state/variable.hpp>

#include <array>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <fixed_string Method, bool Handle, bool Sparse> struct update_name {
  static constexpr std::size_t size = Method.view().size() + 5 + (Handle ? 8 : 0) + (Sparse ? 6 : 0);
  static constexpr auto text = [] {
    std::array<char, size> result{};
    std::size_t n = 0;
    for (const std::string_view part : {std::string_view(Handle ? "Resource" : ""), std::string_view(Sparse ? "Sparse" : ""),
                                        std::string_view("Apply"), Method.view()})
      for (const char c : part) result[n++] = c;
    return result;
  }();
};

}  // namespace detail

template <bool Handle, bool Sparse> struct update_form {
  static constexpr bool is_handle = Handle, is_sparse = Sparse;
  template <fixed_string Method>
  static constexpr std::string_view name{detail::update_name<Method, Handle, Sparse>::text.data(),
                                         detail::update_name<Method, Handle, Sparse>::size};
  template <class T>
  using types = std::conditional_t<Sparse, type_attrs<type_attr<"T", T>, type_attr<"Tindices", index_types>>, T>;
  template <class T> using access = std::conditional_t<Handle, variable_handle<T>, reference<T>>;
};
using dense_form = update_form<false, false>;
using sparse_form = update_form<false, true>;
using resource_form = update_form<true, false>;
using resource_sparse_form = update_form<true, true>;

namespace detail {

// The layout of the inputs for the shape rule: variables, `before` scalars, the gradient (with its indices if it is sparse), and
// more scalars. The updated variable has the shape of the gradient, which must match.
struct update_layout {
  std::size_t variables, before;
  bool is_sparse;
};
flowgraph::shape updated_shape(shape_context& c, update_layout layout, std::initializer_list<const flowgraph::shape*> inputs);

template <std::size_t, class T> struct repeated {
  using type = T;
};

template <class Form, std::size_t Variables, std::size_t Before, class Inputs> struct update_base;
template <class Form, std::size_t Variables, std::size_t Before, std::size_t... I>
struct update_base<Form, Variables, Before, std::index_sequence<I...>> {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  static constexpr bool is_sparse = Form::is_sparse;
  bool use_locking = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &update_base::use_locking));

  flowgraph::shape shape(shape_context& c, const typename repeated<I, flowgraph::shape>::type&... inputs) const
    requires(!Form::is_handle) {
    return updated_shape(c, {Variables, Before, Form::is_sparse}, {&inputs...});
  }
};

// The bases with the kernels: V variables, B scalars before the gradient, A scalars after it, S step counts, and R outputs, which
// are references.
template <class Op, class Form, class V, class B, class A, class S, class R> struct dense_update;
template <class Op, class Form, std::size_t... V, std::size_t... B, std::size_t... A, std::size_t... S, std::size_t... R>
struct dense_update<Op, Form, std::index_sequence<V...>, std::index_sequence<B...>, std::index_sequence<A...>,
                    std::index_sequence<S...>, std::index_sequence<R...>>
    : update_base<Form, sizeof...(V), sizeof...(B),
                  std::make_index_sequence<sizeof...(V) + sizeof...(B) + 1 + sizeof...(A) + sizeof...(S)>> {
  template <class T>
  void operator()(cpu ctx, typename repeated<V, typename Form::template access<T>>::type... variables,
                  typename repeated<B, view<const T>>::type... before, view<const T> gradient,
                  typename repeated<A, view<const T>>::type... after,
                  typename repeated<S, view<const std::int64_t>>::type... steps,
                  typename repeated<R, reference_out<T>>::type... y) const;
};

template <class Op, class Form, class V, class B, class A, class S, class R> struct sparse_update;
template <class Op, class Form, std::size_t... V, std::size_t... B, std::size_t... A, std::size_t... S, std::size_t... R>
struct sparse_update<Op, Form, std::index_sequence<V...>, std::index_sequence<B...>, std::index_sequence<A...>,
                     std::index_sequence<S...>, std::index_sequence<R...>>
    : update_base<Form, sizeof...(V), sizeof...(B),
                  std::make_index_sequence<sizeof...(V) + sizeof...(B) + 2 + sizeof...(A) + sizeof...(S)>> {
  template <class T, class I>
  void operator()(cpu ctx, typename repeated<V, typename Form::template access<T>>::type... variables,
                  typename repeated<B, view<const T>>::type... before, view<const T> gradient, index_view<I> indices,
                  typename repeated<A, view<const T>>::type... after,
                  typename repeated<S, view<const std::int64_t>>::type... steps,
                  typename repeated<R, reference_out<T>>::type... y) const;
};

template <class Form, class... Arguments> struct update_of {
  using type = dense_update<Arguments...>;
};
template <bool Handle, class... Arguments> struct update_of<update_form<Handle, true>, Arguments...> {
  using type = sparse_update<Arguments...>;
};
template <class Op, class Form, std::size_t Variables, std::size_t Before, std::size_t After = 0, std::size_t Steps = 0>
using update = typename update_of<Form, Op, Form, std::make_index_sequence<Variables>, std::make_index_sequence<Before>,
                                  std::make_index_sequence<After>, std::make_index_sequence<Steps>,
                                  std::make_index_sequence<Form::is_handle ? 0 : 1>>::type;

// Lists of the ops of a method. The lists of all ops contain these lists.
template <template <class> class Update> using dense_forms = type_list<Update<dense_form>, Update<resource_form>>;
template <template <class> class Update>
using all_forms = type_list<Update<dense_form>, Update<sparse_form>, Update<resource_form>, Update<resource_sparse_form>>;

}  // namespace detail

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/training/detail/update.hpp>
#endif
