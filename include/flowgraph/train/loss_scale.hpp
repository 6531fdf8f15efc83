#pragma once
// Mixed precision: gradients that half-precision values can hold, by a loss that is scaled up, and steps that are skipped where one could not.
//
//     auto h = fg::matmul(fg::cast<fg::half>(x), fg::cast<fg::half>(w));       // computed in halves; w itself is of floats
//     auto loss = fg::mean(fg::square(fg::cast<float>(h) - y));
//     fg::loss_scale scale(g);
//     auto train = scale.minimize(fg::adam{.rate = 1e-3f}, loss);
//
// The scale is halved where a gradient is not finite, and that step changes no variable; after many good steps it is doubled. It is a variable,
// "loss_scale/value", so that a checkpoint has it. Make it before the saver.

#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/rounding.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/train/clip.hpp>
#include <flowgraph/train/optimizer.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct loss_scale_options {
  float initial = 32768;             // the first scale
  float factor = 2;                  // by which it grows and shrinks; a power of two changes no bit of a gradient
  std::int64_t growth_steps = 2000;  // it grows after so many good steps in a row
  float smallest = 1;                // it does not shrink below this
  float largest = 16777216;          // nor grow above this
};

// A scale that follows what gradients can bear. It stands outside of other optimizers: scale.minimize(fg::accumulate_gradients(...), loss)
// leaves a batch out whose gradients are not finite, and accumulates the others.
class loss_scale {
public:
  explicit loss_scale(const graph& g, const loss_scale_options& options = {}, site s = {});

  // Trains every variable that the loss depends on, or these, as method.minimize does.
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
  // The two halves of it, as every optimizer has them: gradients of the scaled loss, divided by the scale; and the step, unless one of them is
  // not finite.
  template <class T> trained_list<T> gradients(const out<T>& loss, site s = {}) const {
    return unscaled(detail::gradients_of_all(scaled(loss), s));
  }
  template <class Method, class T> target apply(const Method& method, const trained_list<T>& list, site s = {}) const;

  // The scale, to be fetched.
  const variable<float>& value() const noexcept { return value_; }
  // How many steps were skipped, to be fetched.
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

// Whether all gradients of a list are finite; no handle: there are none.
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

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/loss_scale.hpp>
#endif
