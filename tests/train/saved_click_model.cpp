#include <flowgraph/train/saved_click_model.hpp>

#include <flowgraph/formats/file.hpp>
#include <flowgraph/train/adagrad.hpp>

#include <doctest/doctest.h>

#include <clocale>
#include <filesystem>
#include <fstream>

namespace fg = flowgraph;

namespace {

namespace fs = std::filesystem;
using kind = fg::click_model_kind;

// A folder of this test, removed at its end.
struct model_folder {
  fs::path path = fs::temp_directory_path() / "flowgraph_saved_click_model";
  model_folder() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~model_folder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

fg::click_batch lines(std::initializer_list<const char*> all, const fg::click_options& how) {
  fg::click_batch made;
  for (const char* line : all) REQUIRE(fg::parse_clicks(line, how, made).what == nullptr);
  return made;
}

// A model with a session.
struct untrained_model {
  fg::graph g;
  fg::click_model model{g, {.factors = 2}};
  fg::session s{g};
  untrained_model() { s.initialize(); }
  fg::error why_not_saved(const std::string& folder) {
    const auto done = fg::save_click_model(s, model, folder);
    return done ? fg::error() : done.error();
  }
};

void write_text(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << text;
}
std::string text_of(const std::string& path) { return fg::read_file(path).value(); }

std::string why_not_loaded(const std::string& folder) {
  const auto made = fg::served_click_model::load(folder);
  return made ? std::string() : made.error().what();
}

}  // namespace

TEST_CASE("a saved model of each kind predicts as the model that was trained") {
  const model_folder folder;
  const fg::click_options reading{.format = fg::click_format::libffm, .hash_keys = true, .hash_seed = 5, .buckets = 1000};
  const fg::click_batch batch = lines({"1 0:a:1 1:b:0.5", "0 0:c:1 1:b:1", "1 1:d:2"}, reading);
  for (const kind k : {kind::fm, kind::ffm, kind::nfm, kind::wide_deep}) {
    CAPTURE(std::string(fg::name_of(k)));
    fg::graph g;
    const fg::click_model m(
        g, {.kind = k, .normalize = k != kind::nfm, .factors = 3, .fields = 2, .hidden = {4}, .seed = 9, .initial_scale = 0.1f});
    const auto train = fg::adagrad{.rate = 0.3f}.minimize(m.objective);
    fg::session s(g);
    s.initialize();
    for (int i = 0; i < 5; ++i) m.step(s, train, batch).value();
    fg::save_click_model(s, m, folder / "model", {reading, {{"note", "mine"}}}).value();
    fg::save_click_model(s, m, folder / "model", {reading, {{"note", "mine"}}}).value();  // replaces it

    auto served = fg::served_click_model::load(folder / "model").value();
    CHECK(served.predict(batch).value() == m.predict(s, batch).value());
    CHECK(served.description().texts.at("note") == "mine");
    CHECK(served.description().options.kind == k);
    CHECK(served.description().reading.hash_seed == 5);
    CHECK(served.predict("0:a:1 1:b:0.5").value() == m.predict(s, batch).value()[0]);
    CHECK(served.predict("0:unseen:1").value() == m.predict(s, lines({"0 0:unseen:1"}, reading)).value()[0]);
    const auto malformed = served.predict("0:a:1 1:b");
    CHECK(!malformed);
    CHECK(std::string(malformed.error().what()).find("in '0:a:1 1:b'") != std::string::npos);
    CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
  }
}

TEST_CASE("a folder that is not a model of clicks, or of another size, is refused with its name") {
  const model_folder folder;
  CHECK(why_not_loaded(folder / "none").find("none/model.safetensors") != std::string::npos);
  fs::create_directories(folder.path / "other");
  const auto write = [&](std::map<std::string, std::string> texts) {
    fg::save_safetensors(folder / "other/model.safetensors", {{"bias", fg::tensor<float>(0.f).erased()}},
                         {.metadata = std::move(texts)})
        .value();
  };
  write({});
  CHECK(why_not_loaded(folder / "other").find("is not a model of clicks") != std::string::npos);
  std::map<std::string, std::string> texts{{"format", "flowgraph click model 1"}, {"model", "fm"}};
  write(texts);
  CHECK(why_not_loaded(folder / "other").find("the description of the model: regression is missing") != std::string::npos);
  texts = {{"format", "flowgraph click model 1"}, {"model", "tree"}};
  write(texts);
  CHECK(why_not_loaded(folder / "other").find("model is 'tree'") != std::string::npos);
  texts = {{"format", "flowgraph click model 1"}, {"model", "nfm"}, {"regression", "0"}, {"normalize", "1"}, {"factors", "3x"}};
  write(texts);
  CHECK(why_not_loaded(folder / "other").find("fields is missing") == std::string::npos);
  CHECK(why_not_loaded(folder / "other").find("factors is '3x', expected a number") != std::string::npos);
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{{"factors", "3"},
                                                                                              {"fields", "0"},
                                                                                              {"hidden", "4,2"},
                                                                                              {"seed", "1"},
                                                                                              {"initial_scale", "0.5"},
                                                                                              {"lines", "libsvm"},
                                                                                              {"hash_keys", "0"},
                                                                                              {"hash_seed", "0"},
                                                                                              {"buckets", "0"}})
    texts[name] = value;
  write(texts);
  CHECK(why_not_loaded(folder / "other").find("layer_0/weights") != std::string::npos);
  texts["hidden"] = "1048576,1048576";
  write(texts);
  CHECK(why_not_loaded(folder / "other").find("layer_0/weights") != std::string::npos);
  texts["model"] = "ffm", texts["factors"] = texts["fields"] = "1048576";
  write(texts);
  CHECK(!why_not_loaded(folder / "other").empty());
  texts["factors"] = "-3", texts["fields"] = "4";
  write(texts);
  CHECK(why_not_loaded(folder / "other").find("factors must be 1 to 262143 for 4 fields, found -3") != std::string::npos);
  texts["factors"] = "3", texts["model"] = "fm";
  write(texts);
  CHECK(why_not_loaded(folder / "other").find("rows.safetensors") != std::string::npos);
  std::ofstream(folder / "other/rows.safetensors") << "damaged";
  CHECK(why_not_loaded(folder / "other").find("rows.safetensors") != std::string::npos);
}

TEST_CASE("a model replaces models and empty folders, and nothing else") {
  const model_folder folder;
  untrained_model small;
  const std::string model = folder / "model";
  const auto refused_for = [&](const std::string& path, const std::string& why) {
    CAPTURE(path);
    for (const fg::error& found : {small.why_not_saved(model), fg::detail::check_model_folder(model).error()}) {
      CHECK(found.code() == fg::error_code::already_exists);
      CHECK(std::string(found.message()) == "'" + path + "' exists and is not a model of clicks: " + why);
    }
  };
  for (const std::string end : {"", ".new", ".old"}) {
    write_text(model + end, "1 17:0.5\n");
    refused_for(model + end, "expected a folder, found a file");
    CHECK(text_of(model + end) == "1 17:0.5\n");
    fs::remove(model + end);
    write_text(model + end + "/notes.txt", "mine");
    write_text(model + end + "/model.safetensors", "");
    refused_for(model + end, "expected model.safetensors and rows.safetensors, found 'notes.txt'");
    CHECK(text_of(model + end + "/notes.txt") == "mine");
    fs::remove_all(model + end);
  }
  fs::create_directories(model);
  fg::save_safetensors(model + "/model.safetensors", {{"bias", fg::tensor<float>(0.f).erased()}},
                       {.metadata = {{"format", "pt"}}})
      .value();
  refused_for(model, "model.safetensors has the format 'pt', expected 'flowgraph click model 1'");
  fs::remove_all(model);

  fs::create_directories(model);
  CHECK(!small.why_not_saved(model));
  // A process that was killed while it saved leaves these.
  write_text(model + ".new/rows.safetensors", "unfinished");
  write_text(model + ".new/model.safetensors.7.partial", "unfinished");
  fs::copy(model, model + ".old");
  CHECK(fg::detail::check_model_folder(model));
  CHECK(!small.why_not_saved(model));
  CHECK(why_not_loaded(model).empty());
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

TEST_CASE("a model that cannot take its place leaves the old one there") {
  const model_folder folder;
  untrained_model small;
  const std::string model = folder / "model";
  CHECK(!small.why_not_saved(model));
  CHECK(!fg::detail::put_in_place(folder / "none", model));
  CHECK(why_not_loaded(model).empty());
  CHECK(!fs::exists(model + ".old"));
}

TEST_CASE("the description of a model is the same under every locale") {
  if (!std::setlocale(LC_NUMERIC, "de_DE.UTF-8")) return;
  const model_folder folder;
  untrained_model small;
  CHECK(!small.why_not_saved(folder / "model"));
  CHECK(why_not_loaded(folder / "model").empty());
  std::setlocale(LC_NUMERIC, "C");
  CHECK(why_not_loaded(folder / "model").empty());
}

TEST_CASE("the folder of a model may end with separators, and needs a name and a place") {
  const model_folder folder;
  untrained_model small;
  for (const char* const name : {"plain", "slash/", "slashes//", "new/deep/model/"}) {
    CAPTURE(name);
    for (int i = 0; i < 2; ++i) {
      CHECK(fg::detail::check_model_folder(folder / name));
      CHECK(!small.why_not_saved(folder / name));
    }
    CHECK(why_not_loaded(folder / name).empty());
    CHECK(std::distance(fs::directory_iterator(folder / name), fs::directory_iterator()) == 2);
  }
  for (const std::string& name :
       {std::string(), std::string("/"), std::string("."), std::string("./"), folder / "..", folder / "../"}) {
    CAPTURE(name);
    const auto checked = fg::detail::check_model_folder(name);
    REQUIRE(!checked);
    CHECK(checked.error().code() == fg::error_code::invalid_argument);
    CHECK(std::string(checked.error().message()) ==
          "'" + name + "' cannot be the folder of a model; expected a name, as in 'models/first'");
    CHECK(small.why_not_saved(name).code() == fg::error_code::invalid_argument);
  }
  write_text(folder / "file", "text");
  for (const auto& found :
       {fg::detail::check_model_folder(folder / "file/model").error(), small.why_not_saved(folder / "file/model")})
    CHECK(std::string(found.message()).find("the folder cannot be written") != std::string::npos);
}
