#include "source/rate.h"

#include <nlohmann/json.hpp>

#include <limits>
#include <thread>

#include "base/text.h"
#include "loader/durations.h"
#include "source/rate_rows.h"

namespace millstream::source {
namespace {

constexpr std::int64_t rows_worth_a_partition = 128 << 10;

int partitions_for(std::int64_t rows, std::int64_t asked, int parallelism) {
  if (asked > 0) return static_cast<int>(std::min<std::int64_t>(asked, 1024));
  // Small batches stay in one piece: a sink then writes one file.
  return rows < rows_worth_a_partition ? 1 : parallelism;
}

Result<std::int64_t> positive(const Options& options, std::string_view name,
                              std::int64_t fallback) {
  TRY_ASSIGN(const std::int64_t value, options.get_int(name, fallback));
  if (options.has(name) && value <= 0) {
    return Status::invalid("Invalid value '{}'. The option '{}' must be positive",
                           options.get(name, ""), name);
  }
  return value;
}

Result<std::int64_t> not_negative(const Options& options, std::string_view name,
                                  std::int64_t fallback) {
  TRY_ASSIGN(const std::int64_t value, options.get_int(name, fallback));
  if (value < 0) {
    return Status::invalid("Invalid value '{}'. The option '{}' must be non-negative",
                           options.get(name, ""), name);
  }
  return value;
}

class RateTable : public connector::StreamTable {
 public:
  const column::Schema& schema() const override { return rate_schema(); }
  const column::Schema& metadata_fields() const override { return none_; }

 private:
  column::Schema none_;
};

// ---- rate-micro-batch
// -------------------------------------------------------------------------------------------------

struct MicroBatchRate {
  std::int64_t rows_per_batch = 0;
  std::int64_t partitions = 0;  // 0: not given
  std::int64_t start_ms = 0;
  std::int64_t advance_ms = 1000;
  int parallelism = 1;
};

struct MicroBatchOffset {
  std::int64_t offset = 0;
  std::int64_t timestamp = 0;
};

std::string print(const MicroBatchOffset& at) {
  return fmt::format(R"({{"offset":{},"timestamp":{}}})", at.offset, at.timestamp);
}

Result<MicroBatchOffset> parse_micro_batch_offset(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.value("offset", nlohmann::json()).is_number_integer() ||
      !json.value("timestamp", nlohmann::json()).is_number_integer()) {
    return Status::illegal_state("not an offset of a rate-micro-batch source: {}", text);
  }
  return MicroBatchOffset{json["offset"].get<std::int64_t>(),
                          json["timestamp"].get<std::int64_t>()};
}

class MicroBatchRateSource final : public connector::Source {
 public:
  explicit MicroBatchRateSource(MicroBatchRate rate) : rate_(rate) {}

  std::string description() const override {
    return fmt::format(
        "RatePerMicroBatchStream[rowsPerBatch={}, numPartitions={}, startTimestamp={}, "
        "advanceMsPerBatch={}]",
        rate_.rows_per_batch, rate_.partitions > 0 ? rate_.partitions : rate_.parallelism,
        rate_.start_ms, rate_.advance_ms);
  }

  Result<std::optional<connector::Offset>> latest_offset(
      const std::optional<connector::Offset>& start, bool) override {
    if (available_now_ && end_of_run_) return end_of_run_;
    TRY_ASSIGN(MicroBatchOffset at, at_or_beginning(start));
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    at.offset = at.offset > most - rate_.rows_per_batch ? most : at.offset + rate_.rows_per_batch;
    at.timestamp += rate_.advance_ms;
    std::optional<connector::Offset> end = print(at);
    if (available_now_) end_of_run_ = end;
    return end;
  }

  Result<connector::Batches> batch(const std::optional<connector::Offset>& start,
                                   const connector::Offset& end,
                                   const connector::ScanRequest& request) override {
    TRY_ASSIGN(const MicroBatchOffset from, at_or_beginning(start));
    TRY_ASSIGN(const MicroBatchOffset to, parse_micro_batch_offset(end));
    if (from.offset > to.offset) {
      return Status::error(
          "MALFORMED_STATE_IN_RATE_PER_MICRO_BATCH_SOURCE.INVALID_OFFSET",
          {{"startOffset", std::to_string(from.offset)}, {"endOffset", std::to_string(to.offset)}});
    }
    if (from.timestamp > to.timestamp) {
      return Status::error("MALFORMED_STATE_IN_RATE_PER_MICRO_BATCH_SOURCE.INVALID_TIMESTAMP",
                           {{"startTimestamp", std::to_string(from.timestamp)},
                            {"endTimestamp", std::to_string(to.timestamp)}});
    }
    return rate_batches(
        {from.offset, to.offset, from.timestamp, 0.0},
        partitions_for(to.offset - from.offset, rate_.partitions, rate_.parallelism), request);
  }

  Status commit(const connector::Offset&) override { return Status::OK(); }

  bool supports_available_now() const override { return true; }
  Status prepare_for_available_now() override {
    available_now_ = true;
    return Status::OK();
  }

 private:
  Result<MicroBatchOffset> at_or_beginning(const std::optional<connector::Offset>& offset) const {
    if (offset) return parse_micro_batch_offset(*offset);
    return MicroBatchOffset{0, rate_.start_ms};
  }

  MicroBatchRate rate_;
  bool available_now_ = false;
  std::optional<connector::Offset> end_of_run_;  // of an AvailableNow run: one batch, as Spark's
};

class MicroBatchRateTable final : public RateTable {
 public:
  explicit MicroBatchRateTable(MicroBatchRate rate) : rate_(rate) {}
  std::string describe() const override { return "rate-micro-batch"; }
  Result<std::unique_ptr<connector::Source>> open(const connector::SourceContext&) const override {
    return std::unique_ptr<connector::Source>(std::make_unique<MicroBatchRateSource>(rate_));
  }

 private:
  MicroBatchRate rate_;
};

// ---- rate
// -------------------------------------------------------------------------------------------------------------

struct ClockRate {
  std::int64_t rows_per_second = 1;
  std::int64_t ramp_up_seconds = 0;
  std::int64_t partitions = 0;
  int parallelism = 1;
};

Result<std::int64_t> parse_seconds(const std::string& text) {
  const auto seconds = parse_int64(trim(text));
  if (!seconds) return Status::illegal_state("not an offset of a rate source: {}", text);
  return *seconds;
}

class ClockRateSource final : public connector::Source {
 public:
  ClockRateSource(ClockRate rate, Clock* clock, std::int64_t created_ms)
      : rate_(rate), clock_(clock), created_ms_(created_ms), newest_ms_(created_ms) {}

  std::string description() const override {
    // Spark prints no closing bracket; scripts compare this text.
    return fmt::format(
        "RateStreamV2[rowsPerSecond={}, rampUpTimeSeconds={}, numPartitions={}",
        rate_.rows_per_second, rate_.ramp_up_seconds,
        rate_.partitions > 0 ? std::to_string(rate_.partitions) : std::string("default"));
  }

  Result<std::optional<connector::Offset>> latest_offset(const std::optional<connector::Offset>&,
                                                         bool) override {
    // A clock that is set back does not take rows back.
    newest_ms_ = std::max(newest_ms_, clock_->now_ms());
    return std::optional<connector::Offset>(std::to_string((newest_ms_ - created_ms_) / 1000));
  }

  Result<connector::Batches> batch(const std::optional<connector::Offset>& start,
                                   const connector::Offset& end,
                                   const connector::ScanRequest& request) override {
    std::int64_t from = 0;
    if (start) {
      TRY_ASSIGN(from, parse_seconds(*start));
    }
    TRY_ASSIGN(const std::int64_t to, parse_seconds(end));
    if (from > to) return Status::illegal_state("startSeconds({}) > endSeconds({})", from, to);
    RateRange range;
    range.begin = rate_value_at(from, rate_.rows_per_second, rate_.ramp_up_seconds);
    range.end = rate_value_at(to, rate_.rows_per_second, rate_.ramp_up_seconds);
    range.first_ms = created_ms_ + from * 1000;
    if (range.end > range.begin) {
      range.ms_per_value =
          static_cast<double>((to - from) * 1000) / static_cast<double>(range.end - range.begin);
    }
    return rate_batches(
        range, partitions_for(range.end - range.begin, rate_.partitions, rate_.parallelism),
        request);
  }

  Status commit(const connector::Offset&) override { return Status::OK(); }

 private:
  ClockRate rate_;
  Clock* clock_;
  std::int64_t created_ms_;
  std::int64_t newest_ms_;
};

// The creation time is kept in the source's file 0: a restart goes on counting from there.
Result<std::int64_t> creation_time(const connector::SourceContext& context) {
  const std::string path = io::join_path(context.metadata_path, "0");
  auto found = context.store->get(path);
  if (!found.ok() && found.status().is(ErrorKind::file_not_found)) {
    const std::int64_t now = context.clock->now_ms();
    TRY(context.store->put_if_absent(path, fmt::format("v1\n{}", now)));
    return now;
  }
  TRY_ASSIGN(const std::string text, std::move(found));
  const auto lines = split(text, '\n');
  const auto created =
      lines.size() >= 2 && lines[0] == "v1" ? parse_int64(trim(lines[1])) : std::nullopt;
  if (!created)
    return Status::illegal_state("{} does not hold the creation time of a rate source", path);
  return *created;
}

class ClockRateTable final : public RateTable {
 public:
  explicit ClockRateTable(ClockRate rate) : rate_(rate) {}
  std::string describe() const override { return "rate"; }
  Result<std::unique_ptr<connector::Source>> open(
      const connector::SourceContext& context) const override {
    TRY_ASSIGN(const std::int64_t created, creation_time(context));
    return std::unique_ptr<connector::Source>(
        std::make_unique<ClockRateSource>(rate_, context.clock, created));
  }

 private:
  ClockRate rate_;
};

int parallelism_of(const SourceEnv& env) {
  if (env.default_parallelism > 0) return env.default_parallelism;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

std::int64_t rate_value_at(std::int64_t seconds, std::int64_t rows_per_second,
                           std::int64_t ramp_up) {
  const std::int64_t more_each_second = rows_per_second / (ramp_up + 1);
  if (seconds <= ramp_up) {
    // more_each_second * seconds * (seconds + 1) / 2, the even factor halved first so that it does
    // not overflow.
    return seconds % 2 == 1 ? (seconds + 1) / 2 * more_each_second * seconds
                            : seconds / 2 * more_each_second * (seconds + 1);
  }
  return rate_value_at(ramp_up, rows_per_second, ramp_up) + (seconds - ramp_up) * rows_per_second;
}

Result<std::shared_ptr<const connector::StreamTable>> make_rate_micro_batch_table(
    const Options& options, const SourceEnv& env) {
  MicroBatchRate rate;
  TRY_ASSIGN(rate.rows_per_batch, positive(options, "rowsPerBatch", 0));
  if (rate.rows_per_batch <= 0) {
    return Status::invalid("Invalid value '0'. The option 'rowsPerBatch' must be positive");
  }
  TRY_ASSIGN(rate.partitions, positive(options, "numPartitions", 0));
  TRY_ASSIGN(rate.start_ms, not_negative(options, "startTimestamp", 0));
  TRY_ASSIGN(rate.advance_ms, not_negative(options, "advanceMillisPerBatch", 1000));
  rate.parallelism = parallelism_of(env);
  return std::shared_ptr<const connector::StreamTable>(std::make_shared<MicroBatchRateTable>(rate));
}

Result<std::shared_ptr<const connector::StreamTable>> make_rate_table(const Options& options,
                                                                      const SourceEnv& env) {
  ClockRate rate;
  TRY_ASSIGN(rate.rows_per_second, positive(options, "rowsPerSecond", 1));
  TRY_ASSIGN(rate.partitions, positive(options, "numPartitions", 0));
  if (const std::string* text = options.find("rampUpTime")) {
    const auto ms = loader::parse_time_ms(*text, 1000);
    if (!ms || *ms < 0)
      return Status::invalid("Invalid value '{}'. The option 'rampUpTime' must not be negative",
                             *text);
    rate.ramp_up_seconds = *ms / 1000;
  }
  rate.parallelism = parallelism_of(env);
  return std::shared_ptr<const connector::StreamTable>(std::make_shared<ClockRateTable>(rate));
}

}  // namespace millstream::source
