#pragma once

#include <flowgraph/formats/file.hpp>
#include <flowgraph/ops/input/detail/number.hpp>
#include <flowgraph/ops/lookup/detail/table_state.hpp>
#include <flowgraph/ops/lookup/lookup_table.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The lines of a text, in order.
class text_lines {
public:
  explicit text_lines(std::string_view text) : rest_(text) {}

  // False behind the last one.
  bool next(std::string& line) {
    if (rest_.empty()) return false;
    const std::string_view found = rest_.substr(0, rest_.find('\n'));
    line = found;
    std::erase(line, '\r');
    rest_.remove_prefix(std::min(rest_.size(), found.size() + 1));
    return true;
  }

private:
  std::string_view rest_;
};

// One column of a tensor that a table is filled with: what stands for each line.
struct table_column {
  std::string_view called;
  std::int64_t index;
  any_tensor values;

  error check(dtype type) const {
    const dtype wanted = index == text_file_columns::line_number ? dtype::int64 : dtype::string;
    const bool is_column = index >= 0;
    if (is_column ? type != dtype::boolean : type == wanted) return {};
    if (is_column) return invalid_argument({"a ", called, " of ", name_of(type), " cannot be read from text"});
    return invalid_argument({"a ", called, " that is a line", wanted == dtype::int64 ? "'s number" : "", " must be ",
                             name_of(wanted), ", found ", name_of(type)});
  }

  error set(std::int64_t row, std::int64_t number, std::string_view line, std::span<const std::string_view> parts) {
    const auto at = static_cast<std::size_t>(row);
    if (index == text_file_columns::line_number) values.as_writable<std::int64_t>()[at] = number;
    else if (index == text_file_columns::whole_line) values.as_writable<std::string>()[at] = line;
    else if (static_cast<std::size_t>(index) >= parts.size())
      return invalid_argument({"line ", row, " has ", parts.size(), " columns, and the ", called, " is column ", index});
    else if (!parse(at, parts[static_cast<std::size_t>(index)]))
      return invalid_argument({"line ", row, ": the ", called, " '", parts[static_cast<std::size_t>(index)], "' is not of type ",
                               name_of(values.type())});
    return {};
  }

private:
  bool parse(std::size_t at, std::string_view text) {
    switch (values.type()) {
      case dtype::int32: return parse_number(text, values.as_writable<std::int32_t>()[at]);
      case dtype::int64: return parse_number(text, values.as_writable<std::int64_t>()[at]);
      case dtype::float32: return parse_number(text, values.as_writable<float>()[at]);
      case dtype::float64: return parse_number(text, values.as_writable<double>()[at]);
      default: values.as_writable<std::string>()[at] = text; return true;
    }
  }
};

inline std::vector<std::string_view> columns_of(std::string_view line, char delimiter) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = line.find(delimiter);
    parts.push_back(line.substr(0, end));
    if (end == line.npos) return parts;
    line.remove_prefix(end + 1);
  }
}

// How many lines are to be read of a text that has so many.
inline result<std::int64_t> lines_to_read(const text_file_columns& columns, std::int64_t found) {
  if (found == 0) return error(error_code::out_of_range, "there is no line");
  if (columns.vocab_size == -1) return found;
  if (columns.vocab_size <= found) return columns.vocab_size;
  return invalid_argument({"vocab_size is ", columns.vocab_size, ", and there are ", found, " lines"});
}

inline error read_columns(const text_file_columns& columns, std::string_view text, std::int64_t count, table_column& key,
                          table_column& value) {
  text_lines lines(text);
  std::string line;
  for (std::int64_t row = 0; row < count && lines.next(line); ++row) {
    if (line.empty()) return invalid_argument({"line ", row, " is empty"});
    const auto parts = columns_of(line, columns.delimiter[0]);
    if (error why = key.set(row, row + columns.offset, line, parts)) return why;
    if (error why = value.set(row, row + columns.offset, line, parts)) return why;
  }
  return {};
}

inline error initialize_from_text(cpu ctx, table_state& table, const text_file_columns& columns, std::string_view text) {
  table_column key{"key", columns.key_index, {}}, value{"value", columns.value_index, {}};
  if (columns.delimiter.size() != 1)
    return invalid_argument({"delimiter must be one character, found '", columns.delimiter, "'"});
  if (error why = key.check(table.description().key)) return why;
  if (error why = value.check(table.description().value)) return why;
  std::int64_t found = 0;
  std::string line;
  for (text_lines lines(text); lines.next(line);) ++found;
  const auto count = lines_to_read(columns, found);
  if (!count) return count.error();
  auto keys = any_tensor::allocate(table.description().key, {*count}, ctx.memory());
  if (!keys) return keys.error();
  auto values = any_tensor::allocate(table.description().value, {*count}, ctx.memory());
  if (!values) return values.error();
  key.values = *std::move(keys);
  value.values = *std::move(values);
  if (error why = read_columns(columns, text, *count, key, value)) return why;
  return table.initialize(key.values, value.values);
}

FLOWGRAPH_INLINE void initialize_table_from_text_file(cpu ctx, const text_file_columns& columns, const std::string& filename) {
  const resource named = named_table(ctx);
  if (ctx.failed()) return;
  auto text = read_file(filename);
  if (!text) return ctx.fail(text.error());
  if (error why = initialize_from_text(ctx, *static_cast<table_state*>(named.base), columns, *text))
    ctx.fail(error(why.code(), message{"'", filename, "': ", why.message()}));
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
