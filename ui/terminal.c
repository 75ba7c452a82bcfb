#include "ui/terminal.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mapping.h"

enum { FATAL_SIGNALS = 9 };

/* What the signal handlers need; written before they are installed. */
static struct {
	SCREEN *screen;
	FILE *nowhere_in, *nowhere_out;
	bool open, off_screen;
	bool pastes; /* speaks the sequences that bracketed paste is a part of */
	struct sigaction suspend; /* curses' own */
	struct termios found;
	char reset[256];
	volatile sig_atomic_t reset_size;
	struct sigaction before[FATAL_SIGNALS]; /* given back on closing */
} terminal;

static const int fatal_signals[FATAL_SIGNALS] = { SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE, SIGHUP, SIGTERM, SIGINT, SIGQUIT };

/*
 * Only write and tcsetattr: the program may be anywhere. With its action reset, raising again ends it as it should. A
 * mapped file that became shorter is no reason to end.
 */
static void on_fatal_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (number == SIGBUS && info->si_code > 0 && mapping_repair(info->si_addr))
		return;
	signal(number, SIG_DFL);
	if (terminal.reset_size) {
		ssize_t written = write(STDOUT_FILENO, terminal.reset, (size_t)terminal.reset_size);

		(void)written;
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal.found);
	}
	raise(number);
}

static void catch_fatal_signals(bool yes)
{
	static char stack[32768];
	struct sigaction action;

	if (yes) {
		stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };

		sigaltstack(&alternate, NULL); /* so that a stack overflow can be reported too */
	}
	memset(&action, 0, sizeof action);
	action.sa_sigaction = on_fatal_signal;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < FATAL_SIGNALS; i++)
		sigaction(fatal_signals[i], yes ? &action : &terminal.before[i], yes ? &terminal.before[i] : NULL);
}

/* Appends a terminal capability without its padding ("$<5>"). */
static void add_reset(const char *capability)
{
	const char *text = tigetstr(capability);
	size_t size = (size_t)terminal.reset_size;

	if (!text || text == (char *)-1)
		return;
	while (*text && size < sizeof terminal.reset) {
		if (text[0] == '$' && text[1] == '<' && strchr(text, '>'))
			text = strchr(text, '>') + 1;
		else
			terminal.reset[size++] = *text++;
	}
	terminal.reset_size = (sig_atomic_t)size;
}

static const char paste_on[] = "\033[?2004h", paste_off[] = "\033[?2004l";

static void make_reset(void)
{
	static const char *const capabilities[] = { "sgr0", "op", "rmacs", "rmkx", "cnorm", "rmcup" };

	terminal.reset_size = 0;
	if (terminal.pastes) {
		memcpy(terminal.reset, paste_off, sizeof paste_off - 1);
		terminal.reset_size = sizeof paste_off - 1;
	}
	for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
		add_reset(capabilities[i]);
}

static bool check_type(bson_error_t *error)
{
	const char *type = getenv("TERM"), *cup;
	int status;

	if (!type || !*type)
		return error_set(error, ERROR_SYSTEM, 0, "the terminal's type is unknown: TERM is not set");
	if (setupterm(type, STDOUT_FILENO, &status) != OK)
		return error_set(error, ERROR_SYSTEM, 0, "the terminal's type is unknown: \"%.60s\"", type);
	cup = tigetstr("cup");
	if (cup == NULL || cup == (char *)-1) {
		del_curterm(cur_term);
		return error_set(error, ERROR_SYSTEM, 0, "the terminal cannot address the cursor: \"%.60s\"", type);
	}
	terminal.pastes = !strncmp(cup, "\033[", 2);
	make_reset();
	del_curterm(cur_term);
	return true;
}

static void set_modes(void)
{
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	meta(stdscr, TRUE);
	intrflush(stdscr, FALSE);
	leaveok(stdscr, FALSE);
	curs_set(0);
	if (!getenv("ESCDELAY"))
		set_escdelay(25);
}

static void send(const char *sequence)
{
	ssize_t written = write(STDOUT_FILENO, sequence, strlen(sequence));

	(void)written;
}

/* Whoever has the terminal meanwhile does not know of the marks. curses' handler returns when the program goes on. */
static void on_suspend(int number)
{
	send(paste_off);
	terminal.suspend.sa_handler(number);
	send(paste_on);
}

/* A paste comes between marks, so that it is not taken for keys. */
static void bracket_pastes(void)
{
	struct sigaction action;

	if (!terminal.pastes)
		return;
	define_key("\033[200~", TERMINAL_KEY_PASTE);
	sigaction(SIGTSTP, NULL, &terminal.suspend);
	if (terminal.suspend.sa_handler != SIG_DFL && terminal.suspend.sa_handler != SIG_IGN) {
		action = terminal.suspend;
		action.sa_handler = on_suspend;
		sigaction(SIGTSTP, &action, NULL);
	}
	send(paste_on);
}

static void forget_screen(void)
{
	endwin();
	delscreen(terminal.screen);
	terminal.screen = NULL;
}

bool terminal_open(bson_error_t *error)
{
	int width, height;

	setlocale(LC_CTYPE, ""); /* only: numbers keep their decimal point */
	if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &terminal.found) != 0)
		return error_set(error, ERROR_SYSTEM, 0, "standard input is not a terminal");
	if (!isatty(STDOUT_FILENO))
		return error_set(error, ERROR_SYSTEM, 0, "standard output is not a terminal");
	if (!check_type(error))
		return false;
	terminal.off_screen = false;
	catch_fatal_signals(true);
	/* newterm leaves SIGINT and SIGTERM to whoever has taken them */
	terminal.screen = newterm(NULL, stdout, stdin);
	if (!terminal.screen) {
		catch_fatal_signals(false);
		return error_set(error, ERROR_SYSTEM, 0, "the terminal cannot be opened: \"%.60s\"", getenv("TERM"));
	}
	terminal.open = true;
	set_modes();
	bracket_pastes();
	width = COLS;
	height = LINES;
	if (width < TERMINAL_MIN_COLUMNS || height < TERMINAL_MIN_LINES) {
		terminal_close();
		return error_set(error, ERROR_SYSTEM, 0, "the terminal is too small: %d columns by %d lines, %d by %d are needed", width,
		                 height, TERMINAL_MIN_COLUMNS, TERMINAL_MIN_LINES);
	}
	return true;
}

bool terminal_open_off_screen(int width, int height, bson_error_t *error)
{
	setlocale(LC_CTYPE, ""); /* only: numbers keep their decimal point */
	terminal.nowhere_in = fopen("/dev/null", "r");
	terminal.nowhere_out = fopen("/dev/null", "w");
	if (!terminal.nowhere_in || !terminal.nowhere_out)
		return error_set(error, ERROR_SYSTEM, 0, "/dev/null cannot be opened");
	use_env(FALSE); /* $LINES and $COLUMNS are read by who calls */
	terminal.screen = newterm("xterm-256color", terminal.nowhere_out, terminal.nowhere_in);
	if (!terminal.screen)
		return error_set(error, ERROR_SYSTEM, 0, "terminfo does not know \"xterm-256color\"");
	terminal.open = terminal.off_screen = true;
	set_modes();
	resizeterm(height, width);
	return true;
}

void terminal_close(void)
{
	if (!terminal.open)
		return;
	terminal.open = false;
	forget_screen();
	if (terminal.off_screen) {
		fclose(terminal.nowhere_in);
		fclose(terminal.nowhere_out);
		return;
	}
	if (terminal.pastes)
		send(paste_off);
	terminal.reset_size = 0;
	catch_fatal_signals(false);
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.found);
}

bool terminal_is_off_screen(void)
{
	return terminal.off_screen;
}

bool terminal_is_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static void add_base64(struct bytes *out, const unsigned char *text, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		unsigned group = (unsigned)text[i] << 16 | (left > 1 ? (unsigned)text[i + 1] << 8 : 0) | (left > 2 ? text[i + 2] : 0);

		bytes_append_byte(out, (uint8_t)digits[group >> 18]);
		bytes_append_byte(out, (uint8_t)digits[group >> 12 & 63]);
		bytes_append_byte(out, left > 1 ? (uint8_t)digits[group >> 6 & 63] : '=');
		bytes_append_byte(out, left > 2 ? (uint8_t)digits[group & 63] : '=');
	}
}

void terminal_copy(const char *text, size_t size_bytes)
{
	struct bytes sequence = BYTES_INIT;

	if (!terminal.open || terminal.off_screen)
		return;
	bytes_append_text(&sequence, "\033]52;c;");
	add_base64(&sequence, (const unsigned char *)text, size_bytes);
	bytes_append_text(&sequence, "\a");
	fwrite(sequence.data, 1, sequence.size, stdout);
	fflush(stdout);
	bytes_clear(&sequence);
}
