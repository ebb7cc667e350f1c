#include "millstream/observation.h"

#include "base/random.h"
#include "client/errors.h"
#include "client/expressions.h"
#include "client/observed.h"
#include "client/relations.h"
#include "spark/connect/base.pb.h"

namespace millstream::client {
namespace {

namespace proto = spark::connect;

api::Row row_of(const proto::ExecutePlanResponse_ObservedMetrics& metrics) {
  auto names = std::make_shared<std::vector<std::string>>();
  api::Values values;
  for (int i = 0; i < metrics.values_size(); ++i) {
    names->push_back(i < metrics.keys_size() ? metrics.keys(i)
                                             : "observed_metric_" + std::to_string(i));
    values.push_back(from_literal(metrics.values(i)));
  }
  return {std::move(names), std::move(values)};
}

api::SparkException error_of(const proto::ExecutePlanResponse_ObservedMetrics& metrics) {
  proto::FetchErrorDetailsResponse details;
  details.set_root_error_idx(metrics.root_error_idx());
  *details.mutable_errors() = metrics.errors();
  return to_exception(details);
}

}  // namespace

void Observed::take(const proto::ExecutePlanResponse_ObservedMetrics& metrics) {
  const std::lock_guard lock(mutex_);
  if (told_) return;
  if (metrics.has_root_error_idx()) {
    told_ = error_of(metrics);
  } else {
    told_ = row_of(metrics);
  }
}

api::Row Observed::get() const {
  const std::lock_guard lock(mutex_);
  if (!told_) return {};
  if (const auto* error = std::get_if<api::SparkException>(&*told_)) throw *error;
  return std::get<api::Row>(*told_);
}

bool Observed::claim() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(is_claimed_, true);
}

}  // namespace millstream::client

namespace millstream::api {

Observation::Observation() : Observation(new_uuid()) {}

Observation::Observation(const std::string& name)
    : name_(name), observed_(std::make_shared<client::Observed>()) {
  if (name.empty()) throw SparkException("an observation needs a name");
}

Row Observation::get() const { return observed_->get(); }

DataFrame DataFrame::observe(const Observation& observation,
                             const std::vector<Column>& metrics) const {
  if (!observation.observed_->claim())
    throw SparkException("the observation " + observation.name() + " is of another DataFrame");
  connection_->watch(observation.name(), observation.observed_);
  return observe(observation.name(), metrics);
}

DataFrame DataFrame::observe(const std::string& name, const std::vector<Column>& metrics) const {
  return client::new_frame(connection_, [&](spark::connect::Relation* out) {
    auto* collect = out->mutable_collect_metrics();
    *collect->mutable_input() = relation();
    collect->set_name(name);
    for (const Column& one : metrics) *collect->add_metrics() = one.expression();
  });
}

}  // namespace millstream::api
