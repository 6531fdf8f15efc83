// Samples of Fourier transforms and of ops for sound.

#include "../samples.hpp"

namespace harness {

namespace {

calls transforms(int axes) {
  calls all;
  if (axes == 1)
    for (const fg::shape& s : {fg::shape{1}, {6}, {2, 3}, {2, 11}, {0}, {2, 0}, {0, 3}, {40, 1024}}) all.emplace_back(random(s));
  if (axes == 2)
    for (const fg::shape& s : {fg::shape{1, 1}, {2, 3}, {2, 11, 2}, {0, 2}, {2, 0, 3}, {8, 64, 80}}) all.emplace_back(random(s));
  if (axes == 3)
    for (const fg::shape& s : {fg::shape{1, 1, 1}, {2, 3, 2}, {2, 2, 1, 3}, {0, 2, 2}, {4, 16, 20, 34}})
      all.emplace_back(random(s));
  return all;
}

// Lengths that keep all elements, and shorter ones.
calls real_transforms(int axes, bool inverse) {
  calls all;
  const auto add = [&](const fg::shape& s, std::initializer_list<double> lengths) {
    all.emplace_back(random(s), given(lengths));
  };
  if (axes == 1) {
    for (const double n : {1, 2, 5, 6, 11}) add({2, 11}, {n});
    add({40, 513}, {inverse ? 1024. : 513.});
    add({0, 3}, {3});
    add({3}, {0});
  }
  if (axes == 2) {
    add({1, 1}, {1, 1});
    add({2, 3, 4}, {3, inverse ? 6. : 4.});
    add({4, 5}, {3, 4});
    add({8, 64, 82}, {64, 80});
    add({0, 3, 4}, {3, 4});
  }
  if (axes == 3) {
    add({1, 1, 1}, {1, 1, 1});
    add({2, 3, 2, 4}, {3, 2, inverse ? 6. : 4.});
    add({3, 3, 5}, {2, 3, 4});
    add({4, 16, 20, 42}, {16, 20, 40});
    add({0, 3, 2, 4}, {3, 2, 4});
  }
  return all;
}

calls spectrograms() {
  calls all;
  for (const fg::shape& s : {fg::shape{20, 1}, {9, 2}, {3, 1}, {20, 0}, {20000, 3}})
    for (const bool squared : {false, true})
      all.push_back(call(random(s)).with("window_size", 6).with("stride", 4).with("magnitude_squared", squared));
  return all;
}

calls coefficients() {
  calls all;
  for (const fg::shape& s : {fg::shape{1, 2, 65}, {2, 3, 257}, {0, 2, 65}, {1, 0, 65}, {1, 2, 9}})
    all.push_back(call(random(s), number(16000)).with("filterbank_channel_count", 20).with("dct_coefficient_count", 6));
  all.emplace_back(random({1, 2, 65}), number(4000));
  return all;
}

}  // namespace

std::vector<sample> signal_samples() {
  return {
      {"FFT", transforms(1)},
      {"IFFT", transforms(1)},
      {"FFT2D", transforms(2)},
      {"IFFT2D", transforms(2)},
      {"FFT3D", transforms(3)},
      {"IFFT3D", transforms(3)},
      {"RFFT", real_transforms(1, false)},
      {"IRFFT", real_transforms(1, true)},
      {"RFFT2D", real_transforms(2, false)},
      {"IRFFT2D", real_transforms(2, true)},
      {"RFFT3D", real_transforms(3, false)},
      {"IRFFT3D", real_transforms(3, true)},
      {"AudioSpectrogram", spectrograms()},
      {"Mfcc", coefficients(), {between(0.1, 3)}},
      {"DecodeWav", skip("it decodes files: tests/ops/signal/wav.cpp has some")},
      {"EncodeWav", {call{random({5, 2}), number(8000)}, call{random({0, 1}), number(8000)}, call{random({3, 1}), number(1)}}},
  };
}

}  // namespace harness
