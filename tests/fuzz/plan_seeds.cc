// usage: fuzz_plan_seeds SQL_FOLDER PLAN_FOLDER
//
// The plans of queries, as seeds for fuzzing plans.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "spark/connect/relations.pb.h"
#include "sql/statement.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc != 3) return 2;
  for (const auto& entry : fs::directory_iterator(argv[1])) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    spark::connect::SQL sql;
    sql.set_query(text.str());
    const auto statement = millstream::sql::parse_statement(sql);
    if (!statement.ok()) continue;
    const auto* query = std::get_if<millstream::sql::Query>(&*statement);
    if (query == nullptr) continue;
    std::ofstream(fs::path(argv[2]) / entry.path().filename(), std::ios::binary)
        << query->relation->SerializeAsString();
  }
  return 0;
}
