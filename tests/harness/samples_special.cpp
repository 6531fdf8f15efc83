// Samples of special functions, random numbers and diagnostics.

#include "samples.hpp"

namespace harness {

namespace {

constexpr std::string_view of_checkpoints = "it reads or writes files: tests/ops/checkpoint";
constexpr std::string_view at_orders = "with respect to the order it is not defined, or TensorFlow's is none";

calls drawn_sizes() {
  return {call(given({})), call(given({5})), call(given({2, 3})), call(given({0})), call(given({2, 0, 3})), call(given({70001}))};
}

// Appends inputs to every call.
calls followed_by(calls all, const std::vector<input>& more) {
  for (call& c : all) c.inputs.insert(c.inputs.end(), more.begin(), more.end());
  return all;
}
calls seeded() { return followed_by(drawn_sizes(), {given({3, -5})}); }
calls counted() { return followed_by(drawn_sizes(), {given({7}), given({1, 2}), number(1)}); }
calls seeded_range() { return followed_by(seeded(), {number(-5), number(100)}); }
calls counted_range() { return followed_by(counted(), {number(-5), number(100)}); }

calls under_a_tag() {
  calls all;
  for (const call& one : unary()) all.emplace_back(random({}), one.inputs[0]);
  return all;
}

calls logits_and_samples() {
  return {call(random({2, 3}), number(4)), call(random({1, 1}), number(1)), call(random({3, 2}), number(0)),
          call(random({0, 2}), number(3)), call(random({40, 7}), number(301))};
}

calls samples_of_parameters() {
  return {call(given({}), random({2})),  call(given({3}), random({})),     call(given({2, 3}), random({2, 2})),
          call(given({0}), random({2})), call(given({2}), random({0, 3})), call(given({5000}), random({3}))};
}

calls bounded_normals() {
  const std::vector<input> one{number(0), number(1), number(-1), number(2)};
  calls all = followed_by({call(given({5})), call(given({2, 3})), call(given({0, 3})), call(given({7001}))}, one);
  all.push_back(call(given({2, 4}), given({0, 5}), given({1}), given({-1}), given({6})));
  all.push_back(call(given({3, 2}), number(0), number(1), given({3, 4, 5}), given({4, 9, 6})));
  return all;
}

calls shuffles() {
  return {call(random({})),     call(random({1})),    call(random({5})),          call(random({0})),
          call(random({4, 3})), call(random({3, 0})), call(random({2, 1, 2, 2})), call(random({300, 301}))};
}

calls beta_arguments() {
  return {call(random({}), random({}), random({})),
          call(random({5}), random({5}), random({5})),
          call(random({2, 3}), random({2, 3}), random({2, 3})),
          call(random({}), random({}), random({4})),
          call(random({4}), random({}), random({4})),
          call(random({0}), random({0}), random({0})),
          call(random({9001}), random({9001}), random({9001}))};
}

}  // namespace

std::vector<sample> special_samples() {
  const std::vector<domain> orders = {between(1.3, 4), between(0.6, 4)};
  const exception half_way = no_gradient(at_orders);
  return {
      // special functions
      {"Erf", unary()},
      {"Erfc", unary()},
      {"Erfinv", unary(), {between(-0.8, 0.8)}},
      {"Ndtri", unary(), {between(0.2, 0.8)}},
      {"Lgamma", unary(), {between(0.6, 4)}},
      {"Digamma", unary(), {between(0.6, 4)}, {first_order_only("Polygamma has no gradient with respect to its order")}},
      {"Polygamma", broadcasting(), orders, {half_way}},
      {"Zeta", broadcasting(), orders, {half_way}},
      {"Igamma", broadcasting(), orders, {first_order_only("IgammaGradA has no gradient")}},
      {"Igammac", broadcasting(), orders, {first_order_only("IgammaGradA has no gradient")}},
      {"IgammaGradA", broadcasting(), orders},
      {"Betainc", beta_arguments(), {between(0.6, 3), between(0.6, 3), between(0.2, 0.8)}, {half_way}},

      // Bessel functions
      {"BesselI0", unary()},
      {"BesselI0e", unary(), {between(0.3, 3)}},
      {"BesselI1", unary(), {between(0.3, 3)}},
      {"BesselI1e", unary(), {between(0.3, 3)}},
      {"BesselJ0", unary(), {between(0.3, 3)}},
      {"BesselJ1", unary(), {between(0.3, 3)}},
      {"BesselK0", unary(), {between(0.5, 3)}},
      {"BesselK0e", unary(), {between(0.5, 3)}},
      {"BesselK1", unary(), {between(0.5, 3)}},
      {"BesselK1e", unary(), {between(0.5, 3)}},
      {"BesselY0", unary(), {between(0.5, 3)}},
      {"BesselY1", unary(), {between(0.5, 3)}},

      // integrals
      {"Dawsn", unary()},
      {"Expint", unary(), {between(0.5, 3)}},
      {"FresnelCos", unary(), {between(-1.5, 1.5)}},
      {"FresnelSin", unary(), {between(-1.5, 1.5)}},
      {"Spence", unary(), {between(1.2, 3)}},

      // random numbers
      {"StatelessRandomUniform", seeded()},
      {"StatelessRandomNormal", seeded()},
      {"StatelessTruncatedNormal", seeded()},
      {"StatelessRandomUniformFullInt", seeded()},
      {"StatelessRandomUniformInt", seeded_range()},
      {"StatelessRandomUniformV2", counted()},
      {"StatelessRandomNormalV2", counted()},
      {"StatelessTruncatedNormalV2", counted()},
      {"StatelessRandomUniformFullIntV2", counted()},
      {"StatelessRandomUniformIntV2", counted_range()},
      {"StatelessRandomGetKeyCounter", {call(given({1, 2}))}},
      {"StatelessRandomGetKeyCounterAlg", {call(given({1, 2}))}},
      {"StatelessMultinomial", followed_by(logits_and_samples(), {given({1, 2})})},
      {"Multinomial", logits_and_samples()},
      {"RandomGamma", samples_of_parameters(), {{}, between(0.5, 4)}, {no_gradient("its samples are drawn anew in each run")}},
      {"RandomGammaGrad", broadcasting(), orders},
      {"RandomPoisson", samples_of_parameters(), {{}, between(0.5, 20)}},
      {"RandomPoissonV2", samples_of_parameters(), {{}, between(0.5, 20)}},
      {"ParameterizedTruncatedNormal", bounded_normals()},
      {"RandomShuffle", shuffles()},

      // checkpoints
      {"SaveV2", skip(of_checkpoints)},
      {"RestoreV2", skip(of_checkpoints)},
      {"MergeV2Checkpoints", skip(of_checkpoints)},
      {"Save", skip(of_checkpoints)},
      {"SaveSlices", skip(of_checkpoints)},
      {"Restore", skip(of_checkpoints)},
      {"RestoreSlice", skip(of_checkpoints)},

      // diagnostics
      {"Assert", {call(number(1), random({2})), call(number(1), random({2, 3}), random({}), random({0}))}},
      {"CheckNumerics", unary()},
      {"Print", skip("it writes to the standard error stream: tests/ops/debug")},
      {"PrintV2", skip("it writes to the standard error stream: tests/ops/debug")},
      {"Timestamp", skip("it has no input, and another answer at any time: tests/ops/debug")},

      // summaries
      {"ScalarSummary", paired()},
      {"HistogramSummary", under_a_tag()},
      {"ImageSummary",
       {call(random({}), random({2, 3, 4, 3})), call(random({}), random({1, 1, 1, 1})), call(random({}), random({0, 2, 2, 4}))}},
      {"AudioSummary", {call(random({}), random({2, 5, 2})).with("sample_rate", fg::attribute_value(8000.0f))}},
      {"AudioSummaryV2", {call(random({}), random({2, 5, 2}), number(8000)), call(random({}), random({2, 0}), number(0.3))}},
      {"TensorSummary", unary()},
      {"TensorSummaryV2", skip("its last input is a message: tests/ops/debug/summary.cpp")},
      {"MergeSummary", skip("its inputs are messages: tests/ops/debug/summary.cpp")},
  };
}

}  // namespace harness
