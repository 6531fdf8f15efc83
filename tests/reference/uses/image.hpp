// Lines of use of ops/image. Each line is the same in docs/reference.

inline void uses_of_images(fg::graph g) {
  const auto images = g.placeholder<float>("images", {8, 64, 48, 3}), image = g.placeholder<float>("image", {64, 48, 3});
  const auto labels = g.placeholder<std::uint8_t>("labels", {8, 64, 48, 1});
  const auto volumes = g.placeholder<float>("volumes", {2, 8, 8, 8, 1});
  const auto boxes = g.placeholder<float>("boxes", {100, 4}), scores = g.placeholder<float>("scores", {100});
  const auto boxes_of_batch = g.placeholder<float>("boxes_of_batch", {8, 100, 1, 4}),
             overlaps = g.placeholder<float>("overlaps", {100, 100});
  const auto scores_of_batch = g.placeholder<float>("scores_of_batch", {8, 100, 20}),
             marks = g.placeholder<float>("marks", {8, 5, 4});
  const auto box_indices = g.placeholder<std::int32_t>("box_indices", {100}), most = g.constant(20), in_all = g.constant(50);
  const auto offsets = g.placeholder<float>("offsets", {8, 2}), objects = g.placeholder<float>("objects", {1, 3, 4});
  const auto size = g.constant(fg::tensor<std::int32_t>({2}, {32, 32}));
  const auto scale = g.constant(fg::tensor<float>({2}, {0.5f, 0.5f})), translation = g.constant(fg::tensor<float>({2}, {0, 8}));

  auto small = fg::resize(images, {32, 24}, {.method = fg::resize_method::bicubic, .antialias = true});
  auto linear = fg::resize_bilinear(images, {224, 224}, {.half_pixel_centers = true});
  auto cubic = fg::resize_bicubic(images, {224, 224}, {.half_pixel_centers = true});
  auto means = fg::resize_area(images, {16, 12});
  auto copied = fg::resize_nearest_neighbor(labels, {224, 224}, {.half_pixel_centers = true});
  auto moved = fg::scale_and_translate(images, size, scale, translation, {.kernel_type = fg::sampling_kernel::lanczos5});
  auto crops = fg::crop_and_resize(images, boxes, box_indices, {14, 14});
  auto kept = fg::non_max_suppression(boxes, scores, most, {.iou_threshold = 0.5f});
  auto kept_by_overlap = fg::non_max_suppression_with_overlaps(overlaps, scores, most);
  auto drawn = fg::draw_bounding_boxes(images, marks);
  auto glimpses = fg::extract_glimpse(images, {8, 8}, offsets);
  auto rotated =
      fg::projective_transform(images, g.placeholder<float>("transforms", {fg::any, 8}), {32, 32}, {.fill_mode = "REFLECT"});
  auto patches = fg::extract_image_patches(images, {.sizes = {3, 3}, .strides = {2, 2}});
  auto blocks = fg::extract_volume_patches(volumes, {.sizes = {2, 2, 2}});
  auto part = fg::random_crop(image, {32, 32});
  auto vivid = fg::adjust_saturation(images, g.constant(1.5f));
  auto turned = fg::adjust_hue(images, g.constant(0.1f));
  auto flat = fg::adjust_contrast(images, g.constant(0.5f));
  auto hsv = fg::rgb_to_hsv(images);
  auto rgb = fg::hsv_to_rgb(hsv);

  // resize_options:
  auto shrunk = fg::resize(images, {16, 16}, {.method = fg::resize_method::area});

  // padded_boxes:
  auto padded = fg::non_max_suppression_padded(boxes, scores, most, {.pad_to_max_output_size = true});
  auto same_size = fg::gather(boxes, padded.indices);

  // scored_boxes:
  auto soft = fg::non_max_suppression_with_scores(boxes, scores, most, {.soft_nms_sigma = 0.5f});
  auto total_score = fg::sum(soft.scores);

  // combined_boxes:
  auto found = fg::combined_non_max_suppression(boxes_of_batch, scores_of_batch, most, in_all);
  auto corners = fg::reshape(found.boxes, {-1, 4});

  // sampled_box:
  auto box = fg::sample_distorted_bounding_box(fg::shape_of<std::int32_t>(image), objects, {.min_object_covered = 0.5f});
  auto cut = fg::slice(image, box.begin, box.size);
}
