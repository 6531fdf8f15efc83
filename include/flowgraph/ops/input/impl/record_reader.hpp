#pragma once

#include <flowgraph/formats/record_file.hpp>
#include <flowgraph/ops/input/detail/record_reader.hpp>

#include <algorithm>
#include <optional>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class whole_file_reader_work final : public work_reader {
public:
  error begin(const std::string& work) override {
    path_ = work;
    return {};
  }
  outcome next(std::string& key, std::string& value) override {
    auto found = read_file(path_);
    if (!found) return {false, false, found.error()};
    key = path_;
    value = *std::move(found);
    return {true, true, {}};
  }
  std::unique_ptr<work_reader> fresh() const override { return std::make_unique<whole_file_reader_work>(); }

private:
  std::string path_;
};

class identity_reader_work final : public work_reader {
public:
  error begin(const std::string& work) override {
    work_ = work;
    return {};
  }
  outcome next(std::string& key, std::string& value) override {
    key = value = work_;
    return {true, true, {}};
  }
  std::unique_ptr<work_reader> fresh() const override { return std::make_unique<identity_reader_work>(); }

private:
  std::string work_;
};

// The reading of a file from its beginning to its end.
class stream_reader_work : public work_reader {
public:
  explicit stream_reader_work(compression how) : how_(how) {}
  error begin(const std::string& work) override {
    auto opened = byte_stream::open(work, how_);
    if (!opened) return opened.error();
    file_.emplace(*std::move(opened));
    number_ = 0;
    return begun();
  }
  void end() override { file_.reset(); }

protected:
  virtual error begun() = 0;
  std::string key(std::int64_t number) const { return message{file_->path(), ':', number}; }

  std::optional<byte_stream> file_;
  std::int64_t number_ = 0;  // of records, or lines

private:
  compression how_;
};

class text_line_reader_work final : public stream_reader_work {
public:
  explicit text_line_reader_work(std::int64_t header_lines)
      : stream_reader_work(compression::plain), header_lines_(header_lines) {}
  outcome next(std::string& key_of_line, std::string& value) override {
    auto found = file_->read_line(value);
    if (!found) return {false, false, found.error()};
    if (!*found) return {false, true, {}};
    if (value.ends_with('\r')) value.pop_back();
    key_of_line = key(++number_);
    return {true, false, {}};
  }
  std::unique_ptr<work_reader> fresh() const override { return std::make_unique<text_line_reader_work>(header_lines_); }

protected:
  error begun() override {
    std::string line;
    for (; number_ < header_lines_; ++number_) {
      auto found = file_->read_line(line);
      if (!found) return found.error();
      if (!*found) break;
    }
    return {};
  }

private:
  std::int64_t header_lines_;
};

class fixed_length_reader_work final : public stream_reader_work {
public:
  fixed_length_reader_work(const fixed_length_attributes& a, compression how)
      : stream_reader_work(how), attributes_(a), how_(how), header_(a.header_bytes), record_(a.record_bytes),
        footer_(a.footer_bytes), hop_(a.hop_bytes == 0 ? a.record_bytes : a.hop_bytes) {}
  // Each record precedes its footer, so the footer of the file is never a record.
  outcome next(std::string& key_of_record, std::string& value) override {
    if (number_ > 0) {
      const std::size_t kept = std::min(ahead_.size(), static_cast<std::size_t>(hop_));
      ahead_.erase(0, kept);
      auto skipped = file_->skip(static_cast<std::uint64_t>(hop_) - kept);
      if (!skipped) return {false, false, skipped.error()};
    }
    const auto wanted = static_cast<std::size_t>(record_ + footer_);
    while (ahead_.size() < wanted) {
      std::byte block[4096];
      auto found = file_->read(std::span(block).first(std::min(sizeof block, wanted - ahead_.size())));
      if (!found) return {false, false, found.error()};
      if (*found == 0) return {false, true, {}};
      ahead_.append(reinterpret_cast<const char*>(block), *found);
    }
    value = ahead_.substr(0, static_cast<std::size_t>(record_));
    key_of_record = key(number_++);
    return {true, false, {}};
  }
  std::unique_ptr<work_reader> fresh() const override { return std::make_unique<fixed_length_reader_work>(attributes_, how_); }

protected:
  error begun() override {
    ahead_.clear();
    auto skipped = file_->skip(static_cast<std::uint64_t>(header_));
    return skipped ? error() : skipped.error();
  }

private:
  fixed_length_attributes attributes_;
  compression how_;
  std::int64_t header_, record_, footer_, hop_;
  std::string ahead_;  // the bytes that have been read, from the beginning of a record
};

class tf_record_reader_work final : public work_reader {
public:
  explicit tf_record_reader_work(compression how) : how_(how) {}
  error begin(const std::string& work) override {
    auto opened = record_reader::open(work, how_);
    if (!opened) return opened.error();
    file_.emplace(*std::move(opened));
    return {};
  }
  outcome next(std::string& key, std::string& value) override {
    key = message{file_->path(), ':', file_->offset()};
    auto found = file_->next(value);
    if (!found) return {false, false, found.error()};
    return {*found, !*found, {}};
  }
  void end() override { file_.reset(); }
  std::unique_ptr<work_reader> fresh() const override { return std::make_unique<tf_record_reader_work>(how_); }

private:
  compression how_;
  std::optional<record_reader> file_;
};

FLOWGRAPH_INLINE resource reader_of(cpu ctx, const whole_file_attributes& a) {
  return find_or_make_reader(ctx, "WholeFileReader", a.container, a.shared_name,
                             [] { return std::make_unique<whole_file_reader_work>(); });
}
FLOWGRAPH_INLINE resource reader_of(cpu ctx, const identity_attributes& a) {
  return find_or_make_reader(ctx, "IdentityReader", a.container, a.shared_name,
                             [] { return std::make_unique<identity_reader_work>(); });
}
FLOWGRAPH_INLINE resource reader_of(cpu ctx, const text_line_attributes& a) {
  return find_or_make_reader(ctx, "TextLineReader", a.container, a.shared_name,
                             [&] { return std::make_unique<text_line_reader_work>(a.skip_header_lines); });
}
FLOWGRAPH_INLINE resource reader_of(cpu ctx, const tf_record_attributes& a) {
  const auto how = compression_named(a.compression_type);
  if (!how) return ctx.fail(how.error()), resource();
  return find_or_make_reader(ctx, "TFRecordReader", a.container, a.shared_name,
                             [&] { return std::make_unique<tf_record_reader_work>(*how); });
}
FLOWGRAPH_INLINE resource reader_of(cpu ctx, const fixed_length_attributes& a, const std::string& encoding) {
  const auto how = compression_named(encoding);
  if (!how) return ctx.fail(how.error()), resource();
  constexpr std::int64_t most = std::int64_t{1} << 40;  // so that sums of them do not overflow
  if (a.record_bytes <= 0 || a.header_bytes < 0 || a.footer_bytes < 0 || a.hop_bytes < 0 || a.record_bytes > most ||
      a.header_bytes > most || a.footer_bytes > most || a.hop_bytes > most) {
    ctx.fail(message{"record_bytes must be greater than 0, and header_bytes, footer_bytes and hop_bytes not negative; found ",
                     a.record_bytes, ", ", a.header_bytes, ", ", a.footer_bytes, " and ", a.hop_bytes});
    return {};
  }
  return find_or_make_reader(ctx, "FixedLengthRecordReader", a.container, a.shared_name,
                             [&] { return std::make_unique<fixed_length_reader_work>(a, *how); });
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
