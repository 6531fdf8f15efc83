#pragma once
// A text as the numbers of its letters, and values that a model may begin with in every language.

#include <flowgraph/flowgraph.hpp>

#include <cmath>
#include <fstream>
#include <string>

// Letters are numbered in the order in which they appear.
struct text {
  std::string alphabet;
  flowgraph::tensor<std::int32_t> letters;

  explicit text(const std::string& path) {
    std::ifstream file(path);
    const std::string read{std::istreambuf_iterator<char>(file), {}};
    letters = flowgraph::tensor<std::int32_t>({read.size()});
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (alphabet.find(read[i]) == std::string::npos) alphabet += read[i];
      letters.writable()[i] = number(read[i]);
    }
  }
  std::int32_t number(char letter) const { return static_cast<std::int32_t>(alphabet.find(letter)); }
};

// Numbers in [-scale, scale): a hash of the tensor's number and of the element's.
inline flowgraph::tensor<float> formula_values(const flowgraph::shape& shape, std::uint32_t number, double scale) {
  flowgraph::tensor<float> made(shape);
  std::uint32_t i = 0;
  for (float& element : made.writable()) {
    std::uint32_t u = i++ * 0x9E3779B1u + number * 0x85EBCA77u;
    u = (u ^ (u >> 16)) * 0x85EBCA6Bu;
    u = (u ^ (u >> 13)) * 0xC2B2AE35u;
    u ^= u >> 16;
    element = static_cast<float>((std::ldexp(static_cast<double>(u >> 8), -23) - 1.0) * scale);
  }
  return made;
}

// What variables begin with: as they would, or by formula.
struct first_values {
  bool by_formula;

  flowgraph::initializer<float> operator()(const flowgraph::initializer<float>& random, std::uint32_t number,
                                           double scale) const {
    return by_formula ? flowgraph::initial_tensor(formula_values(random.shape, number, scale)) : random;
  }
  // Of a cell.
  auto kernel(std::uint32_t number, double scale) const {
    return [=, *this](const flowgraph::shape& s) { return (*this)(flowgraph::glorot_uniform<float>(s), number, scale); };
  }
};
