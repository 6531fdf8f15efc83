#pragma once
// The handwritten digits of data/digits.csv: reading, shuffling, batches, and a look at them in a terminal.

#include <flowgraph/core/tensor.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

struct digit {
  std::array<float, 64> pixels;  // 8 x 8, 0 is paper and 1 is ink
  std::int32_t label;
};
using digit_list = std::vector<digit>;

// All digits of the file, empty when it cannot be read. Every fifth one is held out: {to train on, held out}.
inline std::pair<digit_list, digit_list> read_digits(const std::string& path) {
  std::pair<digit_list, digit_list> parts;
  std::ifstream file(path);
  int grey = 0;
  char comma;
  for (int line = 1; file >> grey; ++line) {
    digit d;
    for (float& pixel : d.pixels) {
      pixel = static_cast<float>(grey) / 16;
      file >> comma >> grey;
    }
    d.label = grey;
    (line % 5 == 0 ? parts.second : parts.first).push_back(d);
  }
  return parts;
}

// Another order, the same on every platform for the same generator.
inline void shuffle(digit_list& digits, std::mt19937& random) {
  for (std::size_t left = digits.size(); left > 1; --left) std::swap(digits[left - 1], digits[random() % left]);
}

// Images and labels of the digits from `first` on, as many as the tensors hold.
inline void copy_batch(const digit_list& digits, std::size_t first, flowgraph::tensor<float>& images,
                       flowgraph::tensor<std::int32_t>& labels) {
  const auto pixels = images.writable();
  const auto meant = labels.writable();
  for (std::size_t i = 0; i < meant.size(); ++i) {
    const digit& d = digits[first + i];
    std::copy(d.pixels.begin(), d.pixels.end(), &pixels[64 * i]);
    meant[i] = d.label;
  }
}

// Some digits side by side, and below each what it is.
inline void draw(const digit_list& digits, const flowgraph::tensor<std::int32_t>& predictions,
                 const std::vector<std::size_t>& which) {
  static constexpr const char* shades[]{"  ", "░░", "▒▒", "▓▓", "██"};
  for (std::size_t row = 0; row < 8; ++row) {
    for (const std::size_t i : which) {
      for (std::size_t column = 0; column < 8; ++column) {
        const float ink = digits[i].pixels[8 * row + column];
        std::fputs(shades[static_cast<int>(ink * 4 + 0.5f)], stdout);
      }
      std::fputs("  ", stdout);
    }
    std::fputs("\n", stdout);
  }
  for (const std::size_t i : which) {
    const std::string meant = "  a " + std::to_string(digits[i].label);
    const std::string read = ", read as " + std::to_string(predictions[i]);
    std::printf("%-18s", (predictions[i] == digits[i].label ? meant : meant + read).c_str());
  }
  std::fputs("\n", stdout);
}
