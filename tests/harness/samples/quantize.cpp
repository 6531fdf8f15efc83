// Samples of simulated quantization.

#include "../samples.hpp"

namespace harness {

namespace {

const fg::shape shapes[] = {{}, {0}, {1}, {5}, {2, 0, 3}, {3, 1, 2}, {2, 1, 2, 3}, {70001}};

calls fixed_ranges(int inputs) {
  calls all;
  for (const fg::shape& s : shapes)
    for (const bool narrow : {false, true}) {
      const call c(std::vector<input>(static_cast<std::size_t>(inputs), random(s)));
      all.push_back(c.with("num_bits", narrow ? 4 : 8).with("narrow_range", narrow));
    }
  return all;
}

calls ranges(int inputs) {
  calls all;
  for (const fg::shape& s : shapes)
    for (const bool narrow : {false, true}) {
      std::vector<input> list(static_cast<std::size_t>(inputs), random(s));
      list.push_back(number(-1.5));
      list.push_back(number(2));
      all.push_back(call(std::move(list)).with("num_bits", narrow ? 4 : 8).with("narrow_range", narrow));
    }
  return all;
}

calls channels(int inputs) {
  calls all;
  for (const fg::shape& s : {fg::shape{1}, {5}, {2, 3}, {0, 3}, {3, 0}, {2, 1, 2, 3}, {3000, 40}}) {
    std::vector<input> list(static_cast<std::size_t>(inputs), random(s));
    list.push_back(given({s[-1]}, std::vector<double>(static_cast<std::size_t>(s[-1]), -1.5)));
    list.push_back(given({s[-1]}, std::vector<double>(static_cast<std::size_t>(s[-1]), 2)));
    all.push_back(call(std::move(list)).with("num_bits", 5));
  }
  return all;
}

// With the range of the input, and with a given one, for all elements and for each slice of an axis.
calls round_trips(bool bits_are_input) {
  calls all;
  for (const fg::shape& s : shapes) {
    if (bits_are_input && s.rank == 0) continue;
    for (const bool given_range : {false, true})
      for (int axis = -1; axis<s.rank; axis += s.rank> 2 ? 2 : 1) {
        const std::int64_t slices = axis < 0 ? 1 : s[axis];
        const fg::shape range = axis < 0 ? fg::shape{} : fg::shape{slices};
        std::vector<input> list{random(s), given(range, std::vector<double>(static_cast<std::size_t>(slices), -1.5)),
                                given(range, std::vector<double>(static_cast<std::size_t>(slices), 2))};
        if (bits_are_input) list.push_back(number(8));
        const call c = call(std::move(list)).with("axis", axis).with("range_given", given_range);
        all.push_back(c.with("signed_input", given_range));
      }
  }
  return all;
}

calls round_trips_of_attributes() {
  calls all;
  for (const fg::shape& s : shapes) {
    all.emplace_back(random(s));
    all.push_back(call(random(s)).with("range_given", true).with("input_max", fg::attribute_value(2.f)));
  }
  return all;
}

calls round_trip_gradients() {
  calls all;
  for (const fg::shape& s : shapes) all.emplace_back(random(s), random(s), number(-1.5), number(2));
  all.push_back(call(random({2, 3}), random({2, 3}), given({-1, -2}), given({2, 1})).with("axis", 0));
  all.push_back(call(random({2, 3}), random({2, 3}), given({-1, -2, 0}), given({2, 1, 2})).with("axis", 1));
  return all;
}

}  // namespace

std::vector<sample> quantize_samples() {
  const exception through = no_gradient("the gradient passes through the rounding, as in TensorFlow");
  return {
      {"FakeQuantWithMinMaxArgs", fixed_ranges(1), {}, {through}},
      {"FakeQuantWithMinMaxArgsGradient", fixed_ranges(2)},
      {"FakeQuantWithMinMaxVars", ranges(1), {}, {through}},
      {"FakeQuantWithMinMaxVarsGradient", ranges(2)},
      {"FakeQuantWithMinMaxVarsPerChannel", channels(1), {}, {through}},
      {"FakeQuantWithMinMaxVarsPerChannelGradient", channels(2)},
      {"QuantizeAndDequantize", round_trips_of_attributes(), {}, {through}},
      {"QuantizeAndDequantizeV2", round_trips(false), {}, {through}},
      {"QuantizeAndDequantizeV3", round_trips(true), {}, {through}},
      {"QuantizeAndDequantizeV4", round_trips(false), {}, {through}},
      {"QuantizeAndDequantizeV4Grad", round_trip_gradients(), {}, {no_gradient("steps at the ends of the range have none")}},
  };
}

}  // namespace harness
