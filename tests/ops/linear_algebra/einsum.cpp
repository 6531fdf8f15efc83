#include <flowgraph/ops/linear_algebra/einsum.hpp>

#include "../evaluate.hpp"

#include <map>

using namespace ops_test;

namespace {

fg::tensor<float> digits(const fg::shape& shape, std::uint32_t state) {
  fg::tensor<float> t(shape);
  for (float& e : t.writable()) e = static_cast<float>((state = state * 1664525u + 1013904223u) >> 29) - 3;
  return t;
}

// By the definition: every index of every letter. Small integers, so that sums are exact.
fg::tensor<float> by_definition(const std::string& equation, const fg::tensor<float>& a, const fg::tensor<float>& b) {
  const std::size_t comma = equation.find(','), arrow = equation.find("->");
  const std::string terms[]{equation.substr(0, comma), equation.substr(comma + 1, arrow - comma - 1), equation.substr(arrow + 2)};
  std::map<char, std::int64_t> extents, at;
  for (std::size_t i = 0; i < terms[0].size(); ++i) extents[terms[0][i]] = a.dim(static_cast<int>(i));
  for (std::size_t i = 0; i < terms[1].size(); ++i) extents[terms[1][i]] = b.dim(static_cast<int>(i));
  const auto place = [&](const std::string& letters) {
    std::int64_t offset = 0;
    for (const char letter : letters) offset = offset * extents[letter] + at[letter];
    return static_cast<std::size_t>(offset);
  };
  fg::shape shape;
  for (const char letter : terms[2]) shape.push_back(extents[letter]);
  fg::tensor<float> y(shape);
  const auto sums = y.writable();
  for (float& e : sums) e = 0;
  for (auto& [letter, index] : extents) at[letter] = 0;
  while (true) {
    sums[place(terms[2])] += a[place(terms[0])] * b[place(terms[1])];
    auto next = at.begin();
    while (next != at.end() && ++next->second == extents[next->first]) (next++)->second = 0;
    if (next == at.end()) return y;
  }
}

}  // namespace

TEST_CASE("products of stacks are those of the definition, however the axes lie") {
  struct one {
    const char* equation;
    fg::shape a, b;
  };
  for (const one& o :
       {one{"bqhd,bkhd->bhqk", {2, 5, 3, 4}, {2, 6, 3, 4}}, one{"bhqk,bkhd->bqhd", {2, 3, 5, 6}, {2, 6, 3, 4}},
        one{"ij,jk->ki", {5, 7}, {7, 3}}, one{"ji,kj->ik", {7, 5}, {3, 7}}, one{"abc,bad->dc", {3, 4, 5}, {4, 3, 2}},
        one{"abcd,dbe->aec", {2, 3, 4, 5}, {5, 3, 2}}, one{"aab,bcc->ac", {3, 3, 4}, {4, 2, 2}},
        one{"ij,kl->ljik", {2, 3}, {4, 5}}, one{"abc,b->cab", {2, 3, 4}, {3}}, one{"ij,jk->iik", {3, 4}, {4, 2}},
        one{"ib,jb->bij", {3, 4}, {5, 4}}, one{"ij,j->i", {9, 8}, {8}}, one{"j,ij->i", {8}, {9, 8}},
        one{"abcd,cd->ab", {2, 3, 4, 5}, {4, 5}}, one{"ia,ja->a", {3, 4}, {2, 4}}, one{"zz,zz->z", {4, 4}, {4, 4}}}) {
    CAPTURE(std::string(o.equation));
    const auto a = digits(o.a, 3), b = digits(o.b, 5);
    const auto found = evaluate([&](auto x, auto y) { return fg::einsum(o.equation, {x, y}); }, a, b);
    const auto expected = by_definition(o.equation, a, b);
    CHECK(found.shape() == expected.shape());
    CHECK(values(found) == values(expected));
  }
}

TEST_CASE("equations that mean nothing are refused") {
  const auto refused = [](const char* equation, std::string_view why) {
    fg::graph g;
    const auto x = g.placeholder<float>("x", {2, 3});
    const auto wrong = refusal(g, [&] { (void)fg::einsum(equation, {x, x}); });
    CHECK_MESSAGE(says(wrong, why), wrong.what());
  };
  refused("ij,ij", "one ->");
  refused("ij,ij->ik", "an operand has");
  refused("ij,jk->ik", "one extent for j");
  refused("ij,j->i", "as many axes");
  refused("...j,...j->j", "the ellipsis");
  refused("i..,ij->i", "three dots");
}
