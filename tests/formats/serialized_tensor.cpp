#include <flowgraph/formats/serialized_tensor.hpp>

#include "changed.hpp"
#include "fuzz_targets.hpp"

#include <doctest/doctest.h>

namespace fg = flowgraph;
using namespace std::string_literals;

namespace {

template <class T> void check_same(const fg::tensor<T>& t) {
  const auto found = fg::tensor<T>::from(fg::parse_tensor(fg::serialize_tensor(t.erased())).value()).value();
  CHECK(found.shape() == t.shape());
  for (std::size_t i = 0; i < t.size(); ++i) CHECK(found[i] == t[i]);
}
bool is_refused(const std::string& bytes) {
  const auto found = fg::parse_tensor(bytes);
  return !found && found.error().code() == fg::error_code::invalid_argument;
}

}  // namespace

TEST_CASE("tensors come back from their bytes") {
  check_same(fg::tensor<float>({2}, {1, 2}));
  check_same(fg::tensor<std::int64_t>({2, 2}, {1, -2, 3, 4}));
  check_same(fg::tensor<std::string>({3}, {"a", "", "bc"}));
  check_same(fg::tensor<bool>({2}, {true, false}));
  check_same(fg::tensor<double>(3.5));
  check_same(fg::tensor<fg::complex64>({1}, {fg::complex64(1, 2)}));
  check_same(fg::tensor<float>({0, 2}));
}

// As TensorFlow 2.21 writes and reads them.
TEST_CASE("the bytes are TensorFlow's") {
  CHECK(fg::serialize_tensor(fg::tensor<float>({2}, {1, 2}).erased()) ==
        "\x08\x01\x12\x04\x12\x02\x08\x02\"\x08\0\0\x80?\0\0\0@"s);
  CHECK(fg::serialize_tensor(fg::tensor<std::string>({2}, {"a", "bc"}).erased()) ==
        "\x08\x07\x12\x04\x12\x02\x08\x02"
        "B\x01"
        "aB\x02"
        "bc"s);
  CHECK(fg::serialize_tensor(fg::tensor<float>({0, 2}).erased()) == "\x08\x01\x12\x06\x12\x00\x12\x02\x08\x02"s);
  const auto filled = fg::parse_tensor("\x08\x03\x12\x04\x12\x02\x08\x03\x3a\x01\x05"s).value();
  for (const std::int32_t v : filled.as<std::int32_t>()) CHECK(v == 5);
  CHECK(fg::parse_tensor("\x08\x01"s).value().as<float>().scalar() == 0);
}

TEST_CASE("short strings may need far more memory than their bytes") {
  const fg::tensor<std::string> text(fg::shape{1000});
  for (const bool as_content : {false, true}) {
    const std::string bytes = fg::serialize_tensor(text.erased(), as_content);
    CHECK(fg::parse_tensor(bytes, std::pmr::new_delete_resource(), 0).value().size() == 1000);
  }
}

TEST_CASE("what is no tensor is refused") {
  CHECK(is_refused(""));
  CHECK(is_refused("\xff"));
  CHECK(is_refused("\x08\x14"s));  // a resource
  CHECK(
      is_refused("\x08\x03\x12\x04\x12\x02\x08\x03\x22\x03"
                 "abc"s));                                                                     // content of another size
  CHECK(is_refused("\x08\x03\x12\x0d\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s));  // an extent of -1
  CHECK(is_refused("\x08\x01\x12\x08\x12\x06\x08\xff\xff\xff\xff\x0f"s));                      // 2^32 floats in 12 bytes
  const std::string whole = fg::serialize_tensor(fg::tensor<std::int64_t>({2, 3}).erased());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto found = fg::parse_tensor(std::string_view(whole).substr(0, size));
    if (!found) CHECK(found.error().code() == fg::error_code::invalid_argument);
  }
}

TEST_CASE("any bytes are read or refused") {
  try_changed(fg::serialize_tensor(fg::tensor<std::int64_t>({2, 3}).erased()), fuzz_targets::serialized_tensor);
}
