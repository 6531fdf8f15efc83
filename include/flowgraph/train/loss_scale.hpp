#pragma once
// Loss scaling for mixed precision: the loss is scaled up so that half-precision gradients do not vanish, and steps with infinite
// or NaN gradients are skipped.
//
//     auto h = fg::matmul(fg::cast<fg::half>(x), fg::cast<fg::half>(w));       // computed in half precision; w is float
//     auto loss = fg::mean(fg::square(fg::cast<float>(h) - y));
//     fg::loss_scale scale(g);
//     auto train = scale.minimize(fg::adam{.rate = 1e-3f}, loss);
//
// If a gradient is not finite, the scale is halved and the step changes no variable. After many good steps the scale is doubled.
// The scale is a variable, "loss_scale/value", so checkpoints contain it. Create the loss_scale before the saver.

#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/rounding.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/train/clip.hpp>
#include <flowgraph/train/optimizer.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of a loss_scale.
struct loss_scale_options {
  float initial = 32768;             // the first scale
  float factor = 2;                  // factor by which the scale grows and shrinks; with a power of two, scaling is exact
  std::int64_t growth_steps = 2000;  // number of consecutive good steps after which the scale grows
  float smallest = 1;                // lower limit of the scale
  float largest = 16777216;          // upper limit of the scale
};

// A loss scale that adapts to the gradients. Use it around other optimizers: scale.minimize(fg::accumulate_gradients(...), loss)
// skips a batch whose gradients are not finite, and accumulates the gradients of the other batches.
class loss_scale {
public:
  explicit loss_scale(const graph& g, const loss_scale_options& options = {}, site s = {});

  // Returns a target that trains all variables that the loss depends on, or the given variables, like method.minimize.
  template <class Method, class T> target minimize(const Method& method, const out<T>& loss, site s = {}) const {
    return apply(method, gradients(loss, s), s);
  }
  template <class Method, class T, class... Rest>
  target minimize(const Method& method, const out<T>& loss, const variable<T>& first, const variable<Rest>&... rest) const {
    static_assert((std::is_same_v<T, Rest> && ...),
                  "flowgraph: variables of one element type a call; minimize each type on its own");
    const any_out all[]{first, rest...};
    return apply(method, unscaled(detail::gradients_of_these<T>(scaled(loss), all)));
  }
  // The two halves of `minimize`: `gradients` returns the gradients of the scaled loss, divided by the scale; `apply` applies
  // them unless one of them is not finite.
  template <class T> trained_list<T> gradients(const out<T>& loss, site s = {}) const {
    return unscaled(detail::gradients_of_all(scaled(loss), s));
  }
  template <class Method, class T> target apply(const Method& method, const trained_list<T>& list, site s = {}) const;

  // Returns the scale, which can be fetched.
  const variable<float>& value() const noexcept { return value_; }
  // Returns the number of skipped steps, which can be fetched.
  const variable<std::int64_t>& skipped_steps() const noexcept { return skipped_; }

private:
  template <class T> out<T> scaled(const out<T>& loss) const { return loss * as<T>(value_); }
  template <class T> trained_list<T> unscaled(trained_list<T> list) const {
    if (list.empty()) return list;
    const out<T> share = as<T>(1.f / value_);
    for (trained<T>& t : list) t.gradient = detail::with_values(t.gradient, [&](const out<T>& x) { return x * share; });
    return list;
  }
  template <class T> static out<T> as(const out<float>& x) {
    if constexpr (std::is_same_v<T, float>) return x;
    else return cast<T>(x);
  }
  void grow() const;
  void shrink() const;

  loss_scale_options options_;
  variable<float> value_;
  variable<std::int64_t> good_, skipped_;
};

namespace detail {

// Returns whether all gradients of a list are finite, or an empty handle if the list has no gradients.
template <class T> out<bool> are_finite(const trained_list<T>& list) {
  out<bool> all_of_them;
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    const out<bool> one = all_of(is_finite(t.gradient.is_slices() ? t.gradient.slices().values : out<T>(t.gradient)));
    all_of_them = all_of_them.source ? logical_and(all_of_them, one) : one;
  }
  return all_of_them;
}

}  // namespace detail

template <class Method, class T> target loss_scale::apply(const Method& method, const trained_list<T>& list, site s) const {
  const out<bool> is_good = detail::are_finite(list);
  if (!is_good.source) return {};
  return cond(
      is_good,
      [&] {
        const target trained = method.apply(list, s);
        if (!trained.source) return;
        const auto after = graph_of(*is_good.source).after(trained);
        grow();
      },
      [&] { shrink(); }, s);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/loss_scale.hpp>
#endif
