#include <flowgraph/formats/tensor_bundle.hpp>

#include "folder.hpp"
#include "tensors.hpp"
#include "written_file.hpp"

#include <flowgraph/formats/detail/table_file.hpp>
#include <flowgraph/formats/detail/wire.hpp>

#include <doctest/doctest.h>

#include <filesystem>

using namespace file_tests;

namespace {

// A checkpoint of one float tensor "w", one of strings, and one in two parts.
std::string small_bundle(const test_folder& folder, const std::string& name = "small") {
  const std::string prefix = folder / name;
  auto to = fg::tensor_bundle_writer::create(prefix, false).value();
  to.add("w", numbered(fg::dtype::float32, {3})).value();
  to.add("text", texts({2})).value();
  to.add_slice("parts", {4}, {{0}, {3}}, numbered(fg::dtype::int16, {3})).value();
  to.add_slice("parts", {4}, {{3}, {1}}, numbered(fg::dtype::int16, {1})).value();
  to.finish().value();
  return prefix;
}

// Whether the checkpoint opens and every tensor in it can be read.
bool is_whole(const std::string& prefix) {
  auto from = fg::tensor_bundle::open(prefix);
  if (!from) return false;
  for (const auto& [name, entry] : from->tensors())
    if (!from->read(name)) return false;
  return true;
}

// The bytes of an entry: what it says need not be true. `in_parts`: it has one part, which is the whole vector.
std::string entry(int type, const fg::shape& extents, std::int64_t size, bool in_parts = false) {
  std::string all, part;
  fg::detail::put_bytes_field(part, 1, "");
  fg::detail::put_number_field(all, 1, type);
  fg::detail::put_bytes_field(all, 2, fg::detail::wire_shape(extents));
  fg::detail::put_number_field(all, 5, size);
  if (in_parts) fg::detail::put_bytes_field(all, 7, part);
  return all;
}
// The key of that part of the vector "w".
std::string key_of_part(const test_folder& folder) {
  auto to = fg::tensor_bundle_writer::create(folder / "key").value();
  to.add_slice("w", {1}, fg::tensor_slice::all(1), numbered(fg::dtype::float32, {1})).value();
  to.finish().value();
  const std::string path = folder / "key.index", bytes = fg::read_file(path).value();
  return fg::detail::table_reader(path, bytes).read().value().at(1).first;  // behind the header
}
// Writes an index with these entries and a data file of one byte.
void put_index(const std::string& prefix, std::map<std::string, std::string> entries) {
  fg::detail::put_number_field(entries[""], 1, 1);
  std::string bytes;
  const fg::error why = fg::detail::write_table(entries, [&](std::string_view part) {
    bytes += part;
    return fg::error();
  });
  REQUIRE(!why);
  put(prefix + ".index", bytes);
  put(fg::bundle_data_path(prefix, 0, 1), "x");
}

}  // namespace

TEST_CASE("tensors of all types and shapes come back to the bit") {
  const test_folder folder;
  auto to = fg::tensor_bundle_writer::create(folder / "all").value();
  std::map<std::string, fg::any_tensor> values;
  for (const fg::dtype type : plain_types)
    for (const fg::shape& s : {fg::shape{}, fg::shape{0}, fg::shape{5}, fg::shape{2, 3}, fg::shape{2, 0, 3}, fg::shape{70000}})
      values.emplace(std::string(fg::name_of(type)) + "/" + fg::to_string(s), numbered(type, s));
  values.emplace("text", texts({2, 2}));
  values.emplace("no text", texts({0}));
  values.emplace("one text", texts({}));
  for (const auto& [name, value] : values) to.add(name, value).value();
  CHECK(folder.files() == 1);
  to.finish().value();
  CHECK(folder.files() == 2);
  auto from = fg::tensor_bundle::open(folder / "all").value();
  CHECK(from.tensors().size() == values.size());
  for (const auto& [name, value] : values) CHECK_MESSAGE(equal(from.read(name).value(), value), name);
  CHECK(from.find("nothing") == nullptr);
  CHECK(from.read("nothing").error().code() == fg::error_code::not_found);
}

TEST_CASE("an index of many blocks") {
  const test_folder folder;
  auto to = fg::tensor_bundle_writer::create(folder / "many").value();
  for (int i = 0; i < 20000; ++i) to.add("layer_" + std::to_string(i) + "/weights", fg::tensor<int>(i).erased()).value();
  to.finish().value();
  auto from = fg::tensor_bundle::open(folder / "many").value();
  REQUIRE(from.tensors().size() == 20000);
  for (const int i : {0, 1, 9999, 19999}) CHECK(from.read("layer_" + std::to_string(i) + "/weights").value().as<int>()[0] == i);
}

TEST_CASE("a tensor in parts is read whole, and parts of any tensor") {
  const test_folder folder;
  const auto whole = numbered(fg::dtype::int32, {4, 100});
  auto to = fg::tensor_bundle_writer::create(folder / "parts").value();
  to.add("whole", whole).value();
  for (const std::int64_t row : {2, 0, 1, 3}) {
    auto one = fg::any_tensor::allocate(fg::dtype::int32, {1, 100}).value();
    std::memcpy(one.data(), whole.as<int>().data() + row * 100, 400);
    to.add_slice("rows", {4, 100}, {{row, 0}, {1, -1}}, one).value();
  }
  CHECK_FALSE(to.add_slice("rows", {4, 100}, {{1, 0}, {1, -1}}, numbered(fg::dtype::int32, {1, 100})));
  CHECK_FALSE(to.add_slice("rows", {5, 100}, {{4, 0}, {1, -1}}, numbered(fg::dtype::int32, {1, 100})));
  CHECK_FALSE(to.add_slice("whole", {4, 100}, {{0, 0}, {1, -1}}, numbered(fg::dtype::int32, {1, 100})));
  CHECK_FALSE(to.add_slice("other", {4}, {{2}, {3}}, numbered(fg::dtype::int32, {3})));
  CHECK_FALSE(to.add_slice("other", {4}, {{2}, {2}}, numbered(fg::dtype::int32, {3})));
  CHECK_FALSE(to.add("whole", whole));
  CHECK_FALSE(to.add("", whole));
  CHECK_FALSE(to.add("empty", fg::any_tensor()));
  to.finish().value();

  auto from = fg::tensor_bundle::open(folder / "parts").value();
  CHECK(from.tensors().size() == 2);
  CHECK(equal(from.read("rows").value(), whole));
  const fg::tensor_slice middle{{1, 10}, {2, 5}};
  const auto part = from.read("rows", middle).value();
  CHECK(part.shape() == fg::shape{2, 5});
  CHECK(part.as<int>()[7] == whole.as<int>()[212]);
  CHECK(equal(part, from.read("whole", middle).value()));
  CHECK_FALSE(from.read("whole", {{1, 10}, {2, 91}}));
  CHECK_FALSE(from.read("whole", {{1}, {2}}));
}

TEST_CASE("a tensor of which parts are missing is an error that says how much there is") {
  const test_folder folder;
  auto to = fg::tensor_bundle_writer::create(folder / "part").value();
  to.add_slice("w", {4}, {{1}, {2}}, numbered(fg::dtype::int32, {2})).value();
  to.finish().value();
  auto from = fg::tensor_bundle::open(folder / "part").value();
  CHECK(says(from.read("w").error(), "tensor 'w': the parts have 2 of the 4 elements"));
  CHECK(from.read("w", {{1}, {2}}));
}

TEST_CASE("checkpoints become one, with their parts of one tensor") {
  const test_folder folder;
  std::filesystem::create_directory(folder / "temporary");
  std::vector<std::string> prefixes;
  for (const std::int64_t i : {0, 1, 2}) {
    prefixes.push_back(folder / ("temporary/part" + std::to_string(i)));
    auto to = fg::tensor_bundle_writer::create(prefixes.back()).value();
    to.add("own" + std::to_string(i), fg::tensor<std::int64_t>(i).erased()).value();
    to.add_slice("shared", {6}, {{2 * i}, {2}}, fg::tensor<std::int64_t>({2}, {i, i}).erased()).value();
    to.finish().value();
  }
  prefixes.push_back(folder / "temporary/none");
  CHECK(fg::merge_tensor_bundles(prefixes, folder / "all").error().code() == fg::error_code::not_found);
  fg::merge_tensor_bundles(prefixes, folder / "all", {.remove_folders = true, .allow_missing = true}).value();
  CHECK_FALSE(std::filesystem::exists(folder / "temporary"));
  auto from = fg::tensor_bundle::open(folder / "all").value();
  CHECK(from.shards() == 3);
  CHECK(from.read("own2").value().as<std::int64_t>()[0] == 2);
  const auto shared = from.read("shared").value();
  for (std::size_t i = 0; i < 6; ++i) CHECK(shared.as<std::int64_t>()[i] == static_cast<std::int64_t>(i / 2));
  CHECK_FALSE(fg::merge_tensor_bundles(std::vector{folder / "none"}, folder / "all", {.allow_missing = true}));
}

TEST_CASE("a checkpoint that two others name a tensor of is refused") {
  const test_folder folder;
  const std::vector prefixes{small_bundle(folder, "a"), small_bundle(folder, "b")};
  CHECK(says(fg::merge_tensor_bundles(prefixes, folder / "c").error(), "is in another checkpoint as well"));
  CHECK(is_whole(prefixes[0]));
}

TEST_CASE("every cut ends in an error") {
  const test_folder folder;
  const std::string prefix = small_bundle(folder);
  REQUIRE(is_whole(prefix));
  for (const std::string& path : {prefix + ".index", fg::bundle_data_path(prefix, 0, 1)}) {
    const std::string bytes = fg::read_file(path).value();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      put(path, std::string_view(bytes).substr(0, size));
      CHECK_MESSAGE(!is_whole(prefix), path << " of " << size << " bytes");
    }
    put(path, bytes);
  }
  CHECK(is_whole(prefix));
}

TEST_CASE("each flipped byte is found where a checksum covers it, and none does harm") {
  const test_folder folder;
  const std::string prefix = small_bundle(folder);
  const std::string data = fg::bundle_data_path(prefix, 0, 1), index = prefix + ".index";
  std::string bytes = fg::read_file(data).value();
  for (char& byte : bytes) {
    byte ^= 0x10;
    put(data, bytes);
    CHECK_FALSE(is_whole(prefix));
    byte ^= 0x10;
  }
  put(data, bytes);
  bytes = fg::read_file(index).value();
  const std::size_t footer = bytes.size() - 48;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= 0x10;
    put(index, bytes);
    const bool opens = is_whole(prefix);
    if (i < footer || i >= bytes.size() - 8) CHECK_MESSAGE(!opens, "byte " << i);  // the footer's own padding has no checksum
    bytes[i] ^= 0x10;
  }
}

TEST_CASE("errors name file, tensor and place") {
  const test_folder folder;
  const std::string prefix = small_bundle(folder);
  const std::string data = fg::bundle_data_path(prefix, 0, 1);
  std::string bytes = fg::read_file(data).value();
  bytes[5] ^= 1;
  put(data, bytes);
  const auto why = fg::tensor_bundle::open(prefix).value().read("w").error();
  CHECK(why.code() == fg::error_code::data_loss);
  CHECK(says(why, "'" + data + "': tensor 'w', 12 bytes at byte 0: the checksum is wrong"));
  std::filesystem::remove(data);
  CHECK(fg::tensor_bundle::open(prefix).value().read("w").error().code() == fg::error_code::not_found);
  CHECK(fg::tensor_bundle::open(folder / "none").error().code() == fg::error_code::not_found);
  CHECK(fg::tensor_bundle_writer::create(folder / "none/a").error().code() == fg::error_code::not_found);
}

TEST_CASE("a checkpoint that is written anew, or given up, leaves the last good one until it is whole") {
  const test_folder folder;
  const std::string prefix = small_bundle(folder);
  {
    auto to = fg::tensor_bundle_writer::create(prefix).value();
    to.add("w", numbered(fg::dtype::float64, {1000})).value();
    CHECK(folder.files() == 3);
  }
  CHECK(folder.files() == 2);
  CHECK(is_whole(prefix));
}

TEST_CASE("a checkpoint whose new index cannot take its place stays whole") {
  const test_folder folder;
  const std::string prefix = small_bundle(folder), index = prefix + ".index";
  std::filesystem::rename(index, folder / "kept");
  std::filesystem::create_directories(index + "/x");
  auto to = fg::tensor_bundle_writer::create(prefix).value();
  to.add("w", numbered(fg::dtype::float64, {1000})).value();
  CHECK(says(to.finish().error(), "cannot be replaced"));
  std::filesystem::remove_all(index);
  std::filesystem::rename(folder / "kept", index);
  CHECK(is_whole(prefix));
}

TEST_CASE("a merge that lacks a file changes no checkpoint") {
  const test_folder folder;
  std::vector<std::string> prefixes;
  for (const char* name : {"a", "b"}) {
    prefixes.push_back(folder / name);
    auto to = fg::tensor_bundle_writer::create(prefixes.back()).value();
    to.add(name, numbered(fg::dtype::float32, {3})).value();
    to.finish().value();
  }
  std::filesystem::remove(fg::bundle_data_path(prefixes[1], 0, 1));
  CHECK(fg::merge_tensor_bundles(prefixes, folder / "all").error().code() == fg::error_code::not_found);
  CHECK(is_whole(prefixes[0]));
  CHECK(folder.files() == 3);
}

TEST_CASE("tensors of types that are not read leave the others readable, and stay in a merge") {
  const test_folder folder;
  const std::string prefix = folder / "variants";
  put_index(prefix, {{"list", entry(21, {}, 1)}, {"flag", entry(10, {1}, 1)}});
  const std::vector<std::string> merged{prefix};
  for (const std::string& here : {prefix, folder / "merged"}) {
    if (here != prefix) fg::merge_tensor_bundles(merged, here).value();
    auto from = fg::tensor_bundle::open(here).value();
    CHECK(from.tensors().size() == 2);
    CHECK(from.find("list")->type == fg::dtype::invalid);
    CHECK(from.find("list")->unreadable_type == 21);
    CHECK(from.find("flag")->type == fg::dtype::boolean);
    for (const fg::error& why : {from.read("list").error(), from.read("list", fg::tensor_slice::all(0)).error()}) {
      CHECK(why.code() == fg::error_code::unimplemented);
      CHECK(says(why, "tensor 'list': elements of TensorFlow's type 21 are not read"));
    }
  }
}

TEST_CASE("an index that claims more than its files have is refused before memory is taken") {
  const test_folder folder;
  const std::string prefix = folder / "claims";
  const std::string part = key_of_part(folder);
  const fg::shape large{std::int64_t{1} << 46};
  put_index(prefix, {{"w", entry(1, large, 0, true)}, {part, entry(1, large, 0, true)}});
  CHECK(says(fg::tensor_bundle::open(prefix).error(), "is a part of a tensor, and has parts itself"));
  put_index(prefix, {{"w", entry(1, large, 0, true)}, {part, entry(1, large, std::int64_t{1} << 48)}});
  CHECK(says(fg::tensor_bundle::open(prefix).value().read("w").error(), "the file ends at byte 1"));
  const std::int64_t most = std::int64_t{1} << 62;
  put_index(prefix, {{"w", entry(1, {0, most, most}, 0)}});
  CHECK(says(fg::tensor_bundle::open(prefix).error(), "is broken"));
}
