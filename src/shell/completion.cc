#include "shell/completion.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "millstream/exceptions.h"

namespace millstream::shell {
namespace {

constexpr std::array keywords = {
    "ALTER",  "AND",       "AS",       "ASC",    "BETWEEN", "BY",        "CASE",      "CAST",
    "CREATE", "CROSS",     "DATABASE", "DELETE", "DESC",    "DESCRIBE",  "DISTINCT",  "DROP",
    "ELSE",   "END",       "EXCEPT",   "EXISTS", "EXPLAIN", "FALSE",     "FROM",      "FULL",
    "GROUP",  "HAVING",    "IN",       "INNER",  "INSERT",  "INTERSECT", "INTO",      "IS",
    "JOIN",   "LATERAL",   "LEFT",     "LIKE",   "LIMIT",   "MERGE",     "NOT",       "NULL",
    "OFFSET", "ON",        "OR",       "ORDER",  "OUTER",   "OVER",      "OVERWRITE", "PARTITION",
    "PIVOT",  "QUALIFY",   "REPLACE",  "RIGHT",  "SELECT",  "SET",       "SHOW",      "TABLE",
    "TABLES", "TEMPORARY", "THEN",     "TRUE",   "UNION",   "UNPIVOT",   "UPDATE",    "USE",
    "USING",  "VALUES",    "VIEW",     "WHEN",   "WHERE",   "WINDOW",    "WITH"};

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (is_word_char(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  words.push_back(std::move(word));  // the last one, perhaps empty
  return words;
}

// One column of the answer; nothing when the server does not know the statement.
std::vector<std::string> names(const api::SparkSession& spark, const std::string& statement,
                               const std::string& column) {
  std::vector<std::string> found;
  try {
    for (const api::Row& row : spark.sql(statement).collect())
      found.push_back(row[column].as_string());
  } catch (const std::exception&) {
    found.clear();
  }
  return found;
}

bool begins_with(const std::string& name, const std::string& word) {
  return name.size() >= word.size() && to_lower(name.substr(0, word.size())) == to_lower(word);
}

}  // namespace

void Completion::load() {
  if (loaded_) return;
  loaded_ = true;
  tables_ = names(spark_, "SHOW TABLES", "tableName");
  for (std::string& database : names(spark_, "SHOW DATABASES", "namespace"))
    tables_.push_back(std::move(database));
  if (functions_.empty()) {
    for (std::string& name : names(spark_, "SHOW FUNCTIONS", "function"))
      if (std::isalpha(static_cast<unsigned char>(name.front())) != 0)
        functions_.push_back(std::move(name));
  }
}

const std::vector<std::string>& Completion::columns_of(const std::string& table) {
  const auto [entry, is_new] = columns_.try_emplace(table);
  if (is_new) {
    try {
      entry->second = spark_.table(table).columns();
    } catch (const std::exception&) {
      entry->second.clear();
    }
  }
  return entry->second;
}

std::vector<std::string> Completion::candidates(std::string_view statement) {
  load();
  std::vector<std::string> words = words_of(statement);
  const std::string word = std::move(words.back());
  words.pop_back();

  std::vector<std::string> found;
  const auto take = [&](const std::string& name) {
    if (begins_with(name, word)) found.push_back(name);
  };
  const bool is_lower =
      std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c) != 0; });
  if (!word.empty()) {
    for (const char* keyword : keywords) take(is_lower ? to_lower(keyword) : keyword);
    for (const std::string& name : functions_) take(name);
  }
  for (const std::string& name : tables_) take(name);
  for (const std::string& earlier : words) {
    if (std::find(tables_.begin(), tables_.end(), to_lower(earlier)) == tables_.end()) continue;
    for (const std::string& name : columns_of(earlier)) take(name);
  }
  return found;
}

}  // namespace millstream::shell
