#pragma once
// Random programs of arithmetic, conditions and loops: generated from a seed, interpreted as plain C++, or built as a graph.

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/for_range.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/runtime/session.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>

namespace programs {

namespace fg = flowgraph;

using integer = std::int64_t;

// Some integers and some doubles. A statement changes one of them; a block is a list of statements.
struct statement;
using block = std::vector<statement>;
struct statement {
  enum class form { add, subtract, multiply, cast, cond, pick, repeat, search };
  form kind = form::add;
  bool is_double = false;  // what arithmetic changes
  std::size_t target = 0, a = 0, b = 0;
  integer limit = 0;               // of iterations
  std::optional<integer> maximum;  // the same, said in another way
  int parallel = 1;
  bool swaps = false;
  bool takes_outer = false;  // arithmetic of doubles: b is what it was when the block around began
  bool is_apart = false;     // what arithmetic makes goes over to another thread, if there is one
  std::vector<block> parts;

  // What arithmetic of numbers of any kind makes.
  template <class X> X arithmetic(const X& x, const X& y) const {
    return kind == form::add ? x + y : kind == form::subtract ? x - y : x * y;
  }
};

constexpr std::size_t count = 3;  // of variables of each type

class generator {
public:
  explicit generator(std::uint64_t seed) : random_(seed) {}

  block make(int depth) {
    block made;
    for (int n = below(3) + 1; n > 0; --n) made.push_back(one(depth));
    return made;
  }
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

private:
  std::size_t place() { return static_cast<std::size_t>(below(static_cast<int>(count))); }
  statement one(int depth) {
    statement s;
    const int first_that_nests = static_cast<int>(statement::form::cond);
    s.kind = static_cast<statement::form>(below(4) + (depth > 0 && below(4) > 0 ? first_that_nests : 0));
    s.is_double = below(2) == 1;
    s.target = place();
    s.a = place();
    s.b = place();
    s.limit = below(5);
    if (below(4) == 0) s.maximum = below(5);
    s.parallel = std::array{1, 2, 3, 10}[static_cast<std::size_t>(below(4))];
    s.swaps = below(2) == 1;
    s.takes_outer = below(3) == 0;
    s.is_apart = below(3) == 0;
    const int parts = s.kind == statement::form::cond     ? 2
                      : s.kind == statement::form::pick   ? 3
                      : s.kind >= statement::form::repeat ? 1
                                                          : 0;
    for (int i = 0; i < parts; ++i) s.parts.push_back(make(depth - 1));
    return s;
  }
  std::mt19937_64 random_;
};

// ---- as plain C++

inline integer wrapped(integer x) { return x % 1009; }
template <std::floating_point Real> Real wrapped(Real x) { return std::min(std::max(x, Real(-1000)), Real(1000)) * Real(0.5); }

// Numbers of any kind that have + - *, `wrapped`, < and a conversion to integers. Values stay small, so that all types are exact.
template <class Real> struct plain_of {
  struct state {
    std::vector<integer> i;
    std::vector<Real> d;
  };
  std::function<Real(double)> number = [](double v) { return Real(v); };
  std::vector<integer>* way = nullptr;  // receives which way the program went, where it could have gone another

  void run(const block& b, state& s) const { run(b, s, s.d); }

private:
  // `outer` are the doubles as they were before the branch or the loop that the block belongs to.
  void run(const block& b, state& s, const std::vector<Real>& outer) const {
    for (const statement& at : b) run(at, s, outer);
  }
  integer noted(integer choice) const {
    if (way) way->push_back(choice);
    return choice;
  }
  bool is_small(const Real& x) const { return noted(x < 100.0 ? 1 : 0) == 1; }

  void run(const statement& at, state& s, const std::vector<Real>& outer) const {
    auto arithmetic = [&](auto& v, const auto& others) {
      const auto made = at.arithmetic(v[at.a], others[at.b]);
      if constexpr (!std::is_same_v<decltype(made), const integer>) noted((made < -1000.0 ? 1 : 0) + (made < 1000.0 ? 2 : 0));
      v[at.target] = wrapped(made);
    };
    const std::vector<Real> before = s.d;
    switch (at.kind) {
      case statement::form::add:
      case statement::form::subtract:
      case statement::form::multiply: return at.is_double ? arithmetic(s.d, at.takes_outer ? outer : s.d) : arithmetic(s.i, s.i);
      case statement::form::cast:
        if (at.is_double) s.d[at.target] = number(static_cast<double>(s.i[at.a]));
        else s.i[at.target] = noted(static_cast<integer>(s.d[at.a]));
        return;
      case statement::form::cond: return run(at.parts[s.i[at.a] < s.i[at.b] ? 0 : 1], s, before);
      case statement::form::pick: {
        const integer which = s.i[at.a] - 1;
        return run(at.parts[which == 0 ? 0 : which == 1 ? 1 : 2], s, before);
      }
      case statement::form::repeat:
        for (integer k = 0; k < std::min(at.limit, at.maximum.value_or(at.limit)); ++k) {
          s.i[at.target] = wrapped(s.i[at.target] + k);
          run(at.parts[0], s, before);
        }
        return;
      case statement::form::search:
        for (integer k = 0; k < at.limit && is_small(s.d[at.a]); ++k) run(at.parts[0], s, before);
        return;
    }
  }
};

using plain = plain_of<double>;

// ---- as a graph

using number = fg::out<double>;

// As TensorFlow's Mod and C++'s %: what is left goes toward zero.
inline fg::out<integer> wrapped(fg::out<integer> x) { return x - x / integer(1009) * integer(1009); }
inline number wrapped(number x) { return fg::minimum(fg::maximum(x, -1000.0), 1000.0) * 0.5; }

// Hands a number on, with a second input that is large enough for a thread of its own.
struct aside_op {
  static constexpr std::string_view name = "Aside";
  static constexpr bool expensive = true;

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
  int parallel = 0;                         // iterations of all loops; 0: what each of them drew
  std::function<number(number)> each = {};  // what every double that arithmetic makes goes through
};

class traced {
public:
  struct state {
    fg::out_list<integer> i;
    fg::out_list<double> d;
  };
  using carried = std::tuple<fg::out_list<integer>, fg::out_list<double>>;

  traced(way_of_building way, number ballast) : way_(std::move(way)), ballast_(ballast) {}

  void run(const block& b, state& s) const { run(b, s, s.d); }

private:
  void run(const block& b, state& s, const fg::out_list<double>& outer) const {
    for (const statement& at : b) run(at, s, outer);
  }
  carried after(const block& b, state s, const fg::out_list<double>& outer) const {
    run(b, s, outer);
    return {s.i, s.d};
  }
  carried chosen(const block& b, const state& before) const { return after(b, before, before.d); }
  static void set(state& s, const carried& made) {
    s.i = std::get<0>(made);
    s.d = std::get<1>(made);
  }
  fg::while_options options_of(const statement& at) const {
    fg::while_options o;
    o.parallel_iterations = way_.parallel > 0 ? way_.parallel : at.parallel;
    o.swap_memory = at.swaps;
    return o;
  }

  void run(const statement& at, state& s, const fg::out_list<double>& outer) const {
    auto arithmetic = [&](auto& v, const auto& others) { v[at.target] = wrapped(at.arithmetic(v[at.a], others[at.b])); };
    const state before = s;
    const carried entered{s.i, s.d};
    switch (at.kind) {
      case statement::form::add:
      case statement::form::subtract:
      case statement::form::multiply:
        if (!at.is_double) return arithmetic(s.i, s.i);
        arithmetic(s.d, at.takes_outer ? outer : s.d);
        if (at.is_apart) s.d[at.target] = fg::apply(aside_op{}, s.d[at.target], ballast_);
        if (way_.each) s.d[at.target] = way_.each(s.d[at.target]);
        return;
      case statement::form::cast:
        if (at.is_double) s.d[at.target] = fg::cast<double>(s.i[at.a]);
        else s.i[at.target] = fg::cast<integer>(s.d[at.a]);
        return;
      case statement::form::cond:
        return set(s, fg::cond(
                          s.i[at.a] < s.i[at.b], [&] { return chosen(at.parts[0], before); },
                          [&] { return chosen(at.parts[1], before); }));
      case statement::form::pick:
        return set(s, fg::case_of(
                          fg::cast<std::int32_t>(s.i[at.a] - integer(1)), [&] { return chosen(at.parts[0], before); },
                          [&] { return chosen(at.parts[1], before); }, [&] { return chosen(at.parts[2], before); }));
      case statement::form::repeat: {
        const fg::out<integer> first = s.i[0] - s.i[0];
        fg::while_options limited = options_of(at);
        limited.maximum_iterations = at.maximum;
        return set(s, fg::for_range(
                          first, at.limit, entered,
                          [&](const auto& k, const fg::out_list<integer>& i, const fg::out_list<double>& d) {
                            state inside{i, d};
                            inside.i[at.target] = wrapped(inside.i[at.target] + k);
                            run(at.parts[0], inside, before.d);
                            return carried{inside.i, inside.d};
                          },
                          limited));
      }
      case statement::form::search: {
        fg::while_options limited = options_of(at);
        limited.maximum_iterations = at.limit;
        return set(s, fg::while_loop(
                          entered, [&](const auto&, const auto& d) { return d[at.a] < 100.0; },
                          [&](const auto& i, const auto& d) {
                            return after(at.parts[0], {i, d}, before.d);
                          },
                          limited));
      }
    }
  }
  way_of_building way_;
  number ballast_;
};

// One program as a graph, from placeholders to the final values.
struct program {
  fg::graph g;
  traced::state first, last;

  program(const block& b, way_of_building way) {
    for (std::size_t k = 0; k < count; ++k) {
      first.i.push_back(g.placeholder<integer>("i", {}));
      first.d.push_back(g.placeholder<double>("d", {}));
    }
    last = first;
    traced(std::move(way), ballast_in(g)).run(b, last);
  }
  // A number that depends on all that is differentiable.
  static auto loss_of(const auto& d) { return d[0] + d[1] * 2.0 - d[2]; }
  number loss() const { return loss_of(last.d); }

  std::vector<fg::any_out> results() const {
    std::vector<fg::any_out> made(last.i.begin(), last.i.end());
    made.insert(made.end(), last.d.begin(), last.d.end());
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
    return s.try_run(fg::run_request{fed, fetches, {}});
  }
  // The same by a step that is prepared once.
  auto try_prepare(fg::session& s, std::span<const fg::any_out> fetches) const {
    std::vector<fg::any_out> edges;
    for (const fg::fed& f : feeds({std::vector<integer>(count), std::vector<double>(count)})) edges.push_back(f.where);
    return s.try_prepare(edges, fetches, {});
  }
  fg::result<std::vector<fg::any_tensor>> try_run(fg::any_step& step, std::size_t fetches, const plain::state& values) const {
    const std::vector<fg::fed> fed = feeds(values);
    std::vector<fg::any_tensor> given;
    for (const fg::fed& f : fed) given.push_back(f.value);
    std::vector<fg::any_tensor> made(fetches);
    if (auto done = step.try_run(given, made); !done) return done.error();
    return made;
  }
};

// ---- what tests check and draw

// Equal bits.
inline bool same(std::span<const fg::any_tensor> made, const plain::state& expected) {
  for (std::size_t k = 0; k < count; ++k)
    if (made[k].as<integer>().scalar() != expected.i[k] ||
        std::memcmp(made[count + k].data(), &expected.d[k], sizeof(double)) != 0)
      return false;
  return true;
}

// Places each node by chance.
inline void spread(const program& p, std::uint64_t seed, std::span<const std::string_view> places) {
  for (fg::node* n : p.g.state().nodes) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    n->device = places[(seed >> 33) % places.size()];
  }
}

inline block random_block(std::uint64_t seed, plain::state& start) {
  generator random(seed);
  block made = random.make(1 + static_cast<int>(seed % 4));
  start = {{random.below(20) - 5, random.below(20), random.below(3)},
           {random.below(20) - 5.5, random.below(200) * 0.25, random.below(3) * 0.5}};
  return made;
}

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace programs
