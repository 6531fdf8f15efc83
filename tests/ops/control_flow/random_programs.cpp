// Random programs of arithmetic, conditions and loops, built as graphs and interpreted as plain C++: the answers have equal bits.
//
// FLOWGRAPH_TEST_PROGRAMS says how many, FLOWGRAPH_TEST_SEED where they begin; a failure names the seed of its program.

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/for_range.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

namespace fg = flowgraph;

namespace {

using integer = std::int64_t;

// Some integers and some doubles. A statement changes one of them; a block is a list of statements.
struct statement;
using block = std::vector<statement>;
struct statement {
  enum class form { add, subtract, multiply, cast, cond, pick, repeat, search };
  form kind = form::add;
  bool is_double = false;  // what arithmetic changes
  int target = 0, a = 0, b = 0;
  integer limit = 0;  // of iterations
  std::vector<block> parts;

  std::array<std::size_t, 3> places() const {
    return {static_cast<std::size_t>(target), static_cast<std::size_t>(a), static_cast<std::size_t>(b)};
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
  statement one(int depth) {
    statement s;
    s.kind = static_cast<statement::form>(below(depth > 0 ? 8 : 4));
    s.is_double = below(2) == 1;
    s.target = below(static_cast<int>(count));
    s.a = below(static_cast<int>(count));
    s.b = below(static_cast<int>(count));
    s.limit = below(5);
    const int parts = s.kind == statement::form::cond     ? 2
                      : s.kind == statement::form::pick   ? 3
                      : s.kind >= statement::form::repeat ? 1
                                                          : 0;
    for (int i = 0; i < parts; ++i) s.parts.push_back(make(depth - 1));
    return s;
  }
  std::mt19937_64 random_;
};

// A number with its derivatives by the doubles that a program begins with.
struct dual {
  double value = 0;
  std::array<double, count> by{};

  dual() = default;
  explicit dual(double v) : value(v) {}
  explicit operator integer() const { return static_cast<integer>(value); }
  friend bool operator<(const dual& a, double b) { return a.value < b; }
  friend dual operator+(const dual& a, const dual& b) { return made(a.value + b.value, a, 1, b, 1); }
  friend dual operator-(const dual& a, const dual& b) { return made(a.value - b.value, a, 1, b, -1); }
  friend dual operator*(const dual& a, const dual& b) { return made(a.value * b.value, a, b.value, b, a.value); }

  static dual made(double value, const dual& a, double by_a, const dual& b, double by_b) {
    dual y(value);
    for (std::size_t k = 0; k < count; ++k) y.by[k] = a.by[k] * by_a + b.by[k] * by_b;
    return y;
  }
};

// What a program computes with: numbers themselves, or handles. Values stay small, so that both types are exact.
template <class Real>
struct plain_of {
  struct state {
    std::vector<integer> i;
    std::vector<Real> d;
  };

  static integer wrapped(integer x) { return x % 1009; }
  static double wrapped(double x) { return std::min(std::max(x, -1000.0), 1000.0) * 0.5; }
  static dual wrapped(const dual& x) {
    return dual::made(wrapped(x.value), x, x.value >= -1000 && x.value <= 1000 ? 0.5 : 0, x, 0);
  }

  void run(const block& b, state& s) const {
    for (const statement& at : b) run(at, s);
  }
  void run(const statement& at, state& s) const {
    const auto places = at.places();
    const std::size_t target = places[0], a = places[1], b = places[2];
    auto arithmetic = [&](auto& v) {
      using form = statement::form;
      v[target] = wrapped(at.kind == form::add ? v[a] + v[b] : at.kind == form::subtract ? v[a] - v[b] : v[a] * v[b]);
    };
    switch (at.kind) {
      case statement::form::add:
      case statement::form::subtract:
      case statement::form::multiply: return at.is_double ? arithmetic(s.d) : arithmetic(s.i);
      case statement::form::cast:
        if (at.is_double) s.d[target] = Real(static_cast<double>(s.i[a]));
        else s.i[target] = static_cast<integer>(s.d[a]);
        return;
      case statement::form::cond: return run(at.parts[s.i[a] < s.i[b] ? 0 : 1], s);
      case statement::form::pick: {
        const integer which = s.i[a] - 1;
        return run(at.parts[which == 0 ? 0 : which == 1 ? 1 : 2], s);
      }
      case statement::form::repeat:
        for (integer k = 0; k < at.limit; ++k) {
          s.i[target] = wrapped(s.i[target] + k);
          run(at.parts[0], s);
        }
        return;
      case statement::form::search:
        for (integer k = 0; k < at.limit && s.d[a] < 100; ++k) run(at.parts[0], s);
        return;
    }
  }
};

using plain = plain_of<double>;

class traced {
public:
  struct state {
    fg::out_list<integer> i;
    fg::out_list<double> d;
  };
  using carried = std::tuple<fg::out_list<integer>, fg::out_list<double>>;

  explicit traced(int parallel) { options_.parallel_iterations = parallel; }

  void run(const block& b, state& s) const {
    for (const statement& at : b) run(at, s);
  }

private:
  // As TensorFlow's Mod and C++'s %: what is left goes toward zero.
  static fg::out<integer> wrapped(fg::out<integer> x) { return x - x / integer(1009) * integer(1009); }
  static fg::out<double> wrapped(fg::out<double> x) { return fg::minimum(fg::maximum(x, -1000.0), 1000.0) * 0.5; }

  carried after(const block& b, const carried& before) const {
    state s{std::get<0>(before), std::get<1>(before)};
    run(b, s);
    return {s.i, s.d};
  }
  static void set(state& s, const carried& made) {
    s.i = std::get<0>(made);
    s.d = std::get<1>(made);
  }

  void run(const statement& at, state& s) const {
    const auto places = at.places();
    const std::size_t target = places[0], a = places[1], b = places[2];
    auto arithmetic = [&](auto& v) {
      using form = statement::form;
      v[target] = wrapped(at.kind == form::add ? v[a] + v[b] : at.kind == form::subtract ? v[a] - v[b] : v[a] * v[b]);
    };
    const carried before{s.i, s.d};
    switch (at.kind) {
      case statement::form::add:
      case statement::form::subtract:
      case statement::form::multiply: return at.is_double ? arithmetic(s.d) : arithmetic(s.i);
      case statement::form::cast:
        if (at.is_double) s.d[target] = fg::cast<double>(s.i[a]);
        else s.i[target] = fg::cast<integer>(s.d[a]);
        return;
      case statement::form::cond:
        return set(s, fg::cond(s.i[a] < s.i[b], [&] { return after(at.parts[0], before); },
                               [&] { return after(at.parts[1], before); }));
      case statement::form::pick:
        return set(s, fg::case_of(fg::cast<std::int32_t>(s.i[a] - integer(1)), [&] { return after(at.parts[0], before); },
                                  [&] { return after(at.parts[1], before); }, [&] { return after(at.parts[2], before); }));
      case statement::form::repeat: {
        const fg::out<integer> first = s.i[0] - s.i[0];
        return set(s, fg::for_range(first, at.limit, before,
                                    [&](const auto& k, const fg::out_list<integer>& i, const fg::out_list<double>& d) {
                                      state inside{i, d};
                                      inside.i[target] = wrapped(inside.i[target] + k);
                                      run(at.parts[0], inside);
                                      return carried{inside.i, inside.d};
                                    },
                                    options_));
      }
      case statement::form::search: {
        fg::while_options limited = options_;
        limited.maximum_iterations = at.limit;
        return set(s, fg::while_loop(before, [&](const auto&, const auto& d) { return d[a] < 100.0; },
                                     [&](const auto& i, const auto& d) { return after(at.parts[0], {i, d}); }, limited));
      }
    }
  }
  fg::while_options options_;
};

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// One program as a graph, from placeholders to the final values.
struct program {
  fg::graph g;
  traced::state first, last;

  program(const block& b, int parallel) {
    for (std::size_t k = 0; k < count; ++k) {
      first.i.push_back(g.placeholder<integer>("i", {}));
      first.d.push_back(g.placeholder<double>("d", {}));
    }
    last = first;
    traced(parallel).run(b, last);
  }
  std::vector<fg::fed> feeds(const plain::state& values) const {
    std::vector<fg::fed> made;
    for (std::size_t k = 0; k < count; ++k) {
      made.push_back({fg::any_out(first.i[k]), fg::tensor<integer>(values.i[k]).erased()});
      made.push_back({fg::any_out(first.d[k]), fg::tensor<double>(values.d[k]).erased()});
    }
    return made;
  }
  double value(fg::session& s, const fg::out<double>& what, const plain::state& values) const {
    const fg::any_out fetches[]{what};
    const std::vector<fg::fed> fed = feeds(values);
    const auto made = s.try_run(fg::run_request{fed, fetches, {}});
    REQUIRE_MESSAGE(made.has_value(), made.error().what());
    return (*made)[0].as<double>().scalar();
  }
  plain::state run(fg::session& s, const plain::state& values) const {
    std::vector<fg::any_out> fetches;
    for (std::size_t k = 0; k < count; ++k) {
      fetches.push_back(last.i[k]);
      fetches.push_back(last.d[k]);
    }
    const std::vector<fg::fed> fed = feeds(values);
    const auto made = s.try_run(fg::run_request{fed, fetches, {}});
    REQUIRE_MESSAGE(made.has_value(), made.error().what());
    plain::state result;
    for (std::size_t k = 0; k < count; ++k) {
      result.i.push_back((*made)[2 * k].as<integer>().scalar());
      result.d.push_back((*made)[2 * k + 1].as<double>().scalar());
    }
    return result;
  }
};

bool same(const plain::state& a, const plain::state& b) {
  return a.i == b.i && std::memcmp(a.d.data(), b.d.data(), a.d.size() * sizeof(double)) == 0;
}

block random_block(std::uint64_t seed, plain::state& start) {
  generator random(seed);
  block made = random.make(1 + static_cast<int>(seed % 4));
  start = {{random.below(20) - 5, random.below(20), random.below(3)},
           {random.below(20) - 5.5, random.below(200) * 0.25, random.below(3) * 0.5}};
  return made;
}

}  // namespace

TEST_CASE("random programs give what C++ gives, on 1 and 4 threads and for any overlap of iterations") {
  const std::uint64_t programs = number_from("FLOWGRAPH_TEST_PROGRAMS", 150), seed = number_from("FLOWGRAPH_TEST_SEED", 1);
  fg::thread_pool pool(4);
  for (std::uint64_t at = seed; at < seed + programs; ++at) {
    CAPTURE(at);
    plain::state start;
    const block b = random_block(at, start);
    plain::state expected = start;
    plain().run(b, expected);
    for (const int parallel : {1, 2, 10}) {
      CAPTURE(parallel);
      const program p(b, parallel);
      for (fg::thread_pool* threads : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
        CAPTURE((threads != nullptr));
        fg::session s{p.g, {.pool = threads}};
        CHECK(same(p.run(s, start), expected));
        CHECK(same(p.run(s, start), expected));
      }
    }
  }
}

TEST_CASE("gradients of random programs are the derivatives of what they compute") {
  const std::uint64_t programs = number_from("FLOWGRAPH_TEST_PROGRAMS", 150) / 2, seed = number_from("FLOWGRAPH_TEST_SEED", 1);
  fg::thread_pool pool(4);
  for (std::uint64_t at = seed; at < seed + programs; ++at) {
    CAPTURE(at);
    plain::state start;
    const block b = random_block(at, start);
    plain_of<dual>::state numbers{start.i, {}};
    for (std::size_t k = 0; k < count; ++k) {
      numbers.d.push_back(dual(start.d[k]));
      numbers.d[k].by[k] = 1;
    }
    plain_of<dual>().run(b, numbers);

    const program p(b, 1 + static_cast<int>(at % 10));
    const fg::out<double> loss = p.last.d[0] + p.last.d[1] * 2.0 - p.last.d[2];
    const auto gradients = fg::gradients(loss, p.first.d, {.allow_none = true});
    fg::session s{p.g, {.pool = at % 2 == 0 ? &pool : nullptr}};
    for (std::size_t k = 0; k < count; ++k) {
      CAPTURE(k);
      const double expected = numbers.d[0].by[k] + numbers.d[1].by[k] * 2 - numbers.d[2].by[k];
      const double found = gradients[k].is_none() ? 0 : p.value(s, gradients[k], start);
      CHECK(std::abs(found - expected) <= 1e-9 * (1 + std::abs(expected)));
    }
  }
}
