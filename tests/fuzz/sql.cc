#include "sql/statement.h"
#include "tables.h"
#include "targets.h"

namespace millstream::fuzz {

void sql(const std::uint8_t* data, std::size_t size) {
  spark::connect::SQL text;
  text.set_query(std::string(reinterpret_cast<const char*>(data), size));
  auto statement = sql::parse_statement(text);
  if (!statement.ok()) return;
  if (const auto* query = std::get_if<sql::Query>(&*statement))
    analyze_and_optimize(*query->relation);
}

}  // namespace millstream::fuzz

extern "C" __attribute__((weak)) int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                                            std::size_t size) {
  millstream::fuzz::sql(data, size);
  return 0;
}
