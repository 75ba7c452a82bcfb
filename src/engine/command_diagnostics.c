/*
 * What shells and monitoring ask a server about itself. What the engine does not count or know is left out of a reply
 * rather than made up.
 */
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "engine/command.h"
#include "engine/command_server.h"

static void put_date(struct writer *w, const char *name, int64_t millis)
{
	uint64_t little = BSON_UINT64_TO_LE((uint64_t)millis);

	writer_raw(w, key_of(name), BSON_TYPE_DATE_TIME, &little, sizeof little);
}

static int64_t now_millis(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t open_cursors(const struct cursor_registry *r, bool only_without_timeout)
{
	int64_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		n += !only_without_timeout || r->cursors[i]->no_timeout;
	return n;
}

bool command_server_status(struct command_call *call)
{
	const struct engine *e = call->engine;
	int64_t up_millis = (interrupt_now_us() - e->started_us) / 1000;
	struct writer *w = call->reply;

	writer_text(w, "host", SERVER_HOST);
	writer_text(w, "version", store_emulation(e->store)->version);
	writer_text(w, "process", "bsonscope");
	writer_int64(w, "pid", getpid());
	writer_double(w, "uptime", (double)(up_millis / 1000));
	writer_int64(w, "uptimeMillis", up_millis);
	writer_int64(w, "uptimeEstimate", up_millis / 1000);
	put_date(w, "localTime", now_millis());
	writer_begin_document(w, key_of("storageEngine"));
	writer_text(w, "name", "bsonscope");
	writer_bool(w, "supportsCommittedReads", false);
	writer_bool(w, "persistent", false);
	writer_bool(w, "readOnly", false);
	writer_end(w);
	writer_begin_document(w, key_of("metrics"));
	writer_begin_document(w, key_of("cursor"));
	writer_begin_document(w, key_of("open"));
	writer_int64(w, "noTimeout", open_cursors(&e->cursors, true));
	writer_int64(w, "total", open_cursors(&e->cursors, false));
	writer_end(w);
	writer_end(w);
	writer_end(w);
	return true;
}

/* Limits that hold here; the names are those of the server's parameters. */
static const struct {
	const char *name;
	int64_t value;
} parameters[] = {
	{ "internalLookupStageIntermediateDocumentMaxSizeBytes", 104857600 },
	{ "internalDocumentSourceGroupMaxMemoryBytes", 104857600 },
	{ "internalQueryMaxBlockingSortMemoryUsageBytes", 104857600 },
	{ "maxBSONDepth", VALUE_DEPTH_LIMIT },
	{ "cursorTimeoutMillis", CURSOR_TIMEOUT_MILLIS },
};

enum { PARAMETERS = sizeof parameters / sizeof *parameters };

static void put_compatibility(struct command_call *call)
{
	writer_begin_document(call->reply, key_of("featureCompatibilityVersion"));
	writer_text(call->reply, "version", store_emulation(call->engine->store)->name);
	writer_end(call->reply);
}

bool command_get_parameter(struct command_call *call)
{
	struct value which = value_get(call->command, "getParameter");
	bool all = value_is_document(which) ? command_option_bool(which, "allParameters", false)
	                                    : which.type == BSON_TYPE_UTF8 && key_is(value_text(which), "*");
	bool found = all || !value_is_missing(value_get(call->command, "featureCompatibilityVersion"));

	if (found)
		put_compatibility(call);
	for (size_t i = 0; i < PARAMETERS; i++) {
		if (!all && value_is_missing(value_get(call->command, parameters[i].name)))
			continue;
		writer_number(call->reply, parameters[i].name, parameters[i].value);
		found = true;
	}
	return found || command_fail(call, CODE_InvalidOptions, "no option found to get");
}

bool command_get_log(struct command_call *call)
{
	static const char *const names[] = { "global", "startupWarnings" };
	struct value which = value_get(call->command, "getLog");
	struct writer *w = call->reply;

	if (which.type != BSON_TYPE_UTF8)
		return command_fail(call, CODE_TypeMismatch, "Argument to getLog must be of type String; found type %s",
		                    value_type_name(which.type));
	if (key_is(value_text(which), "*")) {
		writer_begin_array(w, key_of("names"));
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			writer_text(w, "", names[i]);
		writer_end(w);
		return true;
	}
	if (!key_is(value_text(which), names[0]) && !key_is(value_text(which), names[1]))
		return command_fail(call, CODE_OperationFailed, "No log named '%s'", value_text(which).bytes);
	/* the engine writes none */
	writer_int32(w, "totalLinesWritten", 0);
	writer_begin_array(w, key_of("log"));
	writer_end(w);
	return true;
}

bool command_host_info(struct command_call *call)
{
	struct writer *w = call->reply;
	struct utsname names;
	int64_t megabytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / (1024 * 1024);

	uname(&names);
	writer_begin_document(w, key_of("system"));
	put_date(w, "currentTime", now_millis());
	writer_text(w, "hostname", SERVER_HOST);
	writer_int32(w, "cpuAddrSize", (int32_t)sizeof(void *) * 8);
	writer_number(w, "memSizeMB", megabytes);
	writer_number(w, "numCores", sysconf(_SC_NPROCESSORS_ONLN));
	writer_text(w, "cpuArch", names.machine);
	writer_end(w);
	writer_begin_document(w, key_of("os"));
	writer_text(w, "type", names.sysname);
	writer_text(w, "name", names.sysname);
	writer_text(w, "version", names.release);
	writer_end(w);
	writer_begin_document(w, key_of("extra"));
	writer_end(w);
	return true;
}

bool command_get_command_line(struct command_call *call)
{
	struct writer *w = call->reply;

	writer_begin_array(w, key_of("argv"));
	writer_text(w, "", "bsonscope");
	writer_end(w);
	writer_begin_document(w, key_of("parsed"));
	writer_end(w);
	return true;
}
