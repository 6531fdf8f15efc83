// Reads the files of tests/peers/exchanged_files.py and writes what it has read, in the same formats.
//
//     exchanged_files FROM TO      folders; of each file that FROM has: bundle.index, objects.index, slices, arrays.npz, tensors.safetensors

#include <flowgraph/formats/npy.hpp>
#include <flowgraph/formats/object_checkpoint.hpp>
#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/formats/saved_slices.hpp>
#include <flowgraph/formats/tensor_bundle.hpp>

#include <cstdio>
#include <filesystem>

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

// The values of objects by their paths, as arrays.
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

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return std::fprintf(stderr, "usage: exchanged_files FROM TO\n"), 2;
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
