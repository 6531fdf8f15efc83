// Samples of products, convolutions and the other ops that networks are made of.

#include "samples.hpp"

namespace harness {

namespace {

calls products() {
  calls all = {call(random({2, 3}), random({3, 4})), call(random({1, 1}), random({1, 1})), call(random({0, 3}), random({3, 2})),
               call(random({2, 0}), random({0, 3})), call(random({2, 3}), random({3, 0})), call(random({130, 70}), random({70, 140}))};
  for (const bool a : {false, true})
    for (const bool b : {false, true}) {
      const fg::shape left = a ? fg::shape{3, 2} : fg::shape{2, 3}, right = b ? fg::shape{4, 3} : fg::shape{3, 4};
      all.push_back(call(random(left), random(right)).with("transpose_a", a).with("transpose_b", b));
      const fg::shape large_left = a ? fg::shape{65, 131} : fg::shape{131, 65}, large_right = b ? fg::shape{129, 65} : fg::shape{65, 129};
      all.push_back(call(random(large_left), random(large_right)).with("transpose_a", a).with("transpose_b", b));
    }
  return all;
}

calls stacked_products(bool broadcast) {
  calls all = {call(random({2, 3}), random({3, 2})),          call(random({2, 2, 3}), random({2, 3, 1})),
               call(random({2, 1, 1, 3}), random({2, 1, 3, 2})), call(random({0, 2, 3}), random({0, 3, 2})),
               call(random({2, 2, 0}), random({2, 0, 2})),      call(random({9, 40, 30}), random({9, 30, 50}))};
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

}  // namespace

std::vector<sample> network_samples() {
  return {
      {"MatMul", products()},
      {"BatchMatMul", stacked_products(false)},
      {"BatchMatMulV2", stacked_products(true)},
  };
}

}  // namespace harness
