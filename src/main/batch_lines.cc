#include "main/batch_lines.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace millstream::main_program {
namespace {

std::string with_commas(std::int64_t number) {
  if (number < 1000) return std::to_string(number);
  return fmt::format("{},{:03}", with_commas(number / 1000), number % 1000);
}

// Spark's descriptions of sinks that are no place name a class: "…streaming.ConsoleTable$@1".
std::string sink_name(const std::string& description) {
  for (const auto& [type, name] :
       {std::pair{"ConsoleTable$", "console"}, {"NoopTable$", "noop"}, {"MemorySink", "memory"}}) {
    if (description.find(type) != std::string::npos) return name;
  }
  return description;
}

}  // namespace

std::optional<std::string> batch_line(const std::string& progress_event_json) {
  const auto event = nlohmann::json::parse(progress_event_json, nullptr, false);
  if (!event.is_object() || !event.contains("progress")) return std::nullopt;
  const auto& progress = event["progress"];
  const auto durations = progress.value("durationMs", nlohmann::json::object());
  if (!durations.contains("addBatch")) return std::nullopt;
  const double seconds =
      static_cast<double>(durations.value("triggerExecution", std::int64_t{0})) / 1000.0;
  const auto name = progress.value("name", nlohmann::json());
  const std::string prefix =
      name.is_string() ? fmt::format("{} ", name.get<std::string>()) : std::string();
  return fmt::format(
      "{}batch {}: {} rows in {:.2f} s -> {}", prefix, progress.value("batchId", std::int64_t{0}),
      with_commas(progress.value("numInputRows", std::int64_t{0})), seconds,
      sink_name(
          progress.value("sink", nlohmann::json::object()).value("description", std::string())));
}

void BatchLines::on_event(const stream::QueryEvent& event) {
  if (event.kind != stream::QueryEvent::Kind::progress) return;
  const auto line = batch_line(event.json);
  if (!line) return;
  const std::lock_guard lock(mutex_);
  std::fprintf(stderr, "%s\n", line->c_str());
}

}  // namespace millstream::main_program
