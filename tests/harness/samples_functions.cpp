// Samples of mathematical functions element by element, bits, counts and scans.

#include "samples.hpp"

namespace harness {

namespace {

const exception unconjugated = real_gradient("TensorFlow's is not conjugated");

// Quotients of the two are between 2 and 3.
constexpr domain above_two = {3.2, 3.8}, below_two = {1.3, 1.55};

calls clips() {
  calls all;
  for (const fg::shape& s : {fg::shape{}, {0}, {1}, {5}, {2, 3}, {2, 0, 3}, {2, 1, 2, 2}, {70001}}) {
    all.emplace_back(random(s), random(s), random(s));
    all.emplace_back(random(s), random({}), random({}));
    all.emplace_back(random(s), random({}), random(s));
  }
  return all;
}

calls scans(std::initializer_list<bool> exclusiveness = {false, true}) {
  calls all;
  for (const bool exclusive : exclusiveness) {
    for (const bool reverse : {false, true}) {
      for (const call& one :
           {call(random({5}), number(0)), call(random({2, 3}), number(1)), call(random({2, 3}), number(-2)),
            call(random({2, 3, 2}), number(1)), call(random({2, 0}), number(0)), call(random({0, 2}), number(0)),
            call(random({1, 2, 1, 3}), number(-1)), call(random({70001}), number(0)), call(random({300, 301}), number(0)),
            call(random({20, 30, 61}), number(1))})
        all.push_back(one.with("exclusive", exclusive).with("reverse", reverse));
    }
  }
  return all;
}

// The logarithm of a sum of no elements is infinite, and so would be the losses of the gradient tests: large calls have no such
// sums.
calls logarithmic_scans() {
  calls all = scans({false});
  for (const bool reverse : {false, true})
    all.push_back(call(random({300, 301}), number(1)).with("exclusive", true).with("reverse", reverse));
  return all;
}

calls norms() {
  calls all;
  for (const bool kept : {false, true}) {
    for (const call& one :
         {call(random({5}), number(0)), call(random({2, 3}), given({0})), call(random({2, 3}), given({-1})),
          call(random({2, 3}), given({0, 1})), call(random({2, 3, 2}), given({0, 2})), call(random({2, 1, 3, 2}), given({3, 1})),
          call(random({0, 3}), given({1})), call(random({2, 3}), given({})), call(random({}), given({})),
          call(random({90001}), given({0})), call(random({300, 301}), given({0})), call(random({30, 50, 61}), given({0, 2}))})
      all.push_back(one.with("keep_dims", kept));
  }
  return all;
}

calls counts() {
  return {call(given({1, 1, 3, 0, 9}), number(5), random({5})),
          call(given({2, 2}), number(4), random({0})),
          call(given({}), number(3), random({0})),
          call(given({2, 2}, {0, 1, 2, 1}), number(3), random({2, 2})),
          call(given({1, 2}), number(0), random({0})),
          call(given({30000}, {0, 5, 2, 1, 2, 7}), number(8), random({30000}))};
}

calls dense_counts() {
  calls all;
  for (const bool binary : {false, true}) {
    for (const call& one : counts()) all.push_back(one.with("binary_output", binary));
    all.push_back(call(given({2, 3}, {0, 5, 1, 1, 1, 0}), number(3), random({0})).with("binary_output", binary));
    all.push_back(call(given({3, 0}, {}), number(2), random({0})).with("binary_output", binary));
    all.push_back(call(given({300, 100}, {0, 5, 2, 1, 2, 7, 4}), number(6), random({300, 100})).with("binary_output", binary));
  }
  return all;
}

calls histograms() {
  return {call(random({9}), given({-2, 2}), number(3)), call(random({0}), given({0, 1}), number(5)),
          call(random({2, 3}), given({-1, 3}), number(1)), call(random({}), given({-3, 3}), number(4)),
          call(random({70001}), given({-2, 3}), number(100))};
}

calls sums() {
  const fg::attribute_value nothing(fg::shape::unknown());
  return {call(random({2, 3})).with("N", 1).with("shape", nothing),
          call(random({2, 3}), random({2, 3})).with("N", 2).with("shape", fg::attribute_value(fg::shape{2, 3})),
          call(random({}), random({}), random({})).with("N", 3).with("shape", nothing),
          call(random({0, 2}), random({0, 2})).with("N", 2).with("shape", nothing),
          call(std::vector<input>(3, random({40001}))).with("N", 3).with("shape", nothing)};
}

}  // namespace

std::vector<sample> functions_samples() {
  return {
      // trigonometry
      {"Sin", unary()},
      {"Cos", unary()},
      {"Tan", unary(), {between(-1.2, 1.2)}},
      {"Asin", unary(), {between(-0.8, 0.8)}},
      {"Acos", unary(), {between(-0.8, 0.8)}},
      {"Atan", unary(), {between(-0.8, 0.8)}},
      {"Sinh", unary(), {between(-1.2, 1.2)}},
      {"Cosh", unary(), {between(-1.2, 1.2)}},
      {"Asinh", unary(), {between(-0.8, 0.8)}},
      {"Acosh", unary(), {between(1.3, 3)}},
      {"Atanh", unary(), {between(-0.7, 0.7)}},
      {"Atan2", broadcasting(), {between(0.4, 3)}},

      // complex numbers
      {"Complex", broadcasting()},
      {"Real", unary()},
      {"Imag", unary()},
      {"Angle", unary(), {between(0.4, 3)}},
      {"ComplexAbs", unary(), {between(0.4, 3)}},

      // powers, quotients, remainders
      {"Pow", broadcasting(), {between(0.4, 3)}},
      {"MulNoNan", broadcasting(), {}, {unconjugated}},
      {"DivNoNan", broadcasting(), {{}, between(0.4, 3)}},
      {"Xdivy", broadcasting(), {between(0.4, 3)}, {unconjugated}},
      {"Xlogy", broadcasting(), {between(0.4, 3)}, {unconjugated}},
      {"Xlog1py", broadcasting(), {between(0.4, 3)}, {unconjugated}},
      {"FloorDiv", broadcasting(), {above_two, below_two}},
      {"FloorMod", broadcasting(), {above_two, below_two}},
      {"TruncateDiv", broadcasting(), {above_two, below_two}, {internal_code("what TensorFlow calls a division by zero here")}},
      {"TruncateMod", broadcasting(), {{}, between(0.4, 3)}, {internal_code("what TensorFlow calls a division by zero here")}},
      {"Mod", broadcasting(), {{}, between(0.4, 3)}},

      // rounding and clipping
      {"Ceil", unary(), {between(0.1, 0.9)}},
      {"Rint", unary(), {between(0.6, 1.4)}},
      {"Round", unary(), {between(0.6, 1.4)}},
      {"IsFinite", unary()},
      {"IsInf", unary()},
      {"IsNan", unary()},
      {"NextAfter", broadcasting()},
      {"ClipByValue", clips(), {{}, between(-2, -1), between(1, 2)}, {real_gradient("TensorFlow has none of complex numbers")}},
      {"ApproximateEqual", paired()},

      // bits
      {"BitwiseAnd", broadcasting()},
      {"BitwiseOr", broadcasting()},
      {"BitwiseXor", broadcasting()},
      {"LeftShift", broadcasting()},
      {"RightShift", broadcasting()},
      {"Invert", unary()},
      {"PopulationCount", unary()},

      // counts, scans, sums
      {"Bincount", counts()},
      {"DenseBincount", dense_counts()},
      {"HistogramFixedWidth", histograms()},
      {"Cumsum", scans()},
      {"Cumprod", scans(), {between(0.4, 1.5)}, {unconjugated}},
      {"CumulativeLogsumexp", logarithmic_scans()},
      {"EuclideanNorm", norms(), {between(0.4, 3)}, {real_gradient("TensorFlow's is not the derivative of absolute values")}},
      {"AccumulateNV2", sums()},
  };
}

}  // namespace harness
