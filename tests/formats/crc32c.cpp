#include <flowgraph/formats/crc32c.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace fg = flowgraph;

TEST_CASE("crc32c of the examples of RFC 3720") {
  CHECK(fg::crc32c("123456789") == 0xe3069283u);
  CHECK(fg::crc32c(std::string(32, '\0')) == 0x8a9136aau);
  CHECK(fg::crc32c(std::string(32, '\xff')) == 0x62a8ab43u);
  std::string counted;
  for (int i = 0; i < 32; ++i) counted += static_cast<char>(i);
  CHECK(fg::crc32c(counted) == 0x46dd794eu);
  CHECK(fg::crc32c("") == 0u);
}

TEST_CASE("the table and the processor agree for every length and alignment, whole and in parts") {
  std::vector<std::byte> bytes(10000);
  std::uint32_t state = 1;
  for (std::byte& b : bytes) b = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  for (const std::size_t size : {0, 1, 7, 8, 9, 63, 1024, 3071, 3072, 3073, 6144, 6151, 9990}) {
    for (std::size_t start = 0; start < 9; ++start) {
      const std::span<const std::byte> part(bytes.data() + start, size);
      CHECK(fg::crc32c(part) == fg::detail::crc32c_by_table(part, 0));
      CHECK(fg::crc32c(part.subspan(size / 3), fg::crc32c(part.first(size / 3))) == fg::crc32c(part));
    }
  }
}

TEST_CASE("masked checksums as TensorFlow stores them") {
  static_assert(fg::unmask_crc32c(fg::mask_crc32c(0x12345678u)) == 0x12345678u);
  const std::uint32_t sum = fg::crc32c("foo");
  CHECK(fg::mask_crc32c(sum) != sum);
  CHECK(fg::mask_crc32c(fg::mask_crc32c(sum)) != sum);
  CHECK(fg::unmask_crc32c(fg::unmask_crc32c(fg::mask_crc32c(fg::mask_crc32c(sum)))) == sum);
  CHECK(fg::mask_crc32c(0) == 0xa282ead8u);
}
