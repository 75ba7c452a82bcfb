/* Layouts compared as text: a line a rectangle, "NAME row,column heightxwidth". */
#include <string.h>

#include "harness/harness.h"
#include "ui/layout.h"

static void expect(struct layout_wish wish, const char *expected)
{
	struct layout l = layout_compute(&wish);
	struct bytes text = BYTES_INIT;

	layout_describe(&l, &text);
	ASSERT_TEXT(bytes_text(&text), expected);
	bytes_clear(&text);
}

static void all_together(void)
{
	expect((struct layout_wish){ .columns = 120, .lines = 36, .focus = PANE_ACCESS, .shapes = 2, .operations = 3 },
	       "header 0,0 1x120\n"
	       "COLLECTIONS 9,0 10x48\n"
	       "SIZES 19,0 16x60\n"
	       "ACCESS 4,0 5x120\n"
	       "EXPLAIN 9,49 10x71\n"
	       "GROWTH 19,61 16x59\n"
	       "SHAPES 1,0 3x120\n"
	       "divider 9,48 10x1\n"
	       "divider 19,60 16x1\n"
	       "footer 35,0 1x120\n");
}

static void the_log_takes_the_bottom(void)
{
	expect((struct layout_wish){ .columns = 120, .lines = 36, .focus = PANE_LOG, .shapes = 2, .operations = 8 },
	       "header 0,0 1x120\n"
	       "ACCESS 4,0 10x120\n"
	       "SHAPES 1,0 3x120\n"
	       "LOG 14,0 21x120\n"
	       "footer 35,0 1x120\n");
}

static void zoom_takes_all_but_header_and_footer(void)
{
	expect((struct layout_wish){ .columns = 120, .lines = 36, .focus = PANE_EXPLAIN, .zoomed = true, .shapes = 2, .operations = 3 },
	       "header 0,0 1x120\nEXPLAIN 1,0 34x120\nfooter 35,0 1x120\n");
	expect((struct layout_wish){ .columns = 80, .lines = 24, .focus = PANE_ACCESS, .zoomed = true, .shapes = 2, .operations = 3 },
	       "header 0,0 1x80\ntabs 1,0 1x80\nACCESS 2,0 21x80\nfooter 23,0 1x80\n");
}

static void narrow_shows_the_tables_or_one_pane(void)
{
	expect((struct layout_wish){ .columns = 80, .lines = 24, .focus = PANE_ACCESS, .shapes = 2, .operations = 3 },
	       "header 0,0 1x80\n"
	       "tabs 1,0 1x80\n"
	       "ACCESS 6,0 5x80\n"
	       "SHAPES 2,0 4x80\n"
	       "ROW 11,0 12x80\n"
	       "footer 23,0 1x80\n");
	expect((struct layout_wish){ .columns = 80, .lines = 24, .focus = PANE_COLLECTIONS, .shapes = 2, .operations = 3 },
	       "header 0,0 1x80\ntabs 1,0 1x80\nCOLLECTIONS 2,0 21x80\nfooter 23,0 1x80\n");
	expect((struct layout_wish){ .columns = 80, .lines = 24, .focus = PANE_EXPLAIN, .shapes = 2, .operations = 3 },
	       "header 0,0 1x80\ntabs 1,0 1x80\nEXPLAIN 2,0 21x80\nfooter 23,0 1x80\n");
	expect((struct layout_wish){ .columns = 80, .lines = 24, .focus = PANE_SIZES, .shapes = 2, .operations = 3 },
	       "header 0,0 1x80\ntabs 1,0 1x80\nSIZES 2,0 21x80\nfooter 23,0 1x80\n");
	expect((struct layout_wish){ .columns = 80, .lines = 24, .focus = PANE_HELP, .shapes = 2, .operations = 3 },
	       "header 0,0 1x80\ntabs 1,0 1x80\nHELP 2,0 21x80\nfooter 23,0 1x80\n");
}

static void long_tables_leave_room_for_the_row(void)
{
	expect((struct layout_wish){ .columns = 80, .lines = 24, .focus = PANE_ACCESS, .shapes = 2, .operations = 40 },
	       "header 0,0 1x80\n"
	       "tabs 1,0 1x80\n"
	       "ACCESS 6,0 11x80\n"
	       "SHAPES 2,0 4x80\n"
	       "ROW 17,0 6x80\n"
	       "footer 23,0 1x80\n");
}

static void wide_but_short_has_tabs(void)
{
	struct layout_wish wish = { .columns = 200, .lines = 24, .focus = PANE_ACCESS, .shapes = 2, .operations = 3 };
	struct layout l = layout_compute(&wish);

	CU_ASSERT_TRUE(l.wide);
	CU_ASSERT_EQUAL(l.tabs.height, 1);
	CU_ASSERT_EQUAL(l.dividers[0].height, 0);
}

static void smaller_says_so(void)
{
	expect((struct layout_wish){ .columns = 79, .lines = 24, .shapes = 2 }, "too small\n");
	expect((struct layout_wish){ .columns = 80, .lines = 23, .shapes = 2 }, "too small\n");
	expect((struct layout_wish){ .columns = 1, .lines = 1 }, "too small\n");
	expect((struct layout_wish){ .columns = 0, .lines = 0 }, "too small\n");
}

/* Whatever the size, nothing stands outside of the screen or on something else. */
static void nothing_overlaps_at_any_size(void)
{
	static char taken[80][250];

	for (int lines = 24; lines <= 80; lines += 7)
		for (int columns = 80; columns <= 250; columns += 17)
			for (int focus = 0; focus < PANE_COUNT * 2; focus++) {
				struct layout_wish wish = { columns, lines, (enum pane)(focus / 2), focus % 2, 2, lines % 13 };
				struct layout l = layout_compute(&wish);
				struct rect all[PANE_COUNT + 3] = { l.header, l.tabs, l.footer };
				int clashes = 0;

				memset(taken, 0, sizeof taken);
				memcpy(all + 3, l.panes, sizeof l.panes);
				for (size_t i = 0; i < sizeof all / sizeof *all; i++)
					for (int r = all[i].row; r < all[i].row + all[i].height; r++)
						for (int c = all[i].column; c < all[i].column + all[i].width; c++)
							clashes += r >= lines || c >= columns || taken[r][c]++;
				CU_ASSERT_EQUAL(clashes, 0);
				CU_ASSERT_TRUE(l.panes[wish.focus].height > 2 || wish.focus == PANE_SHAPES || wish.focus == PANE_ROW);
			}
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "all together", all_together },
		{ "the log takes the bottom", the_log_takes_the_bottom },
		{ "zoom takes all but header and footer", zoom_takes_all_but_header_and_footer },
		{ "narrow shows the tables or one pane", narrow_shows_the_tables_or_one_pane },
		{ "long tables leave room for the row", long_tables_leave_room_for_the_row },
		{ "wide but short has tabs", wide_but_short_has_tabs },
		{ "smaller says so", smaller_says_so },
		{ "nothing overlaps at any size", nothing_overlaps_at_any_size },
		{ NULL, NULL },
	};

	return harness_run("layout", cases);
}
