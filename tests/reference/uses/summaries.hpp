// Lines of use of ops/debug/summary.hpp. Each line stands in docs/reference as it is here.

inline void uses_of_summaries(fg::graph g) {
  const auto loss = g.placeholder<float>("loss", {});
  const auto w = g.placeholder<float>("w", {784, 10});
  const auto photos = g.placeholder<std::uint8_t>("photos", {fg::any, 28, 28, 3});
  const auto speech = g.placeholder<float>("speech", {fg::any, 8000});
  const auto words = g.placeholder<std::string>("words", {});

  auto curve = fg::scalar_summary("loss", loss);
  auto distribution = fg::histogram_summary("dense/w", w);
  auto images = fg::image_summary("photos", photos, 3);
  auto sounds = fg::audio_summary("speech", speech, 8000);
  auto text = fg::text_summary("words", words);
  auto tensor = fg::tensor_summary("w", w, {.plugin = "of_mine"});
  auto all = fg::merge_summaries({curve, distribution, images});
}
