#include <flowgraph/interop/graph_def.hpp>

#include "proto.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace fg = flowgraph;
using fg::error_code;

namespace {

using proto::bytes;
using proto::number;
using proto::part;

std::string node_field(const std::string& fields) { return part(1, part(1, "n") + part(2, "Op") + fields); }
std::string attribute_field(const std::string& name, const std::string& value) { return part(5, part(1, name) + part(2, value)); }

void refuses(const std::string& file, error_code code, std::string_view word) {
  const auto made = fg::read_graph_def(bytes(file));
  REQUIRE_FALSE(made.has_value());
  INFO(std::string(made.error().what()));
  CHECK(made.error().code() == code);
  CHECK(made.error().message().find(word) != std::string_view::npos);
}

// All that a file can say.
fg::graph_def everything() {
  fg::graph_def g;
  g.producer = 24;
  g.min_consumer = 12;
  g.bad_consumers = {13, 14};
  fg::node_def n{"scope/n", "Op", "/job:w/task:0"};
  n.inputs = {"a", "b:1", "^c"};
  auto add = [&](std::string name, fg::attribute_value v) {
    n.attributes.push_back({.name = std::move(name), .value = std::move(v)});
  };
  add("s", "text");
  add("i", -7);
  add("f", 0.5f);
  add("b", true);
  add("type", fg::dtype::int64);
  add("shape", fg::shape{2, fg::any});
  add("scalar", fg::shape{});
  add("any", fg::shape::unknown());
  add("tensor", fg::tensor<float>({2}, {1, 2}).erased());
  add("func", fg::function_name{"body"});
  add("ss", std::vector<std::string>{"a", ""});
  add("is", std::vector<std::int64_t>{1, -1});
  add("fs", std::vector<float>{1, 2});
  add("bs", std::vector<bool>{true, false});
  add("types", std::vector<fg::dtype>{fg::dtype::float32, fg::dtype::string});
  add("shapes", std::vector<fg::shape>{{}, {3}, fg::shape::unknown()});
  add("tensors", std::vector<fg::any_tensor>{fg::tensor<std::int32_t>(1).erased()});
  add("funcs", std::vector<fg::function_name>{{"f"}, {"g"}});
  n.attributes.push_back({.name = "empty", .kind = fg::attribute_def::form::empty_list});
  g.nodes.push_back(std::move(n));
  return g;
}

void is_everything(const fg::graph_def& g) {
  CHECK(g.producer == 24);
  CHECK(g.min_consumer == 12);
  CHECK(g.bad_consumers == std::vector{13, 14});
  REQUIRE(g.nodes.size() == 1);
  const fg::node_def& n = g.nodes[0];
  CHECK(n.device == "/job:w/task:0");
  CHECK(n.inputs == std::vector<std::string>{"a", "b:1", "^c"});
  const fg::node_def wanted = everything().nodes[0];
  REQUIRE(n.attributes.size() == wanted.attributes.size());
  for (const fg::attribute_def& a : wanted.attributes) {
    const fg::attribute_def* found = n.find(a.name);
    CAPTURE(a.name);
    REQUIRE(found);
    CHECK(found->kind == a.kind);
    if (a.kind == fg::attribute_def::form::value) CHECK(found->value.kind() == a.value.kind());
    CHECK(to_string(found->value) == to_string(a.value));
  }
}

}  // namespace

TEST_CASE("graphs in files: what is written is read, in both forms") {
  is_everything(fg::read_graph_def(bytes(fg::write_graph_def(everything()).value())).value());
  const std::string text = fg::write_graph_def_text(everything()).value();
  INFO(text);
  is_everything(fg::read_graph_def_text(text).value());
}

TEST_CASE("graphs in files: what has no meaning here is kept as it stands") {
  const std::string function = part(1, part(1, part(1, "body")) + part(3, part(1, "n") + part(2, "Op")));
  const std::string with_attributes = part(10, part(1, "f") + part(2, part(1, "T") + part(2, number(6, 1))));
  const std::string file = node_field(attribute_field("q", number(6, 11)) + attribute_field("call", with_attributes) +
                                      attribute_field("none", "") + part(6, part(1, "old"))) +
                           part(2, function) + part(4, number(1, 5)) + part(5, "debug");
  const fg::graph_def g = fg::read_graph_def(bytes(file)).value();
  CHECK(g.functions() == std::vector<std::string>{"body"});
  const fg::node_def& n = g.nodes.at(0);
  CHECK(n.find("q")->kind == fg::attribute_def::form::unknown);
  CHECK(n.find("q")->what == "type 11");
  CHECK(n.find("call")->what == "function 'f' with attributes of its own");
  CHECK(fg::write_graph_def(g).value() == file);
  CHECK(fg::write_graph_def_text(g).value().find("DT_QINT8") != std::string::npos);
}

TEST_CASE("graphs in files: of an attribute that is there twice the last one counts") {
  const fg::graph_def g =
      fg::read_graph_def(bytes(node_field(attribute_field("a", number(3, 1)) + attribute_field("a", number(3, 2))))).value();
  REQUIRE(g.nodes.at(0).attributes.size() == 1);
  CHECK(*g.nodes[0].find("a")->value.get<std::int64_t>() == 2);
}

TEST_CASE("graphs in files: a broken or hostile file ends in an error that says where") {
  refuses(part(1, part(2, "Op")), error_code::data_loss, "no name");
  refuses(part(1, part(1, "n")), error_code::data_loss, "'n' has no op");
  refuses(node_field(part(3, "")), error_code::data_loss, "input of node 'n'");
  refuses(node_field(part(5, part(2, ""))), error_code::data_loss, "attribute of node 'n' has no name");
  refuses(node_field(attribute_field("a", number(8, 1))), error_code::data_loss, "attribute 'a' of node 'n'");
  refuses(node_field(attribute_field("a", part(1, number(3, 1) + part(2, "x")))), error_code::data_loss, "several kinds");
  refuses(node_field(attribute_field("value", part(8, proto::tensor(1, {1ull << 40}, "")))), error_code::resource_exhausted,
          "attribute 'value' of node 'n'");
  refuses(std::string("\x0a\xff\xff\xff\xff\x0f", 6), error_code::data_loss, "GraphDef");

  std::string nested = part(10, part(1, "f"));
  for (int i = 0; i < 200; ++i) nested = part(10, part(1, "f") + part(2, part(1, "a") + part(2, nested)));
  refuses(node_field(attribute_field("deep", nested)), error_code::resource_exhausted, "nests");

  // Each repeats its value within the limit; together they do not.
  std::string many;
  for (int i = 0; i < 100; ++i) many += node_field(attribute_field("value", part(8, proto::tensor(1, {1 << 20}, ""))));
  refuses(many, error_code::resource_exhausted, "limit");

  const std::string whole = fg::write_graph_def(everything()).value();
  for (std::size_t n = 1; n < whole.size(); ++n) static_cast<void>(fg::read_graph_def(bytes(whole.substr(0, n))));
}

TEST_CASE("graphs in files: by name") {
  const auto directory = std::filesystem::temp_directory_path() / "flowgraph_test_interop";
  std::filesystem::create_directories(directory);
  for (const char* name : {"g.pb", "g.pbtxt"}) {
    const std::string path = (directory / name).string();
    fg::save_graph_def(everything(), path).value();
    is_everything(fg::load_graph_def(path).value());
    // A file is replaced as a whole: whoever has the old one still has all of it.
    std::filesystem::create_hard_link(path, directory / "old.pb");
    fg::save_graph_def({}, path).value();
    std::filesystem::rename(directory / "old.pb", path);
    is_everything(fg::load_graph_def(path).value());
  }
  std::filesystem::remove_all(directory);
  const auto missing = fg::load_graph_def((directory / "none.pb").string());
  CHECK(missing.error().code() == error_code::not_found);
  CHECK(fg::save_graph_def(everything(), (directory / "none.pb").string()).error().code() == error_code::not_found);
}

#ifdef __linux__

namespace {

// How a child process ends, which may have that many bytes more than it has now.
int status_within(std::size_t bytes, bool (*act)(const std::string&), const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + bytes;
    const rlimit limit{most, most};
    bool held = ::setrlimit(RLIMIT_AS, &limit) == 0;
    try {
      held = held && act(path);
    } catch (...) { held = false; }
    ::_exit(held ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// 33 MB in a field that nobody knows.
std::string large_file() {
  const std::string content(std::size_t{33} << 20, 'x');
  return proto::part(100, content);
}

}  // namespace

TEST_CASE("graph def files: one is read into memory of its size, and one that is larger than memory is refused") {
  const std::string path = (std::filesystem::temp_directory_path() / "flowgraph_large.pb").string();
  std::ofstream(path, std::ios::binary) << large_file();
  const auto loads = [](const std::string& file) { return fg::load_graph_def(file).has_value(); };
  CHECK(status_within(std::size_t{80} << 20, loads, path) == 0);  // the file, and the field in what is made of it
  const auto refuses = [](const std::string& file) {
    return fg::load_graph_def(file).error().code() == fg::error_code::resource_exhausted;
  };
  std::filesystem::resize_file(path, std::uintmax_t{1} << 36);  // with a hole
  CHECK(status_within(std::size_t{80} << 20, refuses, path) == 0);
  std::filesystem::remove(path);
}

TEST_CASE("graph def files: a pipe, which does not say how much it holds") {
  const std::string path = (std::filesystem::temp_directory_path() / "flowgraph_pipe.pb").string();
  std::filesystem::remove(path);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << fg::write_graph_def(everything()).value(); });
  is_everything(fg::load_graph_def(path).value());
  writer.join();
  std::filesystem::remove(path);
}

#endif
