#pragma once
// A step of a gated recurrent unit in one op. Weights are tensors of your graph, not variables of a cell.
//
//     auto next = fg::gru_block_cell(x, h, {.w_ru = w_ru, .w_c = w_c, .b_ru = b_ru, .b_c = b_c});

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The shapes of x, h_prev, w_ru, w_c, b_ru and b_c.
using gru_shapes = std::array<const shape*, 6>;
shape_list gru_state_shapes(shape_context& c, const gru_shapes& in);
shape_list gru_gradient_shapes(shape_context& c, const gru_shapes& in, std::span<const shape* const> states);
std::size_t gru_scratch(const shape& x, const shape& h_prev);
std::size_t gru_gradient_scratch(const shape& x, const shape& h_prev);

}  // namespace detail

// Returns the gradients of GRUBlockCell: those of x and h_prev, and those of the candidate and of both gates before their
// activation functions.
struct gru_block_cell_grad_op {
  static constexpr std::string_view name = "GRUBlockCellGrad";
  using types = type_list<float>;
  static constexpr op_facts facts{.not_differentiable = true};
  using S = flowgraph::shape;

  shape_list shape(shape_context& c, const S& x, const S& h_prev, const S& w_ru, const S& w_c, const S& b_ru, const S& b_c,
                   const S& r, const S& u, const S& candidate, const S& d_h) const {
    return detail::gru_gradient_shapes(c, {&x, &h_prev, &w_ru, &w_c, &b_ru, &b_c}, {{&r, &u, &candidate, &d_h}});
  }
  std::size_t scratch(const S& x, const S& h_prev, const S&, const S&, const S&, const S&, const S&, const S&, const S&,
                      const S&) const {
    return detail::gru_gradient_scratch(x, h_prev);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const T> h_prev, view<const T> w_ru, view<const T> w_c, view<const T> b_ru,
                  view<const T> b_c, view<const T> r, view<const T> u, view<const T> c, view<const T> d_h, view<T> d_x,
                  view<T> d_h_prev, view<T> d_c_bar, view<T> d_r_bar_u_bar) const;
};

// Computes one step of a GRU. Returns the reset gate r, the update gate u, the candidate c, and the state. The columns of w_ru are
// those of r and u.
struct gru_block_cell_op {
  static constexpr std::string_view name = "GRUBlockCell";
  using types = type_list<float>;
  using S = flowgraph::shape;

  shape_list shape(shape_context& c, const S& x, const S& h_prev, const S& w_ru, const S& w_c, const S& b_ru,
                   const S& b_c) const {
    return detail::gru_state_shapes(c, {&x, &h_prev, &w_ru, &w_c, &b_ru, &b_c});
  }
  std::size_t scratch(const S& x, const S& h_prev, const S&, const S&, const S&, const S&) const {
    return detail::gru_scratch(x, h_prev);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const T> h_prev, view<const T> w_ru, view<const T> w_c, view<const T> b_ru,
                  view<const T> b_c, view<T> r, view<T> u, view<T> c, view<T> h) const;
  template <class T>
  gradients_of<T, 6> gradient(out<T> x, out<T> h_prev, out<T> w_ru, out<T> w_c, out<T> b_ru, out<T> b_c, out<T> r, out<T> u,
                              out<T> c, out<T>, out<T>, out<T>, out<T>, out<T> dh) const {
    const auto [dx, dh_prev, dcandidate, dgates] =
        apply(site{}, gru_block_cell_grad_op{}, x, h_prev, w_ru, w_c, b_ru, b_c, r, u, c, dh);
    return {{dx, dh_prev, matmul(concat({x, h_prev}, 1), dgates, {.transpose_a = true}),
             matmul(concat({x, h_prev * r}, 1), dcandidate, {.transpose_a = true}), sum(dgates, 0), sum(dcandidate, 0)}};
  }
};

// The weights of a GRU as tensors. The columns of w_ru and b_ru are those of the reset gate and the update gate.
template <class T> struct block_gru_weights {
  out<T> w_ru, w_c;  // {inputs + units, 2 * units} and {inputs + units, units}
  out<T> b_ru, b_c;  // {2 * units} and {units}
};

// Computes one step of a GRU for x {batch, inputs} and the state h {batch, units}, and returns the next state.
template <class T>
out<T> gru_block_cell(const out<T>& x, const std::type_identity_t<out<T>>& h, const block_gru_weights<T>& weights, site s = {}) {
  return std::get<3>(apply(s, gru_block_cell_op{}, x, h, weights.w_ru, weights.w_c, weights.b_ru, weights.b_c));
}

using block_gru_ops = type_list<gru_block_cell_op, gru_block_cell_grad_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/rnn/detail/block_gru.hpp>
#endif
