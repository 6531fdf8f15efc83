#include <flowgraph/ops/exchange.hpp>

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/common.hpp>
#include <flowgraph/runtime/joint_run.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

template <class Op> Op named(std::string name) {
  Op op;
  op.tensor_name = std::move(name);
  op.send_device = "/cpu:0";
  op.recv_device = "/cpu:1";
  return op;
}

}  // namespace

TEST_CASE("exchange ops: a registry has them once it is told") {
  fg::registry r;
  CHECK(r.tables("_Send").empty());
  fg::add_exchange_ops(r).value();
  for (const char* name : {"_Send", "_Recv", "_HostSend", "_HostRecv", "_Arg", "_Retval"}) CHECK_FALSE(r.tables(name).empty());
}

TEST_CASE("exchange ops: those of the host's memory keep their tensor there, whatever its type") {
  fg::registry r;
  fg::add_exchange_ops(r).value();
  for (const fg::op_table* t : r.tables("_HostSend")) CHECK(t->inputs()[0].is_on_host);
  for (const fg::op_table* t : r.tables("_HostRecv")) CHECK(t->outputs()[0].is_on_host);
  for (const fg::op_table* t : r.tables("_Send")) CHECK_FALSE(t->inputs()[0].is_on_host);
  for (const fg::op_table* t : r.tables("_Recv")) CHECK_FALSE(t->outputs()[0].is_on_host);
}

TEST_CASE("exchange ops: one graph sends, the other receives, as floats, strings and for the host") {
  fg::graph left, right;
  const auto x = left.placeholder<float>("x", {fg::any});
  const auto s = left.constant(std::string("text"));
  const fg::target sends = fg::apply(fg::send_op(named<fg::send_op>("x")), fg::exp(x));
  const fg::target sends_text = fg::apply(fg::host_send_op(named<fg::host_send_op>("s")), s);
  const auto y = fg::apply_in<float>(right, named<fg::receive_op>("x"));
  const auto t = fg::apply_in<std::string>(right, named<fg::host_receive_op>("s"));
  const auto twice = y + y;
  fg::session a{left}, b{right};
  for (float v : {0.f, 1.f}) {
    const auto made = fg::run_together({{.in = &b, .fetches = {twice, t}},
                                        {.in = &a, .feeds = {{x, fg::tensor<float>({1}, {v})}}, .targets = {sends, sends_text}}});
    CHECK(made[0][0].as<float>()[0] == doctest::Approx(2 * std::exp(v)));
    CHECK(made[0][1].as<std::string>().scalar() == "text");
    CHECK(made[1].empty());
  }
}

TEST_CASE("exchange ops: alone, a graph that receives says what it needs") {
  fg::graph g;
  const auto y = fg::apply_in<float>(g, named<fg::receive_op>("x"));
  fg::session s{g};
  const fg::error why = s.try_run(fg::fetch(y)).error();
  CHECK(why.code() == fg::error_code::failed_precondition);
  CHECK(std::string_view(why.what()).find("run_together") != std::string_view::npos);
}
