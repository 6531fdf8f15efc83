// Writes JPEG files.

#include <images/image_files.hpp>
#include <images/jpeg_errors.hpp>

#include <cstdlib>

namespace flowgraph_images_1 {

namespace {

class writer {
public:
  writer() { file_.err = errors_.functions(); }
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;
  ~writer() {
    jpeg_destroy_compress(&file_);
    std::free(bytes_);  // libjpeg's
  }

  bool write(const jpeg_writing& writing, std::string_view note);
  std::string_view bytes() const { return {reinterpret_cast<const char*>(bytes_), size_}; }
  std::string why() const { return errors_.text(); }

private:
  void choose(const jpeg_writing& writing);

  jpeg_errors errors_;
  jpeg_compress_struct file_{};
  unsigned char* bytes_ = nullptr;
  unsigned long size_ = 0;
};

void writer::choose(const jpeg_writing& writing) {
  file_.image_width = static_cast<JDIMENSION>(writing.shape.width);
  file_.image_height = static_cast<JDIMENSION>(writing.shape.height);
  file_.input_components = writing.shape.channels;
  file_.in_color_space = writing.shape.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&file_);
  file_.optimize_coding = writing.is_optimized ? TRUE : FALSE;
  file_.density_unit = static_cast<UINT8>(writing.density_unit);
  file_.X_density = static_cast<UINT16>(writing.x_density);
  file_.Y_density = static_cast<UINT16>(writing.y_density);
  jpeg_set_quality(&file_, writing.quality, TRUE);
  if (writing.is_progressive) jpeg_simple_progression(&file_);
  if (writing.has_small_chroma) return;
  for (int i = 0; i < file_.num_components; ++i) file_.comp_info[i].h_samp_factor = file_.comp_info[i].v_samp_factor = 1;
}

bool writer::write(const jpeg_writing& writing, std::string_view note) {
  const std::size_t stride = static_cast<std::size_t>(writing.shape.width) * static_cast<std::size_t>(writing.shape.channels);
  auto calls = [&] {
    jpeg_create_compress(&file_);
    jpeg_mem_dest(&file_, &bytes_, &size_);
    choose(writing);
    jpeg_start_compress(&file_, TRUE);
    if (!note.empty())
      jpeg_write_marker(&file_, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(note.data()), static_cast<unsigned>(note.size()));
    while (file_.next_scanline < file_.image_height) {
      JSAMPROW row = const_cast<JSAMPROW>(writing.pixels) + file_.next_scanline * stride;
      jpeg_write_scanlines(&file_, &row, 1);
    }
    jpeg_finish_compress(&file_);
  };
  return errors_.attempt(calls);
}

}  // namespace

bool write_jpeg(const jpeg_writing& writing, std::string& file, std::string& why) {
  constexpr std::size_t most_of_note = 65533;  // of a marker
  std::string note;
  if (!writing.xmp.empty()) {
    note = "http://ns.adobe.com/xap/1.0/";
    note += '\0';
    note += writing.xmp;
  }
  if (note.size() > most_of_note) {
    why = "xmp_metadata must have at most " + std::to_string(most_of_note - (note.size() - writing.xmp.size())) +
          " bytes, found " + std::to_string(writing.xmp.size());
    return false;
  }
  writer w;
  if (!w.write(writing, note)) {
    why = w.why();
    return false;
  }
  file = w.bytes();
  return true;
}

}  // namespace flowgraph_images_1
