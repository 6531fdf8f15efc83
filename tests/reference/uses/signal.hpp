// Lines of use of ops/signal. Each line stands in docs/reference as it is here.

inline void uses_of_signals(fg::graph g) {
  const auto signal = g.placeholder<float>("signal", {8, 1000}), photos = g.placeholder<float>("photos", {8, 64, 48});
  const auto volume = g.placeholder<float>("volume", {16, 16, 16}), recording = g.placeholder<float>("recording", {16000, 2});
  const auto wave = g.placeholder<fg::complex64>("wave", {8, 1000}), field = g.placeholder<fg::complex64>("field", {16, 16, 16});
  const auto rate = g.constant(16000);
  const auto file = g.placeholder<std::string>("file", {});

  auto spectrum_of_wave = fg::fft(wave);
  auto wave_again = fg::ifft(spectrum_of_wave);
  auto plane = fg::fft2d(field);
  auto plane_again = fg::ifft2d(plane);
  auto block_of_field = fg::fft3d(field);
  auto field_again = fg::ifft3d(block_of_field);
  auto half_spectrum = fg::rfft(signal);
  auto padded_spectrum = fg::rfft(signal, 1024);
  auto signal_again = fg::irfft(half_spectrum);
  auto odd_signal = fg::irfft(half_spectrum, 999);
  auto frequencies = fg::rfft2d(photos);
  auto photos_again = fg::irfft2d(frequencies);
  auto solid = fg::rfft3d(volume);
  auto volume_again = fg::irfft3d(solid);
  auto spectra = fg::audio_spectrogram(recording, 512, 256, true);
  auto coefficients = fg::mfcc(spectra, rate);
  auto encoded_recording = fg::encode_as_wav(recording, rate);
  auto decoded_recording = fg::decode_wav(file);

  // mfcc_options:
  auto few_coefficients = fg::mfcc(spectra, rate, {.upper_frequency_limit = 7000, .dct_coefficient_count = 20});

  // decode_wav_options:
  auto mono = fg::decode_wav(file, {.channels = 1, .samples = 16000}).sound;

  // decoded_wav:
  auto [sound, sample_rate] = fg::decode_wav(file);
}
