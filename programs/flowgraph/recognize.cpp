#include "files.hpp"

#include <flowgraph/formats/crc32c.hpp>
#include <flowgraph/formats/fields.hpp>
#include <flowgraph/formats/file.hpp>
#include <flowgraph/formats/npy.hpp>
#include <flowgraph/train/saver.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace command {

namespace {

namespace fs = std::filesystem;

template <class T> T number_at(std::string_view bytes, std::size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool begins_as_records(std::string_view head) {
  return head.size() >= 12 && number_at<std::uint32_t>(head, 8) == fg::mask_crc32c(fg::crc32c(head.substr(0, 8)));
}

// The last bytes of an index table, which checkpoints of both versions have.
constexpr std::uint64_t table_end = 0xdb4775248b80fb57u;

struct ends {
  std::string head, tail;
  std::uint64_t size = 0;
};

ends ends_of(const std::string& path) {
  const fg::mapped_file file = take(fg::mapped_file::open(path));
  const auto bytes = file.bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return {std::string(text.substr(0, 16)), std::string(text.substr(text.size() - std::min<std::size_t>(text.size(), 8))),
          text.size()};
}

// Returns whether all bytes are fields of a protobuf message.
bool is_message(std::string_view bytes) {
  fg::detail::field_reader f(bytes);
  while (f.next()) {}
  return !f.is_broken();
}

// Returns whether a file begins like a GraphDef: its first fields are complete nodes, libraries and versions.
bool begins_as_graph(const std::string& path) {
  const fg::mapped_file file = take(fg::mapped_file::open(path));
  fg::detail::field_reader f(std::string_view(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()));
  for (int seen = 0; seen < 4; ++seen) {
    if (!f.next()) return seen > 0 && !f.is_broken();
    const bool is_known = f.is_bytes(1) || f.is_bytes(2) || f.is_varint(3) || f.is_bytes(4) || f.is_bytes(5);
    if (!is_known || (f.form() == fg::detail::field_form::bytes && !is_message(f.bytes()))) return false;
  }
  return true;
}

// Describes other files that are often stored beside models, and suggests how to use them.
std::string_view known_stranger(const std::string& name, std::string_view head) {
  if (head.starts_with("\x89HDF\r\n")) return "an HDF5 file, as Keras writes; in Python save the model by model.export(folder)";
  if (name.ends_with(".keras")) return "a file of Keras; in Python save the model by model.export(folder)";
  if (name.ends_with(".onnx")) return "a model of ONNX";
  if (name.ends_with(".tflite")) return "a model of TensorFlow Lite";
  if (name == "checkpoint") return "the list of checkpoints in its folder; name one of them, as in model.ckpt-100";
  if (name.find(".data-") != std::string::npos && name.find("-of-") != std::string::npos)
    return "the data of a checkpoint; name the checkpoint, which ends before '.data'";
  return "";
}

file_kind recognize_folder(const std::string& path) {
  std::error_code none;
  if (fs::exists(fs::path(path) / "saved_model.pb", none)) return file_kind::saved_model;
  const auto latest = fg::latest_checkpoint(path);
  throw failure{bad_input,
                "'" + path + "': a folder without saved_model.pb" + (latest ? "; it has the checkpoint '" + *latest + "'" : "")};
}

}  // namespace

file_kind recognize(std::string& path) {
  std::error_code none;
  if (fs::is_directory(path, none)) return recognize_folder(path);
  if (!fs::exists(path, none) && fs::exists(path + ".index", none)) return file_kind::checkpoint;
  const std::string name = fs::path(path).filename().string();
  const ends e = ends_of(path);
  if (e.size == 0) throw failure{bad_input, "'" + path + "': the file is empty"};
  if (const std::string_view stranger = known_stranger(name, e.head); !stranger.empty())
    throw failure{bad_input, "'" + path + "': " + std::string(stranger)};
  if (number_at<std::uint64_t>(e.tail, 0) == table_end) {
    if (!name.ends_with(".index")) return file_kind::first_checkpoint;
    path.resize(path.size() - 6);
    return file_kind::checkpoint;
  }
  if (name.ends_with(".index")) throw failure{bad_input, "'" + path + "': not the index of a checkpoint: its end is missing"};
  if (e.head.starts_with("\x93NUMPY")) return file_kind::array;
  if (e.head.starts_with("PK\x03\x04") || e.head.starts_with("PK\x05\x06")) {
    if (name.ends_with(".npz") || !take(fg::npz::open(path)).arrays().empty()) return file_kind::arrays;
    throw failure{bad_input, "'" + path + "': unknown: a ZIP archive without arrays of NumPy"};
  }
  if (e.head.size() > 8 && e.head[8] == '{' && number_at<std::uint64_t>(e.head, 0) <= e.size) return file_kind::safetensors;
  if (begins_as_records(e.head)) return file_kind::records;
  if (name.ends_with(".safetensors")) return file_kind::safetensors;  // its reader reports the damage
  if (name.ends_with(".npy")) return file_kind::array;
  if (name.ends_with(".npz")) return file_kind::arrays;
  if (name.ends_with(".tfrecord") || name.ends_with(".tfrecords") || name.find(".tfevents.") != std::string::npos ||
      e.head.starts_with("\x1f\x8b"))
    return file_kind::records;
  if (name == "saved_model.pb") {
    path = fs::path(path).parent_path().string();
    if (path.empty()) path = ".";
    return file_kind::saved_model;
  }
  if (name.ends_with(".meta")) return file_kind::meta_graph;
  if (name.ends_with(".pb") || name.ends_with(".pbtxt") || begins_as_graph(path)) return file_kind::graph;
  throw failure{bad_input,
                "'" + path + "': unknown: neither a graph, a checkpoint, safetensors, arrays of NumPy nor a file of records"};
}

}  // namespace command
