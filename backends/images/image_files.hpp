#pragma once
// The functions of this library, and what they share.

#include <flowgraph/formats/detail/image_library.hpp>

namespace flowgraph_images_1 {

bool read_jpeg(const jpeg_reading& reading, const pixel_memory& to, std::string& why);
bool read_jpeg_shape(std::string_view file, jpeg_shape& found, std::string& why);
bool write_jpeg(const jpeg_writing& writing, std::string& file, std::string& why);
bool read_gif(const gif_reading& reading, const pixel_memory& to, std::string& why);

inline std::string too_large(std::int64_t frames, std::int64_t height, std::int64_t width, int channels, std::int64_t most) {
  return "an image of " + std::to_string(frames) + " x " + std::to_string(height) + " x " + std::to_string(width) + " x " +
         std::to_string(channels) + " numbers (frames, height, width, channels) is larger than the limit of " +
         std::to_string(most) + " numbers (fg::limit_images)";
}

}  // namespace flowgraph_images_1
