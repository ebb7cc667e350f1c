// The smallest program: an embedded session, a Delta table, a question.
#include <cstdio>

#include "millstream/millstream.h"

using namespace millstream::api;

int main() {
  try {
    const auto spark = SparkSession::builder().warehouse("lake").get_or_create();
    spark.range(10).write().format("delta").mode("overwrite").save("lake/numbers");
    const DataFrame numbers = spark.read().format("delta").load("lake/numbers");
    numbers.filter(col("id") > 6).show();
  } catch (const SparkException& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
