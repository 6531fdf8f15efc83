#include <flowgraph/io/graph_archive.hpp>

#include <flowgraph/graph/registration.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/state/variable.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>
#include <sstream>

namespace fg = flowgraph;

namespace {

// Every kind of attribute, with the values that text is bad at.
fg::graph_record record_of_all_kinds() {
  fg::graph g;
  const auto v = g.variable("v", fg::tensor<double>({2}, {0.1, std::numeric_limits<double>::quiet_NaN()}));
  static_cast<void>(v * v);
  fg::graph_record r = fg::record_of(g).value();
  fg::node_record n{.op = "All", .name = "all"};
  const float nan = std::bit_cast<float>(0x7fc12345u);
  const fg::any_tensor words = fg::tensor<std::string>({2}, {"plain", std::string("\0\xff", 2)}).erased();
  n.attributes = {{"i", std::numeric_limits<std::int64_t>::min()},
                  {"f", nan},
                  {"b", true},
                  {"s", std::string("\xc3\x28 no text")},
                  {"marked", "base64:not"},
                  {"t", fg::dtype::bfloat16},
                  {"shape", fg::shape{3, fg::any}},
                  {"any", fg::shape::unknown()},
                  {"tensor", fg::tensor<bool>({2}, {true, false}).erased()},
                  {"words", words},
                  {"empty", fg::tensor<float>({0, 3}).erased()},
                  {"f(x)", fg::function_name{"body"}},
                  {"is", std::vector<std::int64_t>{1, -2}},
                  {"fs", std::vector<float>{0.1f, -0.f, std::numeric_limits<float>::infinity(), nan}},
                  {"bs", std::vector<bool>{true, false, true}},
                  {"ss", std::vector<std::string>{"", "\xc3\xa4"}},
                  {"ts", std::vector<fg::dtype>{fg::dtype::string}},
                  {"shapes", std::vector<fg::shape>{{}, {2}}},
                  {"tensors", std::vector<fg::any_tensor>{words}},
                  {"functions", std::vector<fg::function_name>{{"a"}, {"b"}}}};
  n.device = "/device:CPU:0";
  n.colocated_with = {"v"};
  r.nodes.push_back(n);
  r.bodies = {{"while", 0}, {"cond", 1}};
  r.names.emplace_back("tower", 3u);
  return r;
}

std::span<const std::byte> bytes_of(const std::string& s) { return std::as_bytes(std::span(s)); }

}  // namespace

TEST_CASE("graph archive: all that a record has comes back to the bit, from bytes and from text") {
  const fg::graph_record r = record_of_all_kinds();
  const std::string bytes = fg::write_graph_record(r).value(), text = fg::write_graph_record_json(r).value();
  CHECK(fg::read_graph_record(bytes_of(bytes)).value() == r);
  CHECK(fg::read_graph_record_json(text).value() == r);
  CHECK(text.find("\"op\": \"All\"") != std::string::npos);
  CHECK(text.find("\xff") == std::string::npos);  // it is UTF-8
}

TEST_CASE("graph archive: a record is part of a program's own archive") {
  const fg::graph_record r = record_of_all_kinds();
  std::stringstream bytes;
  cereal::PortableBinaryOutputArchive{bytes}(7, r, 8);
  int before = 0, after = 0;
  fg::graph_record found;
  cereal::PortableBinaryInputArchive{bytes}(before, found, after);
  CHECK(before == 7);
  CHECK(after == 8);
  CHECK(found == r);
}

TEST_CASE("graph archive: a file is told by its name, and an error names it") {
  const std::string folder = (std::filesystem::temp_directory_path() / "flowgraph_graph_archive").string();
  std::filesystem::create_directories(folder);
  const fg::graph_record r = record_of_all_kinds();
  for (const std::string& path : {folder + "/graph.json", folder + "/graph.bin"}) {
    fg::save_graph_record(r, path).value();
    CHECK(fg::load_graph_record(path).value() == r);
  }
  CHECK(fg::read_file(folder + "/graph.json").value().starts_with("{"));
  std::filesystem::resize_file(folder + "/graph.bin", 100);
  const auto cut = fg::load_graph_record(folder + "/graph.bin");
  REQUIRE_FALSE(cut);
  CHECK(cut.error().code() == fg::error_code::data_loss);
  CHECK(cut.error().message().find("graph.bin") != std::string_view::npos);
  CHECK(fg::load_graph_record(folder + "/none").error().code() == fg::error_code::not_found);
  std::filesystem::remove_all(folder);
}

TEST_CASE("graph archive: a plan is kept with its edges, in both forms") {
  const fg::planned_record kept{record_of_all_kinds(), {0}, {{1, 0}, {0, 0}}, {2}};
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  for (const char* name : {"flowgraph_test_plan.json", "flowgraph_test_plan"}) {
    const std::string path = (folder / name).string();
    fg::save_planned_record(kept, path).value();
    CHECK(fg::load_planned_record(path).value() == kept);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 3);
    const fg::error why = fg::load_planned_record(path).error();
    CHECK(why.code() == fg::error_code::data_loss);
    CHECK(why.message().find("the bytes are not a plan") != std::string_view::npos);
    std::filesystem::remove(path);
  }
}

TEST_CASE("graph archive: cut and changed bytes are refused, or are another graph") {
  const std::string bytes = fg::write_graph_record(record_of_all_kinds()).value();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(fg::read_graph_record(bytes_of(bytes).first(size)).has_value());
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int mask : {1, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ mask);
      if (const auto made = fg::read_graph_record(bytes_of(changed))) fg::graph_of(*made, fg::registry()).error();
    }
  const std::string text = fg::write_graph_record_json(record_of_all_kinds()).value();
  for (std::size_t at = 0; at + 2 < text.size(); at += 7) {
    CHECK_FALSE(fg::read_graph_record_json(std::string_view(text).substr(0, at)).has_value());
    std::string changed = text;
    changed[at] = changed[at] == '[' ? '{' : '[';
    if (const auto made = fg::read_graph_record_json(changed)) fg::graph_of(*made, fg::registry()).error();
  }
}

TEST_CASE("graph archive: files changed by seed are refused, or are graphs") {
  const char* const said = std::getenv("FLOWGRAPH_TEST_MUTATIONS");
  const int rounds = said ? std::atoi(said) : 1000;
  fg::graph g;
  const auto x = g.variable("x", fg::tensor<float>({2}, {1, 2}));
  static_cast<void>(x + g.constant(fg::tensor<float>({2}, {3, 4})));
  fg::registry ops;
  for (std::size_t i = 0; i < g.size(); ++i) static_cast<void>(ops.add(*g.at(i)->op, std::source_location::current()));
  const fg::graph_record good = fg::record_of(g).value();
  const std::string files[] = {fg::write_graph_record(good).value(), fg::write_graph_record_json(good).value()};
  std::mt19937 random(11);
  int graphs = 0;
  for (int i = 0; i < rounds; ++i) {
    const bool is_text = i % 4 == 0;
    std::string file = files[is_text];
    for (auto changes = random() % 4; changes > 0 && !file.empty(); --changes) {
      const std::size_t at = random() % file.size();
      switch (random() % 4) {
        case 0: file[at] = static_cast<char>(random()); break;
        case 1: file[at] = static_cast<char>(file[at] ^ (1 << random() % 8)); break;
        case 2: file.erase(at, random() % 9); break;
        default: file.insert(at, file.substr(random() % file.size(), random() % 17));
      }
    }
    const auto read = is_text ? fg::read_graph_record_json(file) : fg::read_graph_record(bytes_of(file));
    if (!read) CHECK(read.error().code() == fg::error_code::data_loss);
    else graphs += fg::graph_of(*read, ops) ? 1 : 0;
  }
  CHECK(graphs > 0);
}

TEST_CASE("graph archive: what a file says of sizes takes no memory") {
  std::string bytes = fg::write_graph_record({}).value();
  // The number of nodes: behind the mark of the byte order, the version and the number of the first node.
  for (std::size_t i = 9; i < 16; ++i) bytes[i] = '\x7f';
  const auto made = fg::read_graph_record(bytes_of(bytes));
  REQUIRE_FALSE(made);
  CHECK(made.error().code() == fg::error_code::data_loss);

  fg::graph_record large;
  large.nodes.push_back({.op = "Const", .name = "c"});
  large.nodes[0].attributes = {{"value", fg::tensor<float>({2}, {1, 2}).erased()}};
  std::string text = fg::write_graph_record_json(large).value();
  const auto at = text.find("[\n", text.find("\"shape\"")) + 1;
  text.replace(at, text.find(']', at) - at, "1000000, 1000000");
  CHECK(fg::read_graph_record_json(text).error().message().find("has 8 bytes") != std::string_view::npos);
  text.replace(text.find("1000000, 1000000"), 16, "1000000000000, 1000000000000");
  CHECK(fg::read_graph_record_json(text).error().message().find("too large") != std::string_view::npos);
  CHECK(fg::read_graph_record_json(std::string(1000000, '[')).error().message().find("nested") != std::string_view::npos);
}

TEST_CASE("graph archive: another version and tensors without meaning elsewhere are refused") {
  std::string text = fg::write_graph_record_json({}).value();
  text.replace(text.find("\"flowgraph\": 1"), 14, "\"flowgraph\": 2");
  CHECK(fg::read_graph_record_json(text).error().message().find("version 2") != std::string_view::npos);
  fg::graph_record r;
  r.nodes.push_back({.op = "Const", .name = "c"});
  r.nodes[0].attributes = {{"value", fg::tensor<fg::resource>(fg::shape{}).erased()}};
  const auto made = fg::write_graph_record(r);
  REQUIRE_FALSE(made);
  CHECK(made.error().code() == fg::error_code::unimplemented);
}
