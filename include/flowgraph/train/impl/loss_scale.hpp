#pragma once

#include <flowgraph/ops/operators.hpp>
#include <flowgraph/train/detail/optimizer.hpp>
#include <flowgraph/train/loss_scale.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_SELDOM error check_loss_scale(const loss_scale_options& o) {
  const auto wrong = [](std::string_view what, double found) {
    return invalid_argument({"the loss scale's ", what, ", found ", std::to_string(found)});
  };
  const bool is_between = o.initial >= o.smallest && o.initial <= o.largest;
  if (!(o.smallest > 0)) return wrong("`smallest` must be above zero", static_cast<double>(o.smallest));
  if (!is_between) return wrong("`initial` must lie between `smallest` and `largest`", static_cast<double>(o.initial));
  if (!(o.factor > 1)) return wrong("`factor` must be above one", static_cast<double>(o.factor));
  if (o.growth_steps < 1) return wrong("`growth_steps` must be at least 1", static_cast<double>(o.growth_steps));
  return {};
}

}  // namespace detail

FLOWGRAPH_SELDOM loss_scale::loss_scale(const graph& g, const loss_scale_options& options, site s) : options_(options) {
  graph mine = g;
  if (const error why = detail::check_loss_scale(options)) detail::refuse(mine, why.at(s.location));
  const auto root = mine.in_scope("");
  const auto scope = mine.in_scope("loss_scale");
  const site here{{}, s.location};
  value_ = mine.variable("value", tensor<float>(options.initial), detail::not_trained, here);
  good_ = mine.variable("good_steps", tensor<std::int64_t>(0), detail::not_trained, here);
  skipped_ = mine.variable("skipped_steps", tensor<std::int64_t>(0), detail::not_trained, here);
}

FLOWGRAPH_SELDOM void loss_scale::grow() const {
  const out<std::int64_t> counted = good_ + std::int64_t{1};
  const out<bool> is_time = greater_equal(counted, options_.growth_steps);
  const out<float> grown = minimum(value_ * options_.factor, options_.largest);
  assign(value_, select(is_time, grown, out<float>(value_)));
  assign(good_, select(is_time, counted - counted, counted));
}

FLOWGRAPH_SELDOM void loss_scale::shrink() const {
  assign(value_, maximum(value_ / options_.factor, options_.smallest));
  assign(good_, zeros_like(good_));
  assign_add(skipped_, ones_like(skipped_));
}

}  // namespace flowgraph
