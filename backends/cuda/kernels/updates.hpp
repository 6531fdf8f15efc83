#pragma once
// The steps of optimizers. They have the formulas of ops/kernel/update.hpp.

#include <cuda/kernels/arguments.hpp>
#include <cuda/kernels/elements.hpp>

#include <flowgraph/cuda/pack.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// The scalars of an update, by number.
template <class T> struct scalar_list {
  const void* const* all;
  FLOWGRAPH_FUNCTION T operator[](int i) const { return *static_cast<const T*>(all[i]); }
};

struct gradient_descent {
  static constexpr int variables = 1, scalars = 1;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool) {
    v[0][i] = v[0][i] - g * s[0];
  }
};
struct momentum {
  static constexpr int variables = 2, scalars = 2;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool nesterov) {
    const T rate = s[0], keep = s[1], moved = v[1][i] * keep + g;
    v[1][i] = moved;
    v[0][i] = v[0][i] - (nesterov ? g * rate + moved * keep * rate : moved * rate);
  }
};
struct adam {
  static constexpr int variables = 3, scalars = 6;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool nesterov) {
    using kernel::one::lanes;
    const T rate = s[2] * lanes<T>::sqrt(T(1) - s[1]) / (T(1) - s[0]), beta1 = s[3], beta2 = s[4];
    const T mean = v[1][i] + (g - v[1][i]) * (1 - beta1), square = v[2][i] + (g * g - v[2][i]) * (1 - beta2);
    v[1][i] = mean;
    v[2][i] = square;
    const T direction = nesterov ? g * (1 - beta1) + mean * beta1 : mean;
    v[0][i] = v[0][i] - direction * rate / (lanes<T>::sqrt(square) + s[5]);
  }
};
// The flag of the methods below is update_slots.
struct adagrad {
  static constexpr int variables = 2, scalars = 1;
  static constexpr bool wants_columns = true;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool grows) {
    if (grows) v[1][i] = v[1][i] + g * g;
    v[0][i] = v[0][i] - g * s[0] / kernel::one::lanes<T>::sqrt(v[1][i]);
  }
};
struct adagrad_v2 {
  static constexpr int variables = 2, scalars = 2;
  static constexpr bool wants_columns = true;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool grows) {
    if (grows) v[1][i] = v[1][i] + g * g;
    v[0][i] = v[0][i] - g * s[0] / (kernel::one::lanes<T>::sqrt(v[1][i]) + s[1]);
  }
};
struct adadelta {
  static constexpr int variables = 3, scalars = 3;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool) {
    using kernel::one::lanes;
    const T rho = s[1], epsilon = s[2], squares = v[1][i] * rho + g * g * (1 - rho);
    const T update = lanes<T>::sqrt(v[2][i] + epsilon) / lanes<T>::sqrt(squares + epsilon) * g;
    v[1][i] = squares;
    v[0][i] = v[0][i] - update * s[0];
    v[2][i] = v[2][i] * rho + update * update * (1 - rho);
  }
};
// Returns the moving average after x. Steps for sparse gradients (`Rows`) compute the average by another formula, as on the CPU.
template <bool Rows, class T> FLOWGRAPH_FUNCTION T forgetting_mean(T mean, T x, T rho) {
  return Rows ? mean * rho + x * (1 - rho) : mean + (x - mean) * (1 - rho);
}
template <bool Rows> struct rms_prop {
  static constexpr int variables = 3, scalars = 4;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool) {
    const T square = forgetting_mean<Rows>(v[1][i], g * g, s[1]);
    const T moved = v[2][i] * s[2] + g * s[0] / kernel::one::lanes<T>::sqrt(square + s[3]);
    v[1][i] = square;
    v[2][i] = moved;
    v[0][i] = v[0][i] - moved;
  }
};
template <bool Rows> struct centered_rms_prop {
  static constexpr int variables = 4, scalars = 4;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool) {
    const T square = forgetting_mean<Rows>(v[2][i], g * g, s[1]), mean = forgetting_mean<Rows>(v[1][i], g, s[1]);
    const T moved = v[3][i] * s[2] + g * s[0] / kernel::one::lanes<T>::sqrt(square - mean * mean + s[3]);
    v[1][i] = mean;
    v[2][i] = square;
    v[3][i] = moved;
    v[0][i] = v[0][i] - moved;
  }
};
// Decays the variable, and then applies Adam.
struct decayed_adam {
  static constexpr int variables = 3, scalars = 7;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool) {
    v[0][i] = v[0][i] - v[0][i] * s[6];
    adam::step(v, i, g, s, false);
  }
};
template <class T> FLOWGRAPH_FUNCTION T size_of_number(T x) { return x < 0 ? -x : x; }
// -1, 0 or 1; NaN stays NaN.
template <class T> FLOWGRAPH_FUNCTION T direction_of(T x) { return x > 0 ? T(1) : x < 0 ? T(-1) : x; }
// Returns x moved toward zero by `bound`; 0 if |x| is smaller than `bound`.
template <class T> FLOWGRAPH_FUNCTION T shrunk(T x, T bound) {
  const T size = size_of_number(x) - bound;
  return direction_of(x) * (size < 0 ? T(0) : size);
}
struct proximal_gradient_descent {
  static constexpr int variables = 1, scalars = 3;
  static constexpr bool wants_columns = true;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool) {
    const T moved = v[0][i] - g * s[0];
    v[0][i] = (s[1] > 0 ? shrunk(moved, s[0] * s[1]) : moved) / (T(1) + s[2] * s[0]);
  }
};
// The flag is multiply_linear_by_lr: the second slot contains its number times the rate. `Shrinks`: the fourth scalar moves the
// variable toward zero. `Rows`: the step for sparse gradients, which keeps NaN.
template <bool Shrinks, bool Rows> struct ftrl {
  static constexpr int variables = 3, scalars = Shrinks ? 5 : 4;
  static constexpr bool wants_columns = true;

  // Returns the position of the first scalar that is refused, or -1.
  template <class T> FLOWGRAPH_FUNCTION static int refused(scalar_list<T> s, bool scaled) {
    if (!(s[0] > 0 || (scaled && s[0] == 0))) return 0;
    for (int i = 1; i < scalars - 1; ++i)
      if (!(s[i] >= 0)) return i;
    return -s[scalars - 1] >= 0 ? -1 : scalars - 1;
  }
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool scaled) {
    const T w = v[0][i], before = v[1][i], rate = s[0], l2 = s[2], power = -s[scalars - 1];
    const T grown = before + g * g, used = Shrinks ? g + T(2) * s[3] * w : g;
    const T now = raised(grown, power), change = now - raised(before, power);
    const T linear = v[2][i] + (scaled ? used * rate - change * w : used - change / rate * w);
    const T bound = scaled ? s[1] * rate : s[1], slope = scaled ? now + T(2) * l2 * rate : now / rate + T(2) * l2;
    if (Rows) v[0][i] = ((bound < linear ? bound : linear < -bound ? -bound : linear) - linear) / slope;
    else v[0][i] = size_of_number(linear) > bound ? (bound * direction_of(linear) - linear) / slope : T(0);
    v[1][i] = grown;
    v[2][i] = linear;
  }
  template <class T> FLOWGRAPH_FUNCTION static T raised(T x, T power) {
    return power == T(0.5f) ? kernel::one::lanes<T>::sqrt(x) : plain<T>(functor::pow::packet(x, power));
  }
};
struct adamax {
  static constexpr int variables = 3, scalars = 5;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool) {
    const T rate = s[1] / (1 - s[0]), mean = v[1][i] + (g - v[1][i]) * (1 - s[2]), size = g < 0 ? -g : g, kept = s[3] * v[2][i];
    const T norm = kept < size ? size : kept;
    v[1][i] = mean;
    v[2][i] = norm;
    v[0][i] = v[0][i] - rate * (mean / (norm + s[4]));
  }
};
struct amsgrad {
  static constexpr int variables = 4, scalars = 6;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool) {
    using kernel::one::lanes;
    const T rate = s[2] * lanes<T>::sqrt(T(1) - s[1]) / (T(1) - s[0]);
    const T mean = v[1][i] + (g - v[1][i]) * (1 - s[3]), square = v[2][i] + (g * g - v[2][i]) * (1 - s[4]);
    const T largest = v[3][i] < square ? square : v[3][i];
    v[1][i] = mean;
    v[2][i] = square;
    v[3][i] = largest;
    v[0][i] = v[0][i] - mean * rate / (lanes<T>::sqrt(largest) + s[5]);
  }
};
struct add_sign {
  static constexpr int variables = 2, scalars = 4;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool) {
    const T mean = v[1][i] * s[3] + g * (T(1) - s[3]);
    v[1][i] = mean;
    v[0][i] = v[0][i] - s[0] * (s[1] + s[2] * direction_of(g) * direction_of(mean)) * g;
  }
};
struct power_sign {
  static constexpr int variables = 2, scalars = 4;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool) {
    const T mean = v[1][i] * s[3] + g * (T(1) - s[3]);
    v[1][i] = mean;
    v[0][i] = v[0][i] - s[0] * functor::functions<T>::exp(s[1] * s[2] * direction_of(g) * direction_of(mean)) * g;
  }
};
struct proximal_adagrad {
  static constexpr int variables = 2, scalars = 3;
  static constexpr bool wants_columns = true;

  // Returns the position of the first scalar that is refused, or -1.
  template <class T> FLOWGRAPH_FUNCTION static int refused(scalar_list<T> s, bool) {
    return !(s[0] > 0) ? 0 : !(s[1] >= 0) ? 1 : s[2] >= 0 ? -1 : 2;
  }
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool) {
    const T squares = v[1][i] + g * g, rate = s[0] / kernel::one::lanes<T>::sqrt(squares), moved = v[0][i] - g * rate;
    v[1][i] = squares;
    v[0][i] = (s[1] > 0 ? shrunk(moved, s[1] * rate) : moved) / (T(1) + s[2] * rate);
  }
};
// The last scalar is the number of steps, an integer. `Rows`: the step for sparse gradients, which divides by it if rows have several
// elements.
template <bool Rows> struct adagrad_da {
  static constexpr bool has_long_rows = true;
  static constexpr int variables = 3, scalars = 4;
  static constexpr bool wants_columns = true;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T> s, bool divides) {
    const T rate = s[0], l1 = s[1], l2 = s[2], count = static_cast<T>(*static_cast<const std::int64_t*>(s.all[3]));
    const T sum = v[1][i] + g, squares = v[2][i] + g * g, root = kernel::one::lanes<T>::sqrt(squares);
    const T size = functor::functions<T>::abs(sum);
    v[1][i] = sum;
    v[2][i] = squares;
    if (Rows && divides) v[0][i] = -direction_of(sum) * left(size / count, l1, l1) / (l2 + root / (count * rate));
    else v[0][i] = -rate * direction_of(sum) * left(size, l1 * count, l1) / (l2 * count * rate + root);
  }
  template <class T> FLOWGRAPH_FUNCTION static T left(T size, T bound, T l1) {
    return !(l1 > 0) ? size : size < bound ? T(0) : size - bound;
  }
};
template <class F> struct joined_with {
  static constexpr int variables = 1, scalars = 0;
  template <class T> FLOWGRAPH_FUNCTION static void step(T* const* v, std::int64_t i, T g, scalar_list<T>, bool) {
    v[0][i] = plain<T>(F::packet(get<F>(v[0][i]), get<F>(g)));
  }
};

template <class Step, class T> struct update_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const update_arguments& u) const {
    if (*static_cast<const fault_word*>(u.fault) != no_fault) return;
    const std::int64_t first = b.index() * elements_per_block;
    const T* const gradient = static_cast<const T*>(u.gradient) + first;
    const scalar_list<T> scalars{u.scalars};
    T* v[Step::variables];
    bool packed = is_packed(gradient);
    for (int k = 0; k < Step::variables; ++k) {
      v[k] = static_cast<T*>(u.variables[k]) + first;
      packed = packed && is_packed(v[k]);
      for (int other = 0; other < k; ++other) packed = packed && v[k] != v[other];  // the same variable twice
    }
    each_pack<pack_size<T>>(b, part_of(u.size, first), packed, [&]<class N>(N, std::int64_t i) {
      if constexpr (N::value == 1) {
        Step::step(v, i, gradient[i], scalars, u.flag);
      } else {
        const auto g = load<N::value>(gradient + i);
        pack<T, N::value> kept[Step::variables];
        T* own[Step::variables];
        for (int k = 0; k < Step::variables; ++k) {
          kept[k] = load<N::value>(v[k] + i);
          own[k] = kept[k].at;
        }
        for (int e = 0; e < N::value; ++e) Step::step(own, e, g.at[e], scalars, u.flag);
        for (int k = 0; k < Step::variables; ++k) store(v[k] + i, kept[k]);
      }
    });
  }
};

}
}
}  // namespace flowgraph::cuda
