// Full entries of the reference: strings.

// as_string
// x: the elements
// how: the members of fg::as_string_op, such as digits and width
// Returns a handle to the texts, which have the shape of x.
const shown as_string_("as_string", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {1.5f, 2}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::as_string(x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 1.500000 2.000000

  fg::as_string_op both;
  both.scientific = both.shortest = true;
  try {
    fg::as_string(x, both);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: scientific and shortest exclude each other; found Const float[2]
});

// string_to_hash_bucket
// x: the strings
// buckets: the number of buckets
// Returns a handle to the bucket of each string, a number in [0, buckets).
const shown string_to_hash_bucket_("string_to_hash_bucket", [] {
  fg::graph g;
  const auto words = g.constant(fg::tensor<std::string>({2}, {"tea", "coffee"}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::string_to_hash_bucket(words, 1000)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 811 406

  try {
    fg::string_to_hash_bucket(words, 0);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: num_buckets must be 1 or more, found 0; found Const string[2]
});

// regex_full_match
// x: the strings
// pattern: the regular expression
// Returns a handle to a boolean for each string: whether the whole string matches.
const shown regex_full_match_("regex_full_match", [] {
  fg::graph g;
  const auto words = g.constant(fg::tensor<std::string>({2}, {"42", "4a"}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::regex_full_match(words, "[0-9]+")));
  std::cout << y[0] << y[1] << "\n";
  // prints: 10

  try {
    fg::session(g).run(fg::fetch(fg::regex_full_match(words, "[0-9")));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: invalid pattern '[0-9': missing ]
});

// regex_replace
// x: the strings
// pattern: the regular expression
// rewrite: the replacement; \\1 is the first group of the pattern
// replace_global: whether to replace all matches; false: only the first match in each string
// Returns a handle to the new strings.
const shown regex_replace_("regex_replace", [] {
  fg::graph g;
  const auto words = g.constant(fg::tensor<std::string>({1}, {"a  b   c"}));
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::regex_replace(words, " +", "-")))[0] << "\n";
  // prints: a-b-c

  try {
    fg::session(g).run(fg::fetch(fg::regex_replace(words, "(", "-")));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: invalid pattern '(': missing )
});

// string_split
// x: a vector of strings
// separator: the text between the parts; empty: whitespace
// most: the maximum number of separators to split each string at; negative: no limit
// Returns `values`, all parts; `indices`, the row and column of each part; and `shape`, the number of rows and the length of
// the longest row.
const shown string_split_("string_split", [] {
  fg::graph g;
  const auto lines = g.constant(fg::tensor<std::string>({2}, {"a b", "c"}));
  const auto parts = fg::string_split(lines);
  fg::session s(g);
  const auto [values, shape] = s.run(fg::fetch(parts.values, parts.shape));
  std::cout << values[0] << values[1] << values[2] << " " << shape[0] << "x" << shape[1] << "\n";
  // prints: abc 2x2

  try {
    fg::string_split(g.constant(std::string("a b")));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: input must be a vector; found Const_2 string[], Const_3 string[]
});

// string_strip
// x: the strings
// Returns a handle to the strings without leading and trailing whitespace.
// No error: every string can be converted.
const shown string_strip_("string_strip", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::string>({1}, {"  tea "}));
  std::cout << "'" << fg::session(g).run(fg::fetch(fg::string_strip(x)))[0] << "'\n";
  // prints: 'tea'
});

// string_lower
// x: the strings
// encoding: empty: changes only ASCII letters; "utf-8": changes the letters of all scripts
// Returns a handle to the strings in lower case.
// No error: every string can be converted.
const shown string_lower_("string_lower", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::string>({1}, {"Green TEA"}));
  std::cout << fg::session(g).run(fg::fetch(fg::string_lower(x)))[0] << "\n";
  // prints: green tea
});

// unicode_decode
// x: the strings
// options: the encoding, and the treatment of wrong bytes
// Returns a ragged tensor: row i contains the code points of string i.
const shown unicode_decode_("unicode_decode", [] {
  fg::graph g;
  fg::session s(g);
  const auto points = fg::unicode_decode(g.constant(fg::tensor<std::string>({2}, {"a", "\xc3\xa9"})));
  std::cout << s.run(fg::fetch(points.values))[1] << "\n";
  // prints: 233

  try {
    fg::unicode_decode(g.constant(fg::tensor<std::string>({1}, {"a"})), {"EBCDIC"});
  } catch (const fg::error& why) { std::cout << why.message().substr(0, 33) << "\n"; }
  // error: the input encoding must be UTF-8,
});

// sparse_cross
// x: the columns of features
// separator: the text between the features of a combination
// Returns a sparse tensor of the combinations of each row. The order is that of the columns.
const shown sparse_cross_("sparse_cross", [] {
  fg::graph g;
  fg::session s(g);
  const auto drinks = g.constant(fg::tensor<std::string>({1, 2}, {"tea", "milk"}));
  const auto sizes = g.constant(fg::tensor<std::string>({1, 1}, {"small"}));
  fg::crossed_columns columns;
  columns.add(drinks).add(sizes);
  const auto made = s.run(fg::fetch(fg::sparse_cross(columns).values));
  std::cout << made[0] << " " << made[1] << "\n";
  // prints: tea_X_small milk_X_small

  try {
    fg::sparse_cross(fg::crossed_columns().add(g.constant(fg::tensor<std::string>({2}))));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the dense column 0 must be a matrix, found the shape [2]; found Const_3 string[2], Const_4 string[]
});
