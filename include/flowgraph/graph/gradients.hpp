#pragma once
// Gradients as ordinary nodes: reverse accumulation from a loss to whatever it depends on.
//
//     auto [dw, db] = fg::gradients(loss, w, b);
//     fg::out<float> d = dw;                                    // dense, whatever it was
//     auto h = fg::gradients(fg::sum(d), w);                    // second order: calling it twice

#include <flowgraph/graph/gradient_options.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/table.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Rows of a gradient: row indices[i] is the sum of the values[i] that name it; all other rows are zero.
template <class T>
struct indexed_slices {
  out<T> values;
  out<std::int64_t> indices;
  out<std::int64_t> dense_shape;
};

// A gradient with respect to a T: dense, slices, or none. Converts to out<T>, made dense where needed.
template <class T>
struct grad {
  any_grad parts;

  // Whether the loss does not depend on it.
  bool is_none() const noexcept { return parts.kind == any_grad::form::absent; }
  // Whether it names rows: see slices().
  bool is_slices() const noexcept { return parts.kind == any_grad::form::slices; }
  // Precondition: is_slices().
  indexed_slices<T> slices() const {
    const any_slices& s = parts.slices;
    return {{s.values.source, s.values.port}, {s.indices.source, s.indices.port}, {s.dense_shape.source, s.dense_shape.port}};
  }
  operator out<T>() const { return detail::dense_gradient<T>(parts); }
};

template <class T>
any_grad::any_grad(const grad<T>& g) : any_grad(g.parts) {}

// The erased form: one gradient a `with_respect_to`, of each the contributions not yet summed.
result<std::vector<gradient_list>> gradient_contributions(std::span<const any_out> losses, std::span<const any_out> with_respect_to,
                                                          const gradient_options& options, const site& s);

namespace detail {

template <class... T>
inline constexpr bool has_gradients = (is_differentiable(dtype_of<T>) && ...);

// Ones in the shape of a loss; defined with the ops.
template <class T>
any_grad ones_of(out<T> loss);

template <class... T>
std::array<any_grad, sizeof...(T)> sum_contributions(const std::vector<gradient_list>& parts) {
  std::size_t i = 0;
  return {accumulate<T>(parts[i++])...};
}

std::vector<gradient_list> contributions_or_raise(std::span<const any_out> losses, std::span<const any_out> with_respect_to,
                                                  const gradient_options& options, const site& s);

// The same for one loss, begun with ones unless the options say otherwise.
template <class L>
std::vector<gradient_list> contributions_to(out<L> loss, std::span<const any_out> with_respect_to, gradient_options options,
                                            const site& s) {
  const any_out losses[]{loss};
  any_grad ones;
  if (options.starts.empty() && loss.source) {
    ones = ones_of(loss);
    options.starts = {&ones, 1};
  }
  return contributions_or_raise(losses, with_respect_to, options, s);
}

template <class... T>
struct gradient_result {
  using type = std::tuple<grad<T>...>;
};
template <class T>
struct gradient_result<T> {
  using type = grad<T>;
};

template <class L, class... T>
typename gradient_result<T...>::type make_gradients(const site& s, const gradient_options& options, out<L> loss,
                                                    const out<T>&... with_respect_to) {
  using made = typename gradient_result<T...>::type;
  if constexpr (has_gradients<L, T...>) {
    const any_out targets[]{with_respect_to...};
    const inherited_location here(loss.source ? loss.source->graph : nullptr, s.location);
    const auto sums = sum_contributions<T...>(contributions_to(loss, targets, options, s));
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return made{grad<T>{sums[I]}...};
    }(std::index_sequence_for<T...>{});
  } else {
    return {};  // the caller has said why it does not compile
  }
}

}  // namespace detail

// The gradients of a loss with respect to handles that it depends on; one handle gives one, several a tuple. In this form the
// site and the options come first.
template <class L, class... T>
auto gradients(const site& s, const gradient_options& options, out<L> loss, const out<T>&... with_respect_to) {
  static_assert(detail::has_gradients<L, T...>, "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  return detail::make_gradients(s, options, loss, with_respect_to...);
}

template <class L, class A>
auto gradients(out<L> loss, const out<A>& a, site s = {}) {
  static_assert(detail::has_gradients<L, A>, "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  return detail::make_gradients(s, {}, loss, a);
}
template <class L, class A>
auto gradients(out<L> loss, const out<A>& a, const gradient_options& options, site s = {}) {
  static_assert(detail::has_gradients<L, A>, "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  return detail::make_gradients(s, options, loss, a);
}
template <class L, class A, class B>
auto gradients(out<L> loss, const out<A>& a, const out<B>& b, site s = {}) {
  static_assert(detail::has_gradients<L, A, B>, "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  return detail::make_gradients(s, {}, loss, a, b);
}
template <class L, class A, class B, class C>
auto gradients(out<L> loss, const out<A>& a, const out<B>& b, const out<C>& c, site s = {}) {
  static_assert(detail::has_gradients<L, A, B, C>, "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  return detail::make_gradients(s, {}, loss, a, b, c);
}
template <class L, class A, class B, class C, class D>
auto gradients(out<L> loss, const out<A>& a, const out<B>& b, const out<C>& c, const out<D>& d, site s = {}) {
  static_assert(detail::has_gradients<L, A, B, C, D>, "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  return detail::make_gradients(s, {}, loss, a, b, c, d);
}

// Of a number of handles known at run time only.
template <class L, class T>
std::vector<grad<T>> gradients(out<L> loss, const out_list<T>& with_respect_to, const gradient_options& options = {}, site s = {}) {
  const std::vector<any_out> targets(with_respect_to.begin(), with_respect_to.end());
  static_assert(detail::has_gradients<L, T>, "flowgraph: gradients of or with respect to integers, booleans or strings do not exist");
  std::vector<grad<T>> made;
  const detail::inherited_location here(loss.source ? loss.source->graph : nullptr, s.location);
  for (const gradient_list& parts : detail::contributions_to(loss, targets, options, s))
    made.push_back({detail::accumulate<T>(parts)});
  return made;
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/graph/impl/gradients.hpp>
#endif
