#include "model/growth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { EMPTY_ARRAY_BYTES = 5 }; /* length and terminator */

/* Indexes with one digit more than those before them: 0 to 9, 10 to 99, … */
struct digits {
	int64_t extra_bytes, indexes;
};

static struct digits first_digits(void)
{
	return (struct digits){ 0, 10 };
}

static struct digits more_digits(struct digits d)
{
	return (struct digits){ d.extra_bytes + 1, d.extra_bytes ? d.indexes * 10 : 90 };
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t growth_bytes(int64_t base_bytes, int64_t element_bytes, int64_t children)
{
	int64_t bytes = base_bytes;

	for (struct digits d = first_digits(); children > 0; d = more_digits(d)) {
		int64_t here = smaller(children, d.indexes);

		bytes += here * (element_bytes + d.extra_bytes);
		children -= here;
	}
	return bytes;
}

int64_t growth_fits(int64_t base_bytes, int64_t element_bytes, int64_t limit_bytes)
{
	int64_t room = limit_bytes - base_bytes, fits = 0, here = 0;
	struct digits d = first_digits();

	for (; room > 0; d = more_digits(d)) {
		here = smaller(room / (element_bytes + d.extra_bytes), d.indexes);
		fits += here;
		room -= here * (element_bytes + d.extra_bytes);
		if (here < d.indexes)
			break;
	}
	return fits;
}

int64_t growth_naive(int64_t base_bytes, int64_t element_bytes, int64_t limit_bytes)
{
	return limit_bytes > base_bytes ? (limit_bytes - base_bytes) / element_bytes : 0;
}

int64_t growth_empty_array_bytes(const char *path)
{
	return 1 + (int64_t)strlen(path) + 1 + 5;
}

void growth_input_clear(struct growth_input *in)
{
	free(in->parents);
	in->parents = NULL;
}

/* A parent with its first `children`; sizes of the others are their mean. */
static int64_t parent_bytes(const struct growth_parent *p, int64_t children)
{
	int64_t payload = p->payload_bytes;

	if (children < p->children)
		payload = payload / p->children * children + payload % p->children * children / p->children;
	return growth_bytes(p->base_bytes + payload, GROWTH_ELEMENT_OVERHEAD, children);
}

struct tally {
	const struct growth_input *in;
	struct zipf shares;
	int64_t fits; /* of the parent that `base` is of */
	int64_t hit_limit, not_fitting, most, bytes, largest;
	int64_t subset_bytes, subset_largest, children_left, children;
	int64_t bins[GROWTH_BINS]; /* without those that hit the limit */
};

static int64_t parent_count(const struct growth_input *in)
{
	return in->assumed ? in->assumed_parents : in->parent_count;
}

static struct growth_parent parent_at(const struct tally *t, int64_t i)
{
	const struct growth_input *in = t->in;
	struct growth_parent p;

	if (!in->assumed)
		return in->parents[i];
	p.base_bytes = i < in->parent_count ? in->parents[i].base_bytes : in->base.value;
	p.children = zipf_share(&t->shares, i + 1);
	p.payload_bytes = p.children * (in->element.value - GROWTH_ELEMENT_OVERHEAD);
	return p;
}

/*
 * How many of its children a parent takes. With assumed children all parents are cut where the first one is, so that
 * one number says what fits, and never later than they must be.
 */
static int64_t children_that_fit(const struct tally *t, const struct growth_parent *p)
{
	int64_t limit = t->in->limit_bytes, wanted = p->children, mean;

	if (t->in->assumed)
		wanted = smaller(wanted, t->fits);
	if (parent_bytes(p, wanted) <= limit || !p->children)
		return wanted;
	mean = (p->payload_bytes + p->children - 1) / p->children;
	return growth_fits(p->base_bytes, mean + GROWTH_ELEMENT_OVERHEAD, limit);
}

/* 0 for 0, 1 for 1, 2 for 2 and 3, 3 for 4 to 7, … */
static int bin_of(int64_t children)
{
	int bin = 0;

	while (children >> bin)
		bin++;
	return bin;
}

static void count_parent(struct tally *t, const struct growth_parent *p)
{
	int64_t taken = children_that_fit(t, p), kept = smaller(p->children, t->in->subset),
		bytes = parent_bytes(p, taken);

	t->children += p->children;
	t->most = p->children > t->most ? p->children : t->most;
	t->hit_limit += taken < p->children;
	t->not_fitting += p->children - taken;
	t->bytes += bytes;
	t->largest = bytes > t->largest ? bytes : t->largest;
	if (taken == p->children)
		t->bins[bin_of(taken)]++;
	bytes = parent_bytes(p, kept);
	t->subset_bytes += bytes;
	t->subset_largest = bytes > t->subset_largest ? bytes : t->subset_largest;
	t->children_left += p->children - kept;
}

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Nearest rank. Shares of a Zipf distribution stand in order, the largest first. */
static void find_percentiles(const struct tally *t, int64_t *median, int64_t *p99)
{
	const struct growth_input *in = t->in;
	int64_t count = parent_count(in), *sorted, ranks[2] = { (count + 1) / 2, count - count / 100 };

	if (in->assumed) {
		*median = zipf_share(&t->shares, count - ranks[0] + 1);
		*p99 = zipf_share(&t->shares, count - ranks[1] + 1);
		return;
	}
	sorted = memory_allocate((size_t)count * sizeof *sorted);
	for (int64_t i = 0; i < count; i++)
		sorted[i] = in->parents[i].children;
	qsort(sorted, (size_t)count, sizeof *sorted, ascending);
	*median = sorted[ranks[0] - 1];
	*p99 = sorted[ranks[1] - 1];
	free(sorted);
}

static void fill_bins(const struct tally *t, struct growth_population *p)
{
	int last = GROWTH_BINS - 1, split = bin_of(t->fits);

	while (last > 0 && !t->bins[last])
		last--;
	for (int bin = 0; bin <= last; bin++) {
		struct growth_bin *b = &p->bins[p->bin_count];

		if (!p->bin_count && !t->bins[bin])
			continue;
		*b = (struct growth_bin){ bin ? (int64_t)1 << (bin - 1) : 0, bin ? ((int64_t)1 << bin) - 1 : 0,
			                  t->bins[bin] };
		if (t->hit_limit && bin == split && bin == last)
			b->to = t->fits;
		p->bin_count++;
	}
	if (t->hit_limit)
		p->bins[p->bin_count++] = (struct growth_bin){ t->fits + 1, -1, t->hit_limit };
}

struct figure growth_seen(const struct growth_input *in, struct figure f)
{
	if (in->of <= in->parent_count || in->assumed || !figure_known(f))
		return f;
	f.provenance = PROVENANCE_SAMPLED;
	f.n = in->parent_count;
	f.of = in->of;
	return f;
}

static void mark_sampled(const struct growth_input *in, struct growth_population *p)
{
	struct figure *const figures[] = { &p->parents,       &p->children,       &p->hit_limit,
		                           &p->not_fitting,   &p->first_wants,    &p->median,
		                           &p->p99,           &p->bytes,          &p->largest,
		                           &p->subset.bytes,  &p->subset.largest, &p->subset.headroom,
		                           &p->subset.children_left };

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		*figures[i] = growth_seen(in, *figures[i]);
}

static struct figure predicted(int64_t value)
{
	return figure_of(value, PROVENANCE_PREDICTED);
}

static void fill_population(const struct tally *t, struct growth_population *p)
{
	const struct growth_input *in = t->in;
	enum provenance found = in->assumed ? PROVENANCE_ASSUMED : PROVENANCE_EXACT,
			counted = in->assumed ? PROVENANCE_PREDICTED : PROVENANCE_EXACT,
			sized = in->embedded && !in->assumed && !t->hit_limit ? PROVENANCE_EXACT : PROVENANCE_PREDICTED;
	int64_t median, p99;

	p->assumed = in->assumed;
	p->exponent = in->exponent;
	p->parents = figure_of(parent_count(in), found);
	p->children = figure_of(in->assumed ? in->assumed_children : t->children, found);
	p->hit_limit = predicted(t->hit_limit);
	p->not_fitting = predicted(t->not_fitting);
	p->first_wants = figure_of(t->most, counted);
	find_percentiles(t, &median, &p99);
	p->median = figure_of(median, counted);
	p->p99 = figure_of(p99, counted);
	p->bytes = figure_of(t->bytes, sized);
	p->largest = figure_of(t->largest, sized);
	p->subset.n = in->subset;
	p->subset.bytes = predicted(t->subset_bytes);
	p->subset.largest = predicted(t->subset_largest);
	p->subset.headroom = predicted(in->limit_bytes - t->subset_largest);
	p->subset.children_left = figure_of(t->children_left, counted);
	mark_sampled(in, p);
	fill_bins(t, p);
}

static bool compute_population(const struct growth_input *in, struct growth *out, const struct interrupt *interrupt)
{
	enum { CHECK_EVERY = 4096 };
	int64_t count = parent_count(in);
	struct tally t = { .in = in, .fits = out->fits.value };

	if (in->assumed)
		t.shares = zipf_new(in->assumed_parents, in->assumed_children, in->exponent);
	for (int64_t i = 0; i < count; i++) {
		struct growth_parent p = parent_at(&t, i);

		if (i % CHECK_EVERY == 0 && interrupt_check(interrupt) != INTERRUPT_NONE)
			return false;
		count_parent(&t, &p);
	}
	fill_population(&t, &out->population);
	out->has_population = true;
	return true;
}

bool growth_compute(const struct growth_input *in, struct growth *out, const struct interrupt *interrupt)
{
	bool known = figure_known(in->base) && figure_known(in->element);

	memset(out, 0, sizeof *out);
	out->limit_bytes = in->limit_bytes;
	out->base = in->base;
	out->element = in->element;
	out->base_origin = in->base_origin;
	out->element_origin = in->element_origin;
	out->fits = out->bytes_at_fit = out->naive = figure_unknown();
	if (known) {
		out->fits = growth_seen(in, predicted(growth_fits(in->base.value, in->element.value, in->limit_bytes)));
		out->bytes_at_fit = growth_seen(
			in, predicted(growth_bytes(in->base.value, in->element.value, out->fits.value)));
		out->naive = growth_seen(in,
		                         predicted(growth_naive(in->base.value, in->element.value, in->limit_bytes)));
	}
	if (!in->has_population || !parent_count(in) || (in->assumed && !known))
		return true;
	return compute_population(in, out, interrupt);
}

const char *growth_distribution(const struct growth_population *p, char *buffer, size_t size)
{
	if (p->assumed)
		snprintf(buffer, size, "zipf %.10g", p->exponent);
	else
		snprintf(buffer, size, "observed");
	return buffer;
}

struct growth_pushes growth_push(int64_t base_bytes, int64_t element_bytes, int64_t limit_bytes, int64_t count)
{
	const int64_t fits = growth_fits(base_bytes, element_bytes, limit_bytes);
	struct growth_pushes p = { .count = count < fits ? count : fits, .bytes = base_bytes };
	int64_t digits = 1, more = 10; /* more: the first index with one digit more */

	for (int64_t i = 0; i < p.count; i++) {
		if (i == more) {
			digits++;
			more *= 10;
		}
		p.bytes += element_bytes + digits - 1;
		p.rewritten_bytes += p.bytes;
		p.oplog_set_bytes += p.bytes - base_bytes + EMPTY_ARRAY_BYTES;
	}
	p.oplog_push_bytes = p.bytes - base_bytes;
	return p;
}
