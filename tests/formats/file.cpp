#include <flowgraph/formats/file.hpp>

#include "folder.hpp"
#include "tensors.hpp"
#include "written_file.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

#if __has_include(<sys/resource.h>)
#include <sys/resource.h>
#endif

using file_tests::put;
using file_tests::says;

namespace fg = flowgraph;

namespace {

std::string text_of(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

TEST_CASE("a file is read whole, in order and mapped") {
  const test_folder folder;
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i);
  put(folder / "a", text);
  CHECK(fg::read_file(folder / "a").value() == text);
  CHECK(text_of(fg::mapped_file::open(folder / "a").value().bytes()) == text);

  auto in_order = fg::file_reader::open(folder / "a").value();
  std::vector<std::byte> part(1000);
  in_order.read_all(part).value();
  CHECK(text_of(part) == text.substr(0, 1000));
  CHECK(in_order.offset() == 1000);
  in_order.seek(text.size() - 10).value();
  CHECK(in_order.read(part).value() == 10);
  CHECK(in_order.offset() == text.size());
  CHECK(in_order.read(part).value() == 0);
}

TEST_CASE("a mapped file outlives what opened it, and the file that takes its place") {
  const test_folder folder;
  put(folder / "a", "old");
  auto first = std::make_unique<fg::mapped_file>(fg::mapped_file::open(folder / "a").value());
  const fg::mapped_file copy = *first;
  first.reset();
  auto next = fg::atomic_file::create(folder / "a").value();
  next.write("new text").value();
  next.commit().value();
  CHECK(text_of(copy.bytes()) == "old");
  CHECK(fg::read_file(folder / "a").value() == "new text");
}

TEST_CASE("an empty file has no bytes") {
  const test_folder folder;
  put(folder / "empty", "");
  CHECK(fg::read_file(folder / "empty").value().empty());
  CHECK(fg::mapped_file::open(folder / "empty").value().bytes().empty());
}

TEST_CASE("reading beyond the end is an error with file and place") {
  const test_folder folder;
  put(folder / "short", "12345");
  auto in_order = fg::file_reader::open(folder / "short").value();
  std::byte two[2], four[4];
  in_order.read_all(two).value();
  const auto cut = in_order.read_all(four);
  CHECK(cut.error().code() == fg::error_code::data_loss);
  CHECK(says(cut.error(), "expected 4 bytes at byte 2, found 3"));
  CHECK(says(cut.error(), folder / "short"));
}

TEST_CASE("what is missing, a folder or without a name is an error with its reason") {
  const test_folder folder;
  for (const fg::error& why : {fg::read_file(folder / "none").error(), fg::mapped_file::open(folder / "none").error(),
                               fg::file_reader::open(folder / "none").error(), fg::file_writer::open(folder / "none/a").error(),
                               fg::atomic_file::create(folder / "none/a").error()}) {
    CHECK(why.code() == fg::error_code::not_found);
    CHECK(says(why, folder / "none"));
    CHECK(says(why, "No such file or directory"));
  }
  CHECK(fg::read_file("").error().code() == fg::error_code::not_found);
  CHECK(fg::read_file(folder.path()).error().code() == fg::error_code::failed_precondition);
  CHECK_FALSE(fg::mapped_file::open(folder.path()));
  CHECK_FALSE(fg::sync_folder(folder / "none"));
  CHECK(fg::sync_folder(folder.path()));
}

TEST_CASE("a writer replaces, goes on at the end, or leaves what is there") {
  using exists = fg::file_writer::if_exists;
  const test_folder folder;
  put(folder / "a", "first");
  auto more = fg::file_writer::open(folder / "a", exists::append).value();
  more.write(" second").value();
  CHECK(more.size() == 7);
  more.flush().value();
  CHECK(fg::read_file(folder / "a").value() == "first second");
  more.sync().value();
  more.close().value();
  CHECK_FALSE(more.write("closed"));
  CHECK(fg::file_writer::open(folder / "a", exists::fail).error().code() == fg::error_code::already_exists);
  put(folder / "a", "third");
  CHECK(fg::read_file(folder / "a").value() == "third");
}

TEST_CASE("an atomic file is seen whole or not at all") {
  const test_folder folder;
  put(folder / "a", "old");
  {
    auto next = fg::atomic_file::create(folder / "a").value();
    next.write(std::string(1000000, 'x')).value();
    CHECK(fg::read_file(folder / "a").value() == "old");
    CHECK(folder.files() == 2);
  }
  CHECK(folder.files() == 1);
  auto next = fg::atomic_file::create(folder / "a").value();
  auto other = fg::atomic_file::create(folder / "a", false).value();
  next.write("new").value();
  other.write("other").value();
  auto moved = std::move(next);
  moved.commit().value();
  CHECK(fg::read_file(folder / "a").value() == "new");
  CHECK_FALSE(moved.commit());
  other = std::move(moved);
  CHECK(folder.files() == 1);
  CHECK(fg::read_file(folder / "a").value() == "new");
}

TEST_CASE("an atomic file has the permissions of the file that it replaces") {
  using std::filesystem::perms;
  const test_folder folder;
  put(folder / "a", "secret");
  std::filesystem::permissions(folder / "a", perms::owner_read | perms::owner_write);
  const auto before = std::filesystem::status(folder / "a").permissions();
  auto next = fg::atomic_file::create(folder / "a").value();
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) CHECK(entry.status().permissions() == before);
  next.write("other").value();
  next.commit().value();
  CHECK(std::filesystem::status(folder / "a").permissions() == before);
}

TEST_CASE("an atomic file may have every name that the file system allows") {
  const test_folder folder;
  std::string umlauts;
  for (int i = 0; i < 127; ++i) umlauts += "\xc3\xa4";
  for (const std::string& name : {std::string(255, 'x'), umlauts, std::string(240, 'z')}) {
    auto next = fg::atomic_file::create(folder / name).value();
    next.write("new").value();
    next.commit().value();
    CHECK(fg::read_file(folder / name).value() == "new");
  }
}

TEST_CASE("an atomic file that is prepared has its contents before it has its name") {
  const test_folder folder;
  put(folder / "a", "old");
  auto next = fg::atomic_file::create(folder / "a").value();
  next.write("new").value();
  next.prepare().value();
  next.prepare().value();
  CHECK(fg::read_file(folder / "a").value() == "old");
  CHECK_FALSE(next.write("more"));
  next.commit().value();
  CHECK(fg::read_file(folder / "a").value() == "new");
  CHECK_FALSE(next.prepare());
  CHECK(folder.files() == 1);
}

TEST_CASE("the error of a file that cannot be created names the file, not its partial name") {
  const test_folder folder;
  const std::string path = folder / "none/a";
  const auto made = fg::atomic_file::create(path);
  REQUIRE_FALSE(made);
  CHECK(made.error().message() == "'" + path + "': cannot be written: No such file or directory");
}

#if __has_include(<sys/resource.h>)
TEST_CASE("a full disk: the error says so, and the file before it stays") {
  const test_folder folder;
  if (std::filesystem::exists("/dev/full")) {
    auto to = fg::file_writer::open("/dev/full").value();
    to.write("kept in memory").value();
    CHECK(to.flush().error().code() == fg::error_code::resource_exhausted);
    CHECK(says(to.close().error(), "'/dev/full': cannot be written: "));
    auto much = fg::file_writer::open("/dev/full").value();
    const auto written = much.write(std::string(1 << 20, 'x'));
    CHECK(says(written.error(), "No space left on device"));
  }
  put(folder / "a", "old");
  ::rlimit before;
  ::getrlimit(RLIMIT_FSIZE, &before);
  const ::rlimit little{1 << 18, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &little);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  auto next = fg::atomic_file::create(folder / "a").value();
  auto done = next.write(std::string(1 << 20, 'x'));
  if (done) done = next.commit();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(done.error().code() == fg::error_code::resource_exhausted);
  CHECK(says(done.error(), "cannot be written"));
  next.discard();
  CHECK(folder.files() == 1);
  CHECK(fg::read_file(folder / "a").value() == "old");
}
#endif

TEST_CASE("a folder where nothing may be written: the error says so") {
  const test_folder folder;
  std::filesystem::create_directory(folder / "locked");
  std::filesystem::permissions(folder / "locked", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const auto made = fg::atomic_file::create(folder / "locked/a");
  if (!made) CHECK(made.error().code() == fg::error_code::permission_denied);  // who administers the system may write everywhere
  const auto system = fg::atomic_file::create("/proc/flowgraph");
  if (std::filesystem::exists("/proc")) CHECK_FALSE(system);
  std::filesystem::permissions(folder / "locked", std::filesystem::perms::owner_all);
}
