#include "ui/script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { LARGEST_SCREEN = 1000 };

void script_destroy(struct script *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++)
		free(s->steps[i].text);
	free(s->steps);
	free(s->file);
	free(s);
}

static bool parse_resize(const char *text, struct step *step)
{
	char rest;

	step->kind = STEP_RESIZE;
	return sscanf(text, "%dx%d%c", &step->columns, &step->lines, &rest) == 2 && step->columns > 0 && step->lines > 0 &&
	       step->columns <= LARGEST_SCREEN && step->lines <= LARGEST_SCREEN;
}

static bool parse_wait(const char *text, struct step *step)
{
	step->kind = STEP_WAIT;
	step->wait = !strcmp(text, "on");
	return step->wait || !strcmp(text, "off");
}

static bool parse_step(const char *line, struct step *step)
{
	if (!strncmp(line, ":resize ", 8))
		return parse_resize(line + 8, step);
	if (!strncmp(line, ":wait ", 6))
		return parse_wait(line + 6, step);
	if (line[1] && (*line == ':' || *line == '/')) {
		step->kind = *line == ':' ? STEP_COMMAND : STEP_FILTER;
		step->text = memory_duplicate_text(line + 1);
		return true;
	}
	step->kind = STEP_KEY;
	return keymap_parse(line, strlen(line), &step->key);
}

static bool read_steps(struct script *s, FILE *file, bson_error_t *error)
{
	char *line = NULL;
	size_t size = 0, number = 0;
	ssize_t length;
	bool ok = true;

	while (ok && (length = getline(&line, &size, file)) >= 0) {
		struct step step = { .line = ++number };

		while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
			line[--length] = 0;
		if (!length || !strncmp(line, "# ", 2))
			continue;
		ok = parse_step(line, &step) || error_set(error, ERROR_USAGE, 0, "%s:%zu: no key and no command: \"%.40s\"", s->file,
		                                          number, line);
		s->steps = memory_resize(s->steps, s->count + 1, sizeof *s->steps);
		s->steps[s->count++] = step;
	}
	free(line);
	return ok;
}

struct script *script_read(const char *file, bson_error_t *error)
{
	struct script *s = memory_allocate_zeroed(1, sizeof *s);
	FILE *stream = fopen(file, "r");
	bool ok;

	s->file = memory_duplicate_text(file);
	s->waits = true;
	if (stream) {
		ok = read_steps(s, stream, error);
		fclose(stream);
	} else {
		ok = error_set(error, ERROR_SYSTEM, 0, "%s: \"%.200s\"", strerror(errno), file);
	}
	if (ok)
		return s;
	script_destroy(s);
	return NULL;
}
