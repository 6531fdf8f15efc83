# The table of tools/bench from lines of JSON: our variants against each peer, by the fastest sample of each.

function text(key,    rest) {
  rest = $0
  if (!sub(".*\"" key "\": \"", "", rest)) return ""
  sub("\".*", "", rest)
  return rest
}
function number(key,    rest) {
  rest = $0
  if (!sub(".*\"" key "\": ", "", rest)) return 0
  return rest + 0
}
function short(v) { return v >= 100 ? sprintf("%.0f", v) : v >= 10 ? sprintf("%.1f", v) : sprintf("%.3f", v) }
function family(peer) { sub("/.*", "", peer); sub("\\+.*", "", peer); return peer }

BEGIN {
  # What we want to be: how often faster, in which variant, against the best of which peers.
  goal["executor_chain", "dynamic", "tensorflow-c"] = 4
  goal["executor_fan", "dynamic", "tensorflow-c"] = 4
  goal["executor_dag", "dynamic", "tensorflow-c"] = 4
  goal["mlp_small", "prepared", "tensorflow"] = 10
  goal["mlp_small", "prepared", "ort"] = 2
  goal["queue", "prepared", "tensorflow"] = 20
  goal["queue_loop", "prepared", "tensorflow"] = 20
  goal["queue_batch_whole", "prepared", "memcpy"] = 0.5
  goal["queue_batch_halves", "prepared", "memcpy"] = 0.5
  goal["queue_batch_rows", "prepared", "memcpy"] = 0.5
  goal["queue_batch_shuffled", "prepared", "memcpy"] = 0.5
  goal["checkpoint_save", "prepared", "write"] = 0.8
  goal["checkpoint_unsynced", "prepared", "tensorflow"] = 1
  goal["checkpoint_restore", "prepared", "read"] = 0.8
  goal["table_k8", "prepared", "array"] = 0.5
  goal["table_k16", "prepared", "array"] = 0.5
  goal["table_k64", "prepared", "array"] = 0.5
  goal["input", "prepared", "tensorflow"] = 1.5
  op_goal = 0.5    # of single ops
  family_goal = 0.8  # of ops of these families, but for singular values and eigenvalues
  families = "^op_(lu|solve|triangular|inverse|determinant|cholesky|qr|decode|resize|adjust|fft|rfft|sparse)"
  run_goal = 0.97  # of a prepared step beside `run`: an imported model is never slower by it
  folds["executor_chain", "tensorflow-c/graph"] = 1  # its optimizers leave one node of the chain
}

{
  work = text("work"); peer = text("peer")
  if (!(work in unit)) works[++work_count] = work
  unit[work] = text("unit")
  key = work SUBSEP peer
  if (!(key in best)) peers[work, ++peer_count[work]] = peer
  v = number("min")
  if (!(key in best) || v < best[key]) best[key] = v
  check[key] = number("check")
}

function row(work, ours, peer, wanted,    key, other, ratio, verdict, apart) {
  key = work SUBSEP "flowgraph/" ours; other = work SUBSEP peer
  ratio = best[other] / best[key]
  apart = check[key] - check[other]
  verdict = ""
  if (apart * apart > 4e-8 * check[other] * check[other]) verdict = "OTHER RESULT " check[key] " " check[other]
  if (wanted) {
    verdict = (ratio >= wanted && verdict == "") ? "ahead" : "BELOW"
    ++verdicts[verdict]
  }
  printf "%-15s | %-12s | %-8s %8s | %-22s %8s | %7.2f x | %s | %s\n", work, unit[work], ours, short(best[key]), peer, short(best[other]),
         ratio, wanted ? "goal " wanted : "", verdict
}

END {
  split("prepared run dynamic unlocked", variants, " ")
  for (w = 1; w <= work_count; ++w) {
    work = works[w]
    for (v = 1; v <= 4; ++v) {
      ours = variants[v]
      if (!((work, "flowgraph/" ours) in best)) continue
      split("", rival)
      for (p = 1; p <= peer_count[work]; ++p) {
        peer = peers[work, p]
        f = family(peer)
        if (f == "flowgraph" || (work, peer) in folds) continue
        if (!(f in rival) || best[work, peer] < best[work, rival[f]]) rival[f] = peer
      }
      shown = 0
      for (p = 1; p <= peer_count[work]; ++p) {
        peer = peers[work, p]
        f = family(peer)
        if (f == "flowgraph") continue
        wanted = work ~ families ? family_goal : work ~ /^op_/ ? op_goal : goal[work, ours, f]
        row(work, ours, peer, rival[f] == peer ? wanted : 0)
        ++shown
      }
      if (ours == "prepared" && (work, "flowgraph/run") in best) row(work, ours, "flowgraph/run", run_goal)
      if (!shown) printf "%-15s | %-12s | %-8s %8s |\n", work, unit[work], ours, short(best[work, "flowgraph/" ours])
    }
  }
  if (verdicts["ahead"] + verdicts["BELOW"] == 0) {
    print "no goal could be looked at: the peers are missing (see FLOWGRAPH_PEERS and FLOWGRAPH_PEERS_PYTHON in tools/bench)"
    exit
  }
  printf "%d ahead, %d BELOW\n", verdicts["ahead"], verdicts["BELOW"]
  exit verdicts["BELOW"] > 0
}
