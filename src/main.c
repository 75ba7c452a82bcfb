/* The command line: which source, and whether the explorer or a report answers. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "engine/engine.h"
#include "listener/serve.h"
#include "model/lab.h"
#include "origin.h"
#include "remote/remote.h"
#include "report/options.h"
#include "report/report.h"
#include "samples/samples.h"
#include "ui/explorer.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_ALARM = 3 };

/* Whatever names and data a message quotes: one line, and nothing that a terminal obeys. */
static int complain(const bson_error_t *error)
{
	struct bytes text = BYTES_INIT;

	print_text(&text, error->message, strlen(error->message));
	fprintf(stderr, "bsonscope: %s\n", bytes_text(&text));
	bytes_clear(&text);
	return error->domain == ERROR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

static int print_and_finish(struct bytes *out, int status)
{
	bson_error_t error;

	if (!report_write(out, &error))
		status = complain(&error);
	bytes_clear(out);
	return status;
}

static int inform(const struct options *o)
{
	struct bytes out = BYTES_INIT, keys = BYTES_INIT;

	if (o->help) {
		options_help(&out);
	} else if (o->version) {
		bytes_format(&out, "bsonscope %s\n", BSONSCOPE_VERSION);
	} else {
		explorer_manual(&keys);
		options_manual(&out, &keys);
	}
	bytes_clear(&keys);
	return print_and_finish(&out, 0);
}

static int explore(struct lab *lab, const struct options *o)
{
	struct explorer_options explorer = {
		.lab = lab,
		.relationship = o->relationship,
		.shape = o->shape,
		.script_file = o->script,
		.ascii = o->ascii,
	};
	struct address listen = { ADDRESS_DEFAULT_PORT, NULL };
	bson_error_t error;

	if (o->listen) {
		if (*o->listen && !address_parse(o->listen, &listen, &error))
			return complain(&error);
		explorer.listen = &listen;
		source_wait(lab_origin(lab), true, NULL); /* clients get the data when all of it is there */
	}
	if (o->color && !explorer_color_from_name(o->color, &explorer.color)) {
		error_set(&error, ERROR_USAGE, 0, "unknown --color \"%s\"; there are: auto, always, never", o->color);
		return complain(&error);
	}
	return explorer_run(&explorer);
}

static int report(struct lab *lab, const struct options *o)
{
	struct bytes out = BYTES_INIT;
	bson_error_t error;
	bool good, alarm = false;
	int status = 0;

	source_wait(lab_origin(lab), true, NULL);
	if (o->subcommand != SUBCOMMAND_SIZES) /* they say so themselves */
		report_warn(lab_origin(lab), o->db ? o->db : lab_model(lab)->database);
	switch (o->subcommand) {
	case SUBCOMMAND_WORKLOAD: good = report_workload(lab, o, &out, &error); break;
	case SUBCOMMAND_SIZES: good = report_sizes(lab, o, &out, &alarm, &error); break;
	case SUBCOMMAND_TREE: good = report_tree(lab, o, &out, &error); break;
	case SUBCOMMAND_SCHEMA: good = report_types(lab, o, &out, &error); break;
	case SUBCOMMAND_GROWTH: good = report_growth(lab, o, &out, &error); break;
	case SUBCOMMAND_EXPLAIN: good = report_explain(lab, o, &out, &alarm, &error); break;
	default: good = report_run(lab, o, &out, &error); break;
	}
	/* replies and operations are shown, the failed ones too; another view that is not whole is not */
	if (!good && o->subcommand != SUBCOMMAND_RUN && o->subcommand != SUBCOMMAND_WORKLOAD)
		bytes_reset(&out);
	status = print_and_finish(&out, alarm ? EXIT_ALARM : 0);
	return good ? status : complain(&error);
}

/* Numbers alone, or what a server wrote down: there is no source to open. */
static bool needs_no_source(const struct options *o)
{
	return o->base_bytes || o->files || o->from_log || o->subcommand == SUBCOMMAND_WHY;
}

static int compute(const struct options *o)
{
	struct bytes out = BYTES_INIT;
	bson_error_t error;
	bool good = true, alarm = false;

	if (o->files)
		good = report_explain_files(o, &out, &alarm, &error);
	else if (o->subcommand == SUBCOMMAND_WHY)
		good = report_why(o, &out, &error);
	else if (o->from_log)
		good = report_log(o, &out, &error);
	else
		report_growth_alone(o, &out);
	if (!good) {
		bytes_clear(&out);
		return complain(&error);
	}
	return print_and_finish(&out, alarm ? EXIT_ALARM : 0);
}

static bool serve_address(const struct options *o, struct address *a, bson_error_t *error)
{
	*a = (struct address){ ADDRESS_DEFAULT_PORT, o->socket };
	if (o->socket && o->port)
		return error_set(error, ERROR_USAGE, 0, "--port and --socket: one of them");
	return !o->port || address_parse(o->port, a, error);
}

/* Clients get the data when all of it is there, with its indexes. */
static int serve_source(struct source *source, const struct options *o)
{
	struct serve_options options = { .name = source->name, .save = o->save };
	struct engine *e = source_engine(source);
	bson_error_t error;

	if (!e) {
		error_set(&error, ERROR_USAGE, 0, "\"%.200s\" is a server already: clients can connect to it", source->name);
		return complain(&error);
	}
	if (!serve_address(o, &options.address, &error))
		return complain(&error);
	if (o->emulation)
		engine_emulate(e, o->emulation);
	source_wait(source, true, NULL);
	return serve(e, &options, &error) ? 0 : complain(&error);
}

/* The program's arguments are seen by everyone on the machine: a password does not stay there. */
static struct source *open_origin(const struct options *o, char **arguments, struct model **model, bson_error_t *error)
{
	char *source = memory_duplicate_text(o->source);
	struct origin_wish wish;
	struct source *s;

	for (; *arguments; arguments++)
		if (*arguments == o->source)
			remote_hide(*arguments);
	wish = (struct origin_wish){ source, o->queries,
		                     (o->subcommand & (SUBCOMMAND_SIZES | SUBCOMMAND_TREE | SUBCOMMAND_SCHEMA)) && !o->shape &&
		                             !o->relationship };
	s = origin_open(&wish, model, error);
	free(source);
	return s;
}

int main(int count, char **arguments)
{
	struct options o;
	struct model *model = NULL;
	struct source *source;
	struct lab *lab;
	bson_error_t error;
	int status;

	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C"); /* JSON has a decimal point */
	/* a reader that goes away is an error of writing, not the end of the program */
	signal(SIGPIPE, SIG_IGN);
	if (!options_parse(count, arguments, &o, &error))
		return complain(&error);
	if (o.help || o.version || o.man)
		return inform(&o);
	if (needs_no_source(&o))
		return compute(&o);
	source = o.source ? open_origin(&o, arguments, &model, &error) : sample_open_all(&error);
	if (!source)
		return complain(&error);
	if (o.subcommand == SUBCOMMAND_SERVE) {
		status = serve_source(source, &o);
		source_destroy(source);
		model_destroy(model);
		return status;
	}
	if (o.exact_documents && source->exact_documents)
		source->exact_documents = o.exact_documents;
	if (o.sample_documents && source->exact_documents) { /* what is larger than the sample is sampled */
		source->sample_documents = o.sample_documents;
		source->exact_documents = o.exact_documents ? o.exact_documents : o.sample_documents;
	}
	lab = lab_new(source, model);
	lab_emulate(lab, o.emulation);
	if (o.limit_bytes)
		lab_set_limit_bytes(lab, o.limit_bytes);
	status = o.subcommand == SUBCOMMAND_EXPLORE ? explore(lab, &o) : report(lab, &o);
	lab_destroy(lab);
	source_destroy(source);
	model_destroy(model);
	return status;
}
