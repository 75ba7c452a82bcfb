/* Drawing on a screen that nobody sees, and reading it back. */
#include <curses.h>
#include <locale.h>
#include <string.h>

#include "harness/harness.h"
#include "ui/canvas.h"
#include "ui/terminal.h"

static struct canvas canvas, ascii;

/* The first line of what is drawn. */
static const char *line(void)
{
	static char text[400];
	struct bytes all = BYTES_INIT;

	canvas_read(stdscr, &all);
	snprintf(text, sizeof text, "%.*s", (int)strcspn(bytes_text(&all), "\n"), bytes_text(&all));
	bytes_clear(&all);
	werase(stdscr);
	return text;
}

static int draw(const struct canvas *c, int width, const char *text)
{
	return canvas_text(c, 0, 0, width, STYLE_TEXT, text);
}

static void plain_text(void)
{
	CU_ASSERT_EQUAL(draw(&canvas, 20, "Kad\xc4\xb1k\xc3\xb6y"), 7);
	ASSERT_TEXT(line(), "Kad\xc4\xb1k\xc3\xb6y");
}

static void control_bytes_are_escaped(void)
{
	CU_ASSERT_EQUAL(draw(&canvas, 60, "a\033[31mb"), 12);
	ASSERT_TEXT(line(), "a\\u001b[31mb");
	draw(&canvas, 60, "tab\tnew\nbell\a");
	ASSERT_TEXT(line(), "tab\\u0009new\\u000abell\\u0007");
	draw(&canvas, 60, "\x7f c1 \xc2\x9b");
	ASSERT_TEXT(line(), "\\u007f c1 \\u009b");
}

static void invalid_utf8_is_marked(void)
{
	draw(&canvas, 60, "a\xff z");
	ASSERT_TEXT(line(), "a\\xff z");
	draw(&canvas, 60, "cut \xe2\x82");
	ASSERT_TEXT(line(), "cut \\xe2\\x82");
	draw(&canvas, 60, "overlong \xc0\xaf surrogate \xed\xa0\x80");
	ASSERT_TEXT(line(), "overlong \\xc0\\xaf surrogate \\xed\\xa0\\x80");
}

static void direction_marks_are_escaped(void)
{
	draw(&canvas, 60, "a\xe2\x80\xae" "b");
	ASSERT_TEXT(line(), "a\\u202eb");
	draw(&canvas, 60, "a\xe2\x80\x8b\xef\xbb\xbf" "b");
	ASSERT_TEXT(line(), "a\\u200b\\ufeffb");
}

static void combining_characters_take_no_column(void)
{
	CU_ASSERT_EQUAL(draw(&canvas, 20, "e\xcc\x81x"), 2);
	ASSERT_TEXT(line(), "e\xcc\x81x");
	CU_ASSERT_EQUAL(draw(&canvas, 20, "\xcc\x81x"), 2);
	ASSERT_TEXT(line(), " \xcc\x81x");
}

static void many_combining_characters_are_bounded(void)
{
	char text[200] = "e";

	for (int i = 0; i < 60; i++)
		strcat(text, "\xcc\x81");
	CU_ASSERT_EQUAL(draw(&canvas, 20, strcat(text, "x")), 2);
	CU_ASSERT_EQUAL(mvinch(0, 1) & A_CHARTEXT, 'x');
	werase(stdscr);
}

static void wide_characters_take_two_columns(void)
{
	CU_ASSERT_EQUAL(draw(&canvas, 20, "\xe6\xbc\xa2\xe5\xad\x97x"), 5);
	ASSERT_TEXT(line(), "\xe6\xbc\xa2\xe5\xad\x97x");
	CU_ASSERT_EQUAL(canvas_width(&canvas, "\xe6\xbc\xa2\xe5\xad\x97x"), 5);
}

static void characters_without_a_width(void)
{
	/* U+0378 is not assigned: wcwidth says -1 */
	CU_ASSERT_EQUAL(draw(&canvas, 20, "a\xcd\xb8z"), 3);
	ASSERT_TEXT(line(), "a?z");
}

static void long_text_is_cut_with_a_mark(void)
{
	CU_ASSERT_EQUAL(draw(&canvas, 5, "abcdefgh"), 5);
	ASSERT_TEXT(line(), "abcd…");
	CU_ASSERT_EQUAL(draw(&canvas, 5, "abcde"), 5);
	ASSERT_TEXT(line(), "abcde");
	/* a wide character is never halved */
	CU_ASSERT_EQUAL(draw(&canvas, 4, "a\xe6\xbc\xa2\xe5\xad\x97"), 4);
	ASSERT_TEXT(line(), "a\xe6\xbc\xa2…");
	CU_ASSERT_EQUAL(draw(&canvas, 3, "a\xe6\xbc\xa2\xe5\xad\x97"), 3);
	ASSERT_TEXT(line(), "a …");
	CU_ASSERT_EQUAL(draw(&canvas, 4, "ab\033"), 4);
	ASSERT_TEXT(line(), "ab …");
}

static void nothing_is_drawn_outside(void)
{
	struct canvas part = canvas_part(&canvas, (struct rect){ 0, 2, 1, 4 });

	CU_ASSERT_EQUAL(canvas_text(&part, 0, 0, 100, STYLE_TEXT, "abcdefgh"), 4);
	CU_ASSERT_EQUAL(canvas_text(&part, 1, 0, 100, STYLE_TEXT, "below"), 0);
	CU_ASSERT_EQUAL(canvas_text(&part, -1, 0, 100, STYLE_TEXT, "above"), 0);
	CU_ASSERT_EQUAL(canvas_text(&part, 0, 4, 100, STYLE_TEXT, "right"), 0);
	canvas_line(&part, 0, 3, 50, STYLE_TEXT);
	ASSERT_TEXT(line(), "  abc─");
	part = canvas_part(&part, (struct rect){ 0, 2, 5, 50 });
	CU_ASSERT_EQUAL(part.area.width, 2);
	CU_ASSERT_EQUAL(part.area.height, 1);
}

static void figures_are_never_cut(void)
{
	canvas_figure(&canvas, 0, 10, 10, STYLE_TEXT, figure_measured(1541395));
	ASSERT_TEXT(line(), " 1,541,395");
	canvas_figure(&canvas, 0, 6, 6, STYLE_TEXT, figure_measured(1541395));
	ASSERT_TEXT(line(), "######");
	canvas_figure(&canvas, 0, 6, 6, STYLE_TEXT, figure_unknown());
	ASSERT_TEXT(line(), "     —");
	canvas_figure(&canvas, 0, 6, 6, STYLE_TEXT, figure_measured(0));
	ASSERT_TEXT(line(), "     0");
}

static void ascii_has_no_other_characters(void)
{
	struct bytes all = BYTES_INIT;

	draw(&ascii, 78, "▸ a ⟵ b · × — ␣ ⇥ ≥ 1–5 Kad\xc4\xb1k\xc3\xb6y…");
	canvas_line(&ascii, 1, 0, 10, STYLE_TEXT);
	canvas_column(&ascii, 2, 0, 3, STYLE_TEXT);
	canvas_joint(&ascii, 1, 3, JOINT_DOWN, STYLE_TEXT);
	canvas_bar(&ascii, 5, 0, 10, 35, STYLE_TEXT);
	canvas_figure(&ascii, 6, 6, 6, STYLE_TEXT, figure_unknown());
	canvas_text(&ascii, 7, 0, 4, STYLE_TEXT, "abcdefgh");
	canvas_read(stdscr, &all);
	for (const char *c = bytes_text(&all); *c; c++)
		CU_ASSERT_TRUE((*c >= ' ' && *c <= '~') || *c == '\n');
	CU_ASSERT_PTR_NOT_NULL(strstr(bytes_text(&all), "> a <- b - x - Space Tab >= 1-5 Kad?k?y~\n---+------\n|\n|\n|\n#####\n     -\nabc~\n"));
	bytes_clear(&all);
	werase(stdscr);
}

static void bars_have_eighths(void)
{
	canvas_bar(&canvas, 0, 0, 10, 20, STYLE_TEXT);
	ASSERT_TEXT(line(), "██▌");
	canvas_bar(&canvas, 0, 0, 3, 1000, STYLE_TEXT);
	ASSERT_TEXT(line(), "███");
	canvas_bar(&canvas, 0, 0, 3, 1, STYLE_TEXT);
	ASSERT_TEXT(line(), "▏");
	canvas_bar(&canvas, 0, 0, 3, 0, STYLE_TEXT);
	ASSERT_TEXT(line(), "");
}

static void lines_wrap_at_spaces(void)
{
	CU_ASSERT_EQUAL(canvas_fit(&canvas, "find kitap now", 12), 11);
	CU_ASSERT_EQUAL(canvas_fit(&canvas, "find kitap", 10), 10);
	CU_ASSERT_EQUAL(canvas_fit(&canvas, "abcdefgh", 3), 3);
	CU_ASSERT_EQUAL(canvas_fit(&canvas, "\xe6\xbc\xa2", 1), 3);
}

static void scrolling_sideways(void)
{
	CU_ASSERT_EQUAL(canvas_text_from(&canvas, 0, 0, 10, 3, STYLE_TEXT, "abcdef"), 3);
	ASSERT_TEXT(line(), "def");
	CU_ASSERT_EQUAL(canvas_text_from(&canvas, 0, 0, 10, 30, STYLE_TEXT, "abcdef"), 0);
	ASSERT_TEXT(line(), "");
}

/* Lit cells keep their text and are found by their attribute, with colour and without. */
static void styles(void)
{
	attr_t attributes;
	short pair;

	for (int s = 0; s < STYLE_COUNT; s++) {
		mvwin_wch(stdscr, 0, 0, &(cchar_t){ 0 });
		canvas_text(&canvas, 0, 0, 10, (enum style)s, "x");
		wmove(stdscr, 0, 0);
		CU_ASSERT_EQUAL((winch(stdscr) & A_ATTRIBUTES & ~A_COLOR), theme_attributes((enum style)s));
	}
	canvas_text(&canvas, 0, 0, 10, STYLE_TEXT, "x");
	canvas_style(&canvas, 0, 0, 1, STYLE_LIT);
	wmove(stdscr, 0, 0);
	wattr_get(stdscr, &attributes, &pair, NULL);
	CU_ASSERT_TRUE((winch(stdscr) & A_CHARTEXT) == 'x');
	CU_ASSERT_TRUE(theme_attributes(STYLE_LIT) != theme_attributes(STYLE_TEXT) || theme_pair(STYLE_LIT) != theme_pair(STYLE_TEXT));
	werase(stdscr);
}

static void mono_tells_lit_from_plain(void)
{
	theme_init(EXPLORER_COLOR_NEVER);
	CU_ASSERT_EQUAL(theme_pair(STYLE_LIT), 0);
	CU_ASSERT_TRUE(theme_attributes(STYLE_LIT) != theme_attributes(STYLE_TEXT));
	CU_ASSERT_TRUE(theme_attributes(STYLE_CURSOR) != theme_attributes(STYLE_TEXT));
	CU_ASSERT_TRUE(theme_attributes(STYLE_CHOSEN) != theme_attributes(STYLE_TEXT));
	setenv("NO_COLOR", "1", 1);
	theme_init(EXPLORER_COLOR_AUTO);
	CU_ASSERT_EQUAL(theme_pair(STYLE_LIT), 0);
	theme_init(EXPLORER_COLOR_ALWAYS);
	CU_ASSERT_TRUE(theme_pair(STYLE_LIT) > 0);
	setenv("NO_COLOR", "", 1);
	theme_init(EXPLORER_COLOR_AUTO);
	CU_ASSERT_TRUE(theme_pair(STYLE_LIT) > 0);
	CU_ASSERT_TRUE(STYLE_COUNT < 255);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "plain text", plain_text },
		{ "control bytes are escaped", control_bytes_are_escaped },
		{ "invalid UTF-8 is marked", invalid_utf8_is_marked },
		{ "direction marks are escaped", direction_marks_are_escaped },
		{ "combining characters take no column", combining_characters_take_no_column },
		{ "many combining characters are bounded", many_combining_characters_are_bounded },
		{ "wide characters take two columns", wide_characters_take_two_columns },
		{ "characters without a width", characters_without_a_width },
		{ "long text is cut with a mark", long_text_is_cut_with_a_mark },
		{ "nothing is drawn outside", nothing_is_drawn_outside },
		{ "figures are never cut", figures_are_never_cut },
		{ "ASCII has no other characters", ascii_has_no_other_characters },
		{ "bars have eighths", bars_have_eighths },
		{ "lines wrap at spaces", lines_wrap_at_spaces },
		{ "scrolling sideways", scrolling_sideways },
		{ "styles", styles },
		{ "mono tells lit from plain", mono_tells_lit_from_plain },
		{ NULL, NULL },
	};
	bson_error_t error;
	int status;

	setenv("LC_ALL", "C.UTF-8", 1);
	if (!terminal_open_off_screen(80, 24, &error)) {
		fprintf(stderr, "%s\n", error.message);
		return 1;
	}
	theme_init(EXPLORER_COLOR_ALWAYS);
	canvas = canvas_new(stdscr, false);
	ascii = canvas_new(stdscr, true);
	status = harness_run("canvas", cases);
	terminal_close();
	return status;
}
