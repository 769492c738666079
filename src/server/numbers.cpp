#include "server/numbers.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <fstream>

namespace gass::server {
namespace {

using prometheus::Histogram;

const Histogram::BucketBoundaries& request_buckets() {
    static const Histogram::BucketBoundaries kBuckets{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30};
    return kBuckets;
}
const Histogram::BucketBoundaries& job_buckets() {
    static const Histogram::BucketBoundaries kBuckets{0.5, 1, 2, 5, 10, 30, 60, 300, 1800};
    return kBuckets;
}

double resident_bytes() {
    std::ifstream file("/proc/self/statm");
    double size = 0;
    double resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
}

}  // namespace

class Numbers::Impl {
  public:
    prometheus::Registry registry;
    prometheus::Family<prometheus::Counter>& requests =
        prometheus::BuildCounter().Name("gass_requests_total").Help("HTTP requests").Register(registry);
    prometheus::Family<Histogram>& request_seconds = prometheus::BuildHistogram()
                                                         .Name("gass_request_seconds")
                                                         .Help("Time to answer a request")
                                                         .Register(registry);
    prometheus::Family<prometheus::Counter>& jobs =
        prometheus::BuildCounter().Name("gass_jobs_total").Help("Jobs that are over").Register(registry);
    prometheus::Family<Histogram>& job_seconds = prometheus::BuildHistogram()
                                                     .Name("gass_job_seconds")
                                                     .Help("Time from a job's start to its end")
                                                     .Register(registry);
    prometheus::Family<prometheus::Counter>& images =
        prometheus::BuildCounter().Name("gass_images_total").Help("Images made").Register(registry);
    prometheus::Family<prometheus::Counter>& busy = prometheus::BuildCounter()
                                                        .Name("gass_busy_seconds_total")
                                                        .Help("Time that a device worked")
                                                        .Register(registry);
    prometheus::Family<prometheus::Gauge>& standing =
        prometheus::BuildGauge().Name("gass_jobs").Help("Jobs that are not over").Register(registry);
    prometheus::Gauge& queued = standing.Add({{"state", "queued"}});
    prometheus::Gauge& running = standing.Add({{"state", "running"}});
    prometheus::Gauge& models = prometheus::BuildGauge()
                                    .Name("gass_models_loaded")
                                    .Help("Models in memory")
                                    .Register(registry)
                                    .Add({});
    prometheus::Gauge& connections =
        prometheus::BuildGauge().Name("gass_connections").Help("Open connections").Register(registry).Add({});
    prometheus::Gauge& resident = prometheus::BuildGauge()
                                      .Name("process_resident_memory_bytes")
                                      .Help("Resident memory")
                                      .Register(registry)
                                      .Add({});
};

Numbers::Numbers() : impl_(std::make_unique<Impl>()) {
}
Numbers::~Numbers() = default;

void Numbers::answered(std::string_view route, int status, double seconds) {
    const std::string name(route);
    impl_->requests.Add({{"route", name}, {"status", std::to_string(status)}}).Increment();
    impl_->request_seconds.Add({{"route", name}}, request_buckets()).Observe(seconds);
}

void Numbers::ended(std::string_view state, double seconds) {
    impl_->jobs.Add({{"state", std::string(state)}}).Increment();
    impl_->job_seconds.Add({{"state", std::string(state)}}, job_buckets()).Observe(seconds);
}

void Numbers::made(const std::string& model, std::size_t images) {
    impl_->images.Add({{"model", model}}).Increment(static_cast<double>(images));
}

void Numbers::worked(const std::string& device, double seconds) {
    impl_->busy.Add({{"device", device}}).Increment(seconds);
}

std::string Numbers::text(const Standing& standing) {
    impl_->queued.Set(static_cast<double>(standing.queued));
    impl_->running.Set(static_cast<double>(standing.running));
    impl_->models.Set(static_cast<double>(standing.models));
    impl_->connections.Set(static_cast<double>(standing.connections));
    impl_->resident.Set(resident_bytes());
    return prometheus::TextSerializer().Serialize(impl_->registry.Collect());
}

}  // namespace gass::server
