// Reads the files of tests/peers/exchanged_files.py and writes their contents in the same formats.
//
//     exchanged_files FROM TO             converts each of these files in folder FROM: bundle.index, objects.index, slices,
//                                         arrays.npz, tensors.safetensors
//     exchanged_files --images FROM TO    writes the pixels of NAME.png as NAME.CHANNELS.BITS.npy, and NAME.npy as
//                                         NAME.LEVEL.png: tests/peers/png_files.py

#include <flowgraph/formats/file.hpp>
#include <flowgraph/formats/npy.hpp>
#include <flowgraph/formats/png_reader.hpp>
#include <flowgraph/formats/object_checkpoint.hpp>
#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/formats/saved_slices.hpp>
#include <flowgraph/formats/tensor_bundle.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace {

namespace fg = flowgraph;

void exchange_bundle(const std::string& from_prefix, const std::string& to_prefix) {
  auto from = fg::tensor_bundle::open(from_prefix).value();
  auto to = fg::tensor_bundle_writer::create(to_prefix, false).value();
  for (const auto& [name, e] : from.tensors()) {
    if (e.slices.empty()) to.add(name, from.read(name).value()).value();
    for (const fg::tensor_slice& part : e.slices) to.add_slice(name, e.extents, part, from.read(name, part).value()).value();
  }
  to.finish().value();
}

// Writes the values of objects as arrays, named by their paths.
void exchange_objects(const std::string& from_prefix, const std::string& to_path) {
  auto from = fg::tensor_bundle::open(from_prefix).value();
  std::vector<std::pair<std::string, fg::any_tensor>> all;
  const auto objects = fg::checkpoint_objects(from).value();
  for (const fg::checkpoint_object& o : objects)
    if (from.find(o.key)->type != fg::dtype::string) all.emplace_back(o.path + '|' + o.name, from.read(o.key).value());
  fg::save_npz(to_path + ".npz", all, false).value();
}

void exchange_slices(const std::string& from_path, const std::string& to_path) {
  const auto from = fg::saved_slices::open(std::span(&from_path, 1)).value();
  auto to = fg::saved_slices_writer::create(to_path, false).value();
  for (const auto& [name, e] : from.tensors())
    for (const fg::tensor_slice& part : e.slices) to.add_slice(name, e.extents, part, from.read(name, part).value()).value();
  to.finish().value();
}

void exchange_arrays(const std::string& from, const std::string& to) {
  const auto all = fg::load_npz(from).value();
  fg::save_npz(to, std::vector<std::pair<std::string, fg::any_tensor>>(all.begin(), all.end()), false).value();
}

void exchange_safetensors(const std::string& from_path, const std::string& to_path) {
  const auto from = fg::safetensors::open(from_path).value();
  std::vector<std::pair<std::string, fg::any_tensor>> all;
  for (const auto& e : from.tensors()) all.emplace_back(e.name, from.read(e.name).value());
  fg::save_safetensors(to_path, all, {.metadata = {from.metadata().begin(), from.metadata().end()}, .sync = false}).value();
}

// Writes no file if the bytes are refused.
template <class T> void read_image(const std::string& file, int channels, const std::string& to) {
  const auto size = fg::png_size_of(file, channels);
  if (!size) return;
  fg::tensor<T> pixels({size->height, size->width, size->channels});
  if (fg::read_png(file, channels, std::span<T>(pixels.writable())))
    fg::save_npy(fg::message{to, '.', channels, '.', 8 * sizeof(T), ".npy"}.string(), pixels.erased(), false).value();
}

template <class T> void write_image(const fg::any_tensor& image, const std::string& to) {
  const fg::shape& s = image.shape();
  for (const int level : {-1, 0, 1, 9}) {
    const fg::png_size size{.width = s[1], .height = s[0], .channels = static_cast<int>(s[2])};
    const auto pixels = image.as<T>();
    const std::string file = fg::encode_png(std::span<const T>(pixels.data(), pixels.size()), size, level).value();
    std::ofstream(to + "." + std::to_string(level) + ".png", std::ios::binary) << file;
  }
}

void exchange_images(const std::filesystem::path& from, const std::filesystem::path& to) {
  for (const auto& entry : std::filesystem::directory_iterator(from)) {
    const std::string path = entry.path().string(), made = (to / entry.path().stem()).string();
    if (entry.path().extension() == ".png") {
      const std::string file = fg::read_file(path).value();
      for (const int channels : {0, 1, 3, 4}) read_image<std::uint8_t>(file, channels, made);
      for (const int channels : {0, 1, 3, 4}) read_image<std::uint16_t>(file, channels, made);
    } else {
      const fg::any_tensor image = fg::load_npy(path).value();
      image.type() == fg::dtype::uint8 ? write_image<std::uint8_t>(image, made) : write_image<std::uint16_t>(image, made);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 4 && std::string_view(arguments[1]) == "--images") return exchange_images(arguments[2], arguments[3]), 0;
  if (count != 3) return std::fprintf(stderr, "usage: exchanged_files [--images] FROM TO\n"), 2;
  const std::filesystem::path from = arguments[1], to = arguments[2];
  const auto each = [&](const char* name, const char* file, void (*exchange)(const std::string&, const std::string&)) {
    if (std::filesystem::exists(from / file)) exchange((from / name).string(), (to / name).string());
  };
  each("bundle", "bundle.index", exchange_bundle);
  each("objects", "objects.index", exchange_objects);
  each("slices", "slices", exchange_slices);
  each("arrays.npz", "arrays.npz", exchange_arrays);
  each("tensors.safetensors", "tensors.safetensors", exchange_safetensors);
  return 0;
}
