#include "workers.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace conformance {

namespace fs = std::filesystem;

namespace {

// Returns a verdict as bytes for a pipe: its kind; a line with a word for each missing op; a line with a number for each pass; a
// line with the numbers of nodes on each device; then the text.
std::string packed(const verdict& v) {
  std::string text(1, static_cast<char>(v.kind));
  for (const std::string& op : v.lacking) text += op + ' ';
  text += '\n';
  for (const std::size_t changed : v.changed) text += std::to_string(changed) + ' ';
  text += '\n';
  for (const std::size_t count : {v.ran.on_gpu, v.ran.on_host, v.ran.missed}) text += std::to_string(count) + ' ';
  return text + '\n' + v.text;
}
verdict unpacked(const std::string& text) {
  std::istringstream lines(text.substr(1));
  std::string line[3], word;
  for (std::string& l : line) std::getline(lines, l);
  verdict made;
  made.kind = static_cast<verdict::outcome>(text[0]);
  for (std::istringstream words(line[0]); words >> word;) made.lacking.push_back(word);
  std::istringstream numbers(line[1]), places(line[2]);
  for (std::size_t changed = 0; numbers >> changed;) made.changed.push_back(changed);
  places >> made.ran.on_gpu >> made.ran.on_host >> made.ran.missed;
  made.text.assign(std::istreambuf_iterator<char>(lines), {});
  return made;
}

bool write_all(int to, const void* from, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = write(to, static_cast<const char*>(from) + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}
bool read_all(int from, void* to, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = read(from, static_cast<char*>(to) + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

workers::workers(asked a) : asked_(std::move(a)), processes_(asked_.processes) {
  for (std::size_t i = 0; i < processes_.size(); ++i) processes_[i] = start(i);
}

workers::~workers() {
  for (process& p : processes_)
    if (p.id > 0) ending(p);
}

verdict workers::next() {
  const std::size_t index = next_++;
  process& p = processes_[index % processes_.size()];
  std::uint32_t size = 0;
  std::string text;
  if (p.id > 0 && read_all(p.verdicts, &size, sizeof size)) {
    text.resize(size);
    if (read_all(p.verdicts, text.data(), size)) return unpacked(text);
  }
  verdict made;
  made.kind = verdict::outcome::differs;
  made.text = ending(p);
  p = start(index + processes_.size());
  return made;
}

workers::process workers::start(std::size_t first) const {
  if (first >= asked_.cases) return {};
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error(std::strerror(errno));
  const pid_t id = fork();
  if (id < 0) throw std::runtime_error(std::strerror(errno));
  if (id == 0) {
    close(ends[0]);
    work(first, ends[1]);
  }
  close(ends[1]);
  return {id, ends[0]};
}

void workers::work(std::size_t first, int to) const noexcept {
  own_folder folder;
  for (std::size_t index = first; index < asked_.cases; index += processes_.size()) {
    alarm(asked_.longest);
    const std::string text = packed(asked_.run(index)).substr(0, 4000);
    folder.clear();
    const auto size = static_cast<std::uint32_t>(text.size());
    if (!write_all(to, &size, sizeof size) || !write_all(to, text.data(), size)) break;
  }
  folder.remove();
  _exit(0);
}

// Describes how the process ended.
std::string workers::ending(process& p) {
  close(p.verdicts);
  int status = 0;
  while (waitpid(p.id, &status, 0) < 0 && errno == EINTR) {}
  p = {};
  return WIFSIGNALED(status) ? "ended by signal " + std::to_string(WTERMSIG(status)) + ", " + strsignal(WTERMSIG(status))
                             : "ended early";
}

own_folder::own_folder() {
  std::string name = (fs::temp_directory_path() / "flowgraph_replay_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(std::strerror(errno));
  path_ = name;
  before_ = fs::current_path().string();
  fs::current_path(path_);
  fs::create_directory("flowgraph_case");  // existed when the cases were recorded
}

own_folder::~own_folder() { remove(); }

void own_folder::clear() {
  fs::current_path(path_);
  for (const fs::directory_entry& entry : fs::directory_iterator(path_))
    if (entry.path().filename() != "flowgraph_case" || !fs::is_empty(entry.path())) fs::remove_all(entry.path());
  fs::create_directory("flowgraph_case");
}

void own_folder::remove() {
  std::error_code ignored;
  fs::current_path(before_, ignored);
  fs::remove_all(path_, ignored);
}

}  // namespace conformance
