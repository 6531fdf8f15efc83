// Full entries of the reference: images.

// resize
// images: a batch of images, {batch, rows, columns, channels}
// size: the numbers of rows and columns of the result, as a shape or as a handle to two integers
// options: the method, and whether to use all pixels if images shrink
// Returns a handle to the resized images. The place of a pixel is its center.
// Guide: images.md
const shown resize_("resize", [] {
  fg::graph g;
  const auto images = g.constant(fg::tensor<float>({1, 1, 2, 1}, {0, 8}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::resize(images, {1, 4})));
  std::cout << y[0] << " " << y[1] << " " << y[2] << " " << y[3] << "\n";
  // prints: 0 2 6 8

  try {
    fg::resize(images, {1, 0});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: size must be positive, found [1,0]; found Const float[1,1,2,1], resize/size_1 int32[2]
});

// resize_method
// Guide: images.md
// No error: The options of resize accept every method.
const shown resize_method_("resize_method", [] {
  fg::graph g;
  const auto images = g.constant(fg::tensor<float>({1, 1, 4, 1}, {0, 8, 0, 4}));
  fg::session s(g);
  const auto mean = s.run(fg::fetch(fg::resize(images, {1, 2}, {.method = fg::resize_method::area})));
  const auto copy = s.run(fg::fetch(fg::resize(images, {1, 2}, {.method = fg::resize_method::nearest})));
  std::cout << mean[0] << " " << mean[1] << ", " << copy[0] << " " << copy[1] << "\n";
  // prints: 4 2, 8 4
});

// crop_and_resize
// images: a batch of images, {batch, rows, columns, channels}
// boxes: a box per row: y1, x1, y2, x2, where 0 is the first row or column of the image and 1 the last
// box_indices: the number of the image of each box
// size: the numbers of rows and columns of each crop, as a shape or as a handle to two integers
// options: how pixels are computed, and the value of pixels outside of the images
// Returns a handle to the crops, {boxes, rows, columns, channels}.
// Guide: images.md
const shown crop_and_resize_("crop_and_resize", [] {
  fg::graph g;
  const auto images = g.constant(fg::tensor<float>({1, 1, 5, 1}, {0, 1, 2, 3, 4}));
  const auto boxes = g.constant(fg::tensor<float>({1, 4}, {0, 0.5f, 0, 1}));
  const auto image = g.constant(fg::tensor<int>({1}, {0}));
  fg::session s(g);
  const auto crop = s.run(fg::fetch(fg::crop_and_resize(images, boxes, image, {1, 3})));
  std::cout << crop[0] << " " << crop[1] << " " << crop[2] << "\n";
  // prints: 2 3 4

  try {
    s.run(fg::fetch(fg::crop_and_resize(images, boxes, g.constant(fg::tensor<int>({1}, {7})), {1, 3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: box_ind must be in [0, 1), found 7
});

// non_max_suppression
// boxes: a box per row: two opposite corners y1, x1, y2, x2
// scores: the score of each box
// max_output_size: the largest number of boxes to select
// o: the thresholds of overlaps and of scores
// Returns a handle to the numbers of the selected boxes, the highest score first.
// Guide: images.md
const shown non_max_suppression_("non_max_suppression", [] {
  fg::graph g;
  const auto boxes = g.constant(fg::tensor<float>({3, 4}, {0, 0, 1, 1, 0, 0.1f, 1, 1.1f, 0, 5, 1, 6}));
  const auto scores = g.constant(fg::tensor<float>({3}, {0.5f, 0.9f, 0.3f}));
  fg::session s(g);
  const auto kept = s.run(fg::fetch(fg::non_max_suppression(boxes, scores, g.constant(10))));
  std::cout << kept.size() << ": " << kept[0] << " " << kept[1] << "\n";
  // prints: 2: 1 2

  try {
    s.run(fg::fetch(fg::non_max_suppression(boxes, scores, g.constant(-1))));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: max_output_size must not be negative
});

// draw_bounding_boxes
// images: a batch of images of 1, 3 or 4 channels
// boxes: the same number of boxes for each image, {batch, boxes, 4}
// Returns a handle to the images with the edges of the boxes, one pixel wide.
// Guide: images.md
const shown draw_bounding_boxes_("draw_bounding_boxes", [] {
  fg::graph g;
  const auto images = g.constant(fg::tensor<float>({1, 1, 4, 1})),
             boxes = g.constant(fg::tensor<float>({1, 1, 4}, {0, 0.4f, 0, 0.7f}));
  fg::session s(g);
  const auto drawn = s.run(fg::fetch(fg::draw_bounding_boxes(images, boxes)));
  std::cout << drawn[0] << drawn[1] << drawn[2] << drawn[3] << "\n";
  // prints: 0110

  try {
    fg::draw_bounding_boxes(g.constant(fg::tensor<float>({1, 1, 4, 2})), boxes);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: images must have 1, 3 or 4 channels; found Const_2 float[1,1,4,2], Const_1 float[1,1,4]
});

// scale_and_translate
// images: the images, {batch, rows, columns, channels}
// size: the numbers of rows and columns of the result
// scale: the factors of rows and columns
// translation: the distances in rows and columns of the result
// options: the weights of pixels, and whether shrinking uses all pixels
// Returns a handle to the images after scaling and moving.
const shown scale_and_translate_("scale_and_translate", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({1, 1, 2, 1}, {1, 2}));
  const auto size = g.constant(fg::tensor<std::int32_t>({2}, {1, 2}));
  const auto scale = g.constant(fg::tensor<float>({2}, {1, 1})), moved = g.constant(fg::tensor<float>({2}, {0, 1}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::scale_and_translate(x, size, scale, moved, {.kernel_type = fg::sampling_kernel::triangle})));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 0 1

  try {
    fg::scale_and_translate(x, size, g.constant(fg::tensor<float>({3})), moved);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: scale and translation must have two elements; found Const float[1,1,2,1], Const_1 int32[2], Const_4 float[3], Const_3 float[2]
});
