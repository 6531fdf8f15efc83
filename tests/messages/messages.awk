# Finds what no message to users may say, in the string literals of C++ sources: a line per find, "file:line: reason: literal". Literals
# without a blank are names, not messages.

function refuse(reason) { print FILENAME ":" FNR ": " reason ": \"" text "\""; }

function check(text_of_literal) {
  text = text_of_literal
  if (text !~ / /) return
  if (text ~ /(^|[^a-z_])(what|whatever|whoever)([^a-z_]|$)/) refuse("a bare 'what': write the noun")
  if (text ~ /(^|[^a-z_])(one|elements?|rows?|columns?|axes|index|indices|values?) an? [a-z]+$/) refuse("'one a thing': write 'one per thing'")
  if (text ~ /(^|[^a-z_])(a|an|the) [a-z]+ one([^a-z_]|$)/ || text ~ /another one([^a-z_]|$)/) refuse("a bare 'one': write the noun")
  if (text ~ /(^|[^a-z_])(is|are) no [a-z]/ && text !~ /there (is|are) no /) refuse("'is no thing': write 'is not a thing'")
  if (text ~ /(^|[^a-z_])(is|are) none([^a-z_]|$)/) refuse("'is none': write what it is not")
  if (text ~ /unusual|in a strange|and the like|something of /) refuse("a riddle: name the fact")
  if (text ~ /^(it|its|they|their) /) refuse("a pronoun begins the message: write the noun")
}

{
  line = $0
  if (line ~ /^[ \t]*(\/\/|#[ \t]*include)/) next
  while (match(line, /"([^"\\]|\\.)*"|[ \t]\/\/ |'\\?"'/)) {
    token = substr(line, RSTART, RLENGTH)
    line = substr(line, RSTART + RLENGTH)
    if (token ~ /\/\/ $/) break
    if (token ~ /^"/) check(substr(token, 2, length(token) - 2))
  }
}
