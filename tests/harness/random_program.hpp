#pragma once
// The programs of program_statements.hpp as graphs. Within a body, accesses to a variable are in the order in which their nodes
// are created. Control dependencies order the accesses of loops and branches.

#include "program_statements.hpp"

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/array/identity_variants.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/for_range.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/session.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>

namespace programs {

namespace fg = flowgraph;

using number = fg::out<double>;

// Computes the remainder like TensorFlow's Mod and C++'s %: it is rounded toward zero.
inline fg::out<integer> wrapped(fg::out<integer> x) { return x - x / integer(1009) * integer(1009); }
inline number wrapped(number x) { return fg::minimum(fg::maximum(x, -1000.0), 1000.0) * 0.5; }

// Passes a number on, with a second input that is large enough for a thread of its own.
struct aside_op {
  static constexpr std::string_view name = "Aside";
  static constexpr fg::op_facts facts{.expensive = true};

  fg::shape shape(const fg::shape& x, const fg::shape&) const { return x; }
  void operator()(fg::cpu, fg::view<const double> x, fg::view<const double>, fg::view<double> y) const {
    y.scalar() = x.scalar();
  }
  fg::gradients_of<double, 2> gradient(number, number ballast, number, number dy) const {
    return {{fg::apply(aside_op{}, dy, ballast), fg::none}};
  }
};
inline number ballast_in(fg::graph& g) { return g.constant(fg::tensor<double>(fg::shape{1024})); }

struct way_of_building {
  int parallel = 0;                         // iterations of all loops; 0: the number that each loop has drawn
  std::function<number(number)> each = {};  // applied to every double that arithmetic makes
  bool forgets = false;                     // each run begins with the variables' initial values
};

// A variable of the graph: `v` behind a reference, `h` behind a handle.
template <class T> class kept_number {
public:
  kept_number(fg::graph g, bool is_behind_handle, T first) : first_(g.constant(first)) {
    if (is_behind_handle) {
      handle_ = fg::apply_in<T>(g, fg::var_handle_op{.declared = fg::shape{}}, {.name = "h"});
      g.add_initializer(store(first_).source);
    } else {
      reference_ = g.variable("v", fg::tensor<T>(first));
    }
  }
  fg::out<T> first() const { return first_; }
  fg::out<T> read() const {
    if (!handle_.source) return reference_;
    return fg::ensure_shape(fg::apply_as<T>(fg::site{}, fg::read_variable_op{}, handle_), {});
  }
  fg::target store(fg::out<T> value) const { return change(fg::assign_variable_op{}, fg::assign_op{}, value); }
  fg::target grow(fg::out<T> by) const { return change(fg::assign_add_variable_op{}, fg::assign_add_op{}, by); }
  // Returns the value after the change.
  fg::out<T> read_after(fg::graph g, fg::target change) const {
    const auto then = g.after(change);
    return handle_.source ? read() : fg::stop_gradient(fg::out<T>(change.source, 0));
  }

private:
  template <class ByHandle, class ByReference>
  fg::target change(const ByHandle& by_handle, const ByReference& by_reference, fg::out<T> value) const {
    if (handle_.source) return fg::apply_as<T>(fg::site{}, by_handle, handle_, value);
    return fg::target(fg::apply(by_reference, reference_, value));
  }
  fg::out<T> first_;
  fg::variable<T> reference_;
  fg::out<fg::resource> handle_;  // empty: the variable is behind a reference
};

struct program_variables {
  std::array<kept_number<integer>, cells> i;
  std::array<kept_number<double>, cells> d;

  explicit program_variables(const fg::graph& g)
      : i{kept_number<integer>{g, false, first_integers[0]}, {g, true, first_integers[1]}},
        d{kept_number<double>{g, false, first_doubles[0]}, {g, true, first_doubles[1]}} {}
};

// The accesses to a variable by the body that is being built. Nodes of one body run in the order of their creation, unless both
// read. Loops and branches are ordered only if the graph has control dependencies.
struct access_history {
  std::vector<fg::target> bodies, nodes;  // the next access waits for these: the results of the last bodies, and later nodes

  std::vector<fg::target> all() const {
    std::vector<fg::target> both = bodies;
    both.insert(both.end(), nodes.begin(), nodes.end());
    return both;
  }
};
using access_histories = std::array<access_history, 2 * cells>;  // of integers, of doubles

class traced {
public:
  struct state {
    fg::out_list<integer> i;
    fg::out_list<double> d;
  };
  using carried = std::tuple<fg::out_list<integer>, fg::out_list<double>>;

  traced(fg::graph g, const program_variables& kept, way_of_building way, number ballast)
      : g_(std::move(g)), kept_(kept), way_(std::move(way)), ballast_(ballast) {
    for (std::size_t k = 0; k < cells && way_.forgets; ++k) {
      done_[k].nodes.push_back(kept_.i[k].store(kept_.i[k].first()));
      done_[cells + k].nodes.push_back(kept_.d[k].store(kept_.d[k].first()));
    }
  }
  void run(const block& b, state& s) { run(b, s, s.d); }

  // Returns all changes of the program to variables, for later nodes.
  std::vector<fg::target> effects() const {
    std::vector<fg::target> made;
    for (const access_history& h : done_)
      for (const fg::target& t : h.all()) made.push_back(t);
    return made;
  }

private:
  void run(const block& b, state& s, const fg::out_list<double>& outer) {
    for (const statement& at : b) run(at, s, outer);
  }
  carried after(const block& b, state s, const fg::out_list<double>& outer) {
    done_ = {};
    run(b, s, outer);
    return {s.i, s.d};
  }
  carried chosen(const block& b, const state& before) { return after(b, before, before.d); }
  static std::size_t number_of(const statement& at) { return at.cell + (at.is_double ? cells : 0); }
  static bool touches(const statement& at, std::size_t variable) {
    if (at.kind == statement::form::search && at.looks && variable == cells + at.cell) return true;
    if (!at.nests()) return at.kind >= statement::form::read && number_of(at) == variable;
    return std::ranges::any_of(at.parts, [&](const block& b) {
      return std::ranges::any_of(b, [&](const statement& inner) { return touches(inner, variable); });
    });
  }
  // Builds a loop or a branch, after earlier changes of its variables.
  template <class Build> void set(state& s, const statement& at, Build&& build) {
    const access_histories before = done_;
    std::vector<fg::target> earlier;
    for (std::size_t v = 0; v < done_.size(); ++v)
      if (touches(at, v))
        for (const fg::target& t : before[v].all()) earlier.push_back(t);
    {
      const auto then = g_.after_all(earlier);
      std::tie(s.i, s.d) = build();
    }
    done_ = before;
    std::vector<fg::target> results(s.i.begin(), s.i.end());
    results.insert(results.end(), s.d.begin(), s.d.end());
    for (std::size_t v = 0; v < done_.size(); ++v)
      if (touches(at, v)) done_[v] = {results, {}};
  }
  fg::while_options options_of(const statement& at) const {
    fg::while_options o;
    o.parallel_iterations = way_.parallel > 0 ? way_.parallel : at.parallel;
    o.swap_memory = at.swaps;
    return o;
  }
  number finished(const statement& at, number x) const {
    if (at.is_apart) x = fg::apply(aside_op{}, x, ballast_);
    return way_.each ? way_.each(x) : x;
  }
  fg::out<integer> finished(const statement&, fg::out<integer> x) const { return x; }

  template <class T> void access(const statement& at, fg::out_list<T>& v, const kept_number<T>& kept) {
    access_history& done = done_[number_of(at)];
    fg::out<T> made;
    {
      const std::vector<fg::target> earlier = at.says_order ? done.all() : done.bodies;
      const auto then = g_.after_all(earlier);
      if (at.kind == statement::form::read) {
        // A gradient by the other factor would read a variable again, when the gradient runs.
        const fg::out<T> value = at.looks ? fg::identity(kept.read()) : kept.read();
        made = at.looks ? v[at.b] * value : v[at.b] + value;
        done.nodes.push_back(at.looks ? value : made);
      } else {
        const fg::target change = at.kind == statement::form::store ? kept.store(v[at.a]) : kept.grow(v[at.a]);
        done.nodes.push_back(change);
        if (at.kind == statement::form::store || !at.looks) return;
        made = kept.read_after(g_, change) + v[at.b];
        done.nodes.push_back(made);
      }
    }
    v[at.target] = finished(at, wrapped(made));
  }

  void run(const statement& at, state& s, const fg::out_list<double>& outer) {
    auto arithmetic = [&](auto& v, const auto& others) {
      v[at.target] = finished(at, wrapped(at.arithmetic(v[at.a], others[at.b])));
    };
    const state before = s;
    const carried entered{s.i, s.d};
    switch (at.kind) {
      case statement::form::add:
      case statement::form::subtract:
      case statement::form::multiply:
        if (at.is_double) arithmetic(s.d, at.takes_outer ? outer : s.d);
        else arithmetic(s.i, s.i);
        return;
      case statement::form::cast:
        if (at.is_double) s.d[at.target] = fg::cast<double>(s.i[at.a]);
        else s.i[at.target] = fg::cast<integer>(s.d[at.a]);
        return;
      case statement::form::read:
      case statement::form::store:
      case statement::form::grow:
        if (at.is_double) access(at, s.d, kept_.d[at.cell]);
        else access(at, s.i, kept_.i[at.cell]);
        return;
      case statement::form::cond:
        return set(s, at, [&] {
          return fg::cond(
              before.i[at.a] < before.i[at.b], [&] { return chosen(at.parts[0], before); },
              [&] { return chosen(at.parts[1], before); });
        });
      case statement::form::pick:
        return set(s, at, [&] {
          return fg::case_of(
              fg::cast<std::int32_t>(before.i[at.a] - integer(1)), [&] { return chosen(at.parts[0], before); },
              [&] { return chosen(at.parts[1], before); }, [&] { return chosen(at.parts[2], before); });
        });
      case statement::form::repeat: {
        const fg::out<integer> first = s.i[0] - s.i[0];
        fg::while_options limited = options_of(at);
        limited.maximum_iterations = at.maximum;
        return set(s, at, [&] {
          return fg::for_range(
              first, at.limit, entered,
              [&](const auto& k, const fg::out_list<integer>& i, const fg::out_list<double>& d) {
                state inside{i, d};
                inside.i[at.target] = wrapped(inside.i[at.target] + k);
                return after(at.parts[0], inside, before.d);
              },
              limited);
        });
      }
      case statement::form::search: {
        fg::while_options limited = options_of(at);
        limited.maximum_iterations = at.limit;
        return set(s, at, [&] {
          return fg::while_loop(
              entered,
              [&](const auto&, const auto& d) {
                const fg::out<bool> small = d[at.a] < 100.0;
                return at.looks ? fg::logical_and(small, kept_.d[at.cell].read() < 100.0) : small;
              },
              [&](const auto& i, const auto& d) {
                return after(at.parts[0], {i, d}, before.d);
              },
              limited);
        });
      }
    }
  }
  fg::graph g_;
  const program_variables& kept_;
  way_of_building way_;
  number ballast_;
  access_histories done_;
};

// One program as a graph, from placeholders to the final values.
struct program {
  fg::graph g;
  program_variables kept{g};
  traced::state first, last;
  std::vector<fg::target> effects;  // effects of a run other than its results

  program(const block& b, way_of_building way) {
    for (std::size_t k = 0; k < count; ++k) {
      first.i.push_back(g.placeholder<integer>("i", {}));
      first.d.push_back(g.placeholder<double>("d", {}));
    }
    last = first;
    traced trace(g, kept, std::move(way), ballast_in(g));
    trace.run(b, last);
    effects = trace.effects();
    const auto then = g.after_all(effects);
    for (const auto& v : kept.i) kept_i_.push_back(v.read());
    for (const auto& v : kept.d) kept_d_.push_back(v.read());
  }
  // Returns a number that depends on all differentiable values.
  static auto loss_of(const auto& d) { return d[0] + d[1] * 2.0 - d[2]; }
  number loss() const { return loss_of(last.d); }

  // Returns the final numbers, and the variables after the run.
  std::vector<fg::any_out> results() const {
    std::vector<fg::any_out> made(last.i.begin(), last.i.end());
    made.insert(made.end(), last.d.begin(), last.d.end());
    made.insert(made.end(), kept_i_.begin(), kept_i_.end());
    made.insert(made.end(), kept_d_.begin(), kept_d_.end());
    return made;
  }
  std::vector<fg::fed> feeds(const plain::state& values) const {
    std::vector<fg::fed> made;
    for (std::size_t k = 0; k < count; ++k) {
      made.push_back({fg::any_out(first.i[k]), fg::tensor<integer>(values.i[k]).erased()});
      made.push_back({fg::any_out(first.d[k]), fg::tensor<double>(values.d[k]).erased()});
    }
    return made;
  }
  auto try_run(fg::session& s, std::span<const fg::any_out> fetches, const plain::state& values) const {
    const std::vector<fg::fed> fed = feeds(values);
    return s.try_run(fg::run_request{fed, fetches, effects});
  }
  // Prepares a step for the same results.
  auto try_prepare(fg::session& s, std::span<const fg::any_out> fetches) const {
    std::vector<fg::any_out> edges;
    for (const fg::fed& f : feeds({std::vector<integer>(count), std::vector<double>(count)})) edges.push_back(f.where);
    return s.try_prepare(edges, fetches, effects);
  }
  fg::result<std::vector<fg::any_tensor>> try_run(fg::any_step& step, std::size_t fetches, const plain::state& values) const {
    const std::vector<fg::fed> fed = feeds(values);
    std::vector<fg::any_tensor> given;
    for (const fg::fed& f : fed) given.push_back(f.value);
    std::vector<fg::any_tensor> made(fetches);
    if (auto done = step.try_run(given, made); !done) return done.error();
    return made;
  }

private:
  std::vector<fg::any_out> kept_i_, kept_d_;
};

// ---- what tests check and draw

// Returns whether all bits are equal.
inline bool same(std::span<const fg::any_tensor> made, const plain::state& expected) {
  for (std::size_t k = 0; k < count; ++k)
    if (made[k].as<integer>().scalar() != expected.i[k] ||
        std::memcmp(made[count + k].data(), &expected.d[k], sizeof(double)) != 0)
      return false;
  for (std::size_t k = 0; k < cells; ++k)
    if (made[2 * count + k].as<integer>().scalar() != expected.kept_i[k] ||
        std::memcmp(made[2 * count + cells + k].data(), &expected.kept_d[k], sizeof(double)) != 0)
      return false;
  return true;
}

// Places each node at random.
inline void spread(const fg::graph& g, std::uint64_t seed, std::span<const std::string_view> places) {
  for (fg::node* n : g.state().nodes) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    n->device = places[(seed >> 33) % places.size()];
  }
}

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace programs
