// Samples of ops for images.

#include "../samples.hpp"

namespace harness {

namespace {

// Images, and the size to which they are resized.
struct resizing {
  fg::shape x;
  double rows, columns;

  input size() const { return given({rows, columns}); }
  fg::shape resized() const { return {x[0], static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), x[3]}; }
  input original_size() const { return given({static_cast<double>(x[1]), static_cast<double>(x[2])}); }
};
const std::vector<resizing>& resizings() {
  static const std::vector<resizing> all = {{{1, 2, 3, 1}, 3, 2},      {{2, 3, 2, 2}, 5, 4},      {{1, 4, 4, 3}, 2, 2},
                                            {{1, 3, 3, 1}, 3, 3},      {{1, 1, 1, 4}, 2, 3},      {{0, 2, 2, 1}, 3, 3},
                                            {{2, 40, 50, 3}, 90, 70},  {{1, 90, 80, 5}, 31, 44},  {{1, 3, 4, 2100}, 5, 3},
                                            {{1, 2, 300, 3}, 40, 700}, {{3, 70, 400, 1}, 20, 300}};
  return all;
}

template <class Make> calls each_resizing(bool centered, const Make& made) {
  calls all;
  for (const resizing& r : resizings()) {
    all.push_back(made(r));
    all.push_back(made(r).with("align_corners", true));
    if (centered) all.push_back(made(r).with("half_pixel_centers", true));
  }
  return all;
}
calls resized(bool centered = true) {
  return each_resizing(centered, [](const resizing& r) { return call(random(r.x), r.size()); });
}
calls resized_back() {
  return each_resizing(true, [](const resizing& r) { return call(random(r.resized()), random(r.x)); });
}
calls resized_back_by_size() {
  return each_resizing(true, [](const resizing& r) { return call(random(r.resized()), r.original_size()); });
}

calls scaled(bool back) {
  calls all;
  const auto add = [&](const resizing& r, const char* kernel, bool antialias) {
    const input scale = given({r.rows / static_cast<double>(r.x[1]), r.columns / static_cast<double>(r.x[2])});
    const input translation = given({0.25, -0.5});
    call c = back ? call(random(r.resized()), random(r.x), scale, translation) : call(random(r.x), r.size(), scale, translation);
    all.push_back(c.with("kernel_type", kernel).with("antialias", antialias));
  };
  for (const char* kernel : {"lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"})
    add(resizings()[1], kernel, true);
  for (const resizing& r : resizings()) add(r, "lanczos3", true), add(r, "triangle", false);
  return all;
}

const std::vector<double> four_boxes = {0, 0, 1, 1, 0.1, 0.2, 0.9, 0.7, 0.9, 0.8, 0.3, 0.1, -0.4, 0.2, 1.3, 0.6};

// Boxes in two images; `made` gets the inputs for boxes and their images, and the sizes of images and crops.
template <class Make> calls crops(const Make& made) {
  calls all;
  const input boxes = given({4, 4}, four_boxes), images = given({0, 1, 1, 0});
  for (const fg::shape& x : {fg::shape{2, 3, 4, 1}, {2, 1, 1, 2}, {2, 30, 40, 5}})
    for (const fg::shape& crop : {fg::shape{2, 3}, {1, 1}, {20, 30}}) {
      if ((x[1] == 30) != (crop[0] == 20)) continue;
      all.push_back(made(boxes, images, x, fg::shape{4, crop[0], crop[1], x[3]}));
    }
  all.push_back(made(given({0, 4}, {}), given({}), fg::shape{2, 3, 4, 1}, fg::shape{0, 2, 2, 1}));
  return all;
}
input extents(const fg::shape& s) { return given(fg::shape{s.rank}, std::vector<double>(s.begin(), s.end())); }
calls both_methods(const calls& some) {
  calls all;
  for (const call& c : some)
    for (const char* method : {"bilinear", "nearest"}) all.push_back(c.with("method", method));
  return all;
}
calls cropped() {
  return both_methods(crops([](const input& boxes, const input& images, const fg::shape& x, const fg::shape& y) {
    return call(random(x), boxes, images, extents({y[1], y[2]}));
  }));
}
calls cropped_images_back() {
  return both_methods(crops([](const input& boxes, const input& images, const fg::shape& x, const fg::shape& y) {
    return call(random(y), boxes, images, extents(x));
  }));
}
calls cropped_boxes_back() {
  return crops([](const input& boxes, const input& images, const fg::shape& x, const fg::shape& y) {
    return call(random(y), random(x), boxes, images);
  });
}

// Boxes and scores, and the numbers behind them.
template <class... Number> calls suppressed(Number... numbers) {
  calls all;
  for (const std::int64_t n : {1, 2, 7, 0, 300}) all.emplace_back(random({n, 4}), random({n}), number(4), number(numbers)...);
  return all;
}
calls suppressed_by_matrix() {
  calls all;
  for (const std::int64_t n : {1, 7, 0, 90}) all.emplace_back(random({n, n}), random({n}), number(4), number(0.5), number(0));
  return all;
}
calls padded(calls some) {
  for (std::size_t i = 0, n = some.size(); i < n; ++i) some.push_back(some[i].with("pad_to_max_output_size", true));
  return some;
}
calls combined() {
  calls all;
  const auto add = [&](std::int64_t batch, std::int64_t n, std::int64_t groups, std::int64_t classes) {
    all.emplace_back(random({batch, n, groups, 4}), random({batch, n, classes}), number(3), number(5), number(0.5), number(0.1));
  };
  add(1, 6, 1, 2);
  add(2, 5, 3, 3);
  add(1, 0, 1, 2);
  add(0, 4, 1, 1);
  add(6, 400, 1, 4);
  all.push_back(all[0].with("pad_per_class", true).with("clip_boxes", false));
  return all;
}

calls colored() {
  calls all;
  for (const fg::shape& s : {fg::shape{3}, {2, 3}, {2, 2, 3}, {0, 3}, {20000, 3}}) all.emplace_back(random(s));
  return all;
}
template <class... Number> calls pictures(Number... numbers) {
  calls all;
  for (const fg::shape& s : {fg::shape{1, 1, 3}, {2, 3, 3}, {2, 2, 2, 3}, {0, 2, 3}, {3, 50, 60, 3}})
    all.emplace_back(random(s), number(numbers)...);
  return all;
}

calls image_patches() {
  calls all;
  const auto add = [&](const fg::shape& x, std::initializer_list<std::int64_t> size, std::initializer_list<std::int64_t> step,
                       std::initializer_list<std::int64_t> rate, const char* padding) {
    all.push_back(call(random(x)).with("ksizes", size).with("strides", step).with("rates", rate).with("padding", padding));
  };
  add({1, 3, 3, 1}, {1, 2, 2, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, "SAME");
  add({2, 4, 3, 2}, {1, 3, 2, 1}, {1, 2, 1, 1}, {1, 1, 1, 1}, "VALID");
  add({1, 5, 5, 1}, {1, 2, 2, 1}, {1, 1, 2, 1}, {1, 2, 2, 1}, "SAME");
  add({0, 3, 3, 1}, {1, 2, 2, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, "SAME");
  add({2, 30, 31, 7}, {1, 3, 3, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, "SAME");
  return all;
}
calls volume_patches() {
  calls all;
  const auto add = [&](const fg::shape& x, std::initializer_list<std::int64_t> size, std::initializer_list<std::int64_t> step,
                       const char* padding) {
    all.push_back(call(random(x)).with("ksizes", size).with("strides", step).with("padding", padding));
  };
  add({1, 2, 3, 2, 1}, {1, 2, 2, 2, 1}, {1, 1, 1, 1, 1}, "SAME");
  add({1, 3, 3, 2, 2}, {1, 2, 1, 2, 1}, {1, 1, 2, 1, 1}, "VALID");
  add({0, 2, 2, 2, 1}, {1, 2, 2, 2, 1}, {1, 1, 1, 1, 1}, "SAME");
  add({2, 9, 10, 11, 5}, {1, 3, 2, 2, 1}, {1, 2, 1, 1, 1}, "SAME");
  return all;
}

calls drawn_boxes() {
  calls all;
  for (const std::int64_t depth : {1, 3, 4}) all.emplace_back(random({1, 5, 6, depth}), given({1, 4, 4}, four_boxes));
  all.emplace_back(random({0, 5, 6, 3}), random({0, 2, 4}));
  all.emplace_back(random({2, 3, 3, 1}), random({2, 0, 4}));
  all.emplace_back(random({3, 90, 80, 3}), random({3, 12, 4}));
  return all;
}
calls glimpses() {
  calls all;
  for (const bool centered : {true, false})
    for (const bool normalized : {true, false})
      // Each session draws other noise: tests/ops/image/glimpse.cpp.
      all.push_back(call(random({2, 4, 5, 2}), given({3, 2}), random({2, 2}))
                        .with("centered", centered)
                        .with("normalized", normalized)
                        .with("uniform_noise", false)
                        .with("noise", "zero"));
  all.push_back(call(random({0, 4, 5, 2}), given({3, 2}), random({0, 2})).with("uniform_noise", false).with("noise", "zero"));
  all.push_back(call(random({3, 60, 50, 3}), given({70, 40}), random({3, 2})).with("uniform_noise", false).with("noise", "zero"));
  return all;
}
calls random_crops() {
  calls all;
  for (const fg::shape& s : {fg::shape{4, 5, 2}, {1, 1, 1}, {60, 70, 3}})
    all.push_back(call(random(s), given({static_cast<double>((s[0] + 1) / 2), static_cast<double>(s[1])})).with("seed", 3));
  all.push_back(call(random({3, 3, 2}), given({0, 2})).with("seed2", 1));
  return all;
}
calls sampled_boxes() {
  const call sampled(given({50, 60, 3}), given({1, 2, 4}, {0.1, 0.2, 0.6, 0.7, 0, 0, 1, 1}));
  const call whole = call(given({9, 8, 1}), given({1, 0, 4}, {})).with("use_image_if_no_bounding_boxes", true);
  return {sampled.with("seed", 3), sampled.with("seed2", 4).with("max_attempts", 1), whole.with("seed", 1)};
}

// Images transformed to 4 rows and 5 columns.
calls transformed(std::vector<input> fill) {
  calls all;
  for (const char* const interpolation : {"NEAREST", "BILINEAR"})
    for (const char* const mode : {"CONSTANT", "REFLECT", "WRAP", "NEAREST"}) {
      std::vector<input> inputs{random({2, 5, 4, 3}), given({1, 8}, {1, 0.25, -1, 0, 1, 0.5, 0, 0}), given({4, 5})};
      inputs.insert(inputs.end(), fill.begin(), fill.end());
      all.push_back(call(inputs).with("interpolation", std::string(interpolation)).with("fill_mode", std::string(mode)));
    }
  return all;
}

}  // namespace

std::vector<sample> image_samples() {
  const exception in_float = no_gradient("its result is float, too coarse for differences: tests/ops/image");
  const exception of_inverse =
      no_gradient("as in TensorFlow, its gradient is transformed back, no derivative: tests/ops/image/projective_transform.cpp");
  const domain unit = between(0.05, 0.95);
  const char* const of_files =
      "it reads or writes files, most of them by flowgraph::images: tests/ops/image/jpeg.cpp and image_file.cpp";
  return {
      {"ResizeBilinear", resized(), {}, {in_float}},
      {"ResizeBilinearGrad", resized_back()},
      {"ResizeNearestNeighbor", resized(), {}, {first_order_only("its gradient has none, as in TensorFlow")}},
      {"ResizeNearestNeighborGrad", resized_back_by_size()},
      {"ResizeBicubic", resized(), {}, {in_float}},
      {"ResizeBicubicGrad", resized_back()},
      {"ResizeArea", resized(false)},
      {"ScaleAndTranslate", scaled(false), {}, {in_float}},
      {"ScaleAndTranslateGrad", scaled(true)},
      {"CropAndResize", cropped(), {}, {in_float}},
      {"CropAndResizeGradImage", cropped_images_back()},
      {"CropAndResizeGradBoxes", cropped_boxes_back()},
      {"ImageProjectiveTransformV3", transformed({number(0.5)}), {}, {of_inverse}},
      {"ImageProjectiveTransformV2", transformed({}), {}, {of_inverse}},
      {"NonMaxSuppression", suppressed()},
      {"NonMaxSuppressionV2", suppressed(0.5)},
      {"NonMaxSuppressionV3", suppressed(0.5, -1)},
      {"NonMaxSuppressionV4", padded(suppressed(0.5, -1))},
      {"NonMaxSuppressionV5", padded(suppressed(0.5, -1, 0.25))},
      {"NonMaxSuppressionWithOverlaps", suppressed_by_matrix()},
      {"CombinedNonMaxSuppression", combined()},
      {"RGBToHSV", colored(), {unit}},
      {"HSVToRGB", colored(), {unit}},
      {"AdjustContrast", pictures(1.5, 0, 2), {unit}},
      {"AdjustContrastv2", pictures(1.5), {unit}},
      {"AdjustHue", pictures(0.3), {unit}},
      {"AdjustSaturation", pictures(0.5), {unit}},
      {"ExtractImagePatches", image_patches()},
      {"ExtractVolumePatches", volume_patches()},
      {"DrawBoundingBoxes", drawn_boxes(), {unit}},
      {"ExtractGlimpse", glimpses()},
      {"ExtractGlimpseV2", glimpses()},
      {"RandomCrop", random_crops()},
      {"SampleDistortedBoundingBox", sampled_boxes()},
      {"DecodeJpeg", skip(of_files)},
      {"DecodeAndCropJpeg", skip(of_files)},
      {"ExtractJpegShape", skip(of_files)},
      {"EncodeJpeg", skip(of_files)},
      {"EncodeJpegVariableQuality", skip(of_files)},
      {"DecodeGif", skip(of_files)},
      {"DecodeBmp", skip(of_files)},
      {"DecodeImage", skip(of_files)},
  };
}

}  // namespace harness
