#include <flowgraph/ops/debug/summary.hpp>

#include "../evaluate.hpp"

#include <flowgraph/ops/state/variable.hpp>

using namespace ops_test;
using fg::error_code;

namespace {

fg::error why_refused(const fg::out<std::string>& summary) {
  const auto made = fg::session{fg::graph_of(*summary.source)}.try_run(fg::fetch(summary));
  return made ? fg::error() : made.error();
}

std::vector<std::string> tags_in(const std::string& summary) {
  std::vector<std::string> tags;
  fg::read_summary(summary, [&](const fg::summary_value& v) { tags.emplace_back(v.tag.empty() ? v.node : v.tag); }).value();
  return tags;
}

}  // namespace

TEST_CASE("summaries of all kinds are merged into one string") {
  fg::graph g;
  const auto loss = g.constant(0.25);
  const auto w = g.variable("w", fg::tensor<float>({3}, {1, 2, 3}));
  const auto images = g.placeholder<std::uint8_t>("images", {fg::any, 2, 2, 3});
  const auto sounds = g.placeholder<float>("sounds", {fg::any, 4});
  const auto all = fg::merge_summaries(
      {fg::scalar_summary("loss", loss), fg::histogram_summary("w", w), fg::image_summary("images", images, 1),
       fg::audio_summary("sounds", sounds, 8000, 2), fg::text_summary("text", g.constant(std::string("**words**"))),
       fg::tensor_summary("tensor", w, {.plugin = "mine", .display_name = "w"}), fg::apply(fg::tensor_summary_op{}, loss)});
  fg::session s{g};
  s.initialize();
  const auto made =
      s.run(fg::fetch(all), {{images, fg::tensor<std::uint8_t>({2, 2, 2, 3})}, {sounds, fg::tensor<float>({3, 4})}}).scalar();
  CHECK(tags_in(made) == std::vector<std::string>{"loss", "w", "images/image", "sounds/audio/0", "sounds/audio/1", "text",
                                                  "tensor", "TensorSummary"});
  fg::read_summary(made, [](const fg::summary_value& v) {
    if (v.tag == "loss") CHECK(std::get<float>(v.value) == 0.25f);
    if (v.tag == "w") CHECK(std::get<fg::histogram_counts>(v.value).sum == 6);
    if (v.tag == "tensor") CHECK(fg::summary_metadata::read(*v.metadata).value().plugin == "mine");
  }).value();
}

TEST_CASE("the node of a summary is named by its tag, unless the program names it") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto name = [](const fg::out<std::string>& o) { return std::string(o.source->name); };
  CHECK(name(fg::scalar_summary("loss", x)) == "loss");
  CHECK(name(fg::scalar_summary("loss", x)) == "loss_1");
  CHECK(name(fg::histogram_summary("dense/w", x)) == "dense/w");
  CHECK(name(fg::scalar_summary("learning rate:0", x)) == "learning_rate_0");
  CHECK(name(fg::scalar_summary("/_loss", x, {.name = "mine"})) == "mine");
  CHECK(name(fg::tensor_summary("_kept", x)) == "kept");
  CHECK(g.first_error().code() == fg::error_code::ok);
}

TEST_CASE("a list of tags has as many values, and they are floats") {
  fg::graph g;
  const auto tags = g.constant(fg::tensor<std::string>({2}, {"a", "b"}));
  const auto two = fg::apply(fg::scalar_summary_op{}, tags, g.constant(fg::tensor<std::int64_t>({2}, {3, -4})));
  CHECK(fg::session{g}.run(fg::fetch(two)).scalar() == std::string("\n\x08\n\x01"
                                                                   "a\x15\0\0\x40\x40\n\x08\n\x01"
                                                                   "b\x15\0\0\x80\xc0",
                                                                   20));
}

TEST_CASE("a tag that comes twice is refused, and what is no summary") {
  fg::graph g;
  const auto loss = fg::scalar_summary("loss", g.constant(1.0f));
  const auto twice = why_refused(fg::merge_summaries({loss, fg::scalar_summary("other", g.constant(2.0f)), loss}));
  CHECK(twice.code() == error_code::invalid_argument);
  CHECK(says(twice, "two summaries have the tag 'loss'"));
  CHECK(says(why_refused(fg::merge_summaries({loss, g.constant(std::string("nonsense"))})), "input 1 is not a summary"));
  CHECK_FALSE(why_refused(fg::merge_summaries({loss, g.constant(std::string())})));
}

TEST_CASE("errors name what was expected") {
  fg::graph g;
  const auto infinite = why_refused(fg::histogram_summary("h", g.constant(infinity)));
  CHECK(infinite.code() == error_code::invalid_argument);
  CHECK(says(infinite, "infinite"));
  CHECK(says(why_refused(fg::histogram_summary("h", g.constant(no_number))), "NaN"));
  const auto tags = g.placeholder<std::string>("tags", fg::shape::unknown());
  const auto one = fg::apply(fg::histogram_summary_op{}, tags, g.constant(1.0f));
  const auto made = fg::session{g}.try_run(fg::fetch(one), {{tags, fg::tensor<std::string>({1}, {"a"})}});
  CHECK(says(made.error(), "the tag must be a scalar"));
  CHECK(says(why_refused(fg::audio_summary("s", g.constant(fg::tensor<float>({1, 2}, {0, 0})), 0)), "sample rate"));
}

TEST_CASE("what the graph knows already is refused when it is built") {
  const auto why = [](auto&& build) {
    fg::graph g;
    return refusal(g, [&] { build(g); });
  };
  fg::image_summary_op none;
  none.max_images = 0;
  CHECK(says(why([&](fg::graph& g) {
               fg::apply(none, g.constant(std::string("i")), g.constant(fg::tensor<float>({1, 1, 1, 1}, {0})));
             }),
             "max_images must be at least 1"));
  CHECK(says(why([](fg::graph& g) {
               fg::image_summary("i", g.constant(fg::tensor<float>({1, 1, 1, 2}, {0, 0})));
             }),
             "1, 3 or 4 channels"));
  CHECK(says(why([](fg::graph& g) {
               fg::audio_summary("s", g.constant(fg::tensor<float>({2}, {0, 0})), 8000);
             }),
             "{batch, frames}"));
}

TEST_CASE("a bad colour of one's own stands where a pixel is not finite") {
  fg::graph g;
  fg::image_summary_op op;
  op.max_images = 1;
  op.bad_color = fg::tensor<std::uint8_t>({2}, {9, 9}).erased();
  const auto x = g.constant(fg::tensor<float>({1, 1, 2, 1}, {1, no_number}));
  const auto made = fg::session{g}.run(fg::fetch(fg::apply(op, g.constant(std::string("i")), x))).scalar();
  fg::summary_writer expected;
  expected.add_images("i", fg::tensor<std::uint8_t>({1, 1, 2, 1}, {255, 9}).erased(), {.max_images = 1}).value();
  CHECK(made == expected.bytes());
}
