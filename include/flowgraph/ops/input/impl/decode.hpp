#pragma once

#include <flowgraph/core/detail/real_from_chars.hpp>
#include <flowgraph/formats/compression.hpp>
#include <flowgraph/formats/json_example.hpp>
#include <flowgraph/ops/input/detail/decode.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blank = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(blank);
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

// Takes one sign, which from_chars does not take for every type.
inline bool take_sign(std::string_view& text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  return is_negative;
}

// Returns whether a number that no double holds is too small, and not too large: the place of its first digit decides.
inline bool is_tiny(std::string_view text, bool is_hexadecimal) {
  const std::size_t mark = std::min(text.find_first_of(is_hexadecimal ? "pP" : "eE"), text.size());
  std::string_view power = text.substr(std::min(mark + 1, text.size()));
  const bool is_negative = take_sign(power);
  std::int64_t exponent = 0;
  constexpr std::int64_t huge = std::int64_t{1} << 60;
  if (std::from_chars(power.data(), power.data() + power.size(), exponent).ec == std::errc::result_out_of_range) exponent = huge;
  const std::string_view digits = text.substr(0, mark);
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<std::int64_t>(std::min(digits.find_first_not_of("0."), digits.size()));
  return (is_negative ? -std::min(exponent, huge) : std::min(exponent, huge)) + (point - first) * (is_hexadecimal ? 4 : 1) < 0;
}

// Reads a number that is too large or too small for T. Not by strtod, which reads the decimal point of the locale.
template <class T> T far_number(std::string_view text, bool is_hexadecimal) {
  double wide = 0;
  const auto how = is_hexadecimal ? std::chars_format::hex : std::chars_format::general;
  if (sizeof(T) < sizeof(double) && real_from_chars(text.data(), text.data() + text.size(), wide, how).ec == std::errc())
    return static_cast<T>(wide);
  return is_tiny(text, is_hexadecimal) ? T(0) : std::numeric_limits<T>::infinity();
}

// Numbers that are too large or too small for T become an infinity or 0.
template <class T> bool parse_real(std::string_view text, T& number) {
  text = without_blanks(text);
  const bool is_negative = take_sign(text);
  if (text.starts_with('-') || text.starts_with('+')) return false;
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) text.remove_prefix(2);
  T value = 0;
  const char* end = text.data() + text.size();
  const auto read =
      real_from_chars(text.data(), end, value, is_hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (read.ptr != end || text.empty()) return false;
  if (read.ec == std::errc::result_out_of_range) value = far_number<T>(text, is_hexadecimal);
  else if (read.ec != std::errc()) return false;
  number = is_negative ? -value : value;
  return true;
}

template <class T> bool parse_whole(std::string_view text, T& number) {
  text = without_blanks(text);
  const bool has_plus = text.starts_with('+');
  if (has_plus) text.remove_prefix(1);
  if (text.starts_with('-') && (has_plus || std::is_unsigned_v<T>)) return false;
  T value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return false;
  number = value;
  return true;
}

FLOWGRAPH_INLINE bool parse_number(std::string_view text, float& number) { return parse_real(text, number); }
FLOWGRAPH_INLINE bool parse_number(std::string_view text, double& number) { return parse_real(text, number); }
FLOWGRAPH_INLINE bool parse_number(std::string_view text, std::int32_t& number) { return parse_whole(text, number); }
FLOWGRAPH_INLINE bool parse_number(std::string_view text, std::int64_t& number) { return parse_whole(text, number); }
FLOWGRAPH_INLINE bool parse_number(std::string_view text, std::uint32_t& number) { return parse_whole(text, number); }
FLOWGRAPH_INLINE bool parse_number(std::string_view text, std::uint64_t& number) { return parse_whole(text, number); }

// Divides one record into its fields.
class csv_record {
public:
  csv_record(std::string_view text, char delimiter, bool has_quotes)
      : text_(text), delimiter_(delimiter), has_quotes_(has_quotes) {}

  // Sets the next field. Returns false after the last one, and if the record is malformed.
  bool next(std::string& field) {
    field.clear();
    while (at_ < text_.size() && is_line_break(text_[at_])) ++at_;
    if (at_ >= text_.size()) {
      const bool is_last_empty = !ended_ && !text_.empty() && text_.back() == delimiter_;
      ended_ = true;
      return is_last_empty;
    }
    return has_quotes_ && text_[at_] == '"' ? take_quoted(field) : take_plain(field);
  }
  // Returns the reason why the record is malformed; null if it is not, so far.
  const char* refusal() const { return refusal_; }

private:
  static bool is_line_break(char c) { return c == '\n' || c == '\r'; }

  bool take_plain(std::string& field) {
    for (; at_ < text_.size() && text_[at_] != delimiter_; ++at_) {
      if ((has_quotes_ && text_[at_] == '"') || is_line_break(text_[at_]))
        return refuse("a field without quotes has a quote or a line break in it");
      field.push_back(text_[at_]);
    }
    ++at_;
    return true;
  }
  // Takes a field that ends with a quote before a delimiter or the end. A quote within is doubled.
  bool take_quoted(std::string& field) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 == text_.size() || text_[at_ + 1] == delimiter_) {
          at_ += 2;
          return true;
        }
        if (text_[++at_] != '"') return refuse("a quote within a quoted field must be doubled");
      }
      field.push_back(text_[at_]);
    }
    return refuse("a quoted field has no end");
  }
  bool refuse(const char* why) {
    refusal_ = why;
    return false;
  }

  std::string_view text_;
  char delimiter_;
  bool has_quotes_, ended_ = false;
  std::size_t at_ = 0;
  const char* refusal_ = nullptr;
};

// One column while it is filled.
struct csv_column {
  any_tensor values;
  const any_tensor* preset;

  // Returns false if the text is no value of the column's type.
  bool set(std::size_t row, const std::string& field) {
    return visit(
        [&]<class T>(T& to) {
          if constexpr (std::is_same_v<T, std::string>) return to = field, true;
          else return parse_number(std::string_view(field), to);
        },
        row);
  }
  void set_preset(std::size_t row) {
    visit([&]<class T>(T& to) { return to = preset->as<T>()[0], true; }, row);
  }

private:
  template <class F> bool visit(F&& f, std::size_t row) {
    switch (values.type()) {
      case dtype::float32: return f(values.as_writable<float>()[row]);
      case dtype::float64: return f(values.as_writable<double>()[row]);
      case dtype::int32: return f(values.as_writable<std::int32_t>()[row]);
      case dtype::int64: return f(values.as_writable<std::int64_t>()[row]);
      default: return f(values.as_writable<std::string>()[row]);
    }
  }
};

inline bool is_type_of_column(dtype t) {
  return t == dtype::float32 || t == dtype::float64 || t == dtype::int32 || t == dtype::int64 || t == dtype::string;
}

inline error check_csv(const decode_csv_op& op, any_list presets) {
  if (op.field_delim.size() != 1) return invalid_argument({"field_delim must be one character, found '", op.field_delim, "'"});
  if (presets.size() != op.column_types.size())
    return invalid_argument(
        {"there must be a default for each of the ", op.column_types.size(), " columns, found ", presets.size()});
  if (!op.select_cols.empty() && op.select_cols.size() != presets.size())
    return invalid_argument({"select_cols must name ", presets.size(), " columns, found ", op.select_cols.size()});
  for (std::size_t i = 0; i < op.select_cols.size(); ++i)
    if (op.select_cols[i] < 0 || (i > 0 && op.select_cols[i] <= op.select_cols[i - 1]))
      return invalid_argument({"select_cols must be in increasing order, from 0 on; found ", op.select_cols[i]});
  for (std::size_t i = 0; i < presets.size(); ++i) {
    if (!is_type_of_column(op.column_types[i]) || presets[i].type() != op.column_types[i])
      return invalid_argument({"the default of column ", i, " must be of its type, ", name_of(op.column_types[i]), ", found ",
                               name_of(presets[i].type())});
    if (presets[i].size() > 1 || presets[i].shape().rank > 1)
      return invalid_argument({"the default of column ", i, " must be one value or none, found ", presets[i].shape()});
  }
  return {};
}

// Reads one record into row `row` of the columns.
inline error read_record(const decode_csv_op& op, std::string_view text, std::size_t row, std::span<csv_column> columns,
                         std::string& field) {
  const auto refuse = [&](const message& why) { return invalid_argument({"record ", row, ": ", why.string()}); };
  csv_record record(text, op.field_delim[0], op.use_quote_delim);
  std::size_t column = 0;
  for (std::int64_t number = 0; record.next(field); ++number) {
    if (!op.select_cols.empty() && number != op.select_cols[column]) continue;
    if (column < columns.size()) {
      csv_column& c = columns[column];
      if (field.empty() || field == op.na_value) {
        if (c.preset->size() != 1) return refuse({"field ", column, " must be there: it has no default"});
        c.set_preset(row);
      } else if (!c.set(row, field)) {
        return refuse({"field ", column, ", '", field, "', is not of type ", name_of(c.values.type())});
      }
    }
    ++column;
    if (!op.select_cols.empty() && column == columns.size()) return {};  // the rest is not read
  }
  if (record.refusal()) return refuse({record.refusal()});
  return column == columns.size() ? error() : refuse({"expected ", columns.size(), " fields, found ", column});
}

}  // namespace detail

FLOWGRAPH_INLINE shape_list decode_csv_op::shape(shape_context& c, const flowgraph::shape& records,
                                                 std::span<const flowgraph::shape> defaults) const {
  for (const flowgraph::shape& s : defaults)
    if (s.rank > 1) c.fail("the default of a column must be one value or none");
  return shape_list(column_types.size(), records);
}

FLOWGRAPH_INLINE void decode_csv_op::operator()(cpu ctx, view<const std::string> records, any_list record_defaults,
                                                any_output_list columns) const {
  if (error why = detail::check_csv(*this, record_defaults)) return ctx.fail(why);
  std::vector<detail::csv_column> result(columns.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto values = any_tensor::allocate(column_types[i], records.shape(), ctx.memory());
    if (!values) return ctx.fail(values.error());
    result[i] = {*std::move(values), &record_defaults[i]};
  }
  std::string field;
  for (std::size_t row = 0; row < records.size(); ++row)
    if (error why = detail::read_record(*this, records[row], row, result, field)) return ctx.fail(why);
  for (std::size_t i = 0; i < result.size(); ++i) columns.share(i, std::move(result[i].values));
}

FLOWGRAPH_INLINE void decode_compressed_op::operator()(cpu ctx, view<const std::string> bytes, view<std::string> output) const {
  const auto kind = compression_named(compression_type);
  if (!kind) return ctx.fail(kind.error());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto plain = decompress(bytes[i], *kind);
    if (!plain) return ctx.fail(error_code::data_loss, message{"element ", i, ": ", plain.error().message()});
    output[i] = *std::move(plain);
  }
}

FLOWGRAPH_INLINE void decode_json_example_op::operator()(cpu ctx, view<const std::string> json_examples,
                                                         view<std::string> binary_examples) const {
  for (std::size_t i = 0; i < json_examples.size(); ++i) {
    auto result = example_from_json(json_examples[i]);
    if (!result) return ctx.fail(message{"element ", i, ": ", result.error().message()});
    binary_examples[i] = *std::move(result);
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
