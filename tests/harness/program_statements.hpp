#pragma once
// Random programs of arithmetic, variables, conditions and loops, generated from a seed and interpreted as plain C++.
//
// Variables keep their values from run to run.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

namespace programs {

using integer = std::int64_t;

// A program with some integers and some doubles, and variables of both. A statement changes one of them; a block is a list of
// statements.
struct statement;
using block = std::vector<statement>;
struct statement {
  enum class form { add, subtract, multiply, cast, read, store, grow, cond, pick, repeat, search };
  form kind = form::add;
  bool is_double = false;  // the type that the arithmetic changes
  std::size_t target = 0, a = 0, b = 0;
  integer limit = 0;               // of iterations
  std::optional<integer> maximum;  // the same limit, given in another way
  int parallel = 1;
  bool swaps = false;
  bool takes_outer = false;  // for arithmetic of doubles: b has the value from before the enclosing block
  bool is_apart = false;     // the result goes to another thread, if there is one
  std::size_t cell = 0;      // index of the variable
  bool says_order = false;   // adds an explicit order, although the order of creation would be enough
  bool looks = false;        // `grow` reads its written value, `read` multiplies, and `search` also reads the variable
  std::vector<block> parts;

  bool nests() const { return kind >= form::cond; }
  // Returns the result of the arithmetic for numbers of any kind.
  template <class X> X arithmetic(const X& x, const X& y) const {
    return kind == form::add ? x + y : kind == form::subtract ? x - y : x * y;
  }
};

constexpr std::size_t count = 3;  // of numbers of each type
constexpr std::size_t cells = 2;  // variables of each type: behind a reference, and behind a handle

class generator {
public:
  explicit generator(std::uint64_t seed, bool with_variables = true)
      : random_(seed), simple_(static_cast<int>(with_variables ? statement::form::cond : statement::form::read)) {}

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
    const bool nests = depth > 0 && below(4) > 0;
    s.kind = static_cast<statement::form>(nests ? first_that_nests + below(4) : below(simple_));
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
    s.cell = static_cast<std::size_t>(below(static_cast<int>(cells)));
    s.says_order = below(2) == 1;
    s.looks = below(3) == 0 && has_variables();
    const int parts = s.kind == statement::form::cond     ? 2
                      : s.kind == statement::form::pick   ? 3
                      : s.kind >= statement::form::repeat ? 1
                                                          : 0;
    for (int i = 0; i < parts; ++i) s.parts.push_back(make(depth - 1));
    return s;
  }
  bool has_variables() const { return simple_ > static_cast<int>(statement::form::read); }

  std::mt19937_64 random_;
  int simple_;  // kinds of statements without inner statements
};

// ---- as plain C++

inline integer wrapped(integer x) { return x % 1009; }
template <std::floating_point Real> Real wrapped(Real x) { return std::min(std::max(x, Real(-1000)), Real(1000)) * Real(0.5); }

// The initial values of the variables.
constexpr std::array<integer, cells> first_integers{2, 5};
constexpr std::array<double, cells> first_doubles{0.75, -1.5};

// Numbers of any kind that have + - *, `wrapped`, < and a conversion to integers. Values stay small, so that all types are exact.
template <class Real> struct plain_of {
  struct state {
    std::vector<integer> i;
    std::vector<Real> d;
    std::vector<integer> kept_i{first_integers.begin(), first_integers.end()};
    std::vector<Real> kept_d{first_doubles.begin(), first_doubles.end()};
  };
  std::function<Real(double)> number = [](double v) { return Real(v); };
  std::function<Real(const Real&)> read = [](const Real& kept) { return kept; };  // the value that a read of a variable returns
  std::vector<integer>* way = nullptr;  // receives the path of the program, at each point with a choice

  void run(const block& b, state& s) const { run(b, s, s.d); }

private:
  // `outer` contains the doubles from before the branch or the loop that the block belongs to.
  void run(const block& b, state& s, const std::vector<Real>& outer) const {
    for (const statement& at : b) run(at, s, outer);
  }
  integer noted(integer choice) const {
    if (way) way->push_back(choice);
    return choice;
  }
  bool is_small(const Real& x) const { return noted(x < 100.0 ? 1 : 0) == 1; }

  void run(const statement& at, state& s, const std::vector<Real>& outer) const {
    auto give = [&](auto& v, const auto& made) {
      if constexpr (!std::is_same_v<decltype(made), const integer&>) noted((made < -1000.0 ? 1 : 0) + (made < 1000.0 ? 2 : 0));
      v[at.target] = wrapped(made);
    };
    auto arithmetic = [&](auto& v, const auto& others) { give(v, at.arithmetic(v[at.a], others[at.b])); };
    auto access = [&](auto& v, auto& kept, const auto& value) {
      if (at.kind == statement::form::read) return give(v, at.looks ? v[at.b] * value(kept) : v[at.b] + value(kept));
      kept = at.kind == statement::form::store ? v[at.a] : kept + v[at.a];
      if (at.kind == statement::form::grow && at.looks) give(v, value(kept) + v[at.b]);
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
      case statement::form::read:
      case statement::form::store:
      case statement::form::grow:
        return at.is_double ? access(s.d, s.kept_d[at.cell], read)
                            : access(s.i, s.kept_i[at.cell], [](integer kept) { return kept; });
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
        for (integer k = 0; k < at.limit && is_small(s.d[at.a]) && (!at.looks || is_small(read(s.kept_d[at.cell]))); ++k)
          run(at.parts[0], s, before);
        return;
    }
  }
};

using plain = plain_of<double>;

// Returns the results of a run that begins with the variables of `before`.
inline plain::state run_from(const block& b, const plain::state& start, const plain::state& before) {
  plain::state s{start.i, start.d, before.kept_i, before.kept_d};
  plain().run(b, s);
  return s;
}

inline block random_block(std::uint64_t seed, plain::state& start, bool with_variables = true) {
  generator random(seed, with_variables);
  block made = random.make(1 + static_cast<int>(seed % 4));
  start = {{random.below(20) - 5, random.below(20), random.below(3)},
           {random.below(20) - 5.5, random.below(200) * 0.25, random.below(3) * 0.5}};
  return made;
}

}  // namespace programs
