// Models with features, texts and pictures that TensorFlow wrote answer here as they do there: feature_models.py records them.

#include <flowgraph/formats/file.hpp>
#include <flowgraph/interop/served_model.hpp>
#include <flowgraph/interop/tensor_proto.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace fg = flowgraph;

namespace {

constexpr double tolerance = 1e-5;

struct recorded_call {
  fg::named_tensors inputs, outputs;
};

fg::any_tensor recorded_tensor(const std::filesystem::path& path) {
  const std::string bytes = fg::read_file(path.string()).value();
  return fg::read_tensor(std::as_bytes(std::span(bytes))).value();
}

// The files "0.in.words", "0.out.ids" and so on of a model.
std::map<std::string, recorded_call> recorded_calls(const std::filesystem::path& folder) {
  std::map<std::string, recorded_call> made;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.is_directory()) continue;
    const std::string name = file.path().filename().string();
    const auto kind = name.find('.') + 1, end = name.find('.', kind) + 1;
    recorded_call& call = made[name.substr(0, kind)];
    (name.compare(kind, 3, "in.") == 0 ? call.inputs : call.outputs).emplace(name.substr(end), recorded_tensor(file.path()));
  }
  return made;
}

template <class T> double distance_of(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : HUGE_VAL;
    return a == b ? 0 : static_cast<double>(std::abs(a - b)) / std::max(1.0, static_cast<double>(std::abs(b)));
  } else {
    return a == b ? 0 : HUGE_VAL;
  }
}
template <class T> double distance_of(const fg::any_tensor& found, const fg::any_tensor& expected) {
  const auto a = fg::tensor<T>::from(found).value(), b = fg::tensor<T>::from(expected).value();
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, distance_of<T>(a[i], b[i]));
  return most;
}

// How far two tensors are apart at most, relative to elements larger than 1; infinite where they are not alike.
double distance_of(const fg::any_tensor& found, const fg::any_tensor& expected) {
  if (found.type() != expected.type() || found.shape() != expected.shape()) return HUGE_VAL;
  switch (expected.type()) {
    case fg::dtype::float32: return distance_of<float>(found, expected);
    case fg::dtype::float64: return distance_of<double>(found, expected);
    case fg::dtype::int32: return distance_of<std::int32_t>(found, expected);
    case fg::dtype::int64: return distance_of<std::int64_t>(found, expected);
    case fg::dtype::uint8: return distance_of<std::uint8_t>(found, expected);
    case fg::dtype::boolean: return distance_of<bool>(found, expected);
    case fg::dtype::string: return distance_of<std::string>(found, expected);
    default: return HUGE_VAL;
  }
}

}  // namespace

TEST_CASE("feature_models: what TensorFlow wrote answers as in TensorFlow") {
  std::size_t models = 0;
  for (const auto& folder : std::filesystem::directory_iterator(FLOWGRAPH_FEATURE_MODELS)) {
    const std::string name = folder.path().filename().string();
    INFO(name);
    ++models;
    auto loaded = fg::load_saved_model((folder.path() / "saved").string());
    INFO((loaded ? "loaded" : std::string(loaded.error().message())));
    CHECK(static_cast<bool>(loaded));
    if (!loaded) continue;
    for (const auto& [number, call] : recorded_calls(folder.path())) {
      INFO("call ", number);
      auto answers = loaded->try_run(call.inputs);
      INFO((answers ? "ran" : std::string(answers.error().message())));
      CHECK(static_cast<bool>(answers));
      if (!answers) continue;
      for (const auto& [output, expected] : call.outputs) {
        INFO("output ", output);
        REQUIRE(answers->contains(output));
        CHECK(distance_of(answers->at(output), expected) <= tolerance);
      }
    }
  }
  CHECK(models >= 39);
}
