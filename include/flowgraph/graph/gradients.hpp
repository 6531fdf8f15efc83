#pragma once
// Gradients as ordinary nodes: reverse accumulation from a loss to the handles that it depends on.
//
//     auto [dw, db] = fg::gradients(loss, w, b);
//     fg::out<float> d = dw;                                    // dense, even if it was slices
//     auto h = fg::gradients(fg::sum(d), w);                    // second order: calling it twice

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/gradient_options.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/table.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A gradient as slices: row r of the dense gradient is the sum of all rows values[i] for which indices[i] is r; all other rows are
// zero.
template <class T> struct indexed_slices {
  out<T> values;                  // rows of the gradient
  out<std::int64_t> indices;      // for each row of `values`, the index of the row of the dense gradient
  out<std::int64_t> dense_shape;  // shape of the dense gradient
};

// A gradient with respect to a handle of type T: dense, slices, or absent. It converts to a handle to the dense form, so each
// function and operator accepts it. If the gradient consists of slices, `gradients` adds the nodes that make them dense; these
// nodes run only if the dense form is used. The handle of an absent gradient is empty.
template <class T> struct grad : out<T> {
  grad() = default;
  // Keeps slices as they are, without a handle to the dense form: code that uses this object directly as a handle, such as a
  // parameter `const out<T>&`, finds an empty handle. dense() adds a dense form.
  grad(const any_grad& parts) : grad(parts, parts.kind == any_grad::form::dense ? parts.dense : any_out()) {}
  // As above, with a handle to the dense form.
  grad(const any_grad& parts, const any_out& dense) : out<T>(dense.source, dense.port), parts_(parts) {}

  // Returns whether the loss does not depend on the handle.
  bool is_none() const noexcept { return parts_.kind == any_grad::form::absent; }
  // Returns whether the gradient consists of slices: see slices().
  bool is_slices() const noexcept { return parts_.kind == any_grad::form::slices; }
  // Returns the slices. Precondition: is_slices().
  indexed_slices<T> slices() const {
    const any_slices& s = parts_.slices;
    return {{s.values.source, s.values.port}, {s.indices.source, s.indices.port}, {s.dense_shape.source, s.dense_shape.port}};
  }
  // Returns the dense form. Adds the nodes for it if they do not exist yet.
  out<T> dense() const {
    return this->source || !is_slices() ? out<T>(this->source, this->port) : detail::dense_gradient<T>(parts_);
  }
  // Returns the gradient in any of its three forms, without the static type.
  const any_grad& parts() const noexcept { return parts_; }

  operator any_out() const { return dense(); }
  operator target() const { return dense(); }
  friend bool operator==(const grad& a, const grad& b) noexcept {
    const any_slices &x = a.parts_.slices, &y = b.parts_.slices;
    return a.parts_.kind == b.parts_.kind && a.parts_.dense == b.parts_.dense && x.values == y.values && x.indices == y.indices;
  }

private:
  any_grad parts_;
};

template <class T> any_grad::any_grad(const grad<T>& g) : any_grad(g.parts()) {}

// Returns, for each element of `with_respect_to`, the contributions to its gradient, not yet summed. This function is for types
// that are known only at run time.
result<detail::sequence<gradient_list>> gradient_contributions(std::span<const any_out> losses,
                                                               std::span<const any_out> with_respect_to,
                                                               const gradient_options& options, const site& s);

namespace detail {

template <class... T> inline constexpr bool has_gradients = (is_differentiable(dtype_of<T>) && ...);

// Returns a gradient as `gradients` does: with a handle to its dense form, even if it consists of slices.
template <class T> grad<T> usable_gradient(const any_grad& g) { return {g, dense_gradient<T>(g)}; }

// Returns the element type of gradients with respect to a handle: its own type, or the type of the variable that it names.
dtype gradient_type(const any_out& x);

// Returns ones in the shape of the loss. Defined with the ops.
template <class T> any_grad ones_of(out<T> loss);

template <class... T> std::array<any_grad, sizeof...(T)> sum_contributions(const sequence<gradient_list>& parts) {
  std::size_t i = 0;
  return {accumulate<T>(parts[i++])...};
}

sequence<gradient_list> contributions_or_raise(std::span<const any_out> losses, std::span<const any_out> with_respect_to,
                                               const gradient_options& options, const site& s);

// Like gradient_contributions, for one loss. If the options do not contain a gradient of the loss, this gradient is ones.
template <class L>
sequence<gradient_list> contributions_to(out<L> loss, std::span<const any_out> with_respect_to, gradient_options options,
                                         const site& s) {
  const any_out losses[]{loss};
  any_grad ones;
  if (options.starts.empty() && loss.source) {
    ones = ones_of(loss);
    options.starts = {&ones, 1};
  }
  return contributions_or_raise(losses, with_respect_to, options, s);
}

// A loss, the line of the program that passes it, and the function that computes the contributions to gradients of this loss.
struct loss_argument {
  using contributions = sequence<gradient_list> (*)(const any_out& loss, std::span<const any_out> variables, const site& s);
  any_out handle;
  site where;
  contributions walk = nullptr;

  template <class T>
  loss_argument(const out<T>& loss, std::source_location l = std::source_location::current()) : handle(loss), where{{}, l} {
    constexpr bool exist = has_gradients<T>;
    static_assert(exist, "flowgraph: gradients of integers, booleans or strings do not exist");
    if constexpr (exist)
      walk = [](const any_out& y, std::span<const any_out> variables, const site& s) {
        return contributions_to(out<T>{y.source, y.port}, variables, {}, s);
      };
  }
};

template <class... T> struct gradient_result {
  using type = std::tuple<grad<T>...>;
};
template <class T> struct gradient_result<T> {
  using type = grad<T>;
};

template <class L, class... T>
typename gradient_result<T...>::type make_gradients(const site& s, const gradient_options& options, out<L> loss,
                                                    const out<T>&... with_respect_to) {
  using result = typename gradient_result<T...>::type;
  if constexpr (has_gradients<L, T...>) {
    const any_out targets[]{with_respect_to...};
    const inherited_location here(loss.source ? loss.source->graph : nullptr, s.location);
    const auto sums = sum_contributions<T...>(contributions_to(loss, targets, options, s));
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return result{usable_gradient<T>(sums[I])...};
    }(std::index_sequence_for<T...>{});
  } else {
    return {};  // the compiler has already reported the error
  }
}

}  // namespace detail

// Adds the gradients of a loss with respect to handles that it depends on. Returns one gradient for one handle, and a tuple for
// several handles. In this overload, the site and the options are the first parameters.
template <class L, class... T>
auto gradients(const site& s, const gradient_options& options, out<L> loss, const out<T>&... with_respect_to) {
  static_assert(detail::has_gradients<L, T...>,
                "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  return detail::make_gradients(s, options, loss, with_respect_to...);
}

template <class L, class A> auto gradients(out<L> loss, const out<A>& a, site s = {}) {
  static_assert(detail::has_gradients<L, A>,
                "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  return detail::make_gradients(s, {}, loss, a);
}
template <class L, class A> auto gradients(out<L> loss, const out<A>& a, const gradient_options& options, site s = {}) {
  static_assert(detail::has_gradients<L, A>,
                "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  return detail::make_gradients(s, options, loss, a);
}
template <class L, class A, class B> auto gradients(out<L> loss, const out<A>& a, const out<B>& b, site s = {}) {
  static_assert(detail::has_gradients<L, A, B>,
                "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  return detail::make_gradients(s, {}, loss, a, b);
}
template <class L, class A, class B, class C>
auto gradients(out<L> loss, const out<A>& a, const out<B>& b, const out<C>& c, site s = {}) {
  static_assert(detail::has_gradients<L, A, B, C>,
                "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  return detail::make_gradients(s, {}, loss, a, b, c);
}
template <class L, class A, class B, class C, class D>
auto gradients(out<L> loss, const out<A>& a, const out<B>& b, const out<C>& c, const out<D>& d, site s = {}) {
  static_assert(detail::has_gradients<L, A, B, C, D>,
                "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  return detail::make_gradients(s, {}, loss, a, b, c, d);
}

// As above, for five or more handles. With options, use the overload whose first parameters are the site and the options.
template <class A, class B, class C, class D, class E, class... T>
auto gradients(const detail::loss_argument& loss, const out<A>& a, const out<B>& b, const out<C>& c, const out<D>& d,
               const out<E>& e, const out<T>&... more) {
  using result = std::tuple<grad<A>, grad<B>, grad<C>, grad<D>, grad<E>, grad<T>...>;
  constexpr bool exist = detail::has_gradients<A, B, C, D, E, T...>;
  static_assert(exist, "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  if constexpr (exist) {
    const any_out targets[]{a, b, c, d, e, more...};
    const detail::inherited_location here(loss.handle.source ? loss.handle.source->graph : nullptr, loss.where.location);
    const auto sums =
        detail::sum_contributions<A, B, C, D, E, T...>(loss.walk(loss.handle, std::span<const any_out>(targets), loss.where));
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return result{detail::usable_gradient<typename std::tuple_element_t<I, result>::element_type>(sums[I])...};
    }(std::make_index_sequence<5 + sizeof...(T)>{});
  } else {
    return result();
  }
}

// As above, for a list: a std::vector, std::array or std::span of handles or variables of one type.
template <class L, class List>
  requires detail::typed_handles<List>
auto gradients(out<L> loss, const List& with_respect_to, const gradient_options& options = {}, site s = {}) {
  using T = typename List::value_type::element_type;
  constexpr bool exist = detail::has_gradients<L, T>;
  static_assert(exist, "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  std::vector<grad<T>> result;
  if constexpr (exist) {
    const std::vector<any_out> targets(with_respect_to.begin(), with_respect_to.end());
    const detail::inherited_location here(loss.source ? loss.source->graph : nullptr, s.location);
    for (const gradient_list& parts : detail::contributions_to(loss, targets, options, s))
      result.push_back(detail::usable_gradient<T>(detail::accumulate<T>(parts)));
  }
  return result;
}

// As above, for a list whose elements have different types that are known only at run time, for example the result of
// graph::variables(). The gradient with respect to a handle of a variable is the sum of the gradients of all reads of that
// variable.
template <class L>
std::vector<any_grad> gradients(out<L> loss, const any_out_list& with_respect_to, const gradient_options& options = {},
                                site s = {}) {
  constexpr bool exist = detail::has_gradients<L>;
  static_assert(exist, "flowgraph: gradients of integers, booleans or strings do not exist");
  std::vector<any_grad> result;
  if constexpr (exist) {
    const detail::inherited_location here(loss.source ? loss.source->graph : nullptr, s.location);
    const detail::sequence<gradient_list> parts = detail::contributions_to(loss, with_respect_to, options, s);
    for (std::size_t i = 0; i < parts.size(); ++i)
      result.push_back(detail::sum_of_any(detail::gradient_type(with_respect_to[i]), parts[i], differentiable_numbers{}));
  }
  return result;
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/gradients.hpp>
#endif
