# Finds phrases of pages, and of comments in sources, that readers do not understand at the first reading: a line per find,
# "file:line: reason: sentence". The line is the first of its paragraph, comment, list item or table row. Headings, code blocks, code
# spans and targets of links are not prose.
#
# A pattern is here only if it is nearly always a fault. Allowed uses are part of the pattern, with the reason beside it.

function refuse(reason) { print file ":" first ": " reason ": " sentence }

function has(pattern) { return sentence ~ ("(^|[^A-Za-z_'-])(" pattern ")([^A-Za-z_'-]|$)") }

function check() {
  if (sentence ~ /^Of [a-z`]/) refuse("'Of' begins the sentence: begin with the subject")
  # A question may begin with "Where".
  if (sentence ~ /^Where [a-z`]/ && sentence !~ /\?$/) refuse("'Where' begins the sentence: write 'If', or 'On' with the place")
  # "What" may begin a question of a table or a title: "What crosses".
  if (has("what (is|are|was|were|has|have|had|comes|came|crosses|goes|lies|stands|gives|takes|waits|depends|needs|nobody|no)")) refuse("a clause with 'what' as its subject: write the noun")
  if (has("[Ww]hoever|[Ww]hosoever|[Ww]hom|[Ww]ho (has|is|wants|asks|takes|sends|connects|pauses|needs)")) refuse("a bare 'who': write the noun")
  # "whatever the sizes" and "whatever its condition returns" mean "independently of", and are plain.
  if (has("whatever (is|are|it|they|comes|else|happens|waits)") || sentence ~ /^Whatever (is|it|they) /) refuse("a bare 'whatever': write the noun")
  if (has("stands?|stood")) refuse("'stands': write 'is', 'means' or 'runs'")
  if (has("lies|lain")) refuse("'lies': write 'is' or 'is stored'")
  if (has("believes?|believed")) refuse("'believes': write 'trusts'")
  if (has("hears?|heard")) refuse("'hears': write 'receives' or 'is notified'")
  if (has("tells|told")) refuse("'tells': write 'reports', 'returns' or 'specifies'")
  if (has("asks|asked")) refuse("'asks': write 'requests' or 'requires'")
  if (has("anew")) refuse("'anew': write 'again'")
  if (has("but for")) refuse("'but for': write 'except'")
  if (has("alone")) refuse("'alone': write 'only', or 'by itself'")
  if (has("besides")) refuse("'besides': write 'in addition', or 'also'")
  if (has("goes by|go by|goes on|went on|begun anew|goes round")) refuse("'goes': write 'uses', 'continues' or 'repeats'")
  if (has("of one's own|one's own")) refuse("'one's own': write 'your own'")
  if (has("in thought|at hand|in the end|to and fro|there and back|as it were")) refuse("an idiom: write the fact")
  if (has("(is|are) none")) refuse("'is none': write the noun")
  if (has("(one|updates?|requests?|lines?|samples|steps|operations|bytes|runs|times) an? (second|step|run|call|task|row|iteration|node|element|input|output|page|variable|concept|work|file)")) refuse("'one a thing': write 'one per thing'")
  # "one queue", "one step" are numbers: only "one" without a noun behind it is refused.
  if (sentence ~ /(^| )(an?|the|another|this) ([a-z]+ )?one( (is|are|that|which|of|in|with) |[.,;:)?]|$)/) refuse("a bare 'one': write the noun")
}

# Sentences of the paragraph that was gathered.
function flush(  rest) {
  rest = text
  text = ""
  gsub(/`[^`]*`/, "`x`", rest)
  gsub(/\]\([^)]*\)/, "]", rest)
  gsub(/[][*]/, "", rest)
  gsub(/[ \t]+/, " ", rest)
  while (rest != "") {
    if (match(rest, /[.!?:|] +/)) {
      sentence = substr(rest, 1, RSTART)
      rest = substr(rest, RSTART + RLENGTH)
    } else {
      sentence = rest
      rest = ""
    }
    sub(/^ +/, "", sentence)
    check()
  }
}

FNR == 1 { flush(); code = 0; source = FILENAME ~ /\.[ch]pp$/ }
# Sources: comments are the prose. A comment behind code is a paragraph of its own; lines of a comment that are indented are code.
source && match($0, /^ *\/\/ ?/) {
  line = substr($0, RSTART + RLENGTH)
  if (line ~ /^(    |$)/) { flush(); next }
  if (text == "") {
    first = FNR
    file = FILENAME
  }
  text = text " " line
  next
}
source {
  flush()
  if (match($0, /  \/\/ /)) {
    first = FNR
    file = FILENAME
    text = substr($0, RSTART + RLENGTH)
    flush()
  }
  next
}
/^```/ { flush(); code = !code; next }
code || /^    / || /^#/ || /^!\[/ { flush(); next }
/^[ \t]*$/ { flush(); next }
/^ *\|/ || /^(- |[0-9]+\. )/ { flush() }
{
  if (text == "") {
    first = FNR
    file = FILENAME
  }
  line = $0
  sub(/^ *(- |[0-9]+\. )/, "", line)
  sub(/^ *\| */, "", line)
  text = text " " line
}
END { flush() }
