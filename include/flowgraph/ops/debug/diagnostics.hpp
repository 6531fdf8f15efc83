#pragma once
// Ops that check and print values inside a graph.
//
//     auto checked = fg::check_numerics(loss, "the loss");
//     auto shown = fg::print(x, {x, y}, "x and y: ");

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/accumulate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Ends the run with an error if the condition is false. The error contains the first `summarize` elements of each tensor, or all
// elements if `summarize` is negative.
struct assert_op {
  static constexpr std::string_view name = "Assert";
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  std::int64_t summarize = 3;
  static constexpr auto attrs = flowgraph::attrs(attr("summarize", &assert_op::summarize));

  shape_list shape(shape_context& c, const flowgraph::shape& condition, std::span<const flowgraph::shape> data) const;
  void operator()(cpu ctx, view<const bool> condition, any_list data) const;
};

// Returns its input. If an element is infinite or NaN, ends the run with an error that begins with `message`.
struct check_numerics_op {
  static constexpr std::string_view name = "CheckNumerics";
  using types = floating;
  static constexpr op_facts facts{.stateful = true, .passes_value = true};
  std::string message;
  static constexpr auto attrs = flowgraph::attrs(required("message", &check_numerics_op::message));

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> void operator()(cpu ctx, view<const T> x, unsized<T> y) const;
  template <class T> out<T> gradient(out<T>, out<T>, out<T> dy) const {
    return apply(check_numerics_op{"not a number (NaN) or infinity (Inf) in the gradient: " + message}, dy);
  }
};

// Returns its input and prints other tensors to the standard error stream. It prints in the first `first_n` runs of the node, or
// in every run if `first_n` is negative.
struct print_op {
  static constexpr std::string_view name = "Print";
  using types = all_types;
  static constexpr op_facts facts{.stateful = true, .counts_runs = true, .passes_value = true};
  std::string message;
  std::int64_t first_n = -1, summarize = 3;
  static constexpr auto attrs = flowgraph::attrs(attr("message", &print_op::message), attr("first_n", &print_op::first_n),
                                                 attr("summarize", &print_op::summarize));

  flowgraph::shape shape(const flowgraph::shape& x, std::span<const flowgraph::shape>) const { return x; }
  template <class T> void operator()(cpu ctx, view<const T> x, any_list data, unsized<T> y) const;
  template <class T> std::tuple<any_grad, gradient_list> gradient(out<T>, const any_out_list& data, out<T>, out<T> dy) const {
    return {any_grad(dy), gradient_list(data.size(), any_grad(none))};
  }
};

// Prints a text and `end` to the output `output_stream`: "stdout", "stderr", "log(info)", "log(warning)", "log(error)", or
// "file://..." to append to a file.
struct print_v2_op {
  static constexpr std::string_view name = "PrintV2";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  std::string output_stream = "stderr", end = "\n";
  static constexpr auto attrs =
      flowgraph::attrs(attr("output_stream", &print_v2_op::output_stream), attr("end", &print_v2_op::end));

  shape_list shape(shape_context& c, const flowgraph::shape& text) const;
  void operator()(cpu ctx, view<const std::string> text) const;
};

// Returns the current time in seconds since 1970.
struct timestamp_op {
  static constexpr std::string_view name = "Timestamp";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  constexpr flowgraph::shape shape() const { return {}; }
  void operator()(cpu, view<double> seconds) const;
};

inline target assert_that(out<bool> condition, const any_out_list& data, std::int64_t summarize = 3, site s = {}) {
  return apply(s, assert_op{summarize}, condition, data);
}
template <class T> out<T> check_numerics(out<T> x, std::string message, site s = {}) {
  return apply(check_numerics_op{std::move(message)}, x, s);
}
template <class T>
out<T> print(out<T> x, const any_out_list& data, std::string message = {}, std::int64_t first_n = -1, site s = {}) {
  return apply(s, print_op{std::move(message), first_n}, x, data);
}
inline target print_text(out<std::string> text, std::string output_stream = "stderr", site s = {}) {
  return apply(s, print_v2_op{std::move(output_stream)}, text);
}
inline out<double> timestamp(const graph& g, site s = {}) { return apply_in(g, timestamp_op{}, s); }

using diagnostics_ops = type_list<assert_op, check_numerics_op, print_op, print_v2_op, timestamp_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/debug/detail/diagnostics.hpp>
#endif
