#include "stream/progress.h"

#include <nlohmann/json.hpp>

#include <cmath>

#include "base/text.h"

namespace millstream::stream {
namespace {

// An object being written, in the order of the calls.
class JsonObject {
 public:
  void raw(std::string_view key, std::string_view value) {
    text_ += text_.size() > 1 ? "," : "";
    text_ += json_quote(key);
    text_ += ':';
    text_ += value;
  }
  void text(std::string_view key, std::string_view value) { raw(key, json_quote(value)); }
  void number(std::string_view key, std::int64_t value) { raw(key, std::to_string(value)); }
  std::string finish() && { return std::move(text_) + "}"; }

 private:
  std::string text_ = "{";
};

std::string name_or_null(const std::string& name) {
  return name.empty() ? "null" : json_quote(name);
}

// As Jackson writes a Java double: the shortest text that reads back, never without a decimal.
std::string double_text(double value) {
  if (!std::isfinite(value)) {
    return json_quote(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
  }
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <typename Map>
std::string numbers_object(const Map& map) {
  JsonObject object;
  for (const auto& [key, value] : map) object.number(key, value);
  return std::move(object).finish();
}

std::string texts_object(const std::map<std::string, std::string>& map) {
  JsonObject object;
  for (const auto& [key, value] : map) object.text(key, value);
  return std::move(object).finish();
}

struct Rates {
  double input = 0;
  double processed = 0;
};

Rates rates_of(const TriggerReport& report, std::int64_t rows) {
  Rates rates;
  const auto count = static_cast<double>(rows);
  if (report.since_last_ms)
    rates.input = count / (static_cast<double>(*report.since_last_ms) / 1000.0);
  rates.processed =
      count / (static_cast<double>(std::max<std::int64_t>(1, report.duration_ms)) / 1000.0);
  return rates;
}

void put_rate(JsonObject& object, const char* key, double rate) {
  if (const auto text = rate_text(rate)) object.raw(key, *text);
}

std::string stored_offset(const std::optional<std::string>& offset) {
  return offset ? json_quote(*offset) : "null";
}

std::string parsed_offset(const std::optional<std::string>& offset) {
  if (!offset) return "null";
  return nlohmann::json::accept(*offset) ? *offset : json_quote(*offset);
}

std::string stored_source(const TriggerReport& report, const SourceReport& source) {
  const Rates rates = rates_of(report, source.rows);
  JsonObject object;
  object.text("description", source.description);
  object.raw("startOffset", stored_offset(source.start));
  object.raw("endOffset", stored_offset(source.end));
  object.raw("latestOffset", stored_offset(source.latest));
  object.number("numInputRows", source.rows);
  object.raw("inputRowsPerSecond", double_text(rates.input));
  object.raw("processedRowsPerSecond", double_text(rates.processed));
  object.raw("metrics", texts_object(source.metrics));
  return std::move(object).finish();
}

std::string event_source(const TriggerReport& report, const SourceReport& source) {
  const Rates rates = rates_of(report, source.rows);
  JsonObject object;
  object.text("description", source.description);
  object.raw("startOffset", parsed_offset(source.start));
  object.raw("endOffset", parsed_offset(source.end));
  object.raw("latestOffset", parsed_offset(source.latest));
  object.number("numInputRows", source.rows);
  put_rate(object, "inputRowsPerSecond", rates.input);
  put_rate(object, "processedRowsPerSecond", rates.processed);
  if (!source.metrics.empty()) object.raw("metrics", texts_object(source.metrics));
  return std::move(object).finish();
}

std::string sources_array(const TriggerReport& report,
                          std::string (*one)(const TriggerReport&, const SourceReport&)) {
  std::string array = "[";
  for (const auto& source : report.sources) {
    array += array.size() > 1 ? "," : "";
    array += one(report, source);
  }
  return array + "]";
}

void put_head(JsonObject& object, const TriggerReport& report) {
  object.text("id", report.id);
  object.text("runId", report.run_id);
  object.raw("name", name_or_null(report.name));
  object.text("timestamp", iso_utc_ms(report.started_ms));
  object.number("batchId", report.batch);
  object.number("batchDuration", report.duration_ms);
}

std::string stored_form(const TriggerReport& report) {
  JsonObject object;
  put_head(object, report);
  object.raw("durationMs", numbers_object(report.phases_ms));
  object.raw("eventTime", texts_object(report.event_time));
  object.raw("stateOperators", "[]");
  object.raw("sources", sources_array(report, stored_source));
  JsonObject sink;
  sink.text("description", report.sink);
  sink.number("numOutputRows", report.rows_out);
  sink.raw("metrics", "{}");
  object.raw("sink", std::move(sink).finish());
  JsonObject observed;
  for (const auto& metrics : report.observed) {
    JsonObject row;
    row.raw("values", observed_values(metrics));
    row.raw("schema", column::schema_to_json(metrics.schema));
    observed.raw(metrics.name, std::move(row).finish());
  }
  object.raw("observedMetrics", std::move(observed).finish());
  return std::move(object).finish();
}

std::string event_form(const TriggerReport& report) {
  std::int64_t rows = 0;
  for (const auto& source : report.sources) rows += source.rows;
  const Rates rates = rates_of(report, rows);
  JsonObject object;
  put_head(object, report);
  object.number("numInputRows", rows);
  put_rate(object, "inputRowsPerSecond", rates.input);
  put_rate(object, "processedRowsPerSecond", rates.processed);
  if (!report.phases_ms.empty()) object.raw("durationMs", numbers_object(report.phases_ms));
  if (!report.event_time.empty()) object.raw("eventTime", texts_object(report.event_time));
  object.raw("stateOperators", "[]");
  object.raw("sources", sources_array(report, event_source));
  JsonObject sink;
  sink.text("description", report.sink);
  sink.number("numOutputRows", report.rows_out);
  object.raw("sink", std::move(sink).finish());
  if (!report.observed.empty()) {
    JsonObject observed;
    for (const auto& metrics : report.observed)
      observed.raw(metrics.name, observed_object(metrics));
    object.raw("observedMetrics", std::move(observed).finish());
  }
  return std::move(object).finish();
}

}  // namespace

std::optional<std::string> rate_text(double rate) {
  if (!std::isfinite(rate)) return std::nullopt;
  return double_text(std::floor(rate * 10 + 0.5) / 10);
}

Progress render_progress(const TriggerReport& report) {
  return {stored_form(report), event_form(report)};
}

std::string started_event_json(const std::string& id, const std::string& run_id,
                               const std::string& name, std::int64_t now_ms,
                               const std::vector<std::string>& tags) {
  std::string tag_array = "[";
  for (const auto& tag : tags) {
    tag_array += tag_array.size() > 1 ? "," : "";
    tag_array += json_quote(tag);
  }
  JsonObject object;
  object.text("id", id);
  object.text("runId", run_id);
  object.raw("name", name_or_null(name));
  object.text("timestamp", iso_utc_ms(now_ms));
  object.raw("jobTags", tag_array + "]");
  return std::move(object).finish();
}

std::string idle_event_json(const std::string& id, const std::string& run_id, std::int64_t now_ms) {
  JsonObject object;
  object.text("id", id);
  object.text("runId", run_id);
  object.text("timestamp", iso_utc_ms(now_ms));
  return std::move(object).finish();
}

std::string terminated_event_json(const std::string& id, const std::string& run_id,
                                  const std::string& exception, const std::string& condition) {
  JsonObject object;
  object.text("id", id);
  object.text("runId", run_id);
  object.raw("exception", name_or_null(exception));
  object.raw("errorClassOnException", name_or_null(condition));
  return std::move(object).finish();
}

}  // namespace millstream::stream
