#pragma once

#include <flowgraph/ops/rnn/block_lstm.hpp>
#include <flowgraph/ops/rnn/detail/block_products.hpp>
#include <flowgraph/ops/shared/detail/elementwise.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The columns of the gates in a row of 4 * units numbers.
struct gate_columns {
  std::int64_t i, c, f, o;
  gate_columns(gate_order order, std::int64_t units)
      : i(0), c(order == gate_order::icfo ? units : 2 * units), f(3 * units - c), o(3 * units) {}
};

// The inputs of an LSTM, and its results for all steps, {steps, batch, units} each.
template <class T> struct lstm_inputs {
  view<const T> x, cs_prev, h_prev, w, wci, wcf, wco, b;
};
template <class T> struct lstm_results {
  T *i, *cs, *f, *o, *ci, *co, *h;
};
template <class T> struct lstm_result_slopes {
  const T *cs, *h;
};
template <class T> struct lstm_slopes {
  T *x, *cs_prev, *h_prev, *w, *wci, *wcf, *wco, *b;
};

// One row of a step. `gates` contains the products with the weights; it is overwritten. `at` is the first element of the row in the
// results.
template <class T>
void lstm_row(const lstm_settings& s, const lstm_inputs<T>& in, const T* cs_prev, float* gates, const lstm_results<T>& to,
              std::int64_t at) {
  const auto units = static_cast<std::int64_t>(in.b.size()) / 4;
  const gate_columns column(s.order, units);
  float *const i = gates + column.i, *const ci = gates + column.c, *const f = gates + column.f, *const o = gates + column.o;
  const auto number = [](T x) { return static_cast<float>(x); };
  for (std::int64_t u = 0; u < 4 * units; ++u) gates[u] += number(in.b.data()[u]);
  for (std::int64_t u = 0; u < units && s.use_peephole; ++u) {
    i[u] += number(in.wci.data()[u]) * number(cs_prev[u]);
    f[u] += number(in.wcf.data()[u]) * number(cs_prev[u]);
  }
  for (std::int64_t u = 0; u < units; ++u) f[u] += s.forget_bias;
  unary_row<functor::sigmoid>(i, i, units);
  unary_row<functor::tanh>(ci, ci, units);
  unary_row<functor::sigmoid>(f, f, units);
  narrow(i, to.i + at, units);
  narrow(ci, to.ci + at, units);
  narrow(f, to.f + at, units);
  float* const cs = ci;  // the candidate is not needed any more
  for (std::int64_t u = 0; u < units; ++u) {
    const float c = ci[u] * i[u] + f[u] * number(cs_prev[u]);
    cs[u] = s.cell_clip > 0 ? std::min(std::max(c, -s.cell_clip), s.cell_clip) : c;
  }
  narrow(cs, to.cs + at, units);
  for (std::int64_t u = 0; u < units && s.use_peephole; ++u) o[u] += number(in.wco.data()[u]) * cs[u];
  unary_row<functor::sigmoid>(o, o, units);
  unary_row<functor::tanh>(cs, cs, units);
  narrow(o, to.o + at, units);
  narrow(cs, to.co + at, units);
  for (std::int64_t u = 0; u < units; ++u) to.h[at + u] = T(o[u] * cs[u]);
}

// The first `steps` steps. The products of x are computed for several steps at once.
template <class T>
void lstm_forward(cpu ctx, const lstm_settings& s, const lstm_inputs<T>& in, std::int64_t steps, const lstm_results<T>& to) {
  const block_sizes z(in.x.shape(), in.cs_prev.shape());
  const std::int64_t width = 4 * z.units, state = z.batch * z.units;
  auto* const gates = ctx.scratch<float>();
  std::byte* const of_products = ctx.scratch() + round_up_bytes(static_cast<std::size_t>(z.chunk() * z.batch * width) * 4);
  const T* const w_of_state = in.w.data() + z.inputs * width;
  for (std::int64_t first = 0, n = 0; first < steps; first += n) {
    n = steps - first >= z.chunk() ? z.chunk() : 1;
    if (z.inputs > 0)
      block_product(ctx, {n * z.batch, width, z.inputs, z.inputs, width, width, false, false, false},
                    in.x.data() + first * z.batch * z.inputs, in.w.data(), gates, of_products);
    for (std::int64_t t = first; t < first + n; ++t) {
      const T* const h_prev = t == 0 ? in.h_prev.data() : to.h + (t - 1) * state;
      const T* const cs_prev = t == 0 ? in.cs_prev.data() : to.cs + (t - 1) * state;
      float* const row = gates + (t - first) * z.batch * width;
      block_product(ctx, {z.batch, width, z.units, z.units, width, width, false, false, z.inputs > 0}, h_prev, w_of_state, row,
                    of_products);
      ctx.parallel_ranges(z.batch, z.rows_per_block(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r)
          lstm_row(s, in, cs_prev + r * z.units, row + r * width, to, t * state + r * z.units);
      });
    }
  }
}

// The gradients of one row: writes those of the gates and of cs_prev. `dcs_later` and `dh_later` are the gradients that the next step
// passes back; null: zeros. `at` is the first element of the row in the results.
template <class T>
void lstm_slope_row(const lstm_settings& s, const lstm_inputs<T>& in, const lstm_results<const T>& result, const T* cs_prev,
                    const lstm_result_slopes<T>& d, const T* dcs_later, const T* dh_later, T* dcs_prev, T* dgates,
                    std::int64_t at) {
  const auto units = static_cast<std::int64_t>(in.b.size()) / 4;
  const gate_columns column(s.order, units);
  const auto number = [](T x) { return static_cast<float>(x); };
  for (std::int64_t u = 0; u < units; ++u) {
    const float i = number(result.i[at + u]), f = number(result.f[at + u]), o = number(result.o[at + u]),
                ci = number(result.ci[at + u]), co = number(result.co[at + u]);
    const float dh = (dh_later ? number(dh_later[u]) : 0.f) + number(d.h[at + u]);
    const float later = (dcs_later ? number(dcs_later[u]) : 0.f) + number(d.cs[at + u]);
    const float d_o = o * (1 - o) * dh * co;
    float dcs = (1 - co * co) * dh * o + later;
    if (s.use_peephole) dcs += d_o * number(in.wco.data()[u]);
    const float dci = (1 - ci * ci) * dcs * i, df = f * (1 - f) * dcs * number(cs_prev[u]), di = i * (1 - i) * dcs * ci;
    float before = dcs * f;
    if (s.use_peephole) before += di * number(in.wci.data()[u]) + df * number(in.wcf.data()[u]);
    dcs_prev[u] = T(before);
    dgates[column.i + u] = T(di);
    dgates[column.c + u] = T(dci);
    dgates[column.f + u] = T(df);
    dgates[column.o + u] = T(d_o);
  }
}

// Adds, for each column, the sum over `rows` rows of a[r] * b[r]; without b, of a[r].
template <class T>
void add_columns(cpu ctx, std::int64_t rows, std::int64_t columns, const T* a, std::int64_t step,
                 const std::type_identity_t<T>* b, T* to) {
  constexpr std::int64_t block = 64;
  ctx.parallel_ranges(columns, std::max<std::int64_t>(block, (1 << 15) / std::max<std::int64_t>(1, rows) / block * block),
                      [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t first = begin; first < end; first += block) {
                          const std::int64_t n = std::min(block, end - first);
                          float total[block] = {};
                          for (std::int64_t r = 0; r < rows; ++r)
                            for (std::int64_t c = 0; c < n; ++c)
                              total[c] += static_cast<float>(a[r * step + first + c]) *
                                          (b ? static_cast<float>(b[r * columns + first + c]) : 1.f);
                          for (std::int64_t c = 0; c < n; ++c) to[first + c] = T(static_cast<float>(to[first + c]) + total[c]);
                        }
                      });
}
// The gradients of the peepholes from `rows` rows, whose first row begins at element `at` of the results.
template <class T>
void add_peephole_slopes(cpu ctx, const lstm_settings& s, std::int64_t rows, std::int64_t units, const T* dgates,
                         const T* cs_prev, const T* cs, const lstm_slopes<T>& to) {
  const gate_columns column(s.order, units);
  add_columns(ctx, rows, units, dgates + column.i, 4 * units, cs_prev, to.wci);
  add_columns(ctx, rows, units, dgates + column.f, 4 * units, cs_prev, to.wcf);
  add_columns(ctx, rows, units, dgates + column.o, 4 * units, cs, to.wco);
}

// Adds to the gradients of weights what `rows` rows contribute: their x, the states before them, and the gradients of their gates.
template <class T>
void add_weight_slopes(cpu ctx, const block_sizes& z, const lstm_settings& s, std::int64_t rows, const T* h_prev,
                       const T* cs_prev, const T* cs, const T* dgates, const lstm_slopes<T>& to, std::byte* of_products) {
  const std::int64_t width = 4 * z.units;
  block_product(ctx, {z.units, width, rows, z.units, width, width, true, false, true}, h_prev, dgates, to.w + z.inputs * width,
                of_products);
  if (s.use_peephole) add_peephole_slopes(ctx, s, rows, z.units, dgates, cs_prev, cs, to);
}

// Steps first to first + n: the gradients of their gates, and of the state before them.
template <class T>
void lstm_slope_steps(cpu ctx, const block_sizes& z, const lstm_settings& s, const lstm_inputs<T>& in,
                      const lstm_results<const T>& result, const lstm_result_slopes<T>& d, std::int64_t first, std::int64_t n,
                      bool is_last, T* dgates, const lstm_slopes<T>& to, std::byte* of_products) {
  const std::int64_t width = 4 * z.units, state = z.batch * z.units;
  for (std::int64_t t = first + n - 1; t >= first; --t) {
    const bool ends = is_last && t == first + n - 1;
    const T* const cs_prev = t == 0 ? in.cs_prev.data() : result.cs + (t - 1) * state;
    T* const of_step = dgates + (t - first) * z.batch * width;
    ctx.parallel_ranges(z.batch, z.rows_per_block(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        T *const dcs = to.cs_prev + r * z.units, *const dh = to.h_prev + r * z.units;
        lstm_slope_row(s, in, result, cs_prev + r * z.units, d, ends ? nullptr : dcs, ends ? nullptr : dh, dcs,
                       of_step + r * width, t * state + r * z.units);
      }
    });
    block_product(ctx, {z.batch, z.units, width, width, width, z.units, false, true, false}, of_step,
                  in.w.data() + z.inputs * width, to.h_prev, of_products);
  }
}

template <class T>
void lstm_backward(cpu ctx, const lstm_settings& s, const lstm_inputs<T>& in, std::int64_t steps,
                   const lstm_results<const T>& result, const lstm_result_slopes<T>& d, const lstm_slopes<T>& to) {
  const block_sizes z(in.x.shape(), in.cs_prev.shape());
  const std::int64_t width = 4 * z.units, state = z.batch * z.units;
  auto* const dgates = ctx.scratch<T>();
  std::byte* const of_products = ctx.scratch() + round_up_bytes(static_cast<std::size_t>(z.chunk() * z.batch * width) * 4);
  for (std::int64_t end = steps, n = 0; end > 0; end -= n) {
    n = end >= z.chunk() ? z.chunk() : 1;
    const std::int64_t first = end - n, rows = n * z.batch;
    lstm_slope_steps(ctx, z, s, in, result, d, first, n, end == steps, dgates, to, of_products);
    const std::int64_t begins = first == 0 ? 1 : 0;  // the state before step 0 is an input
    if (begins)
      add_weight_slopes(ctx, z, s, z.batch, in.h_prev.data(), in.cs_prev.data(), result.cs, static_cast<const T*>(dgates), to,
                        of_products);
    if (n > begins)
      add_weight_slopes(ctx, z, s, rows - begins * z.batch, result.h + (first + begins - 1) * state,
                        result.cs + (first + begins - 1) * state, result.cs + (first + begins) * state,
                        static_cast<const T*>(dgates + begins * z.batch * width), to, of_products);
    add_columns(ctx, rows, width, static_cast<const T*>(dgates), width, nullptr, to.b);
    if (z.inputs == 0) continue;
    const T* const x = in.x.data() + first * z.batch * z.inputs;
    block_product(ctx, {z.inputs, width, rows, z.inputs, width, width, true, false, true}, x, dgates, to.w, of_products);
    block_product(ctx, {rows, z.inputs, width, width, width, z.inputs, false, true, false}, dgates, in.w.data(),
                  to.x + first * z.batch * z.inputs, of_products);
  }
}

// The number of steps, an input. Fails and returns -1 if the sequences are shorter.
std::int64_t step_count(cpu ctx, view<const std::int64_t> seq_len_max, std::int64_t steps);

template <class T, class... Views> void clear(const Views&... views) { (std::fill_n(views.data(), views.size(), T()), ...); }

}  // namespace detail

template <class T>
void lstm_block_cell_op::operator()(cpu ctx, view<const T> x, view<const T> cs_prev, view<const T> h_prev, view<const T> w,
                                    view<const T> wci, view<const T> wcf, view<const T> wco, view<const T> b, view<T> i,
                                    view<T> cs, view<T> f, view<T> o, view<T> ci, view<T> co, view<T> h) const {
  detail::lstm_forward<T>(ctx, {forget_bias, cell_clip, use_peephole}, {x, cs_prev, h_prev, w, wci, wcf, wco, b}, 1,
                          {i.data(), cs.data(), f.data(), o.data(), ci.data(), co.data(), h.data()});
}

template <class T>
void lstm_block_cell_grad_op::operator()(cpu ctx, view<const T> x, view<const T> cs_prev, view<const T> h_prev, view<const T> w,
                                         view<const T> wci, view<const T> wcf, view<const T> wco, view<const T> b,
                                         view<const T> i, view<const T> cs, view<const T> f, view<const T> o, view<const T> ci,
                                         view<const T> co, view<const T> cs_grad, view<const T> h_grad, view<T> cs_prev_grad,
                                         view<T> dicfo, view<T> wci_grad, view<T> wcf_grad, view<T> wco_grad) const {
  const detail::lstm_settings s{1, 0, use_peephole};
  const std::int64_t rows = cs.dim(0), units = cs.dim(1);
  const detail::block_sizes z(x.shape(), cs_prev.shape());
  ctx.parallel_ranges(rows, z.rows_per_block(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r)
      detail::lstm_slope_row<T>(s, {x, cs_prev, h_prev, w, wci, wcf, wco, b},
                                {i.data(), cs.data(), f.data(), o.data(), ci.data(), co.data(), nullptr},
                                cs_prev.data() + r * units, {cs_grad.data(), h_grad.data()}, nullptr, nullptr,
                                cs_prev_grad.data() + r * units, dicfo.data() + r * 4 * units, r * units);
  });
  detail::clear<T>(wci_grad, wcf_grad, wco_grad);
  if (use_peephole)
    detail::add_peephole_slopes<T>(
        ctx, s, rows, units, dicfo.data(), cs_prev.data(), cs.data(),
        {nullptr, nullptr, nullptr, nullptr, wci_grad.data(), wcf_grad.data(), wco_grad.data(), nullptr});
}

template <detail::gate_order Order>
template <class T>
void detail::block_lstm_form<Order>::operator()(cpu ctx, view<const std::int64_t> seq_len_max, view<const T> x,
                                                view<const T> cs_prev, view<const T> h_prev, view<const T> w, view<const T> wci,
                                                view<const T> wcf, view<const T> wco, view<const T> b, view<T> i, view<T> cs,
                                                view<T> f, view<T> o, view<T> ci, view<T> co, view<T> h) const {
  const std::int64_t steps = step_count(ctx, seq_len_max, x.dim(0));
  if (steps < 0 || h.size() == 0) return;
  lstm_forward<T>(ctx, {forget_bias, cell_clip, use_peephole, Order}, {x, cs_prev, h_prev, w, wci, wcf, wco, b}, steps,
                  {i.data(), cs.data(), f.data(), o.data(), ci.data(), co.data(), h.data()});
  const auto computed = static_cast<std::size_t>(steps) * cs_prev.size();
  for (const view<T>& result : {i, cs, f, o, ci, co, h}) std::fill(result.data() + computed, result.data() + result.size(), T());
}

template <detail::gate_order Order>
template <class T>
void detail::block_lstm_grad_form<Order>::operator()(cpu ctx, view<const std::int64_t> seq_len_max, view<const T> x,
                                                     view<const T> cs_prev, view<const T> h_prev, view<const T> w,
                                                     view<const T> wci, view<const T> wcf, view<const T> wco, view<const T> b,
                                                     view<const T> i, view<const T> cs, view<const T> f, view<const T> o,
                                                     view<const T> ci, view<const T> co, view<const T> h, view<const T> cs_grad,
                                                     view<const T> h_grad, view<T> x_grad, view<T> cs_prev_grad,
                                                     view<T> h_prev_grad, view<T> w_grad, view<T> wci_grad, view<T> wcf_grad,
                                                     view<T> wco_grad, view<T> b_grad) const {
  const std::int64_t steps = step_count(ctx, seq_len_max, x.dim(0));
  if (steps < 0) return;
  clear<T>(w_grad, wci_grad, wcf_grad, wco_grad, b_grad);
  if (steps == 0 || cs_prev.size() == 0) clear<T>(x_grad, cs_prev_grad, h_prev_grad);
  if (cs_prev.size() == 0) return;
  lstm_backward<T>(ctx, {1, 0, use_peephole, Order}, {x, cs_prev, h_prev, w, wci, wcf, wco, b}, steps,
                   {i.data(), cs.data(), f.data(), o.data(), ci.data(), co.data(), h.data()}, {cs_grad.data(), h_grad.data()},
                   {x_grad.data(), cs_prev_grad.data(), h_prev_grad.data(), w_grad.data(), wci_grad.data(), wcf_grad.data(),
                    wco_grad.data(), b_grad.data()});
  const std::size_t computed = x.dim(0) ? x.size() / static_cast<std::size_t>(x.dim(0)) * static_cast<std::size_t>(steps) : 0;
  std::fill(x_grad.data() + computed, x_grad.data() + x_grad.size(), T());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/rnn/impl/block_lstm.hpp>
#endif
