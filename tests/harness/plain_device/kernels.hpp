#pragma once
// The kernels of the plain device: the element-wise ones, 14 of other forms, and those of variables. The forms are a product with
// a workspace of its own, rows by index with their check, updates of variables, random numbers, and reductions.

#include "elementwise.hpp"

#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/nn/bias.hpp>
#include <flowgraph/ops/nn/loss.hpp>
#include <flowgraph/ops/nn/softmax.hpp>
#include <flowgraph/ops/random/random.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/ops/training/training.hpp>

#include <flowgraph/ops/random/detail/draw.hpp>

namespace plain {

// Transposes the second operand into its workspace, so that both are read along their rows.
struct product {
  void operator()(const fg::mat_mul_op& op, context ctx, fg::view<const float> a, fg::view<const float> b,
                  fg::view<float> y) const {
    const auto rows = static_cast<std::size_t>(y.dim(0)), columns = static_cast<std::size_t>(y.dim(1));
    const auto inner = static_cast<std::size_t>(a.dim(op.transpose_a ? 0 : 1));
    float* const by_column = ctx.scratch<float>();
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t k = 0; k < inner; ++k) by_column[j * inner + k] = op.transpose_b ? b[j * inner + k] : b[k * columns + j];
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < inner; ++k)
          sum += static_cast<double>(op.transpose_a ? a[k * rows + i] : a[i * inner + k]) * by_column[j * inner + k];
        y[i * columns + j] = static_cast<float>(sum);
      }
  }
};
inline constexpr auto bytes_of_product = [](const fg::mat_mul_op&, const fg::shape&, const fg::shape& b) {
  return static_cast<std::size_t>(b.size()) * sizeof(float);
};

inline bool has_rows(context ctx, const fg::any_indices& indices, std::int64_t rows) {
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (indices[i] < 0 || indices[i] >= rows) {
      ctx.fail(fg::error_code::invalid_argument,
               fg::message{"index ", indices[i], " at position ", i, " is outside of [0, ", rows, ")"});
      return false;
    }
  return true;
}
inline std::int64_t product_of(const fg::shape& s, int first, int last) {
  std::int64_t made = 1;
  for (int k = first; k < last; ++k) made *= s[k];
  return made;
}
// Gathers `outer` blocks of `rows` rows of `inner` elements. Each batch has its own indices.
inline void gather(fg::view<const float> from, const fg::any_indices& indices, fg::view<float> y, std::int64_t batches,
                   std::int64_t outer, std::int64_t rows, std::int64_t inner) {
  const std::int64_t count = batches > 0 ? static_cast<std::int64_t>(indices.size()) / batches : 0;
  std::size_t to = 0;
  for (std::int64_t b = 0; b < batches; ++b)
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t k = 0; k < inner; ++k)
          y[to++] = from[static_cast<std::size_t>(((b * outer + o) * rows + indices[b * count + i]) * inner + k)];
}
struct gather_rows {
  void operator()(const fg::gather_op&, context ctx, fg::view<const float> x, const fg::any_indices& indices,
                  fg::view<float> y) const {
    if (has_rows(ctx, indices, x.dim(0))) gather(x, indices, y, 1, 1, x.dim(0), product_of(x.shape(), 1, x.rank()));
  }
};
struct gather_along {
  void operator()(const fg::gather_v2_op& op, context ctx, fg::view<const float> x, const fg::any_indices& indices,
                  const fg::any_indices& axis, fg::view<float> y) const {
    const int batch = static_cast<int>(op.batch_dims < 0 ? op.batch_dims + indices.rank() : op.batch_dims);
    const int at = static_cast<int>(axis.scalar() < 0 ? axis.scalar() + x.rank() : axis.scalar());
    if (at < batch || at >= x.rank())
      return ctx.fail(fg::error_code::invalid_argument, fg::message{"axis ", axis.scalar(), " is not an axis of params"});
    if (has_rows(ctx, indices, x.dim(at)))
      gather(x, indices, y, product_of(x.shape(), 0, batch), product_of(x.shape(), batch, at), x.dim(at),
             product_of(x.shape(), at + 1, x.rank()));
  }
};

// Checks shapes for Adam and gradient descent, before the first write.
template <class... V> bool fit(context ctx, const fg::shape& gradient, const V&... variables) {
  for (fg::variable_state* v : {&variables.state()...}) {
    if (!v->value().has_value()) {
      ctx.fail(fg::error_code::failed_precondition, "attempting to use uninitialized value");
      return false;
    }
    if (!(v->value().shape() == gradient)) {
      ctx.fail(fg::error_code::invalid_argument, "the variables and the gradient have different shapes");
      return false;
    }
  }
  return true;
}
struct adam {
  void operator()(const fg::apply_adam_op& op, context ctx, fg::reference<float> var, fg::reference<float> m,
                  fg::reference<float> v, fg::view<const float> beta1_power, fg::view<const float> beta2_power,
                  fg::view<const float> lr, fg::view<const float> beta1, fg::view<const float> beta2,
                  fg::view<const float> epsilon, fg::view<const float> grad, fg::reference_out<float>) const {
    if (!fit(ctx, grad.shape(), var, m, v)) return;
    const fg::view<float> w = var.update(), mean = m.update(), squares = v.update();
    const float rate = lr[0] * std::sqrt(1 - beta2_power[0]) / (1 - beta1_power[0]);
    for (std::size_t i = 0; i < w.size(); ++i) {
      const float g = grad[i];
      mean[i] += (g - mean[i]) * (1 - beta1[0]);
      squares[i] += (g * g - squares[i]) * (1 - beta2[0]);
      const float step = op.use_nesterov ? g * (1 - beta1[0]) + mean[i] * beta1[0] : mean[i];
      w[i] -= step * rate / (std::sqrt(squares[i]) + epsilon[0]);
    }
  }
};
struct gradient_descent {
  void operator()(const fg::apply_gradient_descent_op&, context ctx, fg::reference<float> var, fg::view<const float> alpha,
                  fg::view<const float> delta, fg::reference_out<float>) const {
    if (!fit(ctx, delta.shape(), var)) return;
    const fg::view<float> w = var.update();
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= alpha[0] * delta[i];
  }
};

// Draws the same numbers as the op's own kernel: they depend on the seeds and on how many numbers the node has drawn.
struct uniform {
  void operator()(const fg::random_uniform_op& op, context ctx, const fg::any_indices&, fg::view<float> y) const {
    constexpr std::size_t each = fg::detail::numbers_per_block<float>;
    fg::detail::philox source = fg::detail::source_of(fg::cpu(ctx.call()), op, y.size());
    float drawn[each];
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (i % each == 0) fg::detail::unit_distribution<float>::draw(source(), drawn);
      y[i] = drawn[i % each];
    }
  }
};

struct softmax {
  void operator()(const fg::softmax_op&, context, fg::view<const float> x, fg::view<float> y) const {
    const auto columns = static_cast<std::size_t>(x.dim(x.rank() - 1));
    for (std::size_t at = 0; at + columns <= x.size() && columns > 0; at += columns) {
      const float most = *std::max_element(x.data() + at, x.data() + at + columns);
      double sum = 0;
      for (std::size_t j = at; j < at + columns; ++j) sum += y[j] = std::exp(x[j] - most);
      for (std::size_t j = at; j < at + columns; ++j) y[j] = static_cast<float>(y[j] / sum);
    }
  }
};

// Returns the channel of element `i`.
inline std::size_t channel_of(fg::data_format format, const fg::shape& x, std::size_t i) {
  const int axis = fg::detail::channel_axis(format, x);
  return i / static_cast<std::size_t>(product_of(x, axis + 1, x.rank)) % static_cast<std::size_t>(x[axis]);
}
struct bias_add {
  void operator()(const fg::bias_add_op& op, context, fg::view<const float> x, fg::view<const float> bias,
                  fg::view<float> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + bias[channel_of(op.data_format, x.shape(), i)];
  }
};
struct bias_add_grad {
  void operator()(const fg::bias_add_grad_op& op, context, fg::view<const float> dy, fg::view<float> db) const {
    std::fill(db.begin(), db.end(), 0.f);
    for (std::size_t i = 0; i < dy.size(); ++i) db[channel_of(op.data_format, dy.shape(), i)] += dy[i];
  }
};
struct l2_loss {
  void operator()(const fg::l2_loss_op&, context, fg::view<const float> t, fg::view<float> loss) const {
    double sum = 0;
    for (const float x : t) sum += static_cast<double>(x) * x;
    loss[0] = static_cast<float>(sum / 2);
  }
};
struct add_n {
  void operator()(const fg::add_n_op&, context, fg::view_list<const float> inputs, fg::view<float> sum) const {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      float made = 0;
      for (std::size_t k = 0; k < inputs.size(); ++k) made += inputs[k][i];
      sum[i] = made;
    }
  }
};
template <class Op, int Value> struct constant_like {
  void operator()(const Op&, context, fg::view<const float>, fg::view<float> y) const {
    std::fill(y.begin(), y.end(), float{Value});
  }
};

template <class I> void add_gathers(fg::kernel_set& set) {
  set.add<fg::gather_op, float, I>(gather_rows{}).value();
  set.add<fg::gather_v2_op, float, I, std::int32_t>(gather_along{}).value();
  set.add<fg::gather_v2_op, float, I, std::int64_t>(gather_along{}).value();
  set.add<fg::random_uniform_op, float, I>(uniform{}).value();
}

// `holds_variables`: the device has kernels that create and assign variables. A variable stays on its device, so later nodes that
// change it in another way have no kernel there.
inline std::shared_ptr<const fg::kernel_set> make_kernels(bool holds_variables) {
  const auto set = std::make_shared<fg::kernel_set>();
  add_unary_kernels(*set);
  add_binary_kernels(*set);
  add_gradient_kernels(*set);
  set->add<fg::mat_mul_op, float>(product{}, bytes_of_product, {.expensive = true}).value();
  add_gathers<std::int32_t>(*set);
  add_gathers<std::int64_t>(*set);
  if (holds_variables) {
    set->add<fg::variable_v2_op, float>().value();
    set->add<fg::assign_op, float>().value();
  }
  set->add<fg::apply_adam_op, float>(adam{}).value();
  set->add<fg::apply_gradient_descent_op, float>(gradient_descent{}).value();
  set->add<fg::softmax_op, float>(softmax{}).value();
  set->add<fg::bias_add_op, float>(bias_add{}, {.in_place = true}).value();
  set->add<fg::bias_add_grad_op, float>(bias_add_grad{}).value();
  set->add<fg::l2_loss_op, float>(l2_loss{}).value();
  set->add<fg::add_n_op, float>(add_n{}).value();
  set->add<fg::zeros_like_op, float>(constant_like<fg::zeros_like_op, 0>{}).value();
  set->add<fg::ones_like_op, float>(constant_like<fg::ones_like_op, 1>{}).value();
  return set;
}

}  // namespace plain
