#include "record_bytes.hpp"

#include "field_bytes.hpp"

#include <flowgraph/io/detail/program_line.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

constexpr int most_causes = 16;

}  // namespace

void write_edges(byte_writer& to, std::span<const edge_record> edges) { record_writer(to).list(edges); }
std::vector<edge_record> read_edges(byte_reader& from) { return record_reader(from).one<std::vector<edge_record>>(); }
void write_numbers(byte_writer& to, std::span<const std::uint32_t> numbers) { record_writer(to).list(numbers); }
std::vector<std::uint32_t> read_numbers(byte_reader& from) { return record_reader(from).one<std::vector<std::uint32_t>>(); }

void write_graph(byte_writer& to, recycled_tensors& tensors, const graph_record& graph) { record_writer(to, &tensors)(graph); }
graph_record read_graph(byte_reader& from, std::span<const any_tensor> tensors) {
  return record_reader(from, tensors).one<graph_record>();
}

void write_error(byte_writer& to, const error& why) {
  int causes = 0;
  for (const error* e = &why; e && *e && causes < most_causes; e = e->cause(), ++causes) {
    to.number(e->code());
    to.text(e->message());
    to.text(e->node());
    to.text(e->op());
    const std::source_location at = e->where();
    to.text(at.file_name());
    to.text(at.function_name());
    to.number(static_cast<std::uint32_t>(at.line()));
    to.number(static_cast<std::uint32_t>(at.column()));
  }
  to.number(error_code::ok);
}

error read_error(byte_reader& from) {
  std::vector<error> chain;
  for (auto code = from.number<error_code>(); code != error_code::ok && from.ok(); code = from.number<error_code>()) {
    if (code > error_code::unauthenticated || chain.size() == most_causes) {
      from.fail();
      break;
    }
    const std::string text(from.text()), node(from.text()), op(from.text());
    const std::string_view file = from.text(), function = from.text();
    const auto line = from.number<std::uint32_t>(), column = from.number<std::uint32_t>();
    error e(code, text);
    const bool has_line = line != 0;
    const auto at = has_line ? detail::location_of(file, function, line, column, {}) : std::source_location();
    if (!node.empty() || !op.empty()) e = e.at(node, op, at);
    else if (has_line) e = e.at(at);
    chain.push_back(std::move(e));
  }
  error failure;
  for (auto e = chain.rbegin(); e != chain.rend(); ++e) failure = failure ? e->because(failure) : *e;
  return failure;
}

}  // namespace flowgraph::distributed
