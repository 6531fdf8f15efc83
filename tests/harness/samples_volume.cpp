// Samples of convolutions, dilation and pools in more than two dimensions.

#include "samples.hpp"

namespace harness {

namespace {

using list = std::vector<std::int64_t>;

input sizes(const fg::shape& s) { return given(fg::shape{s.rank}, std::vector<double>(s.begin(), s.end())); }

// x, filter, the shape of the result, and the attributes.
struct convolution {
  fg::shape x, filter, y;
  list strides;
  const char* padding = "SAME";
  list dilations = {};
};
call attributed(call c, const convolution& o) {
  c = c.with("strides", fg::attribute_value(o.strides)).with("padding", o.padding);
  return o.dilations.empty() ? c : c.with("dilations", fg::attribute_value(o.dilations));
}
template <class F> calls each_of(const std::vector<convolution>& all, F&& inputs) {
  calls made;
  for (const convolution& o : all) made.push_back(attributed(inputs(o), o));
  return made;
}
call forward(const convolution& o) { return call(random(o.x), random(o.filter)); }
call to_input(const convolution& o) { return call(sizes(o.x), random(o.filter), random(o.y)); }
call to_filter(const convolution& o) { return call(random(o.x), sizes(o.filter), random(o.y)); }
call beside_both(const convolution& o) { return call(random(o.x), random(o.filter), random(o.y)); }

const std::vector<convolution>& of_volumes() {
  static const std::vector<convolution> all = {
      {{1, 2, 2, 2, 1}, {2, 2, 2, 1, 1}, {1, 2, 2, 2, 1}, {1, 1, 1, 1, 1}},
      {{1, 3, 2, 2, 1}, {2, 2, 1, 1, 2}, {1, 2, 1, 2, 2}, {1, 1, 1, 1, 1}, "VALID"},
      {{2, 3, 2, 3, 2}, {2, 1, 2, 2, 1}, {2, 2, 2, 2, 1}, {1, 2, 1, 2, 1}},
      {{1, 3, 3, 1, 1}, {2, 2, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, "VALID", {1, 2, 2, 1, 1}},
      {{2, 1, 2, 2, 3}, {1, 1, 1, 3, 2}, {2, 1, 2, 2, 2}, {1, 1, 1, 1, 1}, "VALID"},
      {{0, 2, 2, 2, 1}, {2, 2, 2, 1, 1}, {0, 2, 2, 2, 1}, {1, 1, 1, 1, 1}},
      {{2, 9, 10, 11, 6}, {3, 3, 3, 6, 8}, {2, 9, 10, 11, 8}, {1, 1, 1, 1, 1}},
      {{1, 17, 12, 11, 5}, {3, 2, 3, 5, 7}, {1, 8, 6, 5, 7}, {1, 2, 2, 2, 1}, "VALID"},
  };
  return all;
}

const std::vector<convolution>& of_channels() {
  static const std::vector<convolution> all = {
      {{1, 3, 3, 1}, {2, 2, 1, 1}, {1, 3, 3, 1}, {1, 1, 1, 1}},
      {{2, 3, 2, 2}, {2, 2, 2, 1}, {2, 2, 1, 2}, {1, 1, 1, 1}, "VALID"},
      {{1, 4, 3, 2}, {3, 2, 2, 2}, {1, 2, 2, 4}, {1, 2, 2, 1}},
      {{1, 3, 4, 1}, {2, 2, 1, 3}, {1, 1, 2, 3}, {1, 1, 1, 1}, "VALID", {1, 2, 2, 1}},
      {{1, 3, 3, 2}, {1, 1, 2, 1}, {1, 2, 3, 2}, {1, 2, 1, 1}},
      {{0, 3, 3, 2}, {2, 2, 2, 2}, {0, 3, 3, 4}, {1, 1, 1, 1}},
      {{2, 24, 25, 40}, {3, 3, 40, 4}, {2, 24, 25, 160}, {1, 1, 1, 1}},
      {{2, 24, 25, 131}, {3, 3, 131, 1}, {2, 12, 13, 131}, {1, 2, 2, 1}},
  };
  return all;
}
call bordered(call c) {
  return c.with("strides", {1, 1, 1, 1}).with("padding", "EXPLICIT").with("explicit_paddings", {0, 0, 1, 0, 0, 1, 0, 0});
}
calls with_border(calls all, call c) {
  all.push_back(bordered(std::move(c)));
  return all;
}

calls dilations(bool gradient) {
  const auto one = [&](const fg::shape& x, const fg::shape& filter, const fg::shape& y, std::int64_t step, std::int64_t rate,
                       const char* padding) {
    call c = gradient ? call(random(x), random(filter), random(y)) : call(random(x), random(filter));
    return c.with("strides", {1, step, step, 1}).with("rates", {1, rate, rate, 1}).with("padding", padding);
  };
  return {
      one({1, 3, 3, 1}, {2, 2, 1}, {1, 3, 3, 1}, 1, 1, "SAME"), one({2, 3, 3, 2}, {2, 2, 2}, {2, 2, 2, 2}, 1, 1, "VALID"),
      one({1, 4, 4, 1}, {2, 2, 1}, {1, 2, 2, 1}, 2, 1, "SAME"), one({1, 4, 3, 1}, {2, 2, 1}, {1, 2, 1, 1}, 1, 2, "VALID"),
      one({0, 3, 3, 1}, {2, 2, 1}, {0, 3, 3, 1}, 1, 1, "SAME"), one({2, 30, 31, 70}, {3, 3, 70}, {2, 30, 31, 70}, 1, 1, "SAME")};
}

struct pool {
  fg::shape x, y;
  list ksize, strides;
  const char* padding = "VALID";
};
call attributed(call c, const pool& o) {
  return c.with("ksize", fg::attribute_value(o.ksize)).with("strides", fg::attribute_value(o.strides)).with("padding", o.padding);
}
const std::vector<pool>& planes() {
  static const std::vector<pool> all = {
      {{1, 4, 4, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}}, {{2, 3, 4, 2}, {2, 2, 2, 2}, {1, 2, 2, 1}, {1, 2, 2, 1}, "SAME"},
      {{1, 3, 3, 2}, {1, 2, 2, 2}, {1, 2, 2, 1}, {1, 1, 1, 1}}, {{1, 3, 3, 1}, {1, 3, 2, 1}, {1, 3, 2, 1}, {1, 1, 2, 1}, "SAME"},
      {{0, 4, 4, 1}, {0, 2, 2, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}}, {{2, 50, 60, 70}, {2, 25, 30, 70}, {1, 2, 2, 1}, {1, 2, 2, 1}},
  };
  return all;
}
const std::vector<pool>& volumes() {
  static const std::vector<pool> all = {
      {{1, 2, 4, 4, 1}, {1, 1, 2, 2, 1}, {1, 2, 2, 2, 1}, {1, 2, 2, 2, 1}},
      {{2, 3, 3, 2, 2}, {2, 2, 2, 1, 2}, {1, 2, 2, 2, 1}, {1, 2, 2, 2, 1}, "SAME"},
      {{1, 3, 3, 2, 1}, {1, 2, 3, 2, 1}, {1, 2, 1, 1, 1}, {1, 1, 1, 1, 1}},
      {{0, 2, 4, 4, 1}, {0, 1, 2, 2, 1}, {1, 2, 2, 2, 1}, {1, 2, 2, 2, 1}},
      {{2, 11, 12, 13, 70}, {2, 6, 6, 7, 70}, {1, 3, 2, 2, 1}, {1, 2, 2, 2, 1}, "SAME"},
  };
  return all;
}
template <class F> calls pooled(const std::vector<pool>& all, F&& inputs) {
  calls made;
  for (const pool& o : all) made.push_back(attributed(inputs(o), o));
  return made;
}
// Returns a call whose sizes and steps are inputs.
template <class... I> call by_inputs(const pool& o, I... x) {
  const auto numbers = [](const list& l) { return given(fg::shape{l.size()}, std::vector<double>(l.begin(), l.end())); };
  return call(x..., numbers(o.ksize), numbers(o.strides)).with("padding", o.padding);
}
template <class F> calls pooled_by_inputs(F&& made) {
  calls all;
  for (const pool& o : planes()) all.push_back(made(o));
  return all;
}

// Returns calls whose inputs are the places of the first element of each window.
calls by_places() {
  calls all;
  for (const bool of_batch : {false, true}) {
    for (const pool& o : planes()) {
      std::vector<double> places(static_cast<std::size_t>(o.y.size()));
      for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<double>(i % 3);
      all.push_back(attributed(call(random(o.x), random(o.y), given(o.y, places)), o).with("include_batch_in_index", of_batch));
    }
  }
  return all;
}
calls with_places() {
  calls all;
  for (const bool of_batch : {false, true})
    for (const pool& o : planes())
      if (o.x.size() > 0) all.push_back(attributed(call(random(o.x)), o).with("include_batch_in_index", of_batch));
  return all;
}

calls fractions() {
  calls all;
  const auto one = [&](const fg::shape& x, std::vector<float> ratio, bool pseudo_random, bool overlapping) {
    all.push_back(call(random(x))
                      .with("pooling_ratio", fg::attribute_value(std::move(ratio)))
                      .with("pseudo_random", pseudo_random)
                      .with("overlapping", overlapping)
                      .with("deterministic", true)
                      .with("seed", 3)
                      .with("seed2", 7));
  };
  for (const bool pseudo_random : {false, true}) {
    for (const bool overlapping : {false, true}) {
      one({1, 5, 4, 1}, {1, 1.5f, 1.4f, 1}, pseudo_random, overlapping);
      one({2, 3, 3, 2}, {1, 1, 2.1f, 1}, pseudo_random, overlapping);
    }
  }
  one({2, 40, 51, 70}, {1, 1.4f, 1.7f, 1}, true, true);
  return all;
}
calls fractional_gradients(bool of_mean) {
  const auto one = [&](const fg::shape& x, const fg::shape& y, std::vector<double> rows, std::vector<double> columns) {
    const input cuts[2] = {given(fg::shape{rows.size()}, rows), given(fg::shape{columns.size()}, columns)};
    if (of_mean) return call(sizes(x), random(y), cuts[0], cuts[1]);
    // 0, 1, 2, ...: the last element of a window is the largest.
    std::vector<double> elements(static_cast<std::size_t>(x.size())), most(static_cast<std::size_t>(y.size()));
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<double>(i);
    for (std::size_t i = 0; i < most.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const std::int64_t c = at % y[3], column = at / y[3] % y[2], row = at / y[3] / y[2] % y[1], image = at / y[3] / y[2] / y[1];
      const auto last = [](const std::vector<double>& cut, std::int64_t k) {
        return static_cast<std::int64_t>(cut[static_cast<std::size_t>(k + 1)]) - 1;
      };
      most[i] = static_cast<double>(((image * x[1] + last(rows, row)) * x[2] + last(columns, column)) * x[3] + c);
    }
    return call(given(x, elements), given(y, most), random(y), cuts[0], cuts[1]);
  };
  return {one({1, 3, 3, 1}, {1, 2, 2, 1}, {0, 1, 3}, {0, 2, 3}), one({2, 2, 5, 2}, {2, 1, 3, 2}, {0, 2}, {0, 1, 3, 5})};
}

}  // namespace

std::vector<sample> volume_samples() {
  const auto x = [](const pool& o) { return call(random(o.x)); };
  const auto x_y_dy = [](const pool& o) { return call(random(o.x), random(o.y), random(o.y)); };
  const auto x_y_ddx = [](const pool& o) { return call(random(o.x), random(o.y), random(o.x)); };
  const auto size_dy = [](const pool& o) { return call(sizes(o.x), random(o.y)); };
  const exception coarse = no_gradient("no kernel of doubles to take differences of; its own test compares the gradients");
  const exception once = first_order_only("TensorFlow has no gradient of its gradient");
  return {
      {"Conv3D", each_of(of_volumes(), forward)},
      {"Conv3DBackpropInputV2", each_of(of_volumes(), to_input)},
      {"Conv3DBackpropFilterV2", each_of(of_volumes(), to_filter)},
      {"Conv3DBackpropInput", each_of(of_volumes(), beside_both)},
      {"Conv3DBackpropFilter", each_of(of_volumes(), beside_both)},

      {"DepthwiseConv2dNative", with_border(each_of(of_channels(), forward), call(random({1, 2, 2, 1}), random({2, 2, 1, 2})))},
      {"DepthwiseConv2dNativeBackpropInput",
       with_border(each_of(of_channels(), to_input), call(sizes({1, 2, 2, 1}), random({2, 2, 1, 2}), random({1, 2, 2, 2})))},
      {"DepthwiseConv2dNativeBackpropFilter",
       with_border(each_of(of_channels(), to_filter), call(random({1, 2, 2, 1}), sizes({2, 2, 1, 2}), random({1, 2, 2, 2})))},

      {"Dilation2D", dilations(false), {}, {once}},
      {"Dilation2DBackpropInput", dilations(true)},
      {"Dilation2DBackpropFilter", dilations(true)},

      {"MaxPool3D", pooled(volumes(), x), {}, {coarse}},
      {"MaxPool3DGrad", pooled(volumes(), x_y_dy), {}, {coarse}},
      {"MaxPool3DGradGrad", pooled(volumes(), x_y_ddx), {}, {coarse}},
      {"AvgPool3D", pooled(volumes(), x), {}, {coarse}},
      {"AvgPool3DGrad", pooled(volumes(), size_dy), {}, {coarse}},

      {"MaxPoolV2", pooled_by_inputs([](const pool& o) { return by_inputs(o, random(o.x)); })},
      {"MaxPoolGradV2",
       pooled_by_inputs([](const pool& o) { return by_inputs(o, random(o.x), random(o.y), random(o.y)); }),
       {},
       {once}},
      {"MaxPoolGradGradV2", pooled_by_inputs([](const pool& o) { return by_inputs(o, random(o.x), random(o.y), random(o.x)); })},
      {"MaxPoolWithArgmax", with_places(), {}, {once}},
      {"MaxPoolGradWithArgmax", by_places()},

      {"FractionalMaxPool", fractions(), {}, {once}},
      {"FractionalMaxPoolGrad", fractional_gradients(false)},
      {"FractionalAvgPool", fractions()},
      {"FractionalAvgPoolGrad", fractional_gradients(true)},
  };
}

}  // namespace harness
