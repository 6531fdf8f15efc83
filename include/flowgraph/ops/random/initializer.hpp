#pragma once
// The initial value of a variable: a shape, and the nodes that compute the value.
//
//     auto w = g.variable("w", fg::glorot_uniform<float>({784, 10}));
//     auto b = g.variable("b", fg::zeros<float>({10}));
//     auto v = g.variable("v", fg::initial_value(w * 0.5f));

#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/random/random.hpp>

#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The initial value of a variable. `build` adds the nodes that compute the value; the other members are the parameters of
// `build`. Any function of this type can be used:
//
//     fg::initializer<float> identity_matrix{{n, n}, [](const fg::graph& g, const fg::initializer<float>& self, fg::site s) { ... }};
template <class T> struct initializer {
  flowgraph::shape shape;                                                      // the shape of the variable
  out<T> (*build)(const graph& g, const initializer& self, site s) = nullptr;  // adds the nodes that compute the value
  double first = 0, second = 0;           // the two parameters of a distribution, or only `first`: the value of all elements
  std::optional<std::int64_t> seed = {};  // the seed of random numbers, combined with the graph's seed
  out<T> value = {};                      // the argument of initial_value
  tensor<T> constant = {};                // the argument of initial_tensor or constant
};

namespace detail {

// Larger tensors are filled when the variable is initialized instead of being stored in the graph.
inline constexpr std::int64_t largest_constant = 1000;

template <class T> T number_of(double value) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16> || std::is_same_v<T, complex64>)
    return T(static_cast<float>(value));
  else if constexpr (is_plain(dtype_of<T>)) return static_cast<T>(value);
  else return T{};
}

template <class T> out<T> build_filled(const graph& g, const initializer<T>& self, site s) {
  const T value = self.constant.size() == 1 ? self.constant[0] : number_of<T>(self.first);
  if (self.shape.size() >= largest_constant) return fill(self.shape, constant_in(g.state(), tensor<T>(value), s), s);
  tensor<T> all(self.shape);
  for (T& element : all.writable()) element = value;
  return constant_in(g.state(), all, s);
}
template <class T> out<T> build_uniform(const graph& g, const initializer<T>& self, site s) {
  return random_uniform<T>(g, self.shape, {number_of<T>(self.first), number_of<T>(self.second), self.seed}, s);
}
template <class T> out<T> build_normal(const graph& g, const initializer<T>& self, site s) {
  return random_normal<T>(g, self.shape, {number_of<T>(self.first), number_of<T>(self.second), self.seed}, s);
}
template <class T> out<T> build_truncated(const graph& g, const initializer<T>& self, site s) {
  return truncated_normal<T>(g, self.shape, {number_of<T>(self.first), number_of<T>(self.second), self.seed}, s);
}

// The fan-in and the fan-out of a weight: the number of inputs of each output, and the number of outputs that each input affects.
struct fans {
  double in, out;
};
fans fans_of(const shape& weight);
// Return the bound of a uniform distribution and the standard deviation of a truncated normal distribution. Both distributions
// have the variance `scale` / `fan`.
double uniform_bound(double scale, double fan);
double truncated_deviation(double scale, double fan);

}  // namespace detail

// Returns an initializer of zeros.
template <class T> initializer<T> zeros(const shape& s) { return {s, &detail::build_filled<T>}; }
// Returns an initializer of ones.
template <class T> initializer<T> ones(const shape& s) { return {s, &detail::build_filled<T>, 1}; }
// Returns an initializer that sets all elements to one value.
template <class T> initializer<T> constant(const shape& s, std::type_identity_t<T> value) {
  initializer<T> values{s, &detail::build_filled<T>};
  values.constant = tensor<T>(std::move(value));
  return values;
}

// Returns an initializer of uniformly distributed numbers in [min, max).
template <class T> initializer<T> random_uniform(const shape& s, double min, double max, std::optional<std::int64_t> seed = {}) {
  return {s, &detail::build_uniform<T>, min, max, seed};
}
// Returns an initializer of normally distributed numbers.
template <class T>
initializer<T> random_normal(const shape& s, double mean = 0, double stddev = 1, std::optional<std::int64_t> seed = {}) {
  return {s, &detail::build_normal<T>, mean, stddev, seed};
}
// Returns an initializer of normally distributed numbers within two standard deviations of the mean.
template <class T>
initializer<T> truncated_normal(const shape& s, double mean = 0, double stddev = 1, std::optional<std::int64_t> seed = {}) {
  return {s, &detail::build_truncated<T>, mean, stddev, seed};
}

// Returns an initializer of uniformly distributed weights for a layer (Glorot and Bengio, 2010). The last two axes are inputs and
// outputs.
template <class T> initializer<T> glorot_uniform(const shape& s, std::optional<std::int64_t> seed = {}) {
  const detail::fans f = detail::fans_of(s);
  const double bound = detail::uniform_bound(1, (f.in + f.out) / 2);
  return random_uniform<T>(s, -bound, bound, seed);
}
// Returns an initializer of weights for a layer with a truncated normal distribution (Glorot and Bengio, 2010). The last two axes
// are inputs and outputs.
template <class T> initializer<T> glorot_normal(const shape& s, std::optional<std::int64_t> seed = {}) {
  const detail::fans f = detail::fans_of(s);
  return truncated_normal<T>(s, 0, detail::truncated_deviation(1, (f.in + f.out) / 2), seed);
}
// Returns an initializer of uniformly distributed weights for a layer that is followed by a relu (He et al., 2015). The last two
// axes are inputs and outputs.
template <class T> initializer<T> he_uniform(const shape& s, std::optional<std::int64_t> seed = {}) {
  const double bound = detail::uniform_bound(2, detail::fans_of(s).in);
  return random_uniform<T>(s, -bound, bound, seed);
}
// Returns an initializer of weights with a truncated normal distribution for a layer that is followed by a relu (He et al.,
// 2015). The last two axes are inputs and outputs.
template <class T> initializer<T> he_normal(const shape& s, std::optional<std::int64_t> seed = {}) {
  return truncated_normal<T>(s, 0, detail::truncated_deviation(2, detail::fans_of(s).in), seed);
}

// Returns an initializer that sets a variable to a tensor. The tensor is stored in the graph.
template <class T> initializer<T> initial_tensor(const tensor<T>& value) {
  initializer<T> values{value.shape(), [](const graph& g, const initializer<T>& self, site s) {
                          return detail::constant_in(g.state(), self.constant, s);
                        }};
  values.constant = value;
  return values;
}
// Returns an initializer that sets a variable to a value that the graph computes when the variable is initialized.
template <class T> initializer<T> initial_value(const out<T>& value) {
  initializer<T> values{value.shape(), [](const graph&, const initializer<T>& self, site) { return self.value; }};
  values.value = value;
  return values;
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/random/impl/initializer.hpp>
#endif
