#include "server/job_store.h"

#include "core/fail.h"

#include <fmt/format.h>

namespace gass::server {
namespace {

constexpr std::int64_t kApplication = 0x67617373;  // "gass"
constexpr std::int64_t kVersion = 1;
constexpr int kPatienceMilliseconds = 10'000;
constexpr const char* kTables =
    "CREATE TABLE jobs (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT "
    "NULL, "
    "client TEXT NOT NULL, request_id TEXT NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL, state "
    "INTEGER NOT NULL, "
    "created INTEGER NOT NULL, started INTEGER NOT NULL, finished INTEGER NOT NULL, attempts INTEGER NOT "
    "NULL, "
    "attached INTEGER NOT NULL, previews INTEGER NOT NULL, request TEXT NOT NULL, plan TEXT NOT NULL, error "
    "TEXT NOT NULL, "
    "result TEXT NOT NULL) STRICT;"
    "CREATE INDEX by_state ON jobs (state, finished);"
    "CREATE INDEX by_owner ON jobs (owner, number);";
constexpr const char* kColumns =
    "number, id, owner, client, request_id, model, prompt, state, created, started, finished, attempts, "
    "attached, previews, request, plan, error, result";

Json json_of(std::string_view text) {
    return text.empty() ? Json() : parse_json(text, "jobs");
}
std::string text_of(const Json& json) {
    return json.is_null() ? std::string() : json.dump(-1, ' ', false, Json::error_handler_t::replace);
}
std::int64_t number_of(JobState state) {
    return static_cast<std::int64_t>(state);
}

Job job_of(const Statement& row) {
    const auto text = [&](int column) { return std::string(row.text(column)); };
    Job job;
    job.number = row.number(0);
    job.id = text(1);
    job.owner = text(2);
    job.client = text(3);
    job.request_id = text(4);
    job.model = text(5);
    job.prompt = text(6);
    const std::int64_t state = row.number(7);
    if (state < 0 || state > number_of(JobState::cancelled))
        fail(ErrorCode::model_invalid, "jobs", "{} is no state of a job", state);
    job.state = static_cast<JobState>(state);
    job.created = row.number(8);
    job.started = row.number(9);
    job.finished = row.number(10);
    job.attempts = row.number(11);
    job.attached = row.number(12) != 0;
    job.previews = row.number(13) != 0;
    job.request = json_of(row.text(14));
    job.plan = json_of(row.text(15));
    job.error = json_of(row.text(16));
    job.result = json_of(row.text(17));
    return job;
}

std::vector<Job> jobs_of(Statement& statement) {
    std::vector<Job> jobs;
    while (statement.step()) jobs.push_back(job_of(statement));
    return jobs;
}

/// A text for LIKE that means itself.
std::string pattern_of(std::string_view text) {
    std::string pattern = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '\\') pattern += '\\';
        pattern += c;
    }
    return pattern + "%";
}

}  // namespace

JobStore::JobStore(const std::filesystem::path& file) : database_(file, kPatienceMilliseconds) {
    // Whoever is told that his job is accepted must find it again, also after a power cut.
    database_.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON");
    if (database_.number("SELECT count(*) FROM sqlite_master") == 0) {
        Transaction transaction(database_, Transaction::Kind::write);
        database_.execute(kTables);
        database_.execute(
            fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kVersion));
        transaction.commit();
    }
    if (database_.number("PRAGMA application_id") != kApplication)
        throw DamagedDatabase(database_.where(), "it is a database of something else");
    if (database_.number("PRAGMA user_version") != kVersion)
        throw DamagedDatabase(database_.where(), "it was written by another version of gass");
    std::error_code ignored;
    using std::filesystem::perms;
    std::filesystem::permissions(file, perms::owner_read | perms::owner_write, ignored);
}

void JobStore::add(Job& job) {
    const std::string request = text_of(job.request);
    const std::string plan = text_of(job.plan);
    Statement insert(
        database_,
        "INSERT INTO jobs (id, owner, client, request_id, model, prompt, state, created, started, "
        "finished, attempts, attached, previews, request, plan, error, result) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, ?, ?, ?, ?, '', '')");
    insert.bind(std::string_view(job.id), std::string_view(job.owner), std::string_view(job.client),
                std::string_view(job.request_id), std::string_view(job.model), std::string_view(job.prompt),
                number_of(job.state), job.created, std::int64_t{job.attached}, std::int64_t{job.previews},
                std::string_view(request), std::string_view(plan));
    insert.step();
    job.number = database_.number("SELECT last_insert_rowid()");
}

void JobStore::update(const Job& job) {
    const std::string error = text_of(job.error);
    const std::string result = text_of(job.result);
    Statement update(
        database_,
        "UPDATE jobs SET state = ?, started = ?, finished = ?, attempts = ?, error = ?, result = ? "
        "WHERE id = ?");
    update.bind(number_of(job.state), job.started, job.finished, job.attempts, std::string_view(error),
                std::string_view(result), std::string_view(job.id));
    update.step();
}

void JobStore::remove(const std::string& id) {
    Statement statement(database_, "DELETE FROM jobs WHERE id = ?");
    statement.bind(std::string_view(id)).step();
}

std::optional<Job> JobStore::find(const std::string& id) {
    Statement statement(database_, fmt::format("SELECT {} FROM jobs WHERE id = ?", kColumns));
    if (!statement.bind(std::string_view(id)).step()) return std::nullopt;
    return job_of(statement);
}

std::vector<Job> JobStore::list(const std::string& owner, const JobFilter& filter) {
    Statement statement(
        database_,
        fmt::format("SELECT {} FROM jobs WHERE owner = ? AND (? < 0 OR state = ?) AND "
                    "(? = 0 OR number < ?) AND prompt LIKE ? ESCAPE '\\' ORDER BY number DESC LIMIT ?",
                    kColumns));
    const std::int64_t state = filter.state ? number_of(*filter.state) : -1;
    const std::string pattern = pattern_of(filter.query);
    statement.bind(std::string_view(owner), state, state, filter.before, filter.before,
                   std::string_view(pattern), filter.limit);
    return jobs_of(statement);
}

std::vector<Job> JobStore::all_of(JobState state) {
    Statement statement(database_,
                        fmt::format("SELECT {} FROM jobs WHERE state = ? ORDER BY number", kColumns));
    statement.bind(number_of(state));
    return jobs_of(statement);
}

std::vector<std::string> JobStore::finished_before(std::int64_t milliseconds, std::int64_t most) {
    Statement statement(database_, "SELECT id FROM jobs WHERE state >= ? AND finished < ? LIMIT ?");
    statement.bind(number_of(JobState::completed), milliseconds, most);
    std::vector<std::string> ids;
    while (statement.step()) ids.emplace_back(statement.text(0));
    return ids;
}

}  // namespace gass::server
