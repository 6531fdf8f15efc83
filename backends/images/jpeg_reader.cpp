// Reads JPEG files.

#include <images/image_files.hpp>
#include <images/jpeg_errors.hpp>

#include <jerror.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace flowgraph_images_1 {

namespace {

constexpr std::array<JOCTET, 2> end_of_image{0xff, JPEG_EOI};
constexpr int most_scans = 500;  // a small file with more scans could take hours

// The bytes of a file in memory.
struct memory_source {
  jpeg_source_mgr functions;  // the first member
  bool recovers, has_ended;
  const JOCTET* repeated;  // the bytes that were given again last
  int repetitions;

  static memory_source& of(j_decompress_ptr file) { return *reinterpret_cast<memory_source*>(file->src); }

  // Only at the end of the bytes. A source that recovers gives the last bytes again while libjpeg has not used them, as in TensorFlow, and
  // then the marker that is missing.
  static boolean fill(j_decompress_ptr file) {
    constexpr int most_repetitions = 4096;  // a block takes fewer bytes
    memory_source& s = of(file);
    if (!s.recovers) return FALSE;
    if (s.functions.bytes_in_buffer > 0 && !s.has_ended) {
      s.repetitions = s.repeated == s.functions.next_input_byte ? s.repetitions + 1 : 0;
      s.repeated = s.functions.next_input_byte;
      if (s.repetitions < most_repetitions) return TRUE;
    }
    if (s.has_ended) ERREXIT(file, JERR_FILE_READ);
    s.has_ended = true;
    s.functions.next_input_byte = end_of_image.data();
    s.functions.bytes_in_buffer = end_of_image.size();
    return TRUE;
  }
  static void skip(j_decompress_ptr file, long count) {
    jpeg_source_mgr& s = of(file).functions;
    const std::size_t skipped = std::min(static_cast<std::size_t>(std::max(count, 0L)), s.bytes_in_buffer);
    s.next_input_byte += skipped;
    s.bytes_in_buffer -= skipped;
  }
};

class reader {
public:
  explicit reader(std::string_view bytes, bool recovers) {
    file_.err = errors_.functions();
    source_.recovers = recovers;
    source_.functions.init_source = source_.functions.term_source = [](j_decompress_ptr) {};
    source_.functions.fill_input_buffer = memory_source::fill;
    source_.functions.skip_input_data = memory_source::skip;
    source_.functions.resync_to_restart = jpeg_resync_to_restart;
    source_.functions.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
    source_.functions.bytes_in_buffer = bytes.size();
    progress_.progress_monitor = [](j_common_ptr from) {
      if (reinterpret_cast<j_decompress_ptr>(from)->input_scan_number > most_scans) ERREXIT(from, JERR_BAD_PROGRESSION);
    };
  }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  ~reader() { jpeg_destroy_decompress(&file_); }

  bool read_head();
  jpeg_shape size(int ratio);  // after decoding by the ratio; call it after read_head
  bool read(const jpeg_reading& reading, const pixel_memory& to);
  std::string why() const { return why_; }

private:
  template <class F> bool attempt(F f) {
    if (errors_.attempt(f)) return true;
    return fail(errors_.text());
  }
  bool fail(std::string why) {
    why_ = std::move(why);
    return false;
  }
  bool choose(const jpeg_reading& reading);
  bool begin(const jpeg_reading& reading);
  bool read_rows(const jpeg_reading& reading, std::uint8_t* pixels);
  bool finish(const jpeg_reading& reading, std::uint8_t* pixels);
  void copy_row(const JSAMPLE* from, std::uint8_t* to) const;

  jpeg_errors errors_;
  jpeg_decompress_struct file_{};
  memory_source source_{};
  jpeg_progress_mgr progress_{};
  std::string why_;
  int channels_ = 0;
  JDIMENSION x_ = 0, width_ = 0, begin_ = 0, height_ = 0, done_ = 0;  // of the window; and how many of its rows are read
  std::vector<JSAMPLE> row_;
};

bool reader::read_head() {
  bool is_whole = false;
  const bool done = attempt([&] {
    jpeg_create_decompress(&file_);
    file_.src = &source_.functions;
    file_.progress = &progress_;
    is_whole = jpeg_read_header(&file_, TRUE) == JPEG_HEADER_OK;
  });
  if (done && !is_whole) return fail("the end of the header is missing");
  return done;
}

jpeg_shape reader::size(int ratio) {
  file_.scale_num = 1;
  file_.scale_denom = static_cast<unsigned>(ratio);
  if (!attempt([&] { jpeg_calc_output_dimensions(&file_); })) return {};
  return {file_.output_height, file_.output_width, file_.num_components};
}

// The colors and the size of the result, before any memory is taken.
bool reader::choose(const jpeg_reading& reading) {
  channels_ = reading.channels != 0 ? reading.channels : std::min(file_.num_components, 3);
  if (channels_ != 1 && channels_ != 3) return fail("the file has " + std::to_string(channels_) + " channels, expected 1 or 3");
  const bool is_for_print = file_.jpeg_color_space == JCS_CMYK || file_.jpeg_color_space == JCS_YCCK;
  file_.out_color_space = channels_ == 1 ? JCS_GRAYSCALE : is_for_print ? JCS_CMYK : JCS_RGB;
  file_.do_fancy_upsampling = reading.fancy_upscaling ? TRUE : FALSE;
  file_.dct_method = reading.is_accurate ? JDCT_ISLOW : JDCT_IFAST;
  jpeg_shape s = size(reading.ratio);
  if (!why_.empty()) return false;
  if (s.height * s.width * channels_ >= reading.most_numbers)
    return fail(too_large(1, s.height, s.width, channels_, reading.most_numbers));
  if (jpeg_has_multiple_scans(&file_)) {  // libjpeg then keeps all coefficients of the image
    const std::int64_t height = file_.image_height, width = file_.image_width;
    if (height * width * file_.num_components >= reading.most_numbers)
      return fail(too_large(1, height, width, file_.num_components, reading.most_numbers));
  }
  const bool is_inside = reading.x >= 0 && reading.y >= 0 && reading.height > 0 && reading.width > 0 && reading.y < s.height &&
                         reading.x < s.width && reading.height <= s.height - reading.y && reading.width <= s.width - reading.x;
  if (reading.crops && !is_inside)
    return fail("the crop window must be inside the image of " + std::to_string(s.height) + " x " + std::to_string(s.width) +
                " pixels, found y " + std::to_string(reading.y) + ", x " + std::to_string(reading.x) + ", height " +
                std::to_string(reading.height) + ", width " + std::to_string(reading.width));
  return true;
}

bool reader::begin(const jpeg_reading& reading) {
  bool has_begun = false;
  const bool done = attempt([&] {
    has_begun = jpeg_start_decompress(&file_) == TRUE;
    if (!has_begun || !reading.crops) return;
    JDIMENSION x = static_cast<JDIMENSION>(reading.x), width = static_cast<JDIMENSION>(reading.width);
    jpeg_crop_scanline(&file_, &x, &width);  // it begins at a whole block, and is wider
    x_ = static_cast<JDIMENSION>(reading.x) - x;
    begin_ = static_cast<JDIMENSION>(reading.y);
    if (begin_ > 0) jpeg_skip_scanlines(&file_, begin_);
  });
  if (done && !has_begun) return fail("the end of the file is missing");
  width_ = reading.crops ? static_cast<JDIMENSION>(reading.width) : file_.output_width;
  height_ = reading.crops ? static_cast<JDIMENSION>(reading.height) : file_.output_height;
  return done;
}

// Colors for print are mixed with black; Adobe's files have them inverted.
void reader::copy_row(const JSAMPLE* from, std::uint8_t* to) const {
  const auto parts = static_cast<std::size_t>(file_.output_components), channels = static_cast<std::size_t>(channels_);
  from += x_ * parts;
  if (parts == channels) {
    std::memcpy(to, from, width_ * channels);
    return;
  }
  for (std::size_t i = 0; i < width_; ++i, from += parts)
    for (std::size_t k = 0; k < channels; ++k) {
      const int color = file_.saw_Adobe_marker ? from[k] : 255 - from[k],
                black = file_.saw_Adobe_marker ? from[3] : 255 - from[3];
      *to++ = static_cast<std::uint8_t>(color * black / 255);
    }
}

bool reader::read_rows(const jpeg_reading& reading, std::uint8_t* pixels) {
  const std::size_t stride = std::size_t{width_} * static_cast<std::size_t>(channels_);
  const bool is_direct = !reading.crops && file_.output_components == channels_;
  if (!is_direct) row_.resize(std::size_t{file_.output_width} * static_cast<std::size_t>(file_.output_components));
  return attempt([&] {
    for (done_ = 0; done_ < height_; ++done_) {
      std::uint8_t* to = pixels + done_ * stride;
      JSAMPROW row = is_direct ? to : row_.data();
      if (jpeg_read_scanlines(&file_, &row, 1) == 0) return;
      if (!is_direct) copy_row(row, to);
    }
  });
}

// Rows that are missing are black, if so few of them are missing.
bool reader::finish(const jpeg_reading& reading, std::uint8_t* pixels) {
  if (done_ == height_) {
    if (file_.output_scanline < file_.output_height) return true;
    return attempt([&] { jpeg_finish_decompress(&file_); });
  }
  const float fraction = static_cast<float>(done_) / static_cast<float>(height_);
  if (fraction < std::min(1.0f, reading.acceptable_fraction))
    return fail("the file is truncated: it has " + std::to_string(done_) + " of " + std::to_string(height_) + " rows");
  const std::size_t stride = std::size_t{width_} * static_cast<std::size_t>(channels_);
  std::memset(pixels + done_ * stride, 0, (height_ - done_) * stride);
  return true;
}

bool reader::read(const jpeg_reading& reading, const pixel_memory& to) {
  if (!choose(reading) || !begin(reading)) return false;
  std::uint8_t* pixels = to.take(to.taker, 1, height_, width_, channels_);
  return pixels != nullptr && read_rows(reading, pixels) && finish(reading, pixels);
}

}  // namespace

bool read_jpeg(const jpeg_reading& reading, const pixel_memory& to, std::string& why) {
  reader r(reading.file, reading.recovers);
  const bool done = r.read_head() && r.read(reading, to);
  why = r.why();
  return done;
}

bool read_jpeg_shape(std::string_view file, jpeg_shape& found, std::string& why) {
  reader r(file, false);
  bool done = r.read_head();
  if (done) found = r.size(1);
  why = r.why();
  return done && why.empty();
}

}  // namespace flowgraph_images_1
