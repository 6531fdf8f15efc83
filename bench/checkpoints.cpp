// Checkpoints: variables saved and restored, beside the same bytes written and read by plain calls of the system.

#include "values.hpp"
#include "works.hpp"

#include <flowgraph/formats/tensor_bundle.hpp>
#include <flowgraph/train/saver.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace bench {

namespace {

constexpr std::int64_t parts = 16;

void refuse(const char* what) {
  std::perror(what);
  std::exit(1);
}

// A folder for the files of a work, and nothing else; gone at the end.
class scratch_folder {
public:
  explicit scratch_folder(const options& o)
      : path_((o.files.empty() ? std::string(".") : o.files) + "/checkpoints-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~scratch_folder() { std::filesystem::remove_all(path_); }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  std::string operator/(const char* name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

std::vector<fg::tensor<float>> make_values(const options& o) {
  const auto bytes = static_cast<std::int64_t>(o.megabytes) * 1'000'000;
  std::vector<fg::tensor<float>> made;
  for (std::int64_t i = 0; i < parts; ++i) made.push_back(fill(static_cast<std::uint32_t>(i), {bytes / parts / 4}));
  return made;
}
std::string name_of(std::size_t i) { return std::string("v") += std::to_string(i); }
std::size_t bytes_of(const fg::tensor<float>& t) { return t.size() * sizeof(float); }

void write_plainly(const std::string& path, std::span<const fg::tensor<float>> values, bool sync) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) refuse(path.c_str());
  for (const auto& t : values)
    for (std::size_t done = 0; done < bytes_of(t);) {
      const ssize_t n = ::write(file, reinterpret_cast<const char*>(t.data()) + done, bytes_of(t) - done);
      if (n <= 0) refuse("write");
      done += static_cast<std::size_t>(n);
    }
  if (sync && ::fsync(file) != 0) refuse("fsync");
  ::close(file);
}

// Reads the parts into memory that is taken for them, as each program that reads a file has to.
double read_plainly(const std::string& path, std::span<const fg::tensor<float>> like) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse(path.c_str());
  std::vector<std::unique_ptr<char[]>> kept;
  for (const auto& t : like) {
    kept.emplace_back(new char[bytes_of(t)]);
    for (std::size_t done = 0; done < bytes_of(t);) {
      const ssize_t n = ::read(file, kept.back().get() + done, bytes_of(t) - done);
      if (n <= 0) refuse("read");
      done += static_cast<std::size_t>(n);
    }
  }
  ::close(file);
  return static_cast<double>(kept.back()[0]);
}

struct trained {
  explicit trained(const options& o, const std::string& folder) : values(make_values(o)) {
    for (std::size_t i = 0; i < values.size(); ++i) g.variable<float>(name_of(i), values[i]);
    saver.emplace(g, fg::saver_options{.directory = folder, .keep = 1});
    session.emplace(g);
    session->initialize();
  }
  fg::graph g;
  std::vector<fg::tensor<float>> values;
  std::optional<fg::saver> saver;
  std::optional<fg::session> session;
};

void run_save(const options& o, std::string_view name) {
  const scratch_folder folder(o);
  trained t(o, folder.path());
  std::int64_t step = 0;
  const auto save = [&] { t.saver->save(*t.session, ++step).value(); };
  const double before = peak_megabytes();
  save();
  const auto plain = [&] { write_plainly(folder / "plain", t.values, true); };
  const contender all[] = {
      {{.variant = "prepared", .work = name, .unit = "ms/save", .peak_mb = peak_megabytes() - before}, 1, save},
      {{.variant = "write", .work = name, .unit = "ms/save", .peer = ""}, 1, plain},
  };
  measure_in_turns(o, all);
}

void run_unsynced(const options& o, std::string_view name) {
  const scratch_folder folder(o);
  const auto values = make_values(o);
  const auto save = [&] {
    auto to = fg::tensor_bundle_writer::create(folder / "model", false).value();
    for (std::size_t i = 0; i < values.size(); ++i) to.add(name_of(i), values[i].erased()).value();
    to.finish().value();
  };
  const auto plain = [&] { write_plainly(folder / "plain", values, false); };
  const contender all[] = {
      {{.variant = "prepared", .work = name, .unit = "ms/save"}, 1, save},
      {{.variant = "write", .work = name, .unit = "ms/save", .peer = ""}, 1, plain},
  };
  measure_in_turns(o, all);
}

void run_restore(const options& o, std::string_view name) {
  const scratch_folder folder(o);
  trained t(o, folder.path());
  const std::string prefix = t.saver->save(*t.session, 1).value();
  double sum = 0;
  const auto restore = [&] { t.saver->restore(*t.session, prefix).value(); };
  const auto plain = [&] { sum += read_plainly(fg::bundle_data_path(prefix, 0, 1), t.values); };
  const contender all[] = {
      {{.variant = "prepared", .work = name, .unit = "ms/restore"}, 1, restore},
      {{.variant = "read", .work = name, .unit = "ms/restore", .peer = ""}, 1, plain},
  };
  measure_in_turns(o, all);
  if (std::isnan(sum)) std::fprintf(stderr, "restore: nothing was read\n");
}

constexpr work works[] = {
    {"checkpoint_save", run_save}, {"checkpoint_unsynced", run_unsynced}, {"checkpoint_restore", run_restore}};

}  // namespace

std::span<const work> checkpoint_works() { return works; }

}  // namespace bench
