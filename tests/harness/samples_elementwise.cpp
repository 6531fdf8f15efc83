// Samples of the ops that work element by element: arithmetic, activations, comparisons, casts; and of reductions.

#include "samples.hpp"

namespace harness {

namespace {

// With this lower limit, integers are neither 0 nor too large for a product.
constexpr double least = 0.4;

calls choices(bool broadcast) {
  calls all;
  for (const fg::shape& s : {fg::shape{}, {0}, {1}, {5}, {2, 3}, {2, 0}, {2, 1, 2, 2}, {70001}})
    all.emplace_back(random(s), random(s), random(s));
  if (broadcast) {
    all.emplace_back(random({2, 1}), random({1, 3}), random({}));
    all.emplace_back(random({3}), random({2, 3}), random({2, 1}));
    all.emplace_back(random({}), random({}), random({4}));
    all.emplace_back(random({1}), random({0, 2}), random({2}));
    all.emplace_back(random({2, 1}), random({33000}), random({2, 33000}));
  } else {
    all.emplace_back(random({}), random({2, 3}), random({2, 3}));
    all.emplace_back(random({2}), random({2, 3}), random({2, 3}));
    all.emplace_back(random({3}), random({3, 0}), random({3, 0}));
    all.emplace_back(random({3}), random({3, 30000}), random({3, 30000}));
  }
  return all;
}

calls reductions() {
  calls all;
  for (const bool kept : {false, true}) {
    all.push_back(call(random({}), given({})).with("keep_dims", kept));
    all.push_back(call(random({5}), number(0)).with("keep_dims", kept));
    all.push_back(call(random({2, 3}), given({0})).with("keep_dims", kept));
    all.push_back(call(random({2, 3}), given({-1})).with("keep_dims", kept));
    all.push_back(call(random({2, 3}), given({0, 1})).with("keep_dims", kept));
    all.push_back(call(random({2, 3}), given({})).with("keep_dims", kept));
    all.push_back(call(random({2, 3, 2}), given({0, 2})).with("keep_dims", kept));
    all.push_back(call(random({2, 3, 2}), given({1})).with("keep_dims", kept));
    all.push_back(call(random({2, 1, 3, 2}), given({3, 1})).with("keep_dims", kept));
    all.push_back(call(random({0, 3}), given({1})).with("keep_dims", kept));
    all.push_back(call(random({1, 2}), given({0})).with("keep_dims", kept));
    all.push_back(call(random({90001}), given({0})).with("keep_dims", kept));
    all.push_back(call(random({300, 301}), given({0})).with("keep_dims", kept));
    all.push_back(call(random({300, 301}), given({1})).with("keep_dims", kept));
    all.push_back(call(random({30, 50, 61}), given({0, 2})).with("keep_dims", kept));
  }
  return all;
}

// Returns calls that include sums and products of no elements. The tests of extremes and means of no elements are in their
// family.
calls reductions_of_nothing_too() {
  calls all = reductions();
  all.push_back(call(random({0}), given({0})));
  all.push_back(call(random({0, 3}), given({0})));
  all.push_back(call(random({2, 0, 3}), given({1})).with("keep_dims", true));
  return all;
}

calls arg_extremes() {
  return {call(random({5}), number(0)),          call(random({2, 3}), number(0)),     call(random({2, 3}), number(-1)),
          call(random({1}), number(0)),          call(random({2, 3, 2}), number(1)),  call(random({0, 3}), number(1)),
          call(random({2, 1, 3, 2}), number(2)), call(random({300, 301}), number(1)), call(random({301, 300}), number(0)),
          call(random({30000}), number(0))};
}

}  // namespace

std::vector<sample> elementwise_samples() {
  return {
      // arithmetic
      {"AddV2", broadcasting()},
      {"Add", broadcasting()},
      {"Sub", broadcasting()},
      {"Mul", broadcasting()},
      {"Div", broadcasting(), {{}, between(least, 3)}},
      {"RealDiv", broadcasting(), {{}, between(least, 3)}},
      {"Maximum", broadcasting()},
      {"Minimum", broadcasting()},
      {"SquaredDifference", broadcasting()},
      {"Neg", unary()},
      {"Sign", unary(), {avoid(0)}, {real_gradient("TensorFlow's is zero, also where the sign turns with its argument")}},
      {"Abs", unary(), {avoid(0)}},
      {"Floor", unary(), {between(0.1, 0.9)}},
      {"Square", unary()},
      {"Exp", unary()},
      {"Expm1", unary()},
      {"Log", unary(), {between(least, 3)}},
      {"Log1p", unary(), {between(-0.6, 3)}},
      {"Reciprocal", unary(), {between(least, 3)}},
      {"Inv", unary(), {between(least, 3)}},
      {"Sqrt", unary(), {between(least, 3)}},
      {"Rsqrt", unary(), {between(least, 3)}},
      {"Conj", unary()},
      {"ReciprocalGrad", paired(), {between(least, 3)}},
      {"InvGrad", paired(), {between(least, 3)}},
      {"SqrtGrad", paired(), {between(least, 3)}},
      {"RsqrtGrad", paired(), {between(least, 3)}},
      {"AddN",
       {call(random({2, 3})).with("N", 1), call(random({2, 3}), random({2, 3})).with("N", 2),
        call(random({}), random({}), random({})).with("N", 3), call(random({0, 2}), random({0, 2})).with("N", 2),
        call(std::vector<input>(9, random({4}))).with("N", 9), call(std::vector<input>(3, random({40001}))).with("N", 3)}},

      // activations
      {"Tanh", unary()},
      {"TanhGrad", paired()},
      {"Sigmoid", unary()},
      {"SigmoidGrad", paired()},
      {"Relu", unary(), {avoid(0)}},
      {"ReluGrad", paired(), {avoid(0)}},
      {"Softplus", unary()},
      {"SoftplusGrad", paired()},
      {"Elu", unary(), {avoid(0)}},
      {"EluGrad", paired(), {avoid(0)}},

      // comparisons
      {"Less", broadcasting()},
      {"LessEqual", broadcasting()},
      {"Greater", broadcasting()},
      {"GreaterEqual", broadcasting()},
      {"Equal", broadcasting()},
      {"NotEqual", broadcasting()},
      {"LogicalAnd", broadcasting()},
      {"LogicalOr", broadcasting()},
      {"LogicalNot", unary()},
      {"Select", choices(false)},
      {"SelectV2", choices(true)},

      {"Cast", unary()},

      // reductions
      {"Sum", reductions_of_nothing_too()},
      {"Prod", reductions_of_nothing_too(), {between(-1.5, 1.5)}},
      {"Mean", reductions()},
      {"Max", reductions()},
      {"Min", reductions()},
      {"All", reductions_of_nothing_too()},
      {"Any", reductions_of_nothing_too()},
      {"ArgMax", arg_extremes()},
      {"ArgMin", arg_extremes()},
      {"BroadcastGradientArgs",
       {call(given({2, 3}), given({3})), call(given({}), given({2, 2})), call(given({2, 1}), given({1, 3})),
        call(given({}), given({})), call(given({0, 1}), given({1, 1}))}},
  };
}

}  // namespace harness
