#include "piece.hpp"

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

void write_piece(byte_writer& to, const piece& p) {
  write_numbers(to, p.feeds);
  write_numbers(to, p.wanted);
}

piece read_piece(byte_reader& from, std::vector<any_tensor> values) {
  piece made;
  made.feeds = read_numbers(from);
  made.wanted = read_numbers(from);
  made.values = std::move(values);
  if (made.feeds.size() != made.values.size()) from.fail();
  return made;
}

frame frame_of(std::uint64_t step, std::uint32_t task, piece_news news) {
  body_of body(message_kind::known_fetches);
  frame made;
  made.is = frame_kind::news;
  body.bytes.number(step);
  body.bytes.number(task);
  body.bytes.number(news.rests);
  body.bytes.number(news.taken);
  body.bytes.number(news.balance);
  body.bytes.number(static_cast<std::uint64_t>(news.fetches.size()));
  for (known_fetch& f : news.fetches) {
    body.bytes.number(f.number);
    write_error(body.bytes, f.why);
    if (!f.why) made.tensors.push_back(std::move(f.value));
  }
  made.body = std::move(body.text);
  return made;
}

piece_news read_piece_news(byte_reader& from, std::vector<any_tensor> values, std::uint64_t& step, std::uint32_t& task) {
  step = from.number<std::uint64_t>();
  task = from.number<std::uint32_t>();
  piece_news made;
  made.rests = from.number<std::uint8_t>() != 0;
  made.taken = from.number<std::uint64_t>();
  made.balance = from.number<std::uint64_t>();
  std::size_t next = 0;
  for (auto left = from.count(5); left > 0 && from.ok(); --left) {
    known_fetch& f = made.fetches.emplace_back();
    f.number = from.number<std::uint32_t>();
    f.why = read_error(from);
    if (f.why) continue;
    if (next == values.size()) from.fail();
    else f.value = std::move(values[next++]);
  }
  if (next != values.size()) from.fail();
  return made;
}

}
}
}  // namespace flowgraph::distributed
