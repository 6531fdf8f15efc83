# Prints the lines of use of docs/reference that stand in tests: each line below a comment "// In docs/reference:".
take { print; take = 0 }
/^ *\/\/ In docs\/reference:$/ { take = 1 }
