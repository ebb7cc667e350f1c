#include <arrow/api.h>
#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <future>
#include <nlohmann/json.hpp>

#include "connect/errors.h"
#include "connect/literals.h"
#include "connect/operations.h"
#include "connect/plan_decode.h"
#include "connect/response_stream.h"
#include "connect/schema_tree.h"
#include "connect/server_session.h"
#include "connect/worker_threads.h"
#include "session/plan_identity.h"
#include "spark/connect/base.pb.h"

namespace millstream::connect {
namespace {

namespace proto = spark::connect;

google::rpc::ErrorInfo details_of(const grpc::Status& status) {
  google::rpc::Status rpc;
  EXPECT_TRUE(rpc.ParseFromString(status.error_details()));
  EXPECT_EQ(rpc.message(), status.error_message());  // the client compares them
  EXPECT_EQ(rpc.code(), status.error_code());
  google::rpc::ErrorInfo info;
  EXPECT_TRUE(rpc.details(0).UnpackTo(&info));
  return info;
}

TEST(Errors, CarryClassConditionAndParameters) {
  ErrorLog log;
  QueryContext context;
  context.fragment = "__truediv__";
  context.call_site = "t.py:7";
  const Status error = Status::error("DIVIDE_BY_ZERO", {{"config", "\"spark.sql.ansi.enabled\""}})
                           .with_context(context);
  const grpc::Status wire = to_grpc(error, &log);
  EXPECT_EQ(wire.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_TRUE(wire.error_message().ends_with(
      "\n== DataFrame ==\n\"__truediv__\" was called from\nt.py:7\n"));
  const auto info = details_of(wire);
  EXPECT_EQ(info.reason(), "org.apache.spark.SparkArithmeticException");
  EXPECT_EQ(info.metadata().at("errorClass"), "DIVIDE_BY_ZERO");
  EXPECT_EQ(info.metadata().at("sqlState"), "22012");
  EXPECT_EQ(nlohmann::json::parse(info.metadata().at("classes"))[1],
            "java.lang.ArithmeticException");
  EXPECT_EQ(nlohmann::json::parse(info.metadata().at("messageParameters"))["config"],
            "\"spark.sql.ansi.enabled\"");
}

// As real Spark's clients see them.
TEST(Errors, AreSparksClassWithACondition) {
  const auto first = [](const Status& error) { return class_hierarchy(error.info()).front(); };
  EXPECT_EQ(first(Status::illegal_state("batch 1 doesn't exist")),
            "java.lang.IllegalStateException");
  EXPECT_EQ(first(Status::invalid("Can not create a Path from an empty string")),
            "java.lang.IllegalArgumentException");
  EXPECT_EQ(first(Status::error("SQL_CONF_NOT_FOUND", {{"sqlConf", "a"}})),
            "org.apache.spark.SparkNoSuchElementException");
  const auto delta = class_hierarchy(Status::error("DELTA_VERSIONS_NOT_CONTIGUOUS").info());
  EXPECT_EQ(delta[0], "org.apache.spark.sql.delta.DeltaIllegalStateException");
  EXPECT_EQ(delta[1], "java.lang.IllegalStateException");
  const auto missing = class_hierarchy(Status::error("DELTA_MISSING_DELTA_TABLE").info());
  EXPECT_EQ(missing[0], "org.apache.spark.sql.delta.DeltaAnalysisException");
  EXPECT_EQ(missing[1], "org.apache.spark.sql.AnalysisException");
}

TEST(Errors, LongOnesAreCutAndFetchedOnce) {
  ErrorLog log;
  const std::string text(100'000, 'x');
  const grpc::Status wire =
      to_grpc(Status::invalid("{}", text).with_cause(Status::io("disk")), &log);
  EXPECT_LE(wire.error_message().size(), 2048u);
  const std::string id = details_of(wire).metadata().at("errorId");
  proto::FetchErrorDetailsResponse response;
  log.take(id, &response);
  ASSERT_EQ(response.errors_size(), 2);
  EXPECT_EQ(response.errors(0).message(), text);
  EXPECT_EQ(response.errors(0).cause_idx(), 1);
  EXPECT_EQ(response.errors(1).error_type_hierarchy(0), "java.io.IOException");
  proto::FetchErrorDetailsResponse again;
  log.take(id, &again);
  EXPECT_FALSE(again.has_root_error_idx());
}

TEST(Errors, CutBetweenCharactersAndNeverInvalidUtf8) {
  std::string text;
  while (text.size() < 4000) text += "\xE2\x82\xAC";
  const grpc::Status wire = to_grpc(Status::invalid("{}\xFF", text), nullptr);
  EXPECT_LE(wire.error_message().size(), 2048u);
  EXPECT_NO_THROW(nlohmann::json(wire.error_message()).dump());
  EXPECT_NO_THROW(
      nlohmann::json(to_grpc(Status::invalid("a\xFF"), nullptr).error_message()).dump());
}

grpc::ByteBuffer to_bytes(const google::protobuf::MessageLite& message) {
  const std::string text = message.SerializeAsString();
  const grpc::Slice slice(text);
  return grpc::ByteBuffer(&slice, 1);
}

TEST(PlanDecode, DeepPlansParse) {
  WorkerThreads workers;
  std::promise<Status> done;
  workers.submit([&] {
    auto relation = std::make_unique<proto::Relation>();
    for (int i = 0; i < 5000; ++i) {
      auto outer = std::make_unique<proto::Relation>();
      outer->mutable_filter()->set_allocated_input(relation.release());
      relation = std::move(outer);
    }
    proto::ExecutePlanRequest request;
    request.mutable_plan()->set_allocated_root(relation.release());
    proto::ExecutePlanRequest parsed;
    done.set_value(decode(to_bytes(request), &parsed));
  });
  EXPECT_TRUE(done.get_future().get().ok());
}

TEST(PlanDecode, GarbageIsAnInvalidPlan) {
  const grpc::Slice slice("\xFF\xFF\xFF garbage");
  proto::ExecutePlanRequest request;
  EXPECT_TRUE(
      decode(grpc::ByteBuffer(&slice, 1), &request).is("CONNECT_INVALID_PLAN.CANNOT_PARSE"));
}

TEST(PlanDecode, CompressedPlansAreUnpacked) {
  proto::Relation relation;
  relation.mutable_range()->set_end(7);
  const std::string plain = relation.SerializeAsString();
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 1));
  proto::Plan plan;
  auto* operation = plan.mutable_compressed_operation();
  operation->set_op_type(proto::Plan::CompressedOperation::OP_TYPE_RELATION);
  operation->set_compression_codec(proto::COMPRESSION_CODEC_ZSTD);
  operation->set_data(packed);
  proto::Plan cut = plan;
  ASSERT_TRUE(decompress(&plan).ok());
  EXPECT_EQ(plan.root().range().end(), 7);
  cut.mutable_compressed_operation()->set_data(packed.substr(0, packed.size() - 3));
  EXPECT_TRUE(decompress(&cut).is("CONNECT_INVALID_PLAN.CANNOT_PARSE"));
  cut.mutable_compressed_operation()->set_data("not zstd");
  EXPECT_TRUE(decompress(&cut).is("CONNECT_INVALID_PLAN.CANNOT_PARSE"));
}

TEST(PlanIdentity, NumbersOfDataFramesDoNotCount) {
  proto::Relation a;
  a.mutable_common()->set_plan_id(1);
  a.mutable_range()->set_end(3);
  proto::Relation b = a;
  b.mutable_common()->set_plan_id(2);
  EXPECT_EQ(session::identity_of(a), session::identity_of(b));
  b.mutable_range()->set_end(4);
  EXPECT_NE(session::identity_of(a), session::identity_of(b));
}

TEST(SchemaTree, PrintsAsPySparkDoes) {
  const auto schema =
      *column::schema_from_text("a INT NOT NULL, b ARRAY<STRUCT<c: BIGINT>>, m MAP<STRING, DATE>");
  EXPECT_EQ(schema_tree(schema, 0),
            "root\n"
            " |-- a: integer (nullable = false)\n"
            " |-- b: array (nullable = true)\n"
            " |    |-- element: struct (containsNull = true)\n"
            " |    |    |-- c: long (nullable = true)\n"
            " |-- m: map (nullable = true)\n"
            " |    |-- key: string\n"
            " |    |-- value: date (valueContainsNull = true)\n");
  EXPECT_EQ(schema_tree(schema, 1),
            "root\n |-- a: integer (nullable = false)\n |-- b: array (nullable = true)\n |-- m: "
            "map (nullable = true)\n");
}

TEST(Literals, NullsAndNumbers) {
  arrow::Int64Builder builder;
  ASSERT_TRUE(builder.Append(5).ok());
  ASSERT_TRUE(builder.AppendNull().ok());
  const auto array = *builder.Finish();
  proto::Expression::Literal literal;
  ASSERT_TRUE(to_literal(*array, 0, column::long_type(), &literal).ok());
  EXPECT_EQ(literal.long_(), 5);
  ASSERT_TRUE(to_literal(*array, 1, column::long_type(), &literal).ok());
  EXPECT_TRUE(literal.null().has_long_());
}

TEST(WorkerThreads, TasksThatBlockDoNotHoldUpOthers) {
  WorkerThreads workers;
  std::promise<void> release;
  auto released = release.get_future().share();
  for (int i = 0; i < 8; ++i) workers.submit([released] { released.wait(); });
  std::promise<void> ran;
  workers.submit([&] { ran.set_value(); });
  ran.get_future().wait();
  release.set_value();
}

// Operations without gRPC: what next_step gives is what a stream would send.
class OperationTest : public testing::Test {
 protected:
  OperationTest() {
    session_ = std::make_shared<ServerSession>(std::make_unique<session::Session>(
        runtime_, "user", "00112233-4455-6677-8899-aabbccddeeff"));
  }

  ~OperationTest() override {
    for (const auto& stream : streams_) stream->OnDone();  // gRPC would
  }

  std::shared_ptr<ResponseStream> make_stream() {
    streams_.push_back(ResponseStream::create());
    return streams_.back();
  }
  OperationPtr make(bool reattachable = true, const std::string& plan = "p") {
    auto added = operations_.add({session_, "op", plan, {"tag"}, reattachable});
    EXPECT_TRUE(added.ok());
    return added->operation;
  }
  static proto::ExecutePlanResponse rows(int count) {
    proto::ExecutePlanResponse response;
    response.mutable_arrow_batch()->set_row_count(count);
    return response;
  }
  // The next response for a stream at `position`; nothing when there is none yet.
  static std::optional<proto::ExecutePlanResponse> next(
      Operation& operation, const std::shared_ptr<ResponseStream>& stream, std::int64_t* position) {
    auto step = operation.next_step(stream.get(), position, false);
    using Kind = Operation::Step::Kind;
    if (step.kind != Kind::write && step.kind != Kind::write_last) return std::nullopt;
    proto::ExecutePlanResponse response;
    EXPECT_TRUE(decode(step.bytes, &response).ok());
    return response;
  }

  session::Runtime runtime_;
  SessionPtr session_;
  Operations operations_;
  std::vector<std::shared_ptr<ResponseStream>> streams_;
};

TEST_F(OperationTest, ReattachGoesOnAfterTheLastResponseTheClientHas) {
  const auto operation = make();
  const auto first = make_stream();
  std::int64_t position = *operation->attach(first, std::nullopt);
  ASSERT_TRUE(operation->send(rows(1)).ok());
  ASSERT_TRUE(operation->send(rows(2)).ok());
  const auto one = next(*operation, first, &position);
  ASSERT_TRUE(next(*operation, first, &position).has_value());
  EXPECT_EQ(one->session_id(), session_->id());
  EXPECT_EQ(one->server_side_session_id(), session_->server_id());

  const auto second = make_stream();
  position = *operation->attach(second, one->response_id());
  EXPECT_EQ(next(*operation, second, &position)->arrow_batch().row_count(), 2);
  // The first stream has been taken over from.
  std::int64_t old = 1;
  const auto step = operation->next_step(first.get(), &old, false);
  EXPECT_EQ(step.kind, Operation::Step::Kind::finish);
  EXPECT_NE(step.status.error_message().find("INVALID_CURSOR.DISCONNECTED"), std::string::npos);

  operation->finish(Status::OK());
  EXPECT_TRUE(next(*operation, second, &position)->has_result_complete());
  const auto end = operation->next_step(second.get(), &position, false);
  EXPECT_EQ(end.kind, Operation::Step::Kind::finish);
  EXPECT_TRUE(end.status.ok());
  EXPECT_TRUE(
      operation->attach(second, "unknown").status().is("INVALID_CURSOR.POSITION_NOT_FOUND"));
}

TEST_F(OperationTest, ReleasedResponsesCannotBeHadAgain) {
  const auto operation = make();
  const auto stream = make_stream();
  std::int64_t position = *operation->attach(stream, std::nullopt);
  ASSERT_TRUE(operation->send(rows(1)).ok());
  const auto one = next(*operation, stream, &position);
  ASSERT_TRUE(operation->release_until(one->response_id()).ok());
  EXPECT_TRUE(
      operation->attach(stream, std::nullopt).status().is("INVALID_CURSOR.POSITION_NOT_AVAILABLE"));
  EXPECT_EQ(*operation->attach(stream, one->response_id()), 2);
}

TEST_F(OperationTest, AnExpiredStreamEndsWellAndTheOperationGoesOn) {
  const auto operation = make();
  const auto stream = make_stream();
  std::int64_t position = *operation->attach(stream, std::nullopt);
  const auto step = operation->next_step(stream.get(), &position, true);
  EXPECT_EQ(step.kind, Operation::Step::Kind::finish);
  EXPECT_TRUE(step.status.ok());
  EXPECT_EQ(operation->state(), OperationState::running);
}

TEST_F(OperationTest, ErrorsComeAfterWhatWasAnswered) {
  const auto operation = make();
  const auto stream = make_stream();
  std::int64_t position = *operation->attach(stream, std::nullopt);
  ASSERT_TRUE(operation->send(rows(1)).ok());
  operation->finish(Status::error("DIVIDE_BY_ZERO"));
  EXPECT_TRUE(next(*operation, stream, &position).has_value());
  const auto step = operation->next_step(stream.get(), &position, false);
  EXPECT_EQ(step.kind, Operation::Step::Kind::finish);
  EXPECT_NE(step.status.error_message().find("DIVIDE_BY_ZERO"), std::string::npos);
}

TEST_F(OperationTest, InterruptionIsWhatTheClientSees) {
  const auto operation = make();
  EXPECT_TRUE(operation->interrupt());
  EXPECT_FALSE(operation->interrupt());
  EXPECT_TRUE(operation->send(rows(1)).is("OPERATION_CANCELED"));
  operation->finish(Status::io("whatever broke"));
  EXPECT_EQ(operation->state(), OperationState::cancelled);
}

TEST_F(OperationTest, AnInterruptionDoesNotWaitForWhatIsStillToBeSent) {
  const auto operation = make();
  const auto stream = make_stream();
  std::int64_t position = *operation->attach(stream, std::nullopt);
  ASSERT_TRUE(operation->send(rows(1)).ok());
  ASSERT_TRUE(operation->send(rows(2)).ok());
  ASSERT_TRUE(next(*operation, stream, &position).has_value());
  operation->interrupt();
  operation->finish(Status::cancelled());
  const auto step = operation->next_step(stream.get(), &position, false);
  EXPECT_EQ(step.kind, Operation::Step::Kind::finish);
  EXPECT_NE(step.status.error_message().find("OPERATION_CANCELED"), std::string::npos);
}

TEST_F(OperationTest, AnInterruptedQueryIsAnsweredBeforeItsWorkHasEnded) {
  const auto operation = make();
  const auto stream = make_stream();
  std::int64_t position = *operation->attach(stream, std::nullopt);
  operation->changes_nothing_more();
  EXPECT_TRUE(operation->interrupt());
  const auto step = operation->next_step(stream.get(), &position, false);
  EXPECT_EQ(step.kind, Operation::Step::Kind::finish);
  EXPECT_NE(step.status.error_message().find("OPERATION_CANCELED"), std::string::npos);
  EXPECT_EQ(operation->state(), OperationState::cancelled);
  operation->finish(Status::OK());  // it ended all the same, too late
  EXPECT_EQ(operation->state(), OperationState::cancelled);
}

TEST_F(OperationTest, AnInterruptedStatementIsAnsweredByWhatBecameOfIt) {
  const auto operation = make();
  const auto stream = make_stream();
  std::int64_t position = *operation->attach(stream, std::nullopt);
  EXPECT_TRUE(operation->interrupt());
  EXPECT_EQ(operation->next_step(stream.get(), &position, false).kind, Operation::Step::Kind::wait);
  operation->finish(Status::OK());  // its commit was sooner
  EXPECT_EQ(operation->state(), OperationState::succeeded);
}

TEST_F(OperationTest, WhatTookEffectIsAnsweredSo) {
  const auto operation = make();
  operation->took_effect();
  EXPECT_FALSE(operation->interrupt());
  EXPECT_TRUE(operation->send(rows(1)).ok());
  operation->finish(Status::OK());
  EXPECT_EQ(operation->state(), OperationState::succeeded);
}

TEST_F(OperationTest, AnInterruptThatCameBeforeTheEffectDoesNotHideIt) {
  const auto operation = make();
  EXPECT_TRUE(operation->interrupt());
  operation->took_effect();  // the commit had not heard of it
  EXPECT_TRUE(operation->send(rows(1)).ok());
  operation->finish(Status::OK());
  EXPECT_EQ(operation->state(), OperationState::succeeded);
}

TEST_F(OperationTest, ReleaseAllAfterTheEndIsNoInterruption) {
  const auto operation = make();
  operation->finish(Status::OK());
  operation->release_all();
  EXPECT_EQ(operation->state(), OperationState::succeeded);
  EXPECT_FALSE(operation->cancel_token().cancelled());
  EXPECT_TRUE(operation->disposable());
}

TEST_F(OperationTest, ReleaseAllOfARunningOneInterruptsIt) {
  const auto operation = make();
  operation->release_all();
  EXPECT_TRUE(operation->cancel_token().cancelled());
}

TEST_F(OperationTest, WithoutReattachThereIsNoResultCompleteAndALostStreamEndsIt) {
  const auto operation = make(false);
  const auto stream = make_stream();
  std::int64_t position = *operation->attach(stream, std::nullopt);
  operation->detach(stream.get());
  EXPECT_TRUE(operation->cancel_token().cancelled());

  operations_.remove(operation);
  Operations fresh;
  auto other = fresh.add({session_, "op", "p", {}, false})->operation;
  position = *other->attach(stream, std::nullopt);
  other->finish(Status::OK());
  EXPECT_EQ(other->next_step(stream.get(), &position, false).kind, Operation::Step::Kind::finish);
}

TEST_F(OperationTest, TheSameRequestTwiceRunsOnce) {
  const auto operation = make();
  const auto again = operations_.add({session_, "op", "p", {}, true});
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again->is_new);
  EXPECT_EQ(again->operation, operation);
  EXPECT_TRUE(operations_.add({session_, "op", "other plan", {}, true})
                  .status()
                  .is("INVALID_HANDLE.OPERATION_ALREADY_EXISTS"));
  operation->finish(Status::OK());
  operations_.remove(operation);
  EXPECT_TRUE(operations_.add({session_, "op", "p", {}, true})
                  .status()
                  .is("INVALID_HANDLE.OPERATION_ABANDONED"));
  EXPECT_TRUE(
      operations_.find(session_->key(), "op").status().is("INVALID_HANDLE.OPERATION_ABANDONED"));
  EXPECT_TRUE(
      operations_.find(session_->key(), "never").status().is("INVALID_HANDLE.OPERATION_NOT_FOUND"));
}

TEST_F(OperationTest, HeartbeatsComeAsOftenAsTheSessionWants) {
  using std::chrono::steady_clock;
  auto added = operations_.add({session_, "op", "p", {}, true, {}, Milliseconds(2000)});
  const auto operation = added->operation;
  const auto now = steady_clock::now();
  EXPECT_FALSE(operation->take_heartbeat(now + Milliseconds(3000)));  // nobody listens
  const auto stream = make_stream();
  ASSERT_TRUE(operation->attach(stream, std::nullopt).ok());
  EXPECT_FALSE(operation->take_heartbeat(now));
  EXPECT_TRUE(operation->take_heartbeat(now + Milliseconds(3000)));
  EXPECT_FALSE(operation->take_heartbeat(now + Milliseconds(4000)));
  operation->finish(Status::OK());
  EXPECT_FALSE(operation->take_heartbeat(now + Milliseconds(9000)));
}

TEST_F(OperationTest, WithoutAnIntervalThereAreNoHeartbeats) {
  const auto operation = make();
  const auto stream = make_stream();
  ASSERT_TRUE(operation->attach(stream, std::nullopt).ok());
  EXPECT_FALSE(operation->take_heartbeat(std::chrono::steady_clock::now() + std::chrono::hours(1)));
}

TEST(SettingsTest, HaveSparksNamesAndUnits) {
  const auto settings =
      parse_settings({{"spark.connect.session.manager.defaultSessionTimeout", "5s"},
                      {"spark.connect.execute.manager.detachedTimeout", "2min"},
                      {"spark.connect.execute.reattachable.senderMaxStreamDuration", "1500"},
                      {"spark.connect.grpc.maxInboundMessageSize", "1m"}});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->session_timeout, Milliseconds(5000));
  EXPECT_EQ(settings->detached_timeout, Milliseconds(120'000));
  EXPECT_EQ(settings->stream_duration_max, Milliseconds(1500));
  EXPECT_EQ(settings->message_bytes_max, 1 << 20);
  EXPECT_EQ(settings->session_maintenance, Milliseconds(30'000));
}

TEST(SettingsTest, WhatIsNoSettingIsNamed) {
  const Status unknown = parse_settings({{"spark.executor.memory", "1g"}}).status();
  EXPECT_NE(unknown.message().find("spark.executor.memory"), std::string::npos);
  EXPECT_NE(unknown.message().find("spark.connect.execute.manager.detachedTimeout"),
            std::string::npos);
  for (const char* value : {"", "soon", "5 parsecs", "1.5s"}) {
    EXPECT_FALSE(parse_settings({{"spark.connect.execute.manager.detachedTimeout", value}}).ok())
        << value;
  }
}

TEST(SettingsTest, Durations) {
  EXPECT_EQ(parse_duration("100ms"), Milliseconds(100));
  EXPECT_EQ(parse_duration("-1"), Milliseconds(-1));
  EXPECT_EQ(parse_duration("2h"), Milliseconds(7'200'000));
  EXPECT_EQ(parse_duration(" 3S "), Milliseconds(3000));
  EXPECT_EQ(parse_duration("s"), std::nullopt);
}

TEST(SessionsTest, AreKeyedByUserAndIdAndRememberedWhenClosed) {
  session::Runtime runtime;
  Sessions sessions(runtime);
  const std::string id = "00112233-4455-6677-8899-aabbccddeeff";
  bool is_new = false;
  const auto first = sessions.open("ann", id, "", &is_new);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(is_new);
  EXPECT_NE((*first)->server_id(), id);
  EXPECT_EQ(*sessions.open("ann", id, "", &is_new), *first);
  EXPECT_NE(*sessions.open("bob", id, "", &is_new), *first);
  EXPECT_TRUE(sessions.open("ann", "not-a-uuid", "", &is_new).status().is("INVALID_HANDLE.FORMAT"));
  EXPECT_TRUE(sessions.open("ann", id, "other server", &is_new)
                  .status()
                  .is("INVALID_HANDLE.SESSION_CHANGED"));
  EXPECT_TRUE(sessions.find("eve", id, "").status().is("INVALID_HANDLE.SESSION_NOT_FOUND"));
  EXPECT_EQ(sessions.close("ann", id, false), *first);
  EXPECT_TRUE(sessions.open("ann", id, "", &is_new).status().is("INVALID_HANDLE.SESSION_CLOSED"));
  EXPECT_EQ(sessions.close("ann", id, true), nullptr);
  EXPECT_TRUE(sessions.open("ann", id, "", &is_new).ok());
}

}  // namespace
}  // namespace millstream::connect
