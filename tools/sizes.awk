# Of a linker's map: what each object brings into the program, largest first, in KB. Objects of the archive are named by their family.

/^Linker script and memory map/ { mapped = 1 }
!mapped { next }
/^ \.[a-z]/ {
  # A long name of a section stands on a line of its own.
  section = $1
  if (NF == 1) next
  take($2, $3, $4)
  next
}
/^ +0x/ { if (section != "") take($1, $2, $3) }
{ section = "" }

function take(address, size, object,    name) {
  if (address !~ /^0x/ || address ~ /^0x0+$/ || size !~ /^0x/ || object == "") return
  if (section ~ /^\.(debug|comment|bss|tbss)/) return
  name = object
  if (!sub(/.*libflowgraph\.a\(/, "", name)) sub(/.*\//, "the program: ", name)
  sub(/(\.cpp)?\.o\)?$/, "", name)
  if (name ~ /^the program: (crt|Scrt|libc|libgcc|libstdc)/) name = "start-up"
  bytes[name] += hexadecimal(size)
}

# awk reads no hexadecimal numbers.
function hexadecimal(text,    value, i) {
  value = 0
  for (i = 3; i <= length(text); ++i) value = value * 16 + index("0123456789abcdef", tolower(substr(text, i, 1))) - 1
  return value
}

END {
  for (name in bytes) if (bytes[name] >= 1024) printf "    %7.1f KB  %s\n", bytes[name] / 1024, name | "sort -rn"
}
