#include <flowgraph/op/saved_state.hpp>

#include <flowgraph/op/container.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

// Holds a text; takes none that begins with '!'.
struct noted final : fg::resource_base, fg::savable {
  explicit noted(std::string t) : resource_base(fg::kind_of<noted>()), text(std::move(t)) {}
  fg::savable* as_savable() noexcept override { return this; }
  fg::result<std::string> save() const override {
    if (text == "secret") return fg::error(fg::error_code::unimplemented, "it is a secret");
    return text;
  }
  fg::error load(std::string_view bytes, std::pmr::memory_resource*) override {
    if (bytes.starts_with('!')) return fg::error(fg::error_code::data_loss, "damaged");
    text = bytes;
    return {};
  }
  std::string text;
};
struct unsaved final : fg::resource_base {
  unsaved() : resource_base(fg::kind_of<unsaved>()) {}
};

noted* find_noted(fg::container& c, std::string_view name) {
  auto found = c.find_or_make("s", name, fg::kind_of<noted>(), []() -> fg::resource_base* { return new noted("new"); });
  return found ? found->as<noted>() : nullptr;
}

}  // namespace

TEST_CASE("saved_state: contents are given to resources that are there, and to those that are made later") {
  fg::container c;
  find_noted(c, "a")->text = "1";
  find_noted(c, "b")->text = "2";
  REQUIRE(c.find_or_make("s", "none", fg::kind_of<unsaved>(), []() -> fg::resource_base* { return new unsaved; }));
  const auto held = c.save().value();
  REQUIRE(held.size() == 2);
  CHECK(held[0].section + held[0].name + held[0].bytes == "sa1");

  fg::container other;
  CHECK(find_noted(other, "a")->text == "new");
  CHECK_FALSE(other.load(held));
  CHECK(find_noted(other, "a")->text == "1");
  CHECK(other.save().value().size() == 2);  // what waits is not lost
  CHECK(find_noted(other, "b")->text == "2");
  other.clear();
  CHECK(find_noted(other, "b")->text == "new");
  CHECK_FALSE(other.load(held));
  other.clear("s");
  CHECK(find_noted(other, "a")->text == "new");
}

TEST_CASE("saved_state: what cannot be loaded is an error that names the resource, and nothing has changed") {
  fg::container c;
  find_noted(c, "a")->text = "1";
  find_noted(c, "b")->text = "2";
  fg::error why = c.load({{"s", "a", "3"}, {"s", "b", "!"}});
  CHECK(why.code() == fg::error_code::data_loss);
  CHECK(why.message() == "the saved contents of resource 'b': damaged");
  CHECK(find_noted(c, "a")->text == "1");
  CHECK_FALSE(c.load({{"s", "later", "!"}}));
  const auto refused =
      c.find_or_make("s", "later", fg::kind_of<noted>(), []() -> fg::resource_base* { return new noted("new"); });
  CHECK(refused.error().message() == "the saved contents of resource 'later': damaged");
  CHECK(find_noted(c, "later")->text == "new");  // it begins anew

  fg::container emptied;
  CHECK_FALSE(emptied.load({{"s", "later", "!"}}));
  CHECK(find_noted(emptied, "later") == nullptr);
  CHECK(emptied.names().empty());
  emptied.clear();

  REQUIRE(c.find_or_make("s", "none", fg::kind_of<unsaved>(), []() -> fg::resource_base* { return new unsaved; }));
  CHECK(c.load({{"s", "none", "3"}}).message() == "resource 'none' is of a kind whose contents are not loaded");
  find_noted(c, "b")->text = "secret";
  CHECK(c.save().error().message() == "resource 'b' cannot be saved: it is a secret");
  CHECK(c.load({{"s", "a", "3"}, {"s", "b", "4"}}).code() == fg::error_code::unimplemented);
  CHECK(find_noted(c, "a")->text == "1");
}
