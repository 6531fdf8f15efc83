#include <flowgraph/formats/safetensors.hpp>

#include "folder.hpp"
#include "tensors.hpp"

#include <doctest/doctest.h>

using namespace file_tests;

namespace {

std::string file_of(std::string_view header, std::string_view data) {
  const std::uint64_t size = header.size();
  std::string all(8, '\0');
  std::memcpy(all.data(), &size, 8);
  return all.append(header).append(data);
}
fg::result<fg::safetensors> parsed_file(std::string_view bytes) {
  return fg::safetensors::over(std::as_bytes(std::span(bytes)), "file");
}
fg::error refusal(std::string_view header, std::string_view data = "12345678") {
  const auto made = parsed_file(file_of(header, data));
  if (!made) return made.error();
  return {};
}

constexpr std::string_view good =
    R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"I16","shape":[2],"data_offsets":[4,8]}})";

}  // namespace

TEST_CASE("tensors of all types and shapes come back to the bit, without a copy") {
  const test_folder folder;
  std::vector<std::pair<std::string, fg::any_tensor>> values;
  for (const fg::dtype type : plain_types)
    for (const fg::shape& s : {fg::shape{}, fg::shape{0}, fg::shape{5}, fg::shape{2, 3}})
      if (type != fg::dtype::complex128)
        values.emplace_back(std::string(fg::name_of(type)) + fg::to_string(s), numbered(type, s));
  values.emplace_back("\"quoted\"\n\\ \xc3\xa4 \x01", numbered(fg::dtype::float32, {7}));
  fg::save_safetensors(folder / "all", values, {.metadata = {{"format", "pt"}, {"by", "\"me\""}}}).value();
  CHECK(folder.files() == 1);
  const auto from = fg::safetensors::open(folder / "all").value();
  CHECK(from.metadata().at("by") == "\"me\"");
  REQUIRE(from.tensors().size() == values.size());
  for (const auto& [name, value] : values) {
    const auto read = from.read(name).value();
    CHECK_MESSAGE(equal(read, value), name);
    CHECK(read.owner()->is_borrowed());
  }
  CHECK(from.read("nothing").error().code() == fg::error_code::not_found);
}

TEST_CASE("tensors outlive what they were read with") {
  const test_folder folder;
  const auto value = numbered(fg::dtype::float32, {1000});
  fg::save_safetensors(folder / "a", {{"w", value}}).value();
  const auto read = fg::safetensors::open(folder / "a").value().read("w").value();
  std::filesystem::remove(folder / "a");
  CHECK(equal(read, value));
}

TEST_CASE("a tensor that is not aligned, and truth values beyond 1, are copied") {
  std::string bytes =
      file_of(R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})",
              std::string_view("\x02\x00\x00\x80\x3f", 5));
  std::string shifted = "x" + bytes;  // one of both lies at an odd place
  for (const std::string_view text : {std::string_view(bytes), std::string_view(shifted).substr(1)}) {
    const auto from = parsed_file(text).value();
    CHECK(from.read("a").value().as<bool>()[0]);
    CHECK(from.read("b").value().as<float>()[0] == 1.f);
  }
}

TEST_CASE("headers that do not describe the file are refused, with the place") {
  REQUIRE_FALSE(refusal(good));
  REQUIRE_FALSE(refusal("{}", ""));
  REQUIRE_FALSE(refusal("{}   ", ""));
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "expected the end of the file"},
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})", "lies beyond the file's 8 bytes"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "tensor 'a' at byte 66: expected at byte 62"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}})", "lies beyond"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
       "overlaps"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[0],"data_offsets":[8,8]}})",
       "'a' once"},
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", "which are not F32[3]"},
      {R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}})", "which are not F32"},
      {R"({"a":{"dtype":"F33","shape":[2],"data_offsets":[0,8]}})", "found 'F33'"},
      {R"({"a":{"dtype":"f32","shape":[2],"data_offsets":[0,8]}})", "found 'f32'"},
      {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", "expected a whole number"},
      {R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", "expected ','"},
      {R"({"a":{"dtype":"F32","shape":[02],"data_offsets":[0,8]}})", "expected a whole number"},
      {R"({"a":{"dtype":"F32","shape":[2e0],"data_offsets":[0,8]}})", "expected ','"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,9223372036854775808]}})", "below 2^63"},
      {R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]}})", "up to 12 axes"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", "once each"},
      {R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "once each"},
      {R"({"a":{"dtype":"F32","shape":[2]}})", "expected 'dtype', 'shape' and 'data_offsets'"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", "expected ','"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}})", "expected ']'"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},})", "expected '\"'"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}x)", "expected the end of the header"},
      {R"({"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[)", "expected '{'"},
      {R"({"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":)", "once each"},
      {R"({"__metadata__":{"a":1}})", "expected '\"'"},
      {R"({"__metadata__":{"a":"1","a":"2"}})", "each name once"},
      {R"({"__metadata__":{},"__metadata__":{}})", "'__metadata__' once"},
      {"{\"a\n\":1}", "control character"},
      {"{\"\xff\":1}", "UTF-8"},
      {"{\"\xed\xa0\x80\":1}", "UTF-8"},
      {R"({"\ud800x":1})", "behind '\\'"},
      {R"({"\ud800\u0041":1})", "second half"},
      {R"({"\udc00":1})", "first half"},
      {R"({"\q":1})", "behind '\\'"},
      {" {}", "expected '{' at the beginning"},
      {"", "expected '{' at the beginning"},
  };
  for (const auto& [header, why] : cases) {
    const fg::error found = refusal(header);
    CHECK_MESSAGE(says(found, why), header << " -> " << std::string(found.what()));
    CHECK(says(found, "'file'"));
  }
  // An empty tensor, whose other extents are too large to multiply.
  CHECK(
      says(refusal(R"({"a":{"dtype":"F32","shape":[0,9223372036854775807,4],"data_offsets":[0,0]}})", ""), "which are not F32"));
}

TEST_CASE("a header that claims more than there is") {
  std::string bytes = file_of(good, "12345678");
  bytes[5] = 1;
  CHECK(says(parsed_file(bytes).error(), "expected a header of up to 100000000 bytes"));
  bytes[5] = 0;
  bytes[2] = 1;
  CHECK(says(parsed_file(bytes).error(), "the file is cut"));
}

TEST_CASE("every cut ends in an error, and so does every byte too many") {
  const std::string bytes = file_of(good, "12345678");
  for (std::size_t size = 0; size < bytes.size(); ++size) CHECK_FALSE(parsed_file(std::string_view(bytes).substr(0, size)));
  CHECK_FALSE(parsed_file(bytes + "x"));
  CHECK(parsed_file(bytes));
}

TEST_CASE("types that flowgraph or the format lacks") {
  const auto from = parsed_file(file_of(R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})", "12345678")).value();
  CHECK(from.tensors()[0].stored_type == "F8_E4M3");
  CHECK(from.read("a").error().code() == fg::error_code::unimplemented);
  const test_folder folder;
  CHECK(says(fg::save_safetensors(folder / "a", {{"w", texts({1})}}).error(),
             "tensor 'w': safetensors has no elements of type string"));
  CHECK_FALSE(fg::save_safetensors(folder / "a", {{"w", numbered(fg::dtype::complex128, {1})}}));
  const auto w = numbered(fg::dtype::int8, {1});
  CHECK_FALSE(fg::save_safetensors(folder / "a", {{"w", w}, {"w", w}}));
  CHECK_FALSE(fg::save_safetensors(folder / "a", {{"\xff", w}}));
  CHECK(folder.files() == 0);
  CHECK(fg::save_safetensors(folder / "none/a", {{"w", w}}).error().code() == fg::error_code::not_found);
  CHECK(fg::safetensors::open(folder / "none").error().code() == fg::error_code::not_found);
}
