// Gradients against differences of the op itself.
//
// The loss is L = Re(sum(conj(dy) y)) for random dy. Its gradient with respect to y is dy, so the gradient that the op returns
// for an input x has the real part dL/dRe(x) and the imaginary part dL/dIm(x).

#include "check.hpp"

#include <flowgraph/graph/gradients.hpp>

#include <cmath>

namespace harness {

#ifndef FLOWGRAPH_INFERENCE
namespace {

using numbers = std::vector<double>;

bool is_complex(fg::dtype type) { return type == fg::dtype::complex64 || type == fg::dtype::complex128; }
std::size_t parts_of(fg::dtype type) { return is_complex(type) ? 2 : 1; }
// Returns whether the type is precise enough for differences.
bool is_precise(fg::dtype type) { return type == fg::dtype::float64 || type == fg::dtype::complex128; }

// Returns the real and imaginary parts of a tensor of double precision, one after the other.
std::span<double> parts(fg::any_tensor& t) { return {static_cast<double*>(t.data()), t.size() * parts_of(t.type())}; }
std::span<const double> parts(const fg::any_tensor& t) {
  return {static_cast<const double*>(t.data()), t.size() * parts_of(t.type())};
}

// A loss that is linear in some fetched tensors.
struct linear_loss {
  fg::session& s;
  std::vector<fg::fed> feeds;
  std::vector<fg::any_out> fetches;
  tensors weights;  // a weight tensor per fetch

  double operator()() const {
    auto made = s.try_run({feeds, fetches, {}});
    double sum = 0;
    if (!made) return std::nan("");
    for (std::size_t i = 0; i < fetches.size(); ++i) {
      const auto y = parts(std::as_const((*made)[i])), w = parts(weights[i]);
      for (std::size_t k = 0; k < y.size() && k < w.size(); ++k) sum += w[k] * y[k];
    }
    return sum;
  }
};

// Returns the derivative: central differences, extrapolated to a step of size zero. The error is proportional to the sixth power
// of the step.
double derivative(linear_loss& loss, std::size_t feed, std::size_t part) {
  const auto slope = [&](double step) {
    fg::any_tensor& x = loss.feeds[feed].value;
    const fg::any_tensor kept = x;
    const double at = parts(kept)[part];
    const auto moved = [&](double to) {
      x = kept.copy().value();
      parts(x)[part] = to;
      return loss();
    };
    const double difference = moved(at + step) - moved(at - step);
    x = kept;
    return difference / (2 * step);
  };
  const double coarse = slope(0.02), medium = slope(0.01), fine = slope(0.005);
  const double better = (4 * medium - coarse) / 3, best = (4 * fine - medium) / 3;
  return (16 * best - better) / 15;
}

// The gradients of some outputs with respect to all differentiable inputs, as handles.
struct backward {
  std::vector<std::size_t> feeds;                         // indices of the differentiable feeds
  fg::detail::sequence<fg::gradient_list> contributions;  // for each feed in that list
  std::vector<fg::fed> starts;
};

class gradient_check {
public:
  gradient_check(workshop& w, const trial& t, report& r, knowledge k) : w_(w), t_(t), r_(r), k_(k), values_(values_of(t)) {}

  // Returns whether there was a number to compare.
  bool run() {
    auto made = place(w_, t_, values_, k_);
    if (!r_.expect(made.has_value(), t_, [&] { return std::string(made.error().what()); })) return true;
    p_ = *std::move(made);
    for (const fg::any_out& y : p_.outputs())
      if (is_differentiable(y.type()) && !p_.node->outputs[y.port].is_reference) losses_.push_back(y);
    if (losses_.empty()) return false;
    if (differentiate(losses_, first_) && check_first()) check_second();
    return compared_;
  }

private:
  bool fails(const fg::error& why) {
    return !r_.expect(!why, t_, [&] { return "with " + std::string(name_of(k_)) + ": " + why.what(); });
  }

  // Adds the gradient of `losses`, each weighted by a placeholder that is fed with a direction.
  bool differentiate(const std::vector<fg::any_out>& losses, backward& b) {
    auto forward = run_all(losses);
    if (!forward) return !fails(forward.error());
    fg::gradient_list starts;
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const fg::shape& shape = (*forward)[i].shape();
      auto start = add_placeholder(w_, p_.graph, losses[i].type(), k_ == knowledge::nothing ? fg::shape::unknown() : shape);
      if (!start) return !fails(start.error());
      starts.emplace_back(*start);
      b.starts.emplace_back(*start, direction(losses[i].type(), shape));
    }
    std::vector<fg::any_out> wanted;
    for (std::size_t i = 0; i < p_.feeds.size(); ++i) {
      if (!is_differentiable(p_.feeds[i].value.type()) || is_constant(p_.feeds[i].where)) continue;
      wanted.push_back(p_.feeds[i].where);
      b.feeds.push_back(i);
    }
    fg::gradient_options options;
    options.starts = starts;
    options.allow_none = true;
    return !fails(guarded([&]() -> fg::error {
      auto made = fg::gradient_contributions(losses, wanted, options, {});
      if (!made) return made.error();
      b.contributions = *std::move(made);
      return {};
    }));
  }

  bool is_constant(const fg::any_out& x) const {
    for (const exception& e : t_.from->exceptions)
      if (e.what == exception::constant_input && p_.inputs[e.input].source == x.source) return true;
    return false;
  }
  std::vector<fg::fed> all_feeds() const {
    std::vector<fg::fed> all = p_.feeds;
    all.insert(all.end(), first_.starts.begin(), first_.starts.end());
    all.insert(all.end(), second_.starts.begin(), second_.starts.end());
    return all;
  }
  fg::result<tensors> run_all(const std::vector<fg::any_out>& fetches) {
    fg::session s(p_.graph);
    return s.try_run({all_feeds(), fetches, {}});
  }

  // Returns the sum of dense and sliced contributions to a gradient.
  fg::result<numbers> sum_of(const fg::gradient_list& contributions, const fg::any_tensor& x) {
    numbers sum(x.size() * parts_of(x.type()), 0);
    for (const fg::any_grad& g : contributions) {
      if (g.kind == fg::any_grad::form::absent) continue;
      const bool sliced = g.kind == fg::any_grad::form::slices;
      auto made = sliced ? run_all({g.slices.values, g.slices.indices}) : run_all({g.dense});
      if (!made) return made.error();
      const fg::any_tensor& values = (*made)[0];
      if (!sliced && values.shape() != x.shape())
        return fg::error(fg::error_code::internal,
                         "the gradient of an input " + to_string(x.shape()) + " has shape " + to_string(values.shape()));
      if (!is_precise(x.type())) continue;
      const auto from = parts(values);
      if (!sliced) {
        for (std::size_t i = 0; i < from.size(); ++i) sum[i] += from[i];
        continue;
      }
      const std::size_t row = x.size() == 0 ? 0 : sum.size() / static_cast<std::size_t>(x.shape()[0]);
      for (std::size_t i = 0; i < from.size(); ++i) {
        const std::size_t n = i / row;
        const fg::any_tensor& indices = (*made)[1];
        const auto index =
            indices.type() == fg::dtype::int32 ? std::int64_t{indices.as<std::int32_t>()[n]} : indices.as<std::int64_t>()[n];
        sum[static_cast<std::size_t>(index) * row + i % row] += from[i];
      }
    }
    return sum;
  }

  bool types_are_precise() const {
    for (const fg::type_binding b : t_.table->types())
      if (is_differentiable(b.type) && !is_precise(b.type)) return false;
    return true;
  }

  void compare(const backward& b, linear_loss loss, std::string_view order) {
    for (std::size_t i = 0; i < b.feeds.size(); ++i) {
      const std::size_t feed = b.feeds[i];
      auto sum = sum_of(b.contributions[i], p_.feeds[feed].value);
      if (!sum) {
        fails(sum.error());
        continue;
      }
      if (!types_are_precise()) continue;
      for (std::size_t part = 0; part < sum->size(); ++part) {
        compared_ = true;
        const double expected = derivative(loss, feed, part), found = (*sum)[part];
        const bool close = std::abs(expected - found) <= 1e-6 * std::max(std::abs(expected), std::abs(found)) + 2e-8;
        r_.expect(close, t_, [&] {
          return std::string(order) + " gradient with " + std::string(name_of(k_)) + ", input " + std::to_string(feed) +
                 ", element " + std::to_string(part / parts_of(p_.feeds[feed].value.type())) + ": " + std::to_string(found) +
                 " where differences say " + std::to_string(expected);
        });
      }
    }
  }

  bool check_first() {
    fg::session s(p_.graph);
    linear_loss loss{s, all_feeds(), losses_, {}};
    for (const fg::fed& f : first_.starts) loss.weights.push_back(f.value);
    compare(first_, loss, "first");
    return k_ == knowledge::shapes;
  }

  void check_second() {
    if (t_.from->find(exception::first_order)) return;
    std::vector<fg::any_out> slopes;
    for (const fg::gradient_list& list : first_.contributions)
      for (const fg::any_grad& g : list) {
        if (g.kind == fg::any_grad::form::dense) slopes.push_back(g.dense);
        if (g.kind == fg::any_grad::form::slices) slopes.push_back(g.slices.values);
      }
    if (slopes.empty() || !differentiate(slopes, second_)) return;
    fg::session s(p_.graph);
    linear_loss loss{s, all_feeds(), slopes, {}};
    for (const fg::fed& f : second_.starts) loss.weights.push_back(f.value);
    compare(second_, loss, "second");
  }

  workshop& w_;
  const trial& t_;
  report& r_;
  knowledge k_;
  tensors values_;
  placed p_;
  std::vector<fg::any_out> losses_;
  backward first_, second_;
  bool compared_ = false;
};

bool has_complex(const fg::op_table& table) {
  for (const fg::type_binding b : table.types())
    if (b.type == fg::dtype::complex64 || b.type == fg::dtype::complex128) return true;
  return false;
}

bool is_small(const trial& t) {
  std::size_t elements = 0;
  for (const input& in : t.how->inputs) elements += in.is_given ? 0 : static_cast<std::size_t>(in.shape.size());
  return !t.is_large() && elements <= 150;
}

}  // namespace

void check_gradients(workshop& w, const sample& s, report& r) {
  const exception* stops = s.find(exception::no_gradient);
  if (stops) r.skip(s.op, stops->why);
  const trial* unchecked = nullptr;  // an op that has a gradient, but no call that allows differences
  bool compared = false;
  trial last;
  for_each_trial(w, s, r, [&](const trial& t) {
    if (!t.table->gradient || stops) return;
    if (s.find(exception::real_gradient) && has_complex(*t.table)) return;
    last = t;
    unchecked = &last;
    if (!is_small(t)) return;
    for (const knowledge k : all_knowledge) {
      if (k != knowledge::shapes && s.find(exception::shapes_needed)) continue;
      compared = gradient_check(w, t, r, k).run() || compared;
    }
  });
  if (unchecked)
    r.expect(compared, *unchecked, [] { return std::string("has a gradient that no call of its sample can check"); });
}
#else
void check_gradients(workshop&, const sample&, report&) {}
#endif

}  // namespace harness
