// The main job in C++: files arrive in a landing folder and become a Delta table, each row exactly
// once.
//
// usage: flights FOLDER      (FOLDER as written by make_flights.py)
//
// The engine runs in this process; with SPARK_REMOTE=sc://host:port a Spark Connect server does the
// work.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "millstream/millstream.h"

namespace {

namespace fs = std::filesystem;
namespace F = millstream::api::functions;
using millstream::api::DataFrame;
using millstream::api::SparkException;
using millstream::api::SparkSession;

struct Folders {
  fs::path root;
  std::string landing = root / "landing";
  std::string bronze = root / "bronze";
  std::string checkpoint = root / "checkpoint";
};

// What a supplier does: puts finished files into the landing folder.
void land(const Folders& folders, int wave) {
  fs::create_directories(folders.landing);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folders.root / "waves" / std::to_string(wave))) {
    fs::create_hard_link(entry.path(), folders.landing / entry.path().filename());
    ++files;
  }
  std::printf("\nwave %d: %d files landed\n", wave, files);
}

// Takes in every file that is new since the last call, then stops.
void ingest(const SparkSession& spark, const Folders& folders) {
  const DataFrame flights = spark.read_stream()
                                .format("cloudFiles")
                                .option("cloudFiles.format", "json")
                                .option("cloudFiles.schemaLocation", folders.checkpoint)
                                .option("cloudFiles.inferColumnTypes", "true")
                                .option("cloudFiles.maxFilesPerTrigger", "100")
                                .load(folders.landing);
  const auto query = flights.write_stream()
                         .format("delta")
                         .option("checkpointLocation", folders.checkpoint)
                         .option("mergeSchema", "true")
                         .trigger_available_now()
                         .start(folders.bronze);
  query.await_termination();
  std::printf("  %zu batches\n", query.recent_progress().size());
}

DataFrame worst_carriers(const SparkSession& spark, const Folders& folders) {
  const DataFrame bronze = spark.read().format("delta").load(folders.bronze);
  const DataFrame airlines =
      spark.read().schema("carrier string, name string").json(folders.root / "airlines.json");
  return bronze.group_by({"carrier"})
      .agg({F::count("*").alias("flights"), F::round(F::avg("arr_delay"), 2).alias("mean_delay")})
      .join(airlines, {"carrier"})
      .select({"name", "flights", "mean_delay"})
      .sort({F::desc("mean_delay")})
      .limit(10);
}

void run(const Folders& folders) {
  const auto spark = SparkSession::builder().get_or_create();
  std::printf("Spark %s\n", spark.version().c_str());

  for (int wave = 1; wave <= 3; ++wave) {
    land(folders, wave);
    try {
      ingest(spark, folders);
    } catch (const SparkException& error) {
      // A column that is new stops the stream once: its schema has grown, so the same program goes
      // on.
      if (wave < 3) throw;
      std::printf("  stopped: %.200s\n  the same program again:\n", error.what());
      ingest(spark, folders);
    }
  }

  const DataFrame bronze = spark.read().format("delta").load(folders.bronze);
  std::printf("\n%lld rows in bronze, %lld known as cancelled\n",
              static_cast<long long>(bronze.count()),
              static_cast<long long>(bronze.filter("cancelled").count()));
  std::printf("the ten carriers with the worst mean delay:\n");
  worst_carriers(spark, folders).show(20, 0);
  spark.stop();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: flights FOLDER      (FOLDER as written by make_flights.py)\n");
    return 2;
  }
  try {
    run({fs::absolute(argv[1]).lexically_normal()});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flights: %s\n", error.what());
    return 1;
  }
  return 0;
}
