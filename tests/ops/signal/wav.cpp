#include <flowgraph/ops/signal/wav.hpp>

#include "../evaluate.hpp"

#include <random>

using namespace ops_test;

namespace {

std::string encoded(const fg::tensor<float>& sound, std::int32_t rate) {
  return evaluate([](auto x, auto r) { return fg::encode_as_wav(x, r); }, sound, fg::tensor<std::int32_t>(rate)).scalar();
}

struct reading {
  fg::tensor<float> sound;
  std::int32_t rate = 0;
  fg::error why;
};
reading decoded(const std::string& file, const fg::decode_wav_options& options = {}) {
  fg::graph g;
  auto contents = g.placeholder<std::string>("contents", {});
  auto [sound, rate] = fg::decode_wav(contents, options);
  fg::session s{g};
  auto made = s.try_run(fg::fetch(sound, rate), {{contents, fg::tensor<std::string>(file)}});
  if (!made) return {{}, 0, made.error()};
  return {std::get<0>(*made), std::get<1>(*made).scalar(), {}};
}

}  // namespace

TEST_CASE("a file contains the elements as 16 bits") {
  const fg::tensor<float> sound({4, 2}, {0.f, 1.f, -1.f, 0.5f, -0.5f, 2.f, -2.f, 0.25f});
  const auto read = decoded(encoded(sound, 44100));
  CHECK(read.rate == 44100);
  const float most = 32767.f / 32768.f;
  REQUIRE(read.sound.shape() == fg::shape{4, 2});
  CHECK(values(read.sound) == std::vector<float>{0.f, most, -1.f, 0.5f, -0.5f, most, -1.f, 0.25f});
}

TEST_CASE("files of no samples and sound that is no number") {
  CHECK(decoded(encoded(fg::tensor<float>(fg::shape{0, 3}), 8000)).sound.shape() == fg::shape{0, 3});
  CHECK(values(decoded(encoded(fg::tensor<float>({2, 1}, {no_number, -infinity}), 8000)).sound) == std::vector<float>{0.f, -1.f});
}

TEST_CASE("channels and samples that the file lacks repeat the last channel and are 0") {
  const std::string file = encoded(fg::tensor<float>({2, 2}, {0.f, 0.25f, 0.5f, -0.25f}), 8000);
  CHECK(values(decoded(file, {.channels = 3}).sound) == std::vector<float>{0.f, 0.25f, 0.25f, 0.5f, -0.25f, -0.25f});
  CHECK(values(decoded(file, {.channels = 1, .samples = 3}).sound) == std::vector<float>{0.f, 0.5f, 0.f});
  CHECK(decoded(file, {.channels = 0, .samples = 1}).sound.shape() == fg::shape{1, 0});
}

TEST_CASE("other chunks are skipped") {
  const std::string file = encoded(fg::tensor<float>({1, 1}, {0.5f}), 8000), junk("JUNK\3\0\0\0abc", 11),
                    list("LIST\2\0\0\0ab", 10);
  CHECK(decoded(file.substr(0, 12) + junk + file.substr(12)).sound.data()[0] == 0.5f);
  CHECK(decoded(file.substr(0, 36) + list + file.substr(36)).sound.data()[0] == 0.5f);
  CHECK(decoded(file + list).sound.data()[0] == 0.5f);
}

TEST_CASE("a file that is no sound of 16 bits is refused, with the reason") {
  const std::string file = encoded(fg::tensor<float>({3, 2}, {0, 0, 0, 0, 0, 0}), 8000);
  const auto with = [&](std::size_t at, std::string_view bytes) { return std::string(file).replace(at, bytes.size(), bytes); };
  const auto refused = [](const std::string& bytes, std::string_view why) {
    const auto read = decoded(bytes);
    CHECK(read.why.code() == fg::error_code::invalid_argument);
    CHECK_MESSAGE(says(read.why, why), read.why.what());
  };
  refused("", "the file ends within a chunk");
  refused("nonsense", "the file is not a WAV file");
  refused(with(8, "AVI "), "the file is not a WAV file");
  refused(with(12, "what"), "an unknown chunk is before the format");
  refused(with(16, "\x14"), "the format must have 16 or 18 bytes, found 20");
  refused(with(20, "\3"), "the encoding must be 1, PCM, found 3");
  refused(with(22, std::string_view("\0", 1)), "there must be at least one channel");
  refused(with(34, "\x08"), "the elements must have 16 bits, found 8");
  refused(with(32, "\3"), "the bytes per sample do not fit the channels");
  refused(with(28, "\1"), "the bytes per second do not fit the sample rate");
  refused(with(40, std::string_view("\x0d\0\0\x7f", 4)), "the file ends within a chunk");
  refused(with(40, "\xff\xff\xff\xff"), "a chunk is too large");
  refused(with(36, "LIST"), "there is no chunk of samples");
  refused(file + file.substr(36), "there is more than one chunk of samples");
  for (std::size_t n = 0; n < file.size(); ++n) CHECK(decoded(file.substr(0, n)).why.code() == fg::error_code::invalid_argument);
}

TEST_CASE("files with random changes are decoded or refused") {
  const std::string file = encoded(fg::tensor<float>({20, 3}), 16000);
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string changed = file;
    for (int k = 0; k < 1 + i % 3; ++k) changed[random() % (k == 0 ? 44 : changed.size())] = static_cast<char>(random() % 256);
    if (i % 5 == 0) changed.resize(random() % changed.size());
    const auto read = decoded(changed);
    refused += static_cast<bool>(read.why);
    if (!read.why) CHECK(read.sound.size() <= file.size() / 2);
    else CHECK(read.why.code() == fg::error_code::invalid_argument);
  }
  CHECK(refused > 500);
  CHECK(refused < 2000);
}

TEST_CASE("rates and channels that no file has are refused") {
  const auto refused = [](const fg::shape& s, std::int32_t rate) {
    CHECK_THROWS_AS(encoded(fg::tensor<float>(s), rate), fg::error);
  };
  refused({2, 1}, 0);
  refused({2, 1}, -1);
  refused({2, 0}, 8000);
  refused({0, 70000}, 8000);
  refused({2}, 8000);
}
