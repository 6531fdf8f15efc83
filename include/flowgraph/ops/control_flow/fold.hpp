#pragma once
// Reductions of the rows of tensors with a function, from the first row to the last or from the last to the first.
//
//     auto longest = fg::foldl([](auto best, auto row) { return fg::maximum(best, fg::sum(row)); }, x, g.constant(0.f));

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/control_flow/for_range.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns row `i` of each tensor.
template <class T> out<T> rows_of(const out<T>& x, const out<std::int32_t>& i, const site& s) { return gather(x, i, 0, s); }
template <class T> out_list<T> rows_of(const out_list<T>& list, const out<std::int32_t>& i, const site& s) {
  out_list<T> outputs;
  for (const out<T>& x : list) outputs.push_back(rows_of(x, i, s));
  return outputs;
}
template <class... H> auto rows_of(const std::tuple<H...>& all, const out<std::int32_t>& i, const site& s) {
  return std::apply([&](const auto&... x) { return std::tuple{rows_of(x, i, s)...}; }, all);
}

// If the graph knows that tensors have no rows or different numbers of rows, reports an error at the user's line and returns the
// handle that replaces the number of rows; otherwise returns an empty handle.
FLOWGRAPH_COLD inline any_out refused_rows(const any_out_list& all, std::string_view function,
                                           const std::source_location& where) {
  const auto refuse = [&](const message& why) {
    graph_state* const g = graph_of_inputs(all, function, site{{}, where});
    if (!g) return any_out{};
    return any_out{refused_node(*g, error(error_code::invalid_argument, why).at(function, function, where)), 0};
  };
  const any_out* counted = nullptr;
  for (const any_out& x : all) {
    const shape s = x.shape();
    if (s.rank == 0) return refuse({"'", x.name(), "' is a scalar, which has no rows"});
    if (s.rank < 0 || s[0] < 0) continue;
    if (!counted) counted = &x;
    if (counted->shape()[0] == s[0]) continue;
    return refuse({"all tensors need the same number of rows; found '", counted->name(), "' of shape ", counted->shape(), ", '",
                   x.name(), "' of shape ", s});
  }
  return {};
}

// Collects the numbers of rows of tensors: those that only the run knows, and one that the graph knows, if there is one.
class row_counts {
public:
  explicit row_counts(const site& s) : site_(s) {}

  template <class T> void add(const out<T>& x) {
    const bool is_known = x.shape().rank > 0 && x.shape()[0] >= 0;
    if (!is_known || !has_known_) counts_.push_back(extent_of(x, 0, site_));
    has_known_ = has_known_ || is_known;
  }
  template <class T> void add(const out_list<T>& list) {
    for (const out<T>& x : list) add(x);
  }
  template <class... H> void add(const std::tuple<H...>& all) {
    std::apply([this](const auto&... x) { (this->add(x), ...); }, all);
  }
  // Returns the number of rows of all tensors. If they differ in a run, a reshape fails, whose name begins with `function`.
  out<std::int32_t> equal(std::string_view function) const {
    out<std::int32_t> count = counts_.at(0);
    const std::string name = message{function, "/rows_must_be_equal"}.string();
    for (std::size_t k = 1; k < counts_.size(); ++k) {
      const auto zero = constant_beside(count, tensor<std::int32_t>(0), site_),
                 one = constant_beside(count, tensor<std::int32_t>(1), site_);
      const auto other = reshape(counts_[k], shape{1}, site_);
      count = size_of(reshape(range(zero, count, one, site_), other, {name, site_.location}), site_);
    }
    return count;
  }

private:
  site site_;
  out_list<std::int32_t> counts_;
  bool has_known_ = false;
};

// Returns the number of rows of tensors, which must be the same for all. `function` is the name in messages.
template <class Rows>
out<std::int32_t> row_count(const Rows& rows, std::string_view function, const std::source_location& where) {
  if (const any_out refused = refused_rows(flat(rows), function, where); refused.source) return {refused.source, refused.port};
  row_counts counts({{}, where});
  counts.add(rows);
  return counts.equal(function);
}

// Computes state = f(state, row) for the iterations `first`, `first` + 1, ...; `row_at` maps an iteration to its row.
template <class F, class Elements, class State, class RowAt>
carried_type<State> fold(F& f, const Elements& rows, const out<std::int32_t>& count, const State& initial, std::int32_t first,
                         RowAt&& row_at, const while_options& o) {
  return for_range(
      first, count, initial,
      [&](const out<std::int32_t>& i, const auto&... part) {
        const auto row = rows_of(rows, row_at(i), {{}, o.location});
        if constexpr (requires { std::tuple_size<State>::value; }) return f(carried_type<State>(part...), row);
        else return f(part..., row);
      },
      o);
}
template <class F, class Elements, class State>
carried_type<State> fold_from_last(F& f, const Elements& rows, const out<std::int32_t>& count, const State& initial,
                                   std::int32_t first, const while_options& o) {
  const site here{{}, o.location};
  const out<std::int32_t> last = apply(sub_op{}, count, constant_beside(count, tensor<std::int32_t>(1), here), here);
  return fold(
      f, rows, count, initial, first, [&](const out<std::int32_t>& i) { return apply(sub_op{}, last, i, here); }, o);
}

}  // namespace detail

// Folds rows from the first to the last: f(... f(f(initial, row 0), row 1) ..., last row). The rows are those of a tensor, or of
// a list or tuple of tensors with the same number of rows; if the numbers differ, the call or the run fails. `f` takes and
// returns the state in the same form as `initial`. Without `initial`, the first row is the initial state, and there must be at
// least one row.
template <class F, detail::carried_handles Elements, detail::carried_handles State>
detail::carried_type<State> foldl(F&& f, const Elements& rows, const State& initial, while_options o = {}) {
  const detail::carried_type<Elements> values(rows);
  if (o.name.empty()) o.name = "foldl";
  const auto count = detail::row_count(values, "foldl", o.location);
  return detail::fold(
      f, values, count, initial, 0, [](const auto& i) { return i; }, o);
}
template <class F, detail::carried_handles Elements>
detail::carried_type<Elements> foldl(F&& f, const Elements& rows, while_options o = {}) {
  const detail::carried_type<Elements> values(rows);
  const site here{{}, o.location};
  if (o.name.empty()) o.name = "foldl";
  const out<std::int32_t> count = detail::row_count(values, "foldl", o.location);
  const auto first = detail::rows_of(values, detail::constant_beside(count, tensor<std::int32_t>(0), here), here);
  return detail::fold(
      f, values, count, first, 1, [](const auto& i) { return i; }, o);
}

// Folds rows from the last to the first: f(... f(f(initial, last row), ...) ..., row 0).
template <class F, detail::carried_handles Elements, detail::carried_handles State>
detail::carried_type<State> foldr(F&& f, const Elements& rows, const State& initial, while_options o = {}) {
  const detail::carried_type<Elements> values(rows);
  if (o.name.empty()) o.name = "foldr";
  return detail::fold_from_last(f, values, detail::row_count(values, "foldr", o.location), initial, 0, o);
}
template <class F, detail::carried_handles Elements>
detail::carried_type<Elements> foldr(F&& f, const Elements& rows, while_options o = {}) {
  const detail::carried_type<Elements> values(rows);
  const site here{{}, o.location};
  if (o.name.empty()) o.name = "foldr";
  const out<std::int32_t> count = detail::row_count(values, "foldr", o.location);
  const auto last = apply(sub_op{}, count, detail::constant_beside(count, tensor<std::int32_t>(1), here), here);
  return detail::fold_from_last(f, values, count, detail::rows_of(values, last, here), 1, o);
}

}  // namespace flowgraph
