#!/bin/sh
# kernel_symbols.sh OBJECT...: fails, naming the symbol, if an object built for one instruction-set level defines a symbol that
# does not carry its level, or calls anything but memcpy, memmove and memset. Such a symbol is an inline function of another
# header: compiled for one level, it could be linked in for every processor. Marks of code and data ($x, $d) are no symbols.
failed=0
for object in "$@"; do
  symbols=$(nm "$object") || exit 2
  level=$(printf '%s\n' "$symbols" | sed -n 's/.*6kernel\(8baseline\|4avx2\|6avx512\|4neon\)L10everything.*/\1/p' | head -n 1)
  if [ -z "$level" ]; then
    echo "$object: is not an object of one level" >&2
    failed=1
    continue
  fi
  bad=$(printf '%s\n' "$symbols" | awk -v level="6kernel" -v tag="$level" '
    $(NF - 1) == "U" {
      if ($NF !~ /^(memcpy|memmove|memset|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)$/ && !(index($NF, level) && index($NF, tag)))
        print "calls " $NF
      next
    }
    $NF ~ /^\.L|^\$[dx]/ { next }
    !(index($NF, level) && index($NF, tag)) { print "defines " $NF }')
  if [ -n "$bad" ]; then
    printf '%s\n' "$bad" | while read -r verb symbol; do
      echo "$object: $verb $(c++filt "$symbol"), which is not of its level" >&2
    done
    failed=1
  fi
done
exit $failed
