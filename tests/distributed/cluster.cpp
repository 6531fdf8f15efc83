#include <flowgraph/distributed/cluster.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("cluster: tasks are numbered over all jobs, and have names and addresses") {
  const fg::cluster c{{"worker", {"a:1", "b:1"}}, {"ps", {"c:1"}}};
  CHECK(c.size() == 3);
  CHECK(c.task("ps", 0).value() == 2);
  CHECK(c.name_of(1) == "/job:worker/task:1");
  CHECK(c.name_of(2) == "/job:ps/task:0");
  CHECK(c.address_of(2) == "c:1");
}

TEST_CASE("cluster: a task that it has not is an error that lists what it has") {
  const fg::cluster c{{"worker", {"a:1", "b:1"}}};
  const auto none = c.task("ps", 0);
  REQUIRE_FALSE(none.has_value());
  CHECK(std::string_view(none.error().what()).find("/job:worker with 2 tasks") != std::string_view::npos);
  const fg::cluster one{{"worker", {"a:1"}}};
  CHECK(std::string_view(one.task("worker", 1).error().what()).ends_with("/job:worker with 1 task"));
}

TEST_CASE("cluster: it is read from a text, and what is wrong there is said") {
  const fg::cluster c = fg::cluster::parse("worker=a:1,b:1;ps=c:1").value();
  CHECK(c.jobs().size() == 2);
  CHECK(c.address_of(1) == "b:1");
  const fg::cluster with_blanks = fg::cluster::parse("worker = a:1, b:1; ps=c:1;").value();
  CHECK(with_blanks.address_of(1) == "b:1");
  CHECK(with_blanks.name_of(2) == "/job:ps/task:0");
  for (const char* wrong : {"", "worker", "worker=", "worker=a:1,a:1", "worker=a:1;worker=b:1", "=a:1", "a/b=a:1", "w=a:1,,b:1",
                            "w=a:1,", "w=a:1;ps="}) {
    CAPTURE(wrong);
    CHECK(fg::cluster::parse(wrong).error().code() == fg::error_code::invalid_argument);
  }
}
