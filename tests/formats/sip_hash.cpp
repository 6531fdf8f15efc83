#include <flowgraph/formats/sip_hash.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>

using flowgraph::detail::sip_hasher;

namespace {

constexpr std::uint64_t key0 = 0x0706050403020100u, key1 = 0x0f0e0d0c0b0a0908u;

std::string counted(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(i);
  return text;
}

}  // namespace

TEST_CASE("sip_hash: the vectors that its authors published") {
  // The first of vectors_sip64, whose texts are 00, 00 01, and so on; that of 15 bytes stands in the paper.
  constexpr std::array<std::uint64_t, 9> published = {0x726fdb47dd0e0e31u, 0x74f839c593dc67fdu, 0x0d6c8009d9a94f5au,
                                                      0x85676696d7fb7e2du, 0xcf2794e0277187b7u, 0x18765564cd99a68du,
                                                      0xcbc9466e58fee3ceu, 0xab0200f58b01d137u, 0x93f5f5799a932462u};
  for (std::size_t n = 0; n < published.size(); ++n) CHECK(sip_hasher<2, 4>(key0, key1).finish(counted(n)) == published[n]);
  CHECK(sip_hasher<2, 4>(key0, key1).finish(counted(15)) == 0xa129ca6149be45e5u);
  // Their program with 1 round for each word and 3 at the end.
  constexpr std::array<std::uint64_t, 9> faster = {0xabac0158050fc4dcu, 0xc9f49bf37d57ca93u, 0x82cb9b024dc7d44du,
                                                   0x8bf80ab8e7ddf7fbu, 0xcf75576088d38328u, 0xdef9d52f49533b67u,
                                                   0xc50d2b50c59f22a7u, 0xd3927d989bb11140u, 0x369095118d299a8eu};
  for (std::size_t n = 0; n < faster.size(); ++n) CHECK(sip_hasher<1, 3>(key0, key1).finish(counted(n)) == faster[n]);
  CHECK(sip_hasher<1, 3>(key0, key1).finish(counted(15)) == 0xd320d86d2a519956u);
}

TEST_CASE("sip_hash: words and padded bytes are hashed as the text that they make") {
  sip_hasher<2, 4> in_words(key0, key1);
  in_words.add(0x0706050403020100u);
  in_words.add_padded(counted(24).substr(8, 12));
  sip_hasher<2, 4> with_number = in_words;
  CHECK(with_number.finish_with(0x0706050403020100u) ==
        sip_hasher<2, 4>(key0, key1).finish(counted(20) + std::string(4, '\0') + counted(7)));
  CHECK(in_words.finish() == sip_hasher<2, 4>(key0, key1).finish(counted(20) + std::string(4, '\0')));
}
