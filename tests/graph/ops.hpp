#pragma once
// Ops for tests of the graph, which need no kernel to run, and how a refused construction is caught.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/accumulate.hpp>

#include "../harness/refusal.hpp"

#include <string>
#include <vector>

namespace test {

namespace fg = flowgraph;

// Must be fed.
struct source_op {
  static constexpr std::string_view name = "Source";
  using types = fg::type_attrs<fg::type_attr<"dtype", fg::edge_types>>;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape declared = fg::shape::unknown();

  const fg::shape& placeholder() const { return declared; }
  fg::shape shape() const { return declared; }
  template <class T> using signature = void(fg::view<T>);
};

// a + b, broadcasting.
struct sum_op {
  static constexpr std::string_view name = "TestSum";
  using types = fg::real_numbers;
  static constexpr fg::op_facts facts{.not_differentiable = true};

  fg::shape shape(fg::shape_context& c, const fg::shape& a, const fg::shape& b) const {
    fg::shape made;
    return fg::broadcast(a, b, made) ? made : c.fail("expected shapes that broadcast");
  }
  template <class T> void operator()(fg::cpu, fg::view<const T> a, fg::view<const T> b, fg::view<T> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(a[i] + b[i]);
  }
};

struct pass_op {
  static constexpr std::string_view name = "Pass";
  using types = fg::edge_types;
  static constexpr fg::op_facts facts{.not_differentiable = true, .alias = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  template <class T> using signature = void(fg::view<const T>, fg::view<T>);
};

// Its value and where it is found, of different types.
struct maximum_op {
  static constexpr std::string_view name = "TestMaximum";
  using types = fg::type_attrs<fg::type_attr<"T", fg::real_numbers>, fg::type_attr<"index", fg::index_types>>;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  std::array<fg::shape, 2> shape(const fg::shape&) const { return {}; }
  template <class T, class I> using signature = void(fg::view<const T>, fg::view<T>, fg::view<I>);
};

struct merge_op {
  static constexpr std::string_view name = "TestMerge";
  using types = fg::edge_types;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  template <class T> using signature = void(fg::view_list<const T>, fg::view<T>, fg::view<std::int32_t>);
};

// Two lists in; a list, a single output and a list of any types out.
struct mix_op {
  static constexpr std::string_view name = "Mix";
  using types = fg::real_numbers;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  std::int64_t count = 0;
  std::vector<fg::dtype> kinds;
  static constexpr auto attrs = fg::attrs(fg::attr("N", &mix_op::count), fg::attr("kinds", &mix_op::kinds));

  std::size_t output_count() const { return static_cast<std::size_t>(count); }
  const std::vector<fg::dtype>& output_types() const { return kinds; }
  template <class T>
  using signature = void(fg::view_list<const T>, fg::view<const bool>, fg::any_list, fg::view_list<T>, fg::view<T>,
                         fg::any_output_list);
};

// Runs, and gives nothing.
struct action_op {
  static constexpr std::string_view name = "Action";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  void operator()(fg::cpu) const {}
};

// The reference of a variable, and what wants one.
struct slot_op {
  static constexpr std::string_view name = "Slot";
  using types = fg::real_numbers;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  template <class T> using signature = void(fg::reference_out<T>);
};
struct bump_op {
  static constexpr std::string_view name = "Bump";
  using types = fg::real_numbers;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  template <class T> using signature = void(fg::reference<T>, fg::reference_out<T>);
};

template <class T>
fg::out<T> source(const fg::graph& g, std::string_view name = {}, const fg::shape& shape = fg::shape::unknown(),
                  fg::site s = {}) {
  return fg::apply_in<T>(g, source_op{shape}, {name, s.location});
}

}  // namespace test
