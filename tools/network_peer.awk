# Lines of a peer's own benchmark of requests, as lines of JSON of ours.

/median/ {
  work = ""
  if ($0 ~ / echo /) work = "echo_" (/ 64 B/ ? "64b" : "1kb") "_"
  else if ($0 ~ / MB reply /) work = "fetch_" (/ 64 MB/ ? "64mb" : "1mb") "_"
  in_flight = $0
  sub(/.*in_flight= */, "", in_flight)
  sub(/ .*/, "", in_flight)
  time = $0
  sub(/ us\/req,.*/, "", time)
  sub(/.*, */, "", time)
  printf "{\"peer\": \"%s\", \"work\": \"%s\", \"threads\": 1, \"unit\": \"us/request\", \"median\": %s}\n", peer, work in_flight, time
}
