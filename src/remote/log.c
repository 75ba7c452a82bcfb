#include "remote/log.h"

#include <pthread.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "bson/print.h"
#include "remote/driver.h"
#include "remote/redact.h"

/* The process's, as libmongoc's handler is. */
static struct log {
	pthread_mutex_t
	        opening; /* over `open`; never taken by the handler, which libmongoc calls under a lock of its own */
	bool open;
	pthread_mutex_t lock; /* over the rest */
	FILE *file;           /* null: nowhere */
	char **hidden;
	size_t count, capacity;
} process_log = { .opening = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER };

static void write_line(mongoc_log_level_t level, const char *domain, const char *message, void *context)
{
	struct log *log = context;
	struct bytes line = BYTES_INIT;

	pthread_mutex_lock(&log->lock);
	if (log->file) {
		char *text = memory_duplicate_text(message);

		for (size_t i = 0; i < log->count; i++)
			redact_password(text, log->hidden[i]);
		print_text(&line, text, strlen(text));
		fprintf(log->file, "%s %s: %s\n", driver()->mongoc_log_level_str(level), domain, bytes_text(&line));
		fflush(log->file);
		free(text);
	}
	pthread_mutex_unlock(&log->lock);
	bytes_clear(&line);
}

static void open_file(struct log *log, const char *file)
{
	pthread_mutex_lock(&log->lock);
	log->file = file && *file ? fopen(file, "a") : NULL;
	pthread_mutex_unlock(&log->lock);
}

void log_open(const char *file)
{
	struct log *log = &process_log;

	pthread_mutex_lock(&log->opening);
	if (!log->open) {
		log->open = true;
		open_file(log, file);
		driver()->mongoc_log_set_handler(write_line, log);
		driver()->mongoc_init();
	}
	pthread_mutex_unlock(&log->opening);
}

void log_hide(const char *password)
{
	struct log *log = &process_log;

	if (!password || !*password)
		return;
	pthread_mutex_lock(&log->lock);
	log->hidden = memory_grow(log->hidden, &log->capacity, log->count + 1, sizeof *log->hidden);
	log->hidden[log->count++] = memory_duplicate_text(password);
	pthread_mutex_unlock(&log->lock);
}
