#include "launchers.hpp"

#include "host_list.hpp"

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

std::optional<std::string> text_variable(const variable_source& variables, const std::string& name) {
  auto value = variables(name);
  if (value && value->empty()) value.reset();
  return value;
}

error number_variable(const variable_source& variables, const std::string& name, std::optional<std::uint32_t>& to) {
  const auto text = text_variable(variables, name);
  if (!text) return {};
  std::uint32_t number = 0;
  if (!read_number(*text, number))
    return {error_code::invalid_argument, message{"the variable ", name, " is '", *text, "', not a number"}};
  to = number;
  return {};
}

namespace {

using found_task = result<std::optional<ranked_task>>;

// Reads environment variables, and keeps the first error that it finds.
class reader {
public:
  explicit reader(const variable_source& v) : variables_(v) {}

  std::optional<std::string> text(const std::string& name) const { return text_variable(variables_, name); }
  std::optional<std::uint32_t> number(const std::string& name) {
    std::optional<std::uint32_t> result;
    if (error why = number_variable(variables_, name, result); why && !why_) why_ = why;
    return result;
  }
  std::string any(std::initializer_list<const char*> names) const {
    for (const char* name : names)
      if (auto value = text(name)) return *std::move(value);
    return {};
  }
  const error& why() const noexcept { return why_; }

private:
  const variable_source& variables_;
  error why_;
};

// Reads rank and size from these variables. Returns no task if a variable is not set: then this launcher has not started the
// process.
std::optional<ranked_task> ranked(reader& from, const char* launcher, const char* rank, const char* size) {
  const auto own = from.number(rank), all = from.number(size);
  if (!own || !all) return {};
  ranked_task result;
  result.launcher = launcher;
  result.told_by = rank;
  result.rank = *own;
  result.size = *all;
  return result;
}

found_task open_mpi(reader& from) {
  auto result = ranked(from, "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  if (!result) return result;
  result->run = from.any({"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"});
  result->is_one_machine = from.number("OMPI_COMM_WORLD_LOCAL_SIZE") == result->size;
  return result;
}

found_task mpich(reader& from) {
  auto result = ranked(from, "MPICH", "PMI_RANK", "PMI_SIZE");
  if (!result) return result;
  result->run = from.any({"PMI_JOBID", "PMI_ID_JOB"});
  result->is_one_machine = from.number("MPI_LOCALNRANKS") == result->size;
  return result;
}

found_task pmix(reader& from) {
  const auto rank = from.number("PMIX_RANK");
  if (!rank) return std::optional<ranked_task>();
  ranked_task result;
  result.launcher = "PMIx";
  result.told_by = "PMIX_RANK";
  result.rank = *rank;
  result.size = from.number("PMIX_SIZE").value_or(0);
  result.run = from.any({"PMIX_NAMESPACE"});
  return std::optional(result);
}

found_task torchrun(reader& from) {
  auto result = ranked(from, "torchrun", "RANK", "WORLD_SIZE");
  if (!result) return result;
  result->run = from.any({"TORCHELASTIC_RUN_ID"});
  result->is_one_machine = from.number("LOCAL_WORLD_SIZE") == result->size;
  const auto host = from.text("MASTER_ADDR");
  auto port = from.number("MASTER_PORT");
  // The store of the torchrun agent listens on MASTER_PORT itself.
  if (port && from.any({"TORCHELASTIC_USE_AGENT_STORE"}) == "True") port = *port + 1;
  if (host && port) result->meeting = message{*host, ":", *port};
  return result;
}

found_task kubernetes(reader& from) {
  const auto rank = from.number("JOB_COMPLETION_INDEX");
  if (!rank) return std::optional<ranked_task>();
  ranked_task result;
  result.launcher = "Kubernetes";
  result.told_by = "JOB_COMPLETION_INDEX";
  result.rank = *rank;
  return std::optional(result);
}

error no_order(std::string_view why) {
  return {error_code::invalid_argument,
          message{"which task of SLURM runs where is not known: ", why, "; FLOWGRAPH_HOSTS may name the host of each task"}};
}

// Determines the host of each task from the list of nodes and the number of tasks per node.
error place_by_slurm(reader& from, ranked_task& result) {
  const std::string list = from.any({"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"});
  if (list.empty()) return {};
  const auto nodes = expand_hosts(list);
  if (!nodes) return nodes.error();
  std::vector<std::uint32_t> counts;
  if (const std::string text = from.any({"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}); !text.empty()) {
    auto read = expand_counts(text);
    if (!read) return read.error();
    counts = *std::move(read);
  } else {
    for (std::size_t i = 0; i < nodes->size(); ++i)
      counts.push_back(static_cast<std::uint32_t>(result.size / nodes->size() + (i < result.size % nodes->size())));
  }
  std::uint64_t all = 0;
  for (const std::uint32_t c : counts) all += c;
  if (counts.size() != nodes->size() || all != result.size)
    return no_order(message{"the ", nodes->size(), " nodes have ", counts.size(), " counts of tasks, ", all,
                            " tasks together, and the step has ", result.size}
                        .string());
  const std::string order = from.any({"SLURM_DISTRIBUTION"});
  const bool is_cyclic = order.starts_with("cyclic");
  if (!order.empty() && !is_cyclic && !order.starts_with("block"))
    return no_order(message{"the distribution is ", order}.string());
  result.is_one_machine = nodes->size() == 1;
  std::vector<std::size_t> node_of;
  if (is_cyclic) {
    for (std::uint32_t round = 0; node_of.size() < result.size; ++round)
      for (std::size_t n = 0; n < counts.size(); ++n)
        if (counts[n] > round) node_of.push_back(n);
  } else {
    for (std::size_t n = 0; n < counts.size(); ++n) node_of.insert(node_of.end(), counts[n], n);
  }
  if (const auto own = from.number("SLURM_NODEID"); own && result.rank < result.size && node_of[result.rank] != *own)
    return no_order(
        message{"task ", result.rank, " should be on node ", node_of[result.rank], ", and is on node ", *own}.string());
  for (const std::size_t n : node_of) result.hosts.push_back(result.is_one_machine ? "127.0.0.1" : (*nodes)[n]);
  return {};
}

found_task slurm(reader& from) {
  const bool has_step = from.text("SLURM_STEP_NUM_TASKS").has_value();
  auto result = ranked(from, "SLURM", "SLURM_PROCID", has_step ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS");
  if (!result) return result;
  if (result->size > most_hosts) return detail::invalid_argument({"SLURM has ", result->size, " tasks"});
  const std::string job = from.any({"SLURM_JOB_ID", "SLURM_JOBID"}), step = from.any({"SLURM_STEP_ID", "SLURM_STEPID"});
  if (!job.empty()) result->run = message{job, ".", step};
  if (error why = place_by_slurm(from, *result)) return why;
  return result;
}

struct launcher {
  const char* chosen_by;  // the value of FLOWGRAPH_LAUNCHER
  found_task (*read)(reader&);
};
// If a launcher does not provide a fact, it is taken from the launchers after it in this list.
constexpr launcher launchers[] = {{"kubernetes", kubernetes}, {"slurm", slurm}, {"openmpi", open_mpi},
                                  {"mpich", mpich},           {"pmix", pmix},   {"torchrun", torchrun}};

error disagree(const ranked_task& a, const ranked_task& b) {
  const auto size = [](const ranked_task& t) { return t.size == 0 ? std::string("?") : std::to_string(t.size); };
  return {error_code::failed_precondition,
          message{"two launchers disagree: by ", a.launcher, " (", a.told_by, ") this is task ", a.rank, " of ", size(a), ", by ",
                  b.launcher, " (", b.told_by, ") task ", b.rank, " of ", size(b),
                  "; FLOWGRAPH_LAUNCHER says which one counts: kubernetes, slurm, openmpi, mpich, pmix or torchrun"}};
}

error merge(ranked_task& to, const ranked_task& more) {
  if (to.rank != more.rank || (to.size != 0 && more.size != 0 && to.size != more.size)) return disagree(to, more);
  if (to.size == 0) to.size = more.size;
  if (to.run.empty()) to.run = more.run;
  if (to.hosts.empty()) to.hosts = more.hosts;
  if (to.meeting.empty()) to.meeting = more.meeting;
  to.is_one_machine = to.is_one_machine || more.is_one_machine;
  return {};
}

// Settings of the user (FLOWGRAPH_TASKS, FLOWGRAPH_HOSTS and others) have priority over those of the launcher.
error add_own(reader& from, ranked_task& to) {
  if (to.size == 0) to.size = from.number("FLOWGRAPH_TASKS").value_or(0);
  if (const auto list = from.text("FLOWGRAPH_HOSTS")) {
    auto hosts = expand_hosts(*list);
    if (!hosts) return hosts.error();
    if (to.size != 0 && hosts->size() != to.size)
      return {error_code::invalid_argument, message{"FLOWGRAPH_HOSTS has ", hosts->size(), " hosts, one per task, and ",
                                                    to.launcher, " has ", to.size, " tasks"}};
    to.size = static_cast<std::uint32_t>(hosts->size());
    to.hosts = *std::move(hosts);
    to.is_one_machine = false;
  }
  if (const auto id = from.text("FLOWGRAPH_JOB_ID")) to.run = *id;
  if (const auto at = from.text("FLOWGRAPH_MEETING")) {
    to.meeting = *at;
    to.is_one_machine = false;
  }
  return from.why();
}

}  // namespace

result<std::optional<ranked_task>> launcher_of(const variable_source& variables) {
  reader from(variables);
  const auto chosen = from.text("FLOWGRAPH_LAUNCHER");
  if (chosen && std::ranges::none_of(launchers, [&](const launcher& l) { return *chosen == l.chosen_by; }))
    return detail::invalid_argument(
        {"FLOWGRAPH_LAUNCHER is '", *chosen, "': expected kubernetes, slurm, openmpi, mpich, pmix or torchrun"});
  std::optional<ranked_task> result;
  for (const launcher& l : launchers) {
    if (chosen && *chosen != l.chosen_by) continue;
    auto found = l.read(from);
    if (!found) return found.error();
    if (from.why()) return from.why();
    if (!*found) continue;
    if (!result) result = **found;
    else if (error why = merge(*result, **found)) return why;
  }
  if (!result) {
    if (chosen)
      return error(error_code::not_found, message{"FLOWGRAPH_LAUNCHER is '", *chosen, "', which has not started this process"});
    return result;
  }
  if (error why = add_own(from, *result)) return why;
  if (result->size != 0 && result->rank >= result->size)
    return detail::invalid_argument({"by ", result->launcher, " (", result->told_by, ") this is task ", result->rank, " of ",
                                     result->size, ", counted from 0"});
  return result;
}

}  // namespace flowgraph::distributed
