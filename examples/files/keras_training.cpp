// A Keras model with its weights, trained further here and saved for TensorFlow. data/digits_model.py wrote it with two signatures:
//
//     train:            pixels, labels ──> the loss, with training=True        serving_default:  pixels ──> scores

#include "../shared/digits.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/save_model.hpp>
#include <flowgraph/interop/served_model.hpp>

#include <cstdio>
#include <filesystem>

namespace fg = flowgraph;

int main(int, char** arguments) {
  const std::string data = arguments[1];
  auto [digits, held_out] = read_digits(data + "/digits.csv");
  fg::served_model model = fg::load_saved_model(data + "/digits_model").value();
  fg::session& s = model.session();

  // The variables that Keras marks as trainable: the averages of the batch norm are moved by the signature itself.
  const auto pixels = model.input<float>("pixels", "train");
  const auto labels = model.input<std::int32_t>("labels", "train");
  const auto loss = model.output<float>("loss", "train");
  const fg::target train = fg::adam{.rate = 3e-3f}.minimize(loss);
  s.initialize();  // Adam's state; the weights have been loaded
  auto step = s.prepare(fg::feed(pixels, labels), fg::fetch(loss), train);

  const auto asked = model.input<float>("pixels");
  const auto scores = model.output<float>("scores");
  const auto count = static_cast<std::int64_t>(held_out.size());
  fg::tensor<float> images({32, 64}), held_images({count, 64});
  fg::tensor<std::int32_t> batch_labels({32}), held_labels({count});
  copy_batch(held_out, 0, held_images, held_labels);
  const auto share_right = [&] {
    const fg::tensor<float> found = s.run(fg::fetch(scores), {{asked, held_images}});
    double right = 0;
    for (std::size_t i = 0; i < held_out.size(); ++i) {
      const float* const row = found.data() + 10 * i;
      right += std::max_element(row, row + 10) - row == held_labels[i];
    }
    return right / static_cast<double>(count);
  };

  std::printf("as it came: %.1f %% right\n", 100 * share_right());
  std::mt19937 random(7);
  float last = 0;
  for (int epoch = 0; epoch < 8; ++epoch) {
    shuffle(digits, random);
    for (std::size_t first = 0; first + 32 <= digits.size(); first += 32) {
      copy_batch(digits, first, images, batch_labels);
      last = step(images, batch_labels).scalar();
    }
    std::printf("epoch %d: loss %.4f, %.1f %% right\n", epoch, last, 100 * share_right());
  }

  // TensorFlow loads it with tf.saved_model.load.
  const auto folder = std::filesystem::temp_directory_path() / "flowgraph_trained_digits";
  std::filesystem::remove_all(folder);
  fg::save_saved_model(s, {{.inputs = {{"pixels", asked}}, .outputs = {{"scores", scores}}}}, folder.string()).value();
  fg::served_model again = fg::load_saved_model(folder.string()).value();
  const fg::named_tensors answers = again.run({{"pixels", held_images.erased()}});
  const bool is_equal = answers.at("scores").as<float>()[0] == s.run(fg::fetch(scores), {{asked, held_images}})[0];
  std::filesystem::remove_all(folder);
  return share_right() > 0.9 && is_equal ? 0 : 1;
}
