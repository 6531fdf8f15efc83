// Full entries of the reference: Fourier transforms and sound.

// fft
// x: complex numbers; the transform is along the last axis
// Returns a handle to the transforms, which have the shape of x.
// Guide: signals.md
const shown fft_("fft", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<fg::complex64>({4}, {1, 2, 3, 4}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::fft(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: (10,0) (-2,2)

  try {
    fg::fft(g.constant(fg::complex64(1)));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected a tensor of at least 1 axes, found []; found Const_1 complex64[]
});

// ifft
// x: complex numbers; the transform is along the last axis
// Returns a handle to the inverse transforms, which have the shape of x. They are divided by the number of elements.
// Guide: signals.md
const shown ifft_("ifft", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<fg::complex64>({2}, {4, 2}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::ifft(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: (3,0) (1,0)

  try {
    fg::ifft(g.constant(fg::complex64(1)));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected a tensor of at least 1 axes, found []; found Const_1 complex64[]
});

// rfft
// x: real numbers; the transform is along the last axis
// length: the number of elements that are transformed; without it, all elements
// Returns a handle to the first length / 2 + 1 elements of the transforms.
// Guide: signals.md
const shown rfft_("rfft", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({4}, {1, 2, 3, 4}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::rfft(x)));
  std::cout << y.size() << " " << y[0] << " " << y[1] << "\n";
  // prints: 3 (10,0) (-2,2)

  try {
    fg::rfft(x, -1);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: fft_length[0] must be at least 0, found -1; found Const float[4], fft_length_1 int32[1]
});

// irfft
// x: the first elements of transforms of real numbers; the inverse transform is along the last axis
// length: the number of results; without it, 2 (m - 1) for m elements
// Returns a handle to the real numbers.
// Guide: signals.md
const shown irfft_("irfft", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<fg::complex64>({2}, {6, 0}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::irfft(x, 3)));
  std::cout << y.size() << " " << y[0] << "\n";
  // prints: 3 2

  try {
    fg::irfft(x, -1);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: fft_length[0] must be at least 0, found -1; found Const complex64[2], fft_length_1 int32[1]
});

// audio_spectrogram
// sound: the samples, {samples, channels}
// window_size: the number of samples of a window
// stride: the number of samples between the beginnings of two windows
// magnitude_squared: true: the results are squares
// Returns a handle to the absolute values of the transforms, {channels, windows, frequencies}.
// Guide: signals.md
const shown audio_spectrogram_("audio_spectrogram", [] {
  fg::graph g;
  const auto sound = g.constant(fg::tensor<float>({8, 1}, {0, 1, 0, -1, 0, 1, 0, -1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::audio_spectrogram(sound, 4, 2)));
  std::cout << fg::to_string(y.shape()) << " " << y(0, 0, 1) << "\n";
  // prints: [1,3,3] 1

  try {
    fg::audio_spectrogram(sound, 1, 2);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: window_size must be from 2 to 2147483647, found 1; found Const float[8,1]
});

// mfcc
// spectrogram: squared absolute values, {channels, windows, frequencies}
// sample_rate: the number of samples per second, a scalar
// options: the limits of the frequencies and the numbers of bands and coefficients
// Returns a handle to the coefficients, {channels, windows, coefficients}.
// Guide: signals.md
const shown mfcc_("mfcc", [] {
  fg::graph g;
  const auto spectra = g.constant(fg::tensor<float>({1, 5, 257}));
  fg::session s(g);
  std::cout << fg::to_string(s.run(fg::fetch(fg::mfcc(spectra, g.constant(16000)))).shape()) << "\n";
  // prints: [1,5,13]

  std::cout << s.try_run(fg::fetch(fg::mfcc(spectra, g.constant(0)))).error().message() << "\n";
  // error: sample_rate must be positive, found 0
});

// decode_wav
// contents: the bytes of a WAV file, a scalar
// options: the numbers of channels and samples of the result
// Returns handles to the sound, {samples, channels}, and to the number of samples per second.
// Guide: signals.md
const shown decode_wav_("decode_wav", [] {
  fg::graph g;
  const auto file = fg::encode_as_wav(g.constant(fg::tensor<float>({2, 1}, {0.5f, -1})), g.constant(8000));
  const auto [sound, rate] = fg::decode_wav(file);
  fg::session s(g);
  const auto [samples, found] = s.run(fg::fetch(sound, rate));
  std::cout << samples(0, 0) << " " << samples(1, 0) << " " << found.scalar() << "\n";
  // prints: 0.5 -1 8000

  const auto [nothing, none] = fg::decode_wav(g.constant(std::string("no sound")));
  std::cout << s.try_run(fg::fetch(nothing)).error().message() << "\n";
  // error: cannot decode a WAV file of 8 bytes: the file is not a WAV file
});

// encode_as_wav
// sound: the samples, {samples, channels}
// sample_rate: the number of samples per second, a scalar
// Returns a handle to the bytes of the file, a scalar.
// Guide: signals.md
const shown encode_as_wav_("encode_as_wav", [] {
  fg::graph g;
  const auto sound = g.constant(fg::tensor<float>({2, 1}, {0.5f, -1}));
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::encode_as_wav(sound, g.constant(8000)))).scalar().size() << "\n";
  // prints: 48

  std::cout << s.try_run(fg::fetch(fg::encode_as_wav(sound, g.constant(-1)))).error().message() << "\n";
  // error: sample_rate must be positive, found -1
});
