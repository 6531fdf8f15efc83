#pragma once

#include <flowgraph/observe/gradient_check.hpp>
#include <flowgraph/observe/impl/difference.hpp>

#include <cmath>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

class gradient_checker {
public:
  gradient_checker(session& s, const any_out& objective, std::span<const fed> feeds, const gradient_check_options& options)
      : session_(s), objective_(objective), feeds_(feeds.begin(), feeds.end()), options_(options) {}

  error begin() {
    if (!is_checked(objective_.type())) return refuse(objective_, "the objective");
    auto first = value();
    if (!first) return first.error();
    auto second = value();
    if (!second) return second.error();
    if (std::isnan(*first) || std::isinf(*first)) return error(error_code::failed_precondition, "the objective is not finite");
    if (*first != *second)
      return error(error_code::failed_precondition,
                   "the objective differs between two runs on equal inputs: check_constant_objective tells why");
    size_ = std::abs(*first);
    return {};
  }

  result<gradient_account> check(const checked_gradient& c) {
    if (!is_checked(c.of.type()) || c.gradient.type() != c.of.type()) return refuse(c.of, "an edge and its gradient");
    const any_out edges[]{c.of, c.gradient};
    auto result = session_.try_run({.feeds = feeds_, .fetches = edges});
    if (!result) return result.error();
    const any_tensor at = (*result)[0], gradient = (*result)[1];
    if (at.size() != gradient.size())
      return invalid_argument({"'", c.of.name(), "' has the shape ", at.shape(), ", its gradient ", gradient.shape()});
    gradient_account account;
    account.name = c.of.name();
    const error why = check_elements(c.of, at, gradient, account);
    if (error not_back = put_back(c.of, at)) return not_back;
    if (why) return why;
    return account;
  }

private:
  static bool is_checked(dtype type) { return type == dtype::float32 || type == dtype::float64; }
  static bool is_variable(const any_out& edge) { return edge.source->outputs[edge.port].is_reference; }
  static error refuse(const any_out& edge, std::string_view what) {
    return invalid_argument({what, " must be of float or double, '", edge.name(), "' is of ", name_of(edge.type())});
  }
  static double element(const any_tensor& t, std::size_t i) {
    return t.type() == dtype::float32 ? static_cast<double>(t.as<float>()[i]) : t.as<double>()[i];
  }

  error check_elements(const any_out& of, const any_tensor& at, const any_tensor& gradient, gradient_account& account) {
    const std::size_t count = std::min(at.size(), options_.elements);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = k * at.size() / count;
      auto slope = slope_at(of, at, i);
      if (!slope) return slope.error();
      const double stated = element(gradient, i), off = std::abs(stated - slope->value);
      const double allowed = relative(of.type()) * std::max(std::abs(stated), std::abs(slope->value)) + slope->noise;
      ++account.checked;
      const bool is_wrong = !(off <= allowed);
      account.wrong += is_wrong ? 1 : 0;
      if (k > 0 && !(off > account.off) && !std::isnan(off)) continue;
      account.at = i;
      account.gradient = stated;
      account.difference = slope->value;
      account.off = std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
    }
    return {};
  }

  struct measured_slope {
    double value, noise;
  };
  // Computes two central differences, and extrapolates them to a step of size zero.
  result<measured_slope> slope_at(const any_out& of, const any_tensor& at, std::size_t i) {
    const bool is_float = of.type() == dtype::float32 || objective_.type() == dtype::float32;
    const double step = (options_.step > 0 ? options_.step : is_float ? 1e-2 : 1e-3) * std::max(1.0, std::abs(element(at, i)));
    double slopes[2] = {};
    for (const int k : {0, 1}) {
      const double by = k == 0 ? step : step / 2;
      double ends[2], places[2];
      for (const int side : {0, 1}) {
        auto moved = at.copy();
        if (!moved) return moved.error();
        if (of.type() == dtype::float32) {
          float& x = moved->as_writable<float>()[i];
          x = static_cast<float>(static_cast<double>(x) + (side ? by : -by));
        } else {
          moved->as_writable<double>()[i] += side ? by : -by;
        }
        places[side] = element(*moved, i);
        auto now = value_with(of, *moved);
        if (!now) return now.error();
        ends[side] = *now;
      }
      slopes[k] = (ends[1] - ends[0]) / (places[1] - places[0]);
    }
    const double epsilon =
        objective_.type() == dtype::float32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    return measured_slope{(4 * slopes[1] - slopes[0]) / 3, 16 * epsilon * std::max(size_, 1e-3) / step};
  }
  double relative(dtype type) const {
    if (options_.relative > 0) return options_.relative;
    return type == dtype::float32 || objective_.type() == dtype::float32 ? 2e-2 : 1e-5;
  }

  result<double> value() {
    auto result = session_.try_run({.feeds = feeds_, .fetches = {&objective_, 1}});
    if (!result) return result.error();
    if ((*result)[0].size() != 1)
      return invalid_argument(
          {"the objective '", objective_.name(), "' has the shape ", (*result)[0].shape(), ", expected a scalar"});
    return element((*result)[0], 0);
  }
  // Assigns a variable, or feeds any other edge.
  result<double> value_with(const any_out& of, const any_tensor& moved) {
    if (is_variable(of)) {
      const fed values[]{{of, moved}};
      auto done = session_.try_assign(values);
      return done ? value() : result<double>(done.error());
    }
    const std::size_t place = feed_of(of);
    const bool is_new = place == feeds_.size();
    const any_tensor before = is_new ? any_tensor() : feeds_[place].value;
    if (is_new) feeds_.emplace_back(of, moved);
    else feeds_[place].value = moved;
    auto outcome = value();
    if (is_new) feeds_.pop_back();
    else feeds_[place].value = before;
    return outcome;
  }
  std::size_t feed_of(const any_out& of) const {
    std::size_t i = 0;
    while (i < feeds_.size() &&
           !(feeds_[i].name.empty() ? feeds_[i].where == of : feeds_[i].name == of.name() || feeds_[i].name == of.name() + ":0"))
      ++i;
    return i;
  }
  error put_back(const any_out& of, const any_tensor& at) {
    if (!is_variable(of)) return {};
    const fed values[]{{of, at}};
    auto done = session_.try_assign(values);
    return done ? error() : done.error();
  }

  session& session_;
  const any_out objective_;
  std::vector<fed> feeds_;
  const gradient_check_options options_;
  double size_ = 0;
};

}  // namespace detail

FLOWGRAPH_INLINE result<gradient_report> check_gradients(session& s, const any_out& objective,
                                                         std::span<const checked_gradient> gradients, std::span<const fed> feeds,
                                                         const gradient_check_options& options) {
  for (const checked_gradient& c : gradients)
    for (const any_out& edge : {objective, c.of, c.gradient})
      if (!edge.is_usable() || edge.port >= edge.source->outputs.size()) return detail::refused_handle(edge, dtype::invalid, {});
  if (gradients.empty()) return detail::invalid_argument("there are no gradients to check");
  detail::gradient_checker checker(s, objective, feeds, options);
  if (error why = checker.begin()) return why;
  gradient_report report;
  for (const checked_gradient& c : gradients) {
    auto result = checker.check(c);
    if (!result) return result.error();
    report.edges.push_back(*std::move(result));
  }
  return report;
}

FLOWGRAPH_INLINE bool gradient_report::are_right() const noexcept {
  for (const gradient_account& e : edges)
    if (e.wrong > 0) return false;
  return !edges.empty();
}

FLOWGRAPH_INLINE std::string gradient_report::text() const {
  std::string text;
  for (const gradient_account& e : edges) {
    text += message{e.name, ": ", e.wrong, " of ", e.checked, " elements are wrong"}.string();
    if (e.checked > 0)
      text += message{"; farthest off is element ", e.at,
                      ": the gradient is ",         detail::number_text(e.gradient, 6),
                      ", the difference ",          detail::number_text(e.difference, 6)}
                  .string();
    text += '\n';
  }
  return text;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
