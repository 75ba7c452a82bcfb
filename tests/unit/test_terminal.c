/*
 * However the program ends, the terminal is as it was: a child on a pseudo-terminal opens the screen and is ended by
 * signals, faults and by itself; its settings are compared, and what it wrote must leave the alternate screen and
 * show the cursor.
 */
#include <curses.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include "harness/harness.h"
#include "ui/terminal.h"

struct ended {
	struct termios before, after;
	struct bytes output;
	int status;
};

static void wait_forever(void)
{
	for (;;)
		pause();
}

/* Memory that may not be touched; not a null pointer, which the sanitizers would see first. */
static void fault(void)
{
	volatile int *forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*forbidden = 1;
}

static void *fault_in_thread(void *unused)
{
	fault();
	return unused;
}

static void fault_in_another_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, fault_in_thread, NULL);
	wait_forever();
}

/* A mapped file that has shrunk. */
static void bus_error(void)
{
	char name[] = "/tmp/bsonscope-test-XXXXXX";
	int file = mkstemp(name);
	char *mapped;

	unlink(name);
	if (ftruncate(file, 8192) != 0)
		exit(9);
	mapped = mmap(NULL, 8192, PROT_READ, MAP_SHARED, file, 0);
	if (ftruncate(file, 0) != 0)
		exit(9);
	exit(((volatile char *)mapped)[4096]);
}

static void quit(void)
{
	terminal_close();
	terminal_close();
	exit(0);
}

static void nothing(void)
{
}

static void child(void (*then)(void))
{
	bson_error_t error;

	if (!terminal_open(&error)) {
		fprintf(stderr, "%s\n", error.message);
		exit(1);
	}
	mvaddstr(3, 3, "on the screen");
	refresh();
	then();
	wait_forever();
}

static bool contains(struct bytes *b, const char *text)
{
	return strstr(bytes_text(b), text) != NULL;
}

static void read_output(int master, struct bytes *output, const char *until)
{
	char block[4096];
	ssize_t got;

	while ((!until || !contains(output, until)) && (got = read(master, block, sizeof block)) > 0)
		bytes_append(output, block, (size_t)got);
}

/* `number`: the signal to send once the screen stands; 0: it ends by itself. */
static struct ended run(int columns, int lines, const char *type, void (*then)(void), int number)
{
	struct winsize size = { .ws_row = (unsigned short)lines, .ws_col = (unsigned short)columns };
	struct ended e = { .output = BYTES_INIT };
	int master, slave;
	pid_t pid;

	if (openpty(&master, &slave, NULL, NULL, &size) != 0)
		abort();
	tcgetattr(slave, &e.before);
	e.before.c_cc[VEOF] = 7; /* something of its own that has to survive */
	tcsetattr(slave, TCSANOW, &e.before);
	tcgetattr(slave, &e.before);
	pid = fork();
	if (pid < 0) /* never signal -1: that is everybody */
		abort();
	if (pid == 0) {
		struct rlimit no_core = { 0, 0 };

		setrlimit(RLIMIT_CORE, &no_core);
		close(master);
		login_tty(slave);
		if (type)
			setenv("TERM", type, 1);
		else
			unsetenv("TERM");
		unsetenv("COLUMNS");
		unsetenv("LINES");
		alarm(20);
		child(then);
	}
	if (number) {
		read_output(master, &e.output, "screen");
		kill(pid, number);
	}
	waitpid(pid, &e.status, 0);
	tcgetattr(slave, &e.after); /* held open here, so that the settings outlive the child */
	fcntl(master, F_SETFL, O_NONBLOCK);
	read_output(master, &e.output, NULL);
	close(slave);
	close(master);
	return e;
}

static bool same_settings(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag && a->c_lflag == b->c_lflag &&
	       !memcmp(a->c_cc, b->c_cc, sizeof a->c_cc);
}

static const char *last(struct bytes *output, const char *text)
{
	const char *found = NULL;

	for (const char *at = bytes_text(output); (at = strstr(at, text)); at++)
		found = at;
	return found;
}

static void expect_restored(struct ended *e)
{
	const char *entered = last(&e->output, "\033[?1049h"), *left = last(&e->output, "\033[?1049l");
	const char *hidden = last(&e->output, "\033[?25l"), *shown = last(&e->output, "\033[?25h");

	CU_ASSERT_TRUE(same_settings(&e->before, &e->after));
	CU_ASSERT_PTR_NOT_NULL(entered);
	CU_ASSERT_TRUE(left > entered);
	CU_ASSERT_TRUE(shown && shown > hidden);
	bytes_clear(&e->output);
}

static void expect_signal(void (*then)(void), int sent, int died_of)
{
	struct ended e = run(80, 24, "xterm-256color", then, sent);

	CU_ASSERT_TRUE(WIFSIGNALED(e.status));
	CU_ASSERT_EQUAL(WTERMSIG(e.status), died_of);
	CU_ASSERT_TRUE(contains(&e.output, "on the screen"));
	expect_restored(&e);
}

static void settings_change_while_open(void)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	struct termios before, during;
	struct bytes output = BYTES_INIT;
	int master;
	pid_t pid = forkpty(&master, NULL, NULL, &size);

	if (pid < 0)
		abort();
	if (pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		child(wait_forever);
	}
	tcgetattr(master, &before);
	read_output(master, &output, "screen");
	tcgetattr(master, &during);
	/* else the other tests would compare nothing with nothing */
	CU_ASSERT_FALSE((during.c_lflag & (ICANON | ECHO)) != 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(master);
	bytes_clear(&output);
}

static void quitting(void)
{
	struct ended e = run(80, 24, "xterm-256color", quit, 0);

	CU_ASSERT_TRUE(WIFEXITED(e.status) && WEXITSTATUS(e.status) == 0);
	expect_restored(&e);
}

static void hangup(void) { expect_signal(wait_forever, SIGHUP, SIGHUP); }
static void termination(void) { expect_signal(wait_forever, SIGTERM, SIGTERM); }
static void interruption(void) { expect_signal(wait_forever, SIGINT, SIGINT); }
static void segv_sent(void) { expect_signal(wait_forever, SIGSEGV, SIGSEGV); }
static void bus_sent(void) { expect_signal(wait_forever, SIGBUS, SIGBUS); }
static void illegal_sent(void) { expect_signal(wait_forever, SIGILL, SIGILL); }
static void division_sent(void) { expect_signal(wait_forever, SIGFPE, SIGFPE); }
static void aborting(void) { expect_signal(abort, 0, SIGABRT); }
static void faulting(void) { expect_signal(fault, 0, SIGSEGV); }
static void faulting_elsewhere(void) { expect_signal(fault_in_another_thread, 0, SIGSEGV); }
static void shrunk_file(void) { expect_signal(bus_error, 0, SIGBUS); }

static void expect_refused(int columns, int lines, const char *type, const char *line)
{
	struct ended e = run(columns, lines, type, nothing, 0);

	CU_ASSERT_TRUE(WIFEXITED(e.status) && WEXITSTATUS(e.status) == 1);
	CU_ASSERT_TRUE(same_settings(&e.before, &e.after));
	if (!contains(&e.output, line))
		fprintf(stderr, "got %s\n", bytes_text(&e.output));
	CU_ASSERT_TRUE(contains(&e.output, line));
	bytes_clear(&e.output);
}

static void too_small(void)
{
	expect_refused(79, 24, "xterm-256color", "the terminal is too small: 79 columns by 24 lines, 80 by 24 are needed\r\n");
	expect_refused(80, 10, "xterm-256color", "the terminal is too small: 80 columns by 10 lines, 80 by 24 are needed\r\n");
}

static void without_cursor_addressing(void)
{
	expect_refused(80, 24, "dumb", "the terminal cannot address the cursor: \"dumb\"\r\n");
	expect_refused(80, 24, "no-such-terminal", "the terminal's type is unknown: \"no-such-terminal\"\r\n");
	expect_refused(80, 24, NULL, "the terminal's type is unknown: TERM is not set\r\n");
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "settings change while open", settings_change_while_open },
		{ "quitting", quitting },
		{ "HUP", hangup },
		{ "TERM", termination },
		{ "INT", interruption },
		{ "SEGV sent", segv_sent },
		{ "BUS sent", bus_sent },
		{ "ILL sent", illegal_sent },
		{ "FPE sent", division_sent },
		{ "abort", aborting },
		{ "a fault", faulting },
		{ "a fault in another thread", faulting_elsewhere },
		{ "a mapped file that shrunk", shrunk_file },
		{ "too small", too_small },
		{ "without cursor addressing", without_cursor_addressing },
		{ NULL, NULL },
	};

	return harness_run("terminal", cases);
}
