#include "shell/executor.h"

#include <fmt/format.h>

#include <cstdio>

#include "client/connection.h"
#include "millstream/exceptions.h"
#include "millstream/functions.h"
#include "spark/connect/base.pb.h"

namespace millstream::shell {
namespace {

namespace F = api::functions;

std::unique_ptr<Printer> make_printer(const Executor::Settings& settings) {
  switch (settings.output) {
    case OutputFormat::table:
      return table_printer(stdout);
    case OutputFormat::csv:
      return csv_printer(stdout, settings.header);
    case OutputFormat::json:
      return json_printer(stdout);
  }
  return table_printer(stdout);
}

// The frame with columns c0, c1, …: names may be equal or hold any character.
api::DataFrame with_plain_names(const api::DataFrame& frame, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("c" + std::to_string(i));
  return frame.to_df(names);
}

// The server makes the text, so that it is Spark's: CAST(… AS STRING), bytes as hexadecimal digits.
api::DataFrame as_text(const api::DataFrame& frame, const api::Schema& schema) {
  std::vector<api::ColumnOrName> columns;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const api::Column column = api::col("c" + std::to_string(i));
    columns.emplace_back(schema[i].type == "binary" ? F::hex(column) : column.cast("string"));
  }
  return with_plain_names(frame, schema.size()).select(columns);
}

api::DataFrame as_json(const api::DataFrame& frame) {
  const api::Column options =
      api::call_function("map", {api::lit("ignoreNullFields"), api::lit("false")});
  return frame.select({api::call_function("to_json", {F::struct_of({"*"}), options})});
}

void watch(const spark::connect::ExecutePlanResponse_ExecutionProgress& from, Progress* to) {
  std::int64_t tasks = 0;
  std::int64_t completed = 0;
  std::int64_t bytes = 0;
  for (const auto& stage : from.stages()) {
    tasks += stage.num_tasks();
    completed += stage.num_completed_tasks();
    bytes += stage.input_bytes_read();
  }
  to->tasks = tasks;
  to->completed = completed;
  to->bytes = bytes;
}

}  // namespace

Executor::Executor(api::SparkSession spark, Settings settings)
    : spark_(std::move(spark)), settings_(settings) {
  spark_.connection()->set_on_progress(
      [this](const auto& progress) { watch(progress, &progress_); });
}

bool Executor::run(const Statement& statement, const std::string& place) {
  cancelled_ = false;
  running_ = true;
  const auto start = std::chrono::steady_clock::now();
  std::string error;
  std::int64_t rows = 0;
  try {
    rows = run_and_print(statement.text);
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  running_ = false;
  std::fflush(stdout);
  if (cancelled_) {
    std::fputs("cancelled\n", stderr);
    return false;
  }
  if (!error.empty()) {
    std::fprintf(stderr, "%s%s\n", place.empty() ? "" : (place + ": ").c_str(), error.c_str());
    return false;
  }
  if (settings_.timing) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, "%lld %s, %.3f s\n", static_cast<long long>(rows),
                 rows == 1 ? "row" : "rows", passed.count());
  }
  return true;
}

std::int64_t Executor::run_and_print(const std::string& text) {
  progress_.tasks = 0;
  progress_.completed = 0;
  const ProgressLine line(progress_);
  const api::DataFrame frame = spark_.sql(text);
  const api::Schema schema = frame.schema();
  if (schema.empty()) return 0;  // a statement that tells nothing
  return print(frame, schema, *make_printer(settings_));
}

std::int64_t Executor::print(const api::DataFrame& frame, const api::Schema& schema,
                             Printer& printer) {
  const bool is_table = settings_.output == OutputFormat::table;
  api::DataFrame texts =
      settings_.output == OutputFormat::json ? as_json(frame) : as_text(frame, schema);
  // One more row than is shown tells that there are more.
  if (is_table) texts = texts.limit(settings_.rows_max + 1);
  std::vector<std::string> names;
  for (const api::Field& field : schema) names.push_back(field.name);
  printer.begin(names);
  std::int64_t rows = 0;
  bool more = false;
  texts.for_each([&](const api::Row& row) {
    if (is_table && rows == settings_.rows_max) {
      more = true;
      return;
    }
    TextRow cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(row[i].is_null() ? std::nullopt : std::optional(row[i].as_string()));
    }
    printer.row(cells);
    ++rows;
  });
  printer.end();
  if (more)
    std::fprintf(stderr, "only the first %d rows are shown; see --max-rows\n", settings_.rows_max);
  return rows;
}

bool Executor::cancel() {
  if (!running_) return false;
  cancelled_ = true;
  interrupt();
  return true;
}

void Executor::interrupt() {
  try {
    spark_.interrupt_all();
  } catch (const std::exception&) {
    // The server is gone: the statement ends by that.
  }
}

}  // namespace millstream::shell
