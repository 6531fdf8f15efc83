// Reads GIF files.

#include <images/image_files.hpp>

#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace flowgraph_images_1 {

namespace {

// One picture of a file: indices into a table of colors, row by row in the order of the file.
struct frame {
  std::int64_t left = 0, top = 0, width = 0, height = 0;
  bool is_interlaced = false;
  int transparent = NO_TRANSPARENT_COLOR;
  std::vector<GifColorType> colors = {};
  std::vector<GifPixelType> rows = {};

  // Returns the line of the file that contains row y of the picture. Interlaced files begin with every eighth row.
  std::int64_t place_of(std::int64_t y) const {
    if (!is_interlaced) return y;
    const auto count = [&](std::int64_t first, std::int64_t step) {
      return height > first ? (height - first + step - 1) / step : 0;
    };
    if (y % 8 == 0) return y / 8;
    if (y % 8 == 4) return count(0, 8) + y / 8;
    if (y % 4 == 2) return count(0, 8) + count(4, 8) + y / 4;
    return count(0, 8) + count(4, 8) + count(2, 4) + y / 2;
  }
};

class reader {
public:
  explicit reader(const gif_reading& reading) : reading_(reading), left_(reading.file) {
    int error = D_GIF_SUCCEEDED;
    file_ = DGifOpen(this, take_bytes, &error);
    if (file_ == nullptr) fail(text_of(error));
  }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  ~reader() {
    int error = 0;
    if (file_ != nullptr) DGifCloseFile(file_, &error);
  }

  // The pictures of the file. If the file is damaged, those before the damage.
  bool read();
  bool draw(const pixel_memory& to);
  std::string why() const { return why_; }

private:
  static int take_bytes(GifFileType* file, GifByteType* to, int count) {
    std::string_view& left = static_cast<reader*>(file->UserData)->left_;
    const std::size_t taken = std::min(left.size(), static_cast<std::size_t>(std::max(count, 0)));
    std::memcpy(to, left.data(), taken);
    left.remove_prefix(taken);
    return static_cast<int>(taken);
  }
  static std::string text_of(int error) {
    const char* text = GifErrorString(error);
    return text != nullptr ? text : "the file is damaged";
  }
  bool fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return false;
  }
  bool read_extension();
  bool read_frame();
  bool is_within_limit(std::int64_t frames, std::int64_t height, std::int64_t width);
  bool draw_frame(const frame& f, const std::uint8_t* before, std::uint8_t* to);

  const gif_reading& reading_;
  std::string_view left_;
  GifFileType* file_ = nullptr;
  std::string why_;
  bool is_too_large_ = false;
  int transparent_ = NO_TRANSPARENT_COLOR;  // of the next frame
  bool has_control_ = false;
  std::int64_t height_ = 0, width_ = 0;  // the largest of all whole frames
  std::vector<frame> frames_;
};

bool reader::read_extension() {
  int kind = 0;
  GifByteType* block = nullptr;
  if (DGifGetExtension(file_, &kind, &block) == GIF_ERROR) return false;
  while (block != nullptr) {
    GraphicsControlBlock control;
    if (kind == GRAPHICS_EXT_FUNC_CODE && !has_control_ && DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
      transparent_ = control.TransparentColor;
    has_control_ = has_control_ || kind == GRAPHICS_EXT_FUNC_CODE;
    if (DGifGetExtensionNext(file_, &block) == GIF_ERROR) return false;
  }
  return true;
}

bool reader::is_within_limit(std::int64_t frames, std::int64_t height, std::int64_t width) {
  if (height * width * 3 <= (reading_.most_numbers - 1) / frames) return true;
  is_too_large_ = true;
  why_.clear();
  return fail(too_large(frames, height, width, 3, reading_.most_numbers));
}

bool reader::read_frame() {
  if (DGifGetImageDesc(file_) == GIF_ERROR) return false;
  const GifImageDesc& head = file_->Image;
  frame f{.left = head.Left, .top = head.Top, .width = head.Width, .height = head.Height, .is_interlaced = head.Interlace};
  if (f.width <= 0 || f.height <= 0) return fail("a frame has no pixels");
  f.transparent = transparent_;
  transparent_ = NO_TRANSPARENT_COLOR, has_control_ = false;
  const std::int64_t height = std::max(height_, f.height), width = std::max(width_, f.width);
  const bool is_kept = reading_.all_frames || frames_.empty();
  if (!is_within_limit(reading_.all_frames ? static_cast<std::int64_t>(frames_.size()) + 1 : 1, height, width)) return false;
  if (const ColorMapObject* colors = head.ColorMap != nullptr ? head.ColorMap : file_->SColorMap)
    f.colors.assign(colors->Colors, colors->Colors + colors->ColorCount);
  std::vector<GifPixelType> row(static_cast<std::size_t>(f.width));
  for (std::int64_t y = 0; y < f.height; ++y) {  // memory grows with the rows that the file really has
    if (DGifGetLine(file_, row.data(), static_cast<int>(row.size())) == GIF_ERROR) return false;
    if (is_kept) f.rows.insert(f.rows.end(), row.begin(), row.end());
  }
  height_ = height, width_ = width;
  if (is_kept) frames_.push_back(std::move(f));
  return true;
}

bool reader::read() {
  bool is_good = file_ != nullptr;
  for (bool has_ended = false; is_good && !has_ended;) {
    GifRecordType kind = UNDEFINED_RECORD_TYPE;
    is_good = DGifGetRecordType(file_, &kind) == GIF_OK;
    if (!is_good) break;
    if (kind == EXTENSION_RECORD_TYPE) is_good = read_extension();
    if (kind == IMAGE_DESC_RECORD_TYPE) is_good = read_frame();
    has_ended = kind == TERMINATE_RECORD_TYPE;
  }
  if (is_too_large_) return false;
  if (!is_good && file_ != nullptr) fail(text_of(file_->Error));
  if (frames_.empty()) return fail("the file has no frame");
  why_.clear();
  return true;
}

bool reader::draw_frame(const frame& f, const std::uint8_t* before, std::uint8_t* to) {
  if (f.colors.empty()) return fail("a frame has no table of colors");
  const auto size = static_cast<std::size_t>(height_ * width_ * 3);
  if (before != nullptr) std::memcpy(to, before, size);
  else std::memset(to, 0, size);
  const std::int64_t bottom = std::min(f.top + f.height, height_), right = std::min(f.left + f.width, width_);
  for (std::int64_t y = f.top; y < bottom && f.left < right; ++y) {
    const GifPixelType* from = f.rows.data() + f.place_of(y - f.top) * f.width;
    std::uint8_t* pixel = to + (y * width_ + f.left) * 3;
    for (std::int64_t x = f.left; x < right; ++x, pixel += 3) {
      const GifPixelType index = *from++;
      if (index == f.transparent) continue;
      if (index >= f.colors.size())
        return fail("the table of " + std::to_string(f.colors.size()) + " colors has no color " + std::to_string(index));
      const GifColorType& color = f.colors[index];
      pixel[0] = color.Red, pixel[1] = color.Green, pixel[2] = color.Blue;
    }
  }
  return true;
}

bool reader::draw(const pixel_memory& to) {
  if (reading_.one_frame_only && frames_.size() > 1)
    return fail("the file has " + std::to_string(frames_.size()) + " frames; DecodeGif and DecodeImage read animations");
  const auto count = static_cast<std::int64_t>(frames_.size());
  std::uint8_t* pixels = to.take(to.taker, count, height_, width_, 3);
  if (pixels == nullptr) return false;
  const std::uint8_t* before = nullptr;
  for (const frame& f : frames_) {
    if (!draw_frame(f, before, pixels)) return false;
    before = pixels;
    pixels += height_ * width_ * 3;
  }
  return true;
}

}  // namespace

bool read_gif(const gif_reading& reading, const pixel_memory& to, std::string& why) {
  reader r(reading);
  const bool done = r.read() && r.draw(to);
  why = r.why();
  return done;
}

}  // namespace flowgraph_images_1
