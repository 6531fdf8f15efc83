// Reads clusters that are written out: TF_CONFIG, and lists of addresses of flowgraph's own.

#include "host_list.hpp"
#include "launchers.hpp"
#include "../words.hpp"

#include <flowgraph/formats/detail/json_text.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

using detail::json_cursor;

// Reads TF_CONFIG. Unknown fields are skipped, since other programs use it too.
class tf_config_reader {
public:
  explicit tf_config_reader(std::string_view text) : text_(text), at_(text) {}

  result<named_task> read() {
    const bool is_read = fields([&](const std::string& name) {
      if (name == "cluster") return jobs();
      if (name == "task") return task();
      return skip(0);
    });
    if (is_read && !at_.is_at_end()) at_.stop("expected nothing behind the last '}'");
    if (!at_.is_good())
      return detail::invalid_argument({"TF_CONFIG cannot be read at byte ", at_.offset(), ": ", at_.expected()});
    if (jobs_.empty()) return detail::invalid_argument("TF_CONFIG names no cluster");
    result_.all = cluster(std::move(jobs_));
    result_.told_by = "TF_CONFIG";
    if (error why = result_.all.check()) return detail::invalid_argument("TF_CONFIG has a wrong cluster").because(why);
    return std::move(result_);
  }

private:
  template <class F> bool fields(F on_field) {
    if (!at_.take('{')) return false;
    if (at_.takes('}')) return true;
    do {
      std::string name;
      if (!at_.text(name) || !at_.take(':') || !on_field(name)) return false;
    } while (at_.takes(','));
    return at_.take('}');
  }
  template <class F> bool items(F on_item) {
    if (!at_.take('[')) return false;
    if (at_.takes(']')) return true;
    do
      if (!on_item()) return false;
    while (at_.takes(','));
    return at_.take(']');
  }
  bool jobs() {
    jobs_.clear();
    return fields([&](const std::string& name) {
      cluster::job& result = jobs_.emplace_back(cluster::job{name, {}});
      return items([&] { return at_.text(result.addresses.emplace_back()); });
    });
  }
  bool task() {
    return fields([&](const std::string& name) {
      if (name == "type") return at_.text(result_.job.emplace());
      if (name != "index") return skip(0);
      std::uint64_t number = 0;
      if (is_next('"')) {  // some programs write it as a text
        std::string text;
        if (!at_.text(text)) return false;
        return read_number(text, result_.index) || at_.stop("expected a number");
      }
      if (!at_.number(number)) return false;
      result_.index = static_cast<std::uint32_t>(std::min<std::uint64_t>(number, ~std::uint32_t{0}));
      return true;
    });
  }
  bool skip(int depth) {
    if (depth == 64) return at_.stop("expected less depth");
    if (is_next('{')) return fields([&](const std::string&) { return skip(depth + 1); });
    if (is_next('[')) return items([&] { return skip(depth + 1); });
    std::string ignored;
    if (is_next('"')) return at_.text(ignored);
    return skip_word();
  }

  bool is_next(char sign) const {
    const auto next = text_.find_first_not_of(" \t\r\n", at_.offset());
    return next != text_.npos && text_[next] == sign;
  }
  // Skips a number, true, false or null.
  bool skip_word() {
    bool is_there = false;
    const auto takes_any = [&] {
      for (const char c : std::string_view("+-.0123456789Eaeflnrstu"))
        if (at_.takes(c)) return true;
      return false;
    };
    while (takes_any()) is_there = true;
    return is_there || at_.stop("expected a value");
  }

  std::string_view text_;
  json_cursor at_;
  std::vector<cluster::job> jobs_;
  named_task result_;
};

error cannot_read(const std::string& path) {
  return {error_code::not_found, message{"FLOWGRAPH_CLUSTER_FILE: no file can be read at ", path}};
}

// Sets the job and the index of this task from FLOWGRAPH_JOB and FLOWGRAPH_TASK, if at least one of them is set.
error add_own_task(const variable_source& variables, named_task& to) {
  std::optional<std::uint32_t> index;
  if (error why = number_variable(variables, "FLOWGRAPH_TASK", index)) return why;
  const auto job = text_variable(variables, "FLOWGRAPH_JOB");
  if (!index && !job) return {};
  to.job = job.value_or("worker");
  to.index = index.value_or(0);
  return {};
}

cluster::job& job_of(std::vector<cluster::job>& jobs, std::string_view name) {
  for (cluster::job& j : jobs)
    if (j.name == name) return j;
  return jobs.emplace_back(cluster::job{std::string(name), {}});
}

}  // namespace

result<named_task> read_tf_config(std::string_view text) { return tf_config_reader(text).read(); }

result<cluster> read_cluster_file(std::string_view text) {
  std::vector<cluster::job> jobs;
  error why = each_word(text, '\n', [&](std::string_view line) -> error {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) return {};
    return each_word(line, ';', [&](std::string_view one) {
      const auto equals = one.find('=');
      cluster::job& to = job_of(jobs, equals == one.npos ? "worker" : trimmed(one.substr(0, equals)));
      return each_word(one.substr(equals == one.npos ? 0 : equals + 1), ',', [&](std::string_view address) -> error {
        to.addresses.emplace_back(address);
        return {};
      });
    });
  });
  if (why) return why;
  cluster result(std::move(jobs));
  if (error wrong = result.check()) return wrong;
  return result;
}

result<std::optional<named_task>> named_task_of(const variable_source& variables) {
  std::optional<named_task> outcome;
  error why;
  const auto add = [&](const char* name, result<named_task> found) {
    if (why) return;
    if (!found) why = found.error();
    else if (outcome)
      why = error(error_code::failed_precondition,
                  message{outcome->told_by, " and ", name, " are both set: the cluster is given twice"});
    else (outcome = *std::move(found))->told_by = name;
  };
  const auto written = [&](result<cluster> all) -> result<named_task> {
    if (!all) return all.error();
    named_task of;
    of.all = *std::move(all);
    if (error wrong = add_own_task(variables, of)) return wrong;
    return of;
  };
  if (const auto text = text_variable(variables, "TF_CONFIG")) add("TF_CONFIG", read_tf_config(*text));
  if (const auto text = text_variable(variables, "FLOWGRAPH_CLUSTER")) add("FLOWGRAPH_CLUSTER", written(cluster::parse(*text)));
  if (const auto path = text_variable(variables, "FLOWGRAPH_CLUSTER_FILE")) {
    std::ifstream file(*path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    add("FLOWGRAPH_CLUSTER_FILE", file ? written(read_cluster_file(text)) : result<named_task>(cannot_read(*path)));
  }
  if (why) return why;
  return outcome;
}

result<cluster> with_roles(std::span<const std::string> addresses, std::string_view roles) {
  std::vector<cluster::job> jobs;
  std::size_t next = 0;
  const auto add_role = [&](std::string_view role) -> error {
    const auto equals = role.find('=');
    std::uint32_t count = 0;
    if (equals == role.npos || !read_number(role.substr(equals + 1), count))
      return {error_code::invalid_argument, message{"'", roles, "' does not say how many ranks have which role, as in ps=2"}};
    if (count > addresses.size() - next)
      return {error_code::invalid_argument,
              message{"the roles ", roles, " want more tasks than the ", addresses.size(), " that there are"}};
    cluster::job& to = job_of(jobs, role.substr(0, equals));
    for (; count > 0; --count) to.addresses.push_back(addresses[next++]);
    return {};
  };
  if (!roles.empty())
    if (error why = each_word(roles, ',', add_role)) return why;
  if (next < addresses.size()) {
    cluster::job& rest = job_of(jobs, "worker");
    rest.addresses.insert(rest.addresses.end(), addresses.begin() + static_cast<std::ptrdiff_t>(next), addresses.end());
  }
  cluster result(std::move(jobs));
  if (error wrong = result.check()) return wrong;
  return result;
}

}  // namespace flowgraph::distributed
