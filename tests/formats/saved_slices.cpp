#include <flowgraph/formats/saved_slices.hpp>

#include "folder.hpp"
#include "tensors.hpp"

#include <doctest/doctest.h>

using namespace file_tests;

namespace {

fg::result<fg::saved_slices> open(const std::string& path) { return fg::saved_slices::open(std::span(&path, 1)); }

fg::any_tensor whole(const fg::saved_slices& from, std::string_view name) {
  return from.read(name, fg::tensor_slice::all(from.find(name)->extents.rank)).value();
}

}  // namespace

TEST_CASE("tensors of all types come back to the bit") {
  const test_folder folder;
  auto to = fg::saved_slices_writer::create(folder / "all").value();
  std::map<std::string, fg::any_tensor> values;
  for (const fg::dtype type : plain_types)
    for (const fg::shape& s : {fg::shape{}, fg::shape{0}, fg::shape{2, 3}, fg::shape{300}})
      if (fg::has_saved_slices_elements(type))
        values.emplace(std::string(fg::name_of(type)) + fg::to_string(s), numbered(type, s));
  values.emplace("text", texts({2, 2}));
  for (const auto& [name, value] : values) to.add(name, value).value();
  CHECK_FALSE(to.add("text", texts({2, 2})));
  CHECK_FALSE(to.add("", texts({2, 2})));
  CHECK_FALSE(to.add_slice("text", {2, 2}, {{0, 0}, {1, 2}}, texts({2, 2})));
  to.finish().value();
  const auto from = open(folder / "all").value();
  CHECK(from.tensors().size() == values.size());
  for (const auto& [name, value] : values) CHECK_MESSAGE(equal(whole(from, name), value), name);
  CHECK(from.find("nothing") == nullptr);
  CHECK(from.read("nothing", {}).error().code() == fg::error_code::not_found);
  CHECK(from.read("text", {{0, 1}, {2, 2}}).error().code() == fg::error_code::invalid_argument);
}

TEST_CASE("types that TensorFlow does not read in a first checkpoint are refused by name") {
  const test_folder folder;
  auto to = fg::saved_slices_writer::create(folder / "all").value();
  for (const fg::dtype type : {fg::dtype::bfloat16, fg::dtype::uint32, fg::dtype::uint64}) {
    const auto refused = to.add("w", numbered(type, {2}));
    REQUIRE_FALSE(refused);
    CHECK(says(refused.error(),
               "tensor 'w': TensorFlow's checkpoints of version 1 have no elements of type " + std::string(fg::name_of(type))));
  }
}

TEST_CASE("the parts of a tensor may stand in several files") {
  const test_folder folder;
  std::vector<std::string> paths;
  for (const std::int64_t row : {0, 1, 2}) {
    paths.push_back(folder / ("shard" + std::to_string(row)));
    auto to = fg::saved_slices_writer::create(paths.back()).value();
    to.add_slice("w", {3, 2}, {{row, 0}, {1, -1}}, fg::tensor<int>({1, 2}, {int(row), int(row) + 10}).erased()).value();
    to.finish().value();
  }
  const auto from = fg::saved_slices::open(paths).value();
  const auto w = whole(from, "w");
  for (std::size_t i = 0; i < 6; ++i) CHECK(w.as<int>()[i] == static_cast<int>(i / 2 + i % 2 * 10));
  const auto column = from.read("w", {{1, 1}, {2, 1}}).value();
  CHECK(column.shape() == fg::shape{2, 1});
  CHECK(column.as<int>()[1] == 12);
  const auto first = fg::saved_slices::open(std::span(paths).first(2)).value();
  CHECK(says(first.read("w", fg::tensor_slice::all(2)).error(), "tensor 'w': the parts have 4 of the 6 elements"));
}

TEST_CASE("cuts and flipped bytes end in errors") {
  const test_folder folder;
  auto to = fg::saved_slices_writer::create(folder / "a").value();
  to.add("w", numbered(fg::dtype::int16, {3})).value();
  to.finish().value();
  std::string bytes = fg::read_file(folder / "a").value();
  const auto put = [&](std::string_view text) {
    auto file = fg::file_writer::open(folder / "b").value();
    file.write(text).value();
    file.close().value();
  };
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    put(std::string_view(bytes).substr(0, size));
    CHECK_MESSAGE(!open(folder / "b"), size << " bytes");
  }
  for (std::size_t i = 0; i + 48 < bytes.size(); ++i) {
    bytes[i] ^= 0x10;
    put(bytes);
    CHECK_MESSAGE(!open(folder / "b"), "byte " << i);
    bytes[i] ^= 0x10;
  }
  CHECK(open(folder / "none").error().code() == fg::error_code::not_found);
}
