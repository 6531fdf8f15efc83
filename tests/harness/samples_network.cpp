// Samples of products, convolutions and the other ops of neural networks.

#include "samples.hpp"

namespace harness {

namespace {

calls products() {
  calls all = {call(random({2, 3}), random({3, 4})), call(random({1, 1}), random({1, 1})),
               call(random({0, 3}), random({3, 2})), call(random({2, 0}), random({0, 3})),
               call(random({2, 3}), random({3, 0})), call(random({130, 70}), random({70, 140}))};
  for (const bool a : {false, true})
    for (const bool b : {false, true}) {
      const fg::shape left = a ? fg::shape{3, 2} : fg::shape{2, 3}, right = b ? fg::shape{4, 3} : fg::shape{3, 4};
      all.push_back(call(random(left), random(right)).with("transpose_a", a).with("transpose_b", b));
      const fg::shape large_left = a ? fg::shape{65, 131} : fg::shape{131, 65},
                      large_right = b ? fg::shape{129, 65} : fg::shape{65, 129};
      all.push_back(call(random(large_left), random(large_right)).with("transpose_a", a).with("transpose_b", b));
    }
  return all;
}

calls stacked_products(bool broadcast) {
  calls all = {call(random({2, 3}), random({3, 2})),
               call(random({2, 2, 3}), random({2, 3, 1})),
               call(random({2, 1, 1, 3}), random({2, 1, 3, 2})),
               call(random({0, 2, 3}), random({0, 3, 2})),
               call(random({2, 2, 0}), random({2, 0, 2})),
               call(random({9, 40, 30}), random({9, 30, 50}))};
  for (const bool a : {false, true})
    for (const bool b : {false, true}) {
      const fg::shape left = a ? fg::shape{2, 3, 2} : fg::shape{2, 2, 3}, right = b ? fg::shape{2, 4, 3} : fg::shape{2, 3, 4};
      all.push_back(call(random(left), random(right)).with("adj_x", a).with("adj_y", b));
    }
  if (broadcast) {
    all.emplace_back(random({2, 3}), random({2, 3, 2}));
    all.emplace_back(random({2, 1, 1, 3}), random({3, 3, 2}));
    all.emplace_back(random({0, 2, 3}), random({1, 3, 2}));
  }
  return all;
}

// Strides, padding and dilation of images and filters, in the attributes of Conv2D.
struct convolution {
  fg::shape images, filter;
  std::int64_t row_step = 1, column_step = 1;
  const char* padding = "SAME";
  std::int64_t dilation = 1;
  fg::shape output;  // shape of the result
};
const std::vector<convolution>& convolutions() {
  static const std::vector<convolution> all = {
      {{1, 3, 3, 1}, {2, 2, 1, 1}, 1, 1, "SAME", 1, {1, 3, 3, 1}},
      {{1, 3, 3, 1}, {2, 2, 1, 1}, 1, 1, "VALID", 1, {1, 2, 2, 1}},
      {{2, 3, 4, 2}, {3, 2, 2, 3}, 2, 1, "SAME", 1, {2, 2, 4, 3}},
      {{1, 5, 4, 1}, {2, 2, 1, 2}, 1, 1, "VALID", 2, {1, 3, 2, 2}},
      {{2, 2, 2, 3}, {1, 1, 3, 2}, 1, 1, "VALID", 1, {2, 2, 2, 2}},
      {{1, 4, 4, 1}, {3, 3, 1, 1}, 3, 2, "SAME", 1, {1, 2, 2, 1}},
      {{1, 2, 2, 4}, {2, 2, 2, 2}, 1, 1, "SAME", 1, {1, 2, 2, 2}},
      {{0, 3, 3, 2}, {2, 2, 2, 1}, 1, 1, "SAME", 1, {0, 3, 3, 1}},
      {{3, 24, 24, 8}, {3, 3, 8, 16}, 1, 1, "SAME", 1, {3, 24, 24, 16}},
      {{2, 25, 24, 5}, {5, 5, 5, 7}, 2, 2, "VALID", 1, {2, 11, 10, 7}},
  };
  return all;
}

call attributed(call c, const convolution& o) {
  return c.with("strides", {1, o.row_step, o.column_step, 1})
      .with("padding", o.padding)
      .with("dilations", {1, o.dilation, o.dilation, 1});
}
input sizes(const fg::shape& s) { return given(fg::shape{s.rank}, std::vector<double>(s.begin(), s.end())); }

calls forward_convolutions() {
  calls all;
  for (const convolution& o : convolutions()) all.push_back(attributed(call(random(o.images), random(o.filter)), o));
  all.push_back(call(random({1, 2, 3, 1}), random({2, 2, 1, 2}))
                    .with("strides", {1, 1, 1, 1})
                    .with("padding", "EXPLICIT")
                    .with("explicit_paddings", {0, 0, 1, 0, 2, 1, 0, 0}));
  return all;
}
calls input_convolutions() {
  calls all;
  for (const convolution& o : convolutions())
    all.push_back(attributed(call(sizes(o.images), random(o.filter), random(o.output)), o));
  return all;
}
calls filter_convolutions() {
  calls all;
  for (const convolution& o : convolutions())
    all.push_back(attributed(call(random(o.images), sizes(o.filter), random(o.output)), o));
  return all;
}

struct pool {
  fg::shape images, output;
  std::int64_t rows = 2, columns = 2, row_step = 2, column_step = 2;
  const char* padding = "VALID";
};
const std::vector<pool>& pools() {
  static const std::vector<pool> all = {
      {{1, 4, 4, 1}, {1, 2, 2, 1}},
      {{2, 3, 4, 2}, {2, 2, 2, 2}, 2, 2, 2, 2, "SAME"},
      {{1, 3, 3, 2}, {1, 2, 2, 2}, 2, 2, 1, 1},
      {{1, 3, 3, 1}, {1, 3, 2, 1}, 3, 2, 1, 2, "SAME"},
      {{0, 4, 4, 1}, {0, 2, 2, 1}},
      {{2, 64, 64, 8}, {2, 32, 32, 8}},
  };
  return all;
}
call attributed(call c, const pool& o) {
  return c.with("ksize", {1, o.rows, o.columns, 1}).with("strides", {1, o.row_step, o.column_step, 1}).with("padding", o.padding);
}
template <class F> calls pooled(F&& inputs) {
  calls all;
  for (const pool& o : pools()) all.push_back(attributed(inputs(o), o));
  return all;
}

calls biased() {
  return {call(random({2, 3}), random({3})),
          call(random({1, 1}), random({1})),
          call(random({2, 2, 1, 3}), random({3})),
          call(random({0, 2}), random({2})),
          call(random({2, 0}), random({0})),
          call(random({2, 3, 2}), random({2})),
          call(random({2, 3, 1, 2}), random({3})).with("data_format", "NCHW"),
          call(random({400, 200}), random({200}))};
}
calls bias_gradients() {
  calls all;
  for (const call& c : biased()) {
    call one(c.inputs[0]);
    one.attributes = c.attributes;
    all.push_back(one);
  }
  return all;
}

calls rows_of_logits() {
  return {call(random({3})),    call(random({2, 3})),       call(random({1, 1})),
          call(random({0, 3})), call(random({2, 1, 2, 2})), call(random({300, 301}))};
}

}  // namespace

std::vector<sample> network_samples() {
  return {
      {"MatMul", products()},
      {"BatchMatMul", stacked_products(false)},
      {"BatchMatMulV2", stacked_products(true)},

      {"Conv2D", forward_convolutions()},
      {"Conv2DBackpropInput", input_convolutions()},
      {"Conv2DBackpropFilter", filter_convolutions()},

      {"MaxPool", pooled([](const pool& o) { return call(random(o.images)); })},
      {"MaxPoolGrad", pooled([](const pool& o) { return call(random(o.images), random(o.output), random(o.output)); })},
      {"MaxPoolGradGrad", pooled([](const pool& o) { return call(random(o.images), random(o.output), random(o.images)); })},
      {"AvgPool", pooled([](const pool& o) { return call(random(o.images)); })},
      {"AvgPoolGrad", pooled([](const pool& o) { return call(sizes(o.images), random(o.output)); })},

      {"BiasAdd", biased()},
      {"BiasAddGrad", bias_gradients()},

      {"Softmax", rows_of_logits()},
      {"LogSoftmax", rows_of_logits()},
      {"SoftmaxCrossEntropyWithLogits",
       {call(random({2, 3}), given({2, 3}, {0.2, 0.7, 0.1, 0.5, 0, 0.5})),
        call(random({1, 3}), given({2, 3}, {0.2, 0.7, 0.1, 0.5, 0, 0.5})), call(random({2, 3}), given({2, 1}, {1. / 3})),
        call(random({0, 3}), random({0, 3})), call(random({300, 101}), given({300, 101}, {1. / 101}))}},
      {"SparseSoftmaxCrossEntropyWithLogits",
       {call(random({2, 3}), given({2, 0})), call(random({1, 1}), given({0})), call(random({0, 3}), given({})),
        call(random({3, 301}), given({300, 0, 7}))}},
  };
}

}  // namespace harness
