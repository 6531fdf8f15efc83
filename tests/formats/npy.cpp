#include <flowgraph/formats/npy.hpp>

#include "folder.hpp"
#include "tensors.hpp"

#include <doctest/doctest.h>

using namespace file_tests;

namespace {

std::string npy(std::string_view header, std::string_view data, int version = 1) {
  std::string all = "\x93NUMPY";
  all += static_cast<char>(version);
  all += '\0';
  all += static_cast<char>(header.size() & 255);
  all += static_cast<char>(header.size() >> 8);
  if (version > 1) all += std::string(2, '\0');
  return all.append(header).append(data);
}
fg::result<fg::any_tensor> parse(std::string_view bytes) { return fg::parse_npy(std::as_bytes(std::span(bytes)), "file"); }
fg::result<fg::named_tensors> parse_all(std::string_view bytes) { return fg::parse_npz(std::as_bytes(std::span(bytes)), "file"); }

}  // namespace

TEST_CASE("arrays of all types and shapes come back to the bit") {
  const test_folder folder;
  std::vector<std::pair<std::string, fg::any_tensor>> all;
  for (const fg::dtype type : plain_types) {
    if (type == fg::dtype::bfloat16) continue;
    for (const fg::shape& s :
         {fg::shape{}, fg::shape{0}, fg::shape{5}, fg::shape{2, 3}, fg::shape{2, 0, 3}, fg::shape{4, 3, 2}}) {
      const auto value = numbered(type, s);
      fg::save_npy(folder / "one.npy", value, false).value();
      CHECK(equal(fg::load_npy(folder / "one.npy").value(), value));
      CHECK(equal(parse(fg::read_file(folder / "one.npy").value()).value(), value));
      all.emplace_back(std::string(fg::name_of(type)) + fg::to_string(s), value);
    }
  }
  fg::save_npz(folder / "all.npz", all).value();
  const auto back = fg::load_npz(folder / "all.npz").value();
  CHECK(back.size() == all.size());
  for (const auto& [name, value] : all) CHECK_MESSAGE(equal(back.find(name)->second, value), name);
  CHECK(folder.files() == 2);
}

TEST_CASE("an array shares its file, also when that is gone") {
  const test_folder folder;
  const auto value = numbered(fg::dtype::float64, {300});
  fg::save_npy(folder / "a.npy", value).value();
  const auto read = fg::load_npy(folder / "a.npy").value();
  CHECK(read.owner()->is_borrowed());
  std::filesystem::remove(folder / "a.npy");
  CHECK(equal(read, value));
}

TEST_CASE("either byte order, column-major arrays, and the later versions") {
  const auto big =
      parse(npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }\n", std::string_view("\1\2\3\4", 4))).value();
  CHECK(big.as<std::int16_t>()[0] == 0x102);
  CHECK(big.as<std::int16_t>()[1] == 0x304);
  const auto complex =
      parse(npy("{'descr': '>c8', 'fortran_order': False, 'shape': ()}", std::string_view("\x3f\x80\0\0\x40\0\0\0", 8))).value();
  CHECK(complex.as<fg::complex64>()[0] == fg::complex64(1, 2));
  for (const int version : {1, 2, 3}) {
    const auto columns =
        parse(npy("{\"shape\": (2, 3, 2), 'fortran_order': True, 'descr': '|u1'}", "abcdefghijkl", version)).value();
    CHECK(columns.shape() == fg::shape{2, 3, 2});
    const std::string rows(reinterpret_cast<const char*>(columns.data()), 12);
    CHECK(rows == "agciekbhdjfl");
  }
  const auto truths = parse(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", std::string_view("\2\0", 2))).value();
  CHECK(*static_cast<const unsigned char*>(truths.data()) == 1);
}

TEST_CASE("headers that do not fit are refused, with the place") {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", "expected the elements of float[3], found 8 bytes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "found 8 bytes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 999999999999999999)}", "found 8 bytes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999999999, 999999999999999999)}", "found 8 bytes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999999999,)}", "expected an extent"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "expected an extent"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': [2]}", "expected '('"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", "expected True or False"},
      {"{'descr': '<f4', 'fortran_order': False}", "expected 'descr', 'fortran_order' and 'shape'"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "once each"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", "once each"},
      {"{'descr': '<U2', 'fortran_order': False, 'shape': (1,)}", "elements of type '<U2' are not read"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "elements of type '|O' are not read"},
      {"{'descr': '|f4', 'fortran_order': False, 'shape': (2,)}", "elements of type '|f4' are not read"},
      {"{'descr': '', 'fortran_order': False, 'shape': (2,)}", "elements of type '' are not read"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", "records are not read"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,2)}", "up to 12 axes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "end of the header"},
      {"", "expected '{'"},
  };
  for (const auto& [header, why] : cases) {
    const fg::error found = parse(npy(header, "12345678")).error();
    CHECK_MESSAGE(says(found, why), header << " -> " << std::string(found.what()));
    CHECK(says(found, "'file': at byte"));
  }
  CHECK(says(parse(npy("{}", "", 4)).error(), "expected version 1 to 3"));
  CHECK(
      says(parse(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (0, 99999999999999999, 99999999999999999)}", "")).error(),
           "found 0 bytes"));  // it is empty, but its other extents are too large to multiply
  CHECK_FALSE(parse(""));
}

TEST_CASE("types that NumPy lacks, and folders that are not there") {
  const test_folder folder;
  CHECK(says(fg::save_npy(folder / "a", numbered(fg::dtype::bfloat16, {1})).error(), "NumPy has no elements of type bfloat16"));
  CHECK_FALSE(fg::save_npz(folder / "a", {{"w", texts({1})}}));
  const auto w = numbered(fg::dtype::int8, {1});
  CHECK_FALSE(fg::save_npz(folder / "a", {{"w", w}, {"w", w}}));
  CHECK(folder.files() == 0);
  CHECK(fg::save_npy(folder / "none/a", w).error().code() == fg::error_code::not_found);
  CHECK(fg::load_npy(folder / "none").error().code() == fg::error_code::not_found);
  CHECK(fg::load_npz(folder / "none").error().code() == fg::error_code::not_found);
}

TEST_CASE("every cut ends in an error, and flipped bytes of an archive are found") {
  const test_folder folder;
  fg::save_npy(folder / "a.npy", numbered(fg::dtype::int32, {3})).value();
  fg::save_npz(folder / "a.npz", {{"x", numbered(fg::dtype::int32, {3})}, {"y", numbered(fg::dtype::uint8, {2})}}).value();
  const std::string one = fg::read_file(folder / "a.npy").value();
  std::string all = fg::read_file(folder / "a.npz").value();
  for (std::size_t size = 0; size < one.size(); ++size) CHECK_FALSE(parse(std::string_view(one).substr(0, size)));
  for (std::size_t size = 0; size < all.size(); ++size) CHECK_FALSE(parse_all(std::string_view(all).substr(0, size)));
  const auto expected = parse_all(all).value();
  const std::size_t list = all.find("PK\1\2");
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] ^= 0x10;
    const auto made = parse_all(all);
    // Data has a checksum; of the list times and attributes may change, and names.
    if (i >= 30 + 5 && i < 30 + 5 + one.size()) CHECK_MESSAGE(!made, "byte " << i);
    if (made && i < list)
      for (const auto& [name, value] : expected) CHECK(equal(made->find(name)->second, value));
    all[i] ^= 0x10;
  }
}

TEST_CASE("archives that are compressed are refused by name") {
  const test_folder folder;
  fg::save_npz(folder / "a.npz", {{"x", numbered(fg::dtype::int32, {3})}}).value();
  std::string bytes = fg::read_file(folder / "a.npz").value();
  const std::size_t list = bytes.find("PK\1\2");
  bytes[list + 10] = 8;
  const fg::error why = parse_all(bytes).error();
  CHECK(why.code() == fg::error_code::unimplemented);
  CHECK(says(why, "member 'x.npy': is deflated, as by numpy.savez_compressed"));
  bytes[list + 10] = 0;
  bytes[list + 8] = 1;
  CHECK(says(parse_all(bytes).error(), "is encrypted"));
}

TEST_CASE("an array that cannot be read leaves the others of its archive as they are") {
  const test_folder folder;
  fg::save_npz(folder / "a.npz", {{"x", numbered(fg::dtype::int32, {3})}, {"y", numbered(fg::dtype::uint8, {2})}}).value();
  std::string bytes = fg::read_file(folder / "a.npz").value();
  bytes.replace(bytes.find("'<i4'"), 5, "'<U1'");
  CHECK_FALSE(parse_all(bytes));
  const auto all = fg::npz::over(std::as_bytes(std::span(bytes)), "file").value();
  REQUIRE(all.arrays().size() == 2);
  CHECK(says(all.find("x")->why, "elements of type '<U1' are not read"));
  CHECK(all.find("x")->type == fg::dtype::invalid);
  CHECK(says(all.read("x").error(), "file/x.npy"));
  CHECK(all.find("y")->shape == fg::shape{2});
  CHECK(equal(all.read("y").value(), numbered(fg::dtype::uint8, {2})));
  CHECK(says(all.read("z").error(), "'file': has no array 'z'"));
  bytes[bytes.find("PK\1\2") - 1] ^= 1;
  CHECK(says(all.read("y").error(), "member 'y.npy': the checksum is wrong"));
}

TEST_CASE("an archive of many arrays opens in little time") {
  const test_folder folder;
  std::vector<std::pair<std::string, fg::any_tensor>> many;
  for (int i = 0; i < 20'000; ++i) many.emplace_back("w" + std::to_string(i), numbered(fg::dtype::uint8, {1}));
  fg::save_npz(folder / "many.npz", many).value();
  const auto all = fg::npz::open(folder / "many.npz").value();
  CHECK(all.arrays().size() == many.size());
  CHECK(equal(all.read("w19999").value(), many.back().second));
}
