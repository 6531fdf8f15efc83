# The table of tools/network from lines of JSON: ours against each peer, by the median of the rounds' medians.

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
function median(key,    n, i, j, t, v) {
  n = split(values[key], v, " ")
  for (i = 2; i <= n; ++i)
    for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; --j) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
  return n % 2 ? v[(n + 1) / 2] + 0 : (v[n / 2] + v[n / 2 + 1]) / 2
}

BEGIN {
  count = split("echo_64b_1 echo_1kb_1 echo_64b_64 echo_1kb_64 fetch_1mb_4 fetch_64mb_1 cluster_step cluster_small cluster_large cluster_loop", works, " ")
  for (w = 1; w <= 2; ++w) { goal[works[w], "asio/gathered"] = 0.85; goal[works[w], "grpc"] = 1.5; goal[works[w], "zmq"] = 1.1 }
  for (w = 3; w <= 4; ++w) { goal[works[w], "asio/gathered"] = 0.5; goal[works[w], "grpc"] = 8; goal[works[w], "zmq"] = 1.2 }
  goal["fetch_1mb_4", "asio/gathered"] = 0.85; goal["fetch_1mb_4", "grpc"] = 1.5; goal["fetch_1mb_4", "zmq"] = 0.8
  goal["fetch_64mb_1", "sockets/plain"] = 0.9; goal["fetch_64mb_1", "grpc"] = 1; goal["fetch_64mb_1", "zmq"] = 1.5
  goal["cluster_step", "tensorflow"] = goal["cluster_loop", "tensorflow"] = 10
  goal["cluster_small", "tensorflow"] = 20; goal["cluster_large", "tensorflow"] = 2
  processor_goal = 1.2  # of the processor time of plain sockets, at 64 MB
}

{
  unit[text("work")] = text("unit")
  key = text("work") SUBSEP text("peer")
  if (!(key in values)) peers[text("work"), ++peer_count[text("work")]] = text("peer")
  values[key] = values[key] " " number("median")
  if (number("processor") && (!(key in processor) || number("processor") < processor[key])) processor[key] = number("processor")
}

END {
  for (w = 1; w <= count; ++w) {
    own = works[w] ~ /^cluster/ ? "flowgraph/session" : "flowgraph/transport"
    ours = works[w] SUBSEP own
    if (!(ours in values)) continue
    for (p = 1; p <= peer_count[works[w]]; ++p) {
      peer = peers[works[w], p]
      if (peer == own) continue
      ratio = median(works[w] SUBSEP peer) / median(ours)
      wanted = goal[works[w], peer]
      verdict = !wanted ? "" : ratio >= wanted ? "ahead" : "BELOW"
      ++verdicts[verdict]
      printf "%-13s | ours %10.2f %-12s | %-18s %10.2f | %6.2f x | %s | %s\n", works[w], median(ours), unit[works[w]], peer,
             median(works[w] SUBSEP peer), ratio, wanted ? "goal " wanted : "", verdict
    }
  }
  ours = processor["fetch_64mb_1", "flowgraph/transport"]; sockets = processor["fetch_64mb_1", "sockets/plain"]
  if (ours && sockets) {
    verdict = ours <= processor_goal * sockets ? "ahead" : "BELOW"
    ++verdicts[verdict]
    printf "processor time of fetch_64mb_1: ours %.0f us, plain sockets' %.0f us: %.2f x | goal at most %.1f | %s\n", ours, sockets,
           ours / sockets, processor_goal, verdict
  }
  printf "%d ahead, %d BELOW\n", verdicts["ahead"], verdicts["BELOW"]
  exit verdicts["BELOW"] > 0
}
