#pragma once
// The functions of flowgraph::images, which calls libjpeg and giflib. The ops call them through one pointer, which is null in a program
// that does not link flowgraph::images.

#include <flowgraph/config.hpp>

#include <cstdint>
#include <string>
#include <string_view>

// This namespace is not in the inline namespace of the version: one archive serves header-only programs and flowgraph::compiled.
namespace flowgraph_images_1 {

// Memory for the pixels {frames, height, width, channels}. `take` returns nullptr if there is no memory for them.
struct pixel_memory {
  void* taker;
  std::uint8_t* (*take)(void* taker, std::int64_t frames, std::int64_t height, std::int64_t width, int channels);
};

struct jpeg_reading {
  std::string_view file = {};
  int channels = 0, ratio = 1;
  bool fancy_upscaling = true, recovers = false, is_accurate = false;
  float acceptable_fraction = 1;
  bool crops = false;
  std::int64_t y = 0, x = 0, height = 0, width = 0;  // the window, if the image is cropped
  std::int64_t most_numbers = 0;                     // larger images are refused
};

struct jpeg_shape {
  std::int64_t height = 0, width = 0;
  int channels = 0;
};

struct jpeg_writing {
  const std::uint8_t* pixels = nullptr;
  jpeg_shape shape = {};
  int quality = 95;
  bool is_progressive = false, is_optimized = false, has_small_chroma = true;
  int density_unit = 1, x_density = 300, y_density = 300;  // the unit: 1 inches, 2 centimeters
  std::string_view xmp = {};
};

struct gif_reading {
  std::string_view file = {};
  bool all_frames = true, one_frame_only = false;  // one_frame_only: an animation is an error
  std::int64_t most_numbers = 0;
};

// Each function returns true, or false and the reason. The reason is empty if `take` returned nullptr.
struct image_library {
  bool (*read_jpeg)(const jpeg_reading&, const pixel_memory&, std::string& why);
  bool (*read_jpeg_shape)(std::string_view file, jpeg_shape&, std::string& why);
  bool (*write_jpeg)(const jpeg_writing&, std::string& file, std::string& why);
  bool (*read_gif)(const gif_reading&, const pixel_memory&, std::string& why);
};

// flowgraph::images sets the pointer before main.
inline constinit const image_library* library = nullptr;

}  // namespace flowgraph_images_1
