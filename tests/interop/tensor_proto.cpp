#include <flowgraph/interop/tensor_proto.hpp>

#include "proto.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <limits>

namespace fg = flowgraph;
using fg::error_code;

namespace {

template <class T> std::vector<T> read(const std::string& file) {
  const auto t = fg::tensor<T>::from(fg::read_tensor(proto::bytes(file)).value()).value();
  return {t.begin(), t.end()};
}

void refuses_tensor(const std::string& file, error_code code, std::string_view word) {
  const auto made = fg::read_tensor(proto::bytes(file));
  REQUIRE_FALSE(made.has_value());
  INFO(std::string(made.error().what()));
  CHECK(made.error().code() == code);
  CHECK(made.error().message().find(word) != std::string_view::npos);
}

template <class T> void survives(const fg::tensor<T>& t) {
  const auto again = fg::tensor<T>::from(fg::read_tensor(proto::bytes(fg::write_tensor(t.erased()).value())).value()).value();
  CHECK(again.shape() == t.shape());
  for (std::size_t i = 0; i < t.size(); ++i) CHECK((again[i] == t[i] || (again[i] != again[i] && t[i] != t[i])));
}

using proto::number;
using proto::part;
using proto::raw;
using proto::tensor;

}  // namespace

TEST_CASE("tensors in files: values in a field of their type, packed or not") {
  CHECK(read<float>(tensor(1, {2}, part(5, raw(1.5f) + raw(-2.f)))) == std::vector{1.5f, -2.f});
  CHECK(read<float>(tensor(1, {2}, proto::fixed(5, 1.5f) + proto::fixed(5, -2.f))) == std::vector{1.5f, -2.f});
  CHECK(read<double>(tensor(2, {1}, part(6, raw(0.25)))) == std::vector{0.25});
  CHECK(read<std::int32_t>(tensor(3, {2}, part(7, proto::varint(7) + proto::varint(~std::uint64_t{0})))) == std::vector{7, -1});
  CHECK(read<std::uint8_t>(tensor(4, {1}, number(7, 200))) == std::vector<std::uint8_t>{200});
  CHECK(read<std::int64_t>(tensor(9, {1}, number(10, 1ull << 40))) == std::vector<std::int64_t>{1ll << 40});
  CHECK(read<std::uint32_t>(tensor(22, {1}, number(16, 0xffffffff))) == std::vector{0xffffffffu});
  CHECK(read<std::uint64_t>(tensor(23, {1}, number(17, ~0ull))) == std::vector<std::uint64_t>{~0ull});
  CHECK(fg::read_tensor(proto::bytes(tensor(10, {2}, part(11, std::string("\1\0", 2))))).value().as<bool>()[0]);
}

TEST_CASE("tensors in files: halves are integers, complex numbers are pairs") {
  CHECK(read<fg::half>(tensor(19, {2}, number(13, 0x3c00) + number(13, 0xc000)))[1] == -2.f);
  CHECK(read<fg::bfloat16>(tensor(14, {1}, number(13, 0x3f80)))[0] == 1.f);
  CHECK(read<fg::complex64>(tensor(8, {2}, part(9, raw(1.f) + raw(2.f)))) ==
        std::vector{fg::complex64(1, 2), fg::complex64(1, 2)});
  CHECK(read<fg::complex128>(tensor(18, {1}, part(12, raw(1.) + raw(-1.)))) == std::vector{fg::complex128(1, -1)});
  refuses_tensor(tensor(8, {2}, part(9, raw(1.f))), error_code::data_loss, "imaginary");
}

TEST_CASE("tensors in files: the last value stands for those that are missing, and nothing for zeros") {
  CHECK(read<float>(tensor(1, {4}, part(5, raw(1.f) + raw(2.f)))) == std::vector{1.f, 2.f, 2.f, 2.f});
  CHECK(read<std::int32_t>(tensor(3, {3}, "")) == std::vector{0, 0, 0});
  CHECK(read<std::string>(tensor(7, {3}, part(8, "a") + part(8, "b"))) == std::vector<std::string>{"a", "b", "b"});
  CHECK(read<std::int32_t>(tensor(3, {1}, number(7, 1) + number(7, 2))) == std::vector{1});
}

TEST_CASE("tensors in files: contents as they lie in memory") {
  CHECK(read<float>(tensor(1, {2}, part(4, raw(1.5f) + raw(-2.f)))) == std::vector{1.5f, -2.f});
  CHECK(read<std::string>(tensor(7, {2}, part(4, std::string("\1\2abc", 5)))) == std::vector<std::string>{"a", "bc"});
  refuses_tensor(tensor(1, {2}, part(4, raw(1.5f))), error_code::data_loss, "has 4 bytes");
  refuses_tensor(tensor(7, {2}, part(4, std::string("\1\7abc", 5))), error_code::data_loss, "cut");
}

TEST_CASE("tensors in files: what is written is read") {
  survives(fg::tensor<float>({2, 2}, {1, -0.f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}));
  survives(fg::tensor<double>(0.1));
  survives(fg::tensor<fg::half>({3}, {fg::half(1.f), fg::half(1.f), fg::half(1.f)}));
  survives(fg::tensor<fg::bfloat16>({2}, {fg::bfloat16(1.f), fg::bfloat16(3.f)}));
  survives(fg::tensor<fg::complex64>({2}, {{1, 2}, {1, 2}}));
  survives(fg::tensor<fg::complex128>({1}, {{1, 2}}));
  survives(fg::tensor<bool>({3}, {true, false, true}));
  survives(fg::tensor<std::int8_t>({2}, {-5, -5}));
  survives(fg::tensor<std::uint64_t>({1}, {~std::uint64_t{0}}));
  survives(fg::tensor<std::string>({2}, {"", std::string("a\0b", 3)}));
  survives(fg::tensor<float>({0, 3}));
  CHECK(fg::write_tensor(fg::tensor<float>({1000}).erased()).value().size() < 30);  // equal elements are written once
}

TEST_CASE("tensors in files: a hostile file ends in an error before there is an allocation") {
  const std::uint64_t huge = 1ull << 40;
  refuses_tensor(tensor(1, {huge}, part(5, raw(1.f))), error_code::resource_exhausted, "beyond the limit");
  refuses_tensor(tensor(1, {huge, huge, huge}, ""), error_code::resource_exhausted, "too large");
  refuses_tensor(tensor(1, {huge}, part(4, raw(1.f))), error_code::data_loss, "tensor_content");
  refuses_tensor(tensor(7, {huge}, part(4, "\1a")), error_code::data_loss, "tensor_content");
  refuses_tensor(tensor(1, {~std::uint64_t{0}}, ""), error_code::data_loss, "shape");
  refuses_tensor(number(1, 1) + part(2, number(3, 1)), error_code::data_loss, "shape");
  refuses_tensor(part(2, ""), error_code::data_loss, "element type");
  refuses_tensor(tensor(1, {2}, "\x2a"), error_code::data_loss, "");
  refuses_tensor(tensor(1, {2}, number(5, 1)), error_code::data_loss, "wire type");
  const auto small = fg::read_tensor(proto::bytes(tensor(1, {1000}, "")), {.expanded_bytes = 100});
  CHECK(small.error().code() == error_code::resource_exhausted);
}

TEST_CASE("tensors in files: what has no counterpart is named") {
  refuses_tensor(tensor(11, {1}, number(7, 1)), error_code::unimplemented, "type 11");
  refuses_tensor(tensor(20, {}, ""), error_code::unimplemented, "resources");
  refuses_tensor(tensor(1, {}, number(3, 1)), error_code::unimplemented, "version 1");
  std::string rank;
  for (int i = 0; i < 13; ++i) rank += part(2, number(1, 1));
  refuses_tensor(number(1, 1) + part(2, rank), error_code::unimplemented, "rank 13");
  CHECK(fg::write_tensor({}).error().code() == error_code::invalid_argument);
  CHECK(fg::write_tensor(fg::tensor<fg::resource>(fg::shape{}).erased()).error().code() == error_code::invalid_argument);
}
