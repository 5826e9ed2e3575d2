"""Values of metrics by month, under filters."""
from books import periods

ADDING = ("Sum", "Last")


def documents_of(books):
    """(budget, class, department) -> periods and rows (id, texts), where any metric has a value."""
    scopes = [(None, books.periods)]
    for budget in books.frame["budgets"]:
        scopes.append((budget["id"], periods(budget["startMonth"], budget["endMonth"])))
    found = {}
    for budget, own in scopes:
        by_metric = {}
        for value in books.metric_values:
            if value.budget == budget:
                by_metric.setdefault(value.metric, {}).setdefault(value.date[:7], []).append(value)
        for klass in books.classes.filters():
            for department in books.departments.filters():
                rows = []
                for metric in books.frame["metrics"]:
                    of = by_metric.get(metric["id"], {})
                    rows.append(
                        (
                            metric["id"],
                            [
                                figure(books, metric["aggregation"], of.get(period.month, []), klass, department)
                                for period in own
                            ],
                        )
                    )
                if any(value != "null" for _, values in rows for value in values):
                    found[budget, klass, department] = own, rows
    return found


def figure(books, aggregation, values, klass, department):
    counted = (counted_added if aggregation in ADDING else counted_exactly)(books, values, klass, department)
    if not counted:
        return "null"
    millionths = [value.value for value in counted]
    if aggregation == "Sum":
        return plain(sum(millionths))
    if aggregation == "Average":
        total, count = sum(millionths), len(millionths)
        rounded = (2 * abs(total) + count) // (2 * count)
        return plain(-rounded if total < 0 else rounded)
    if aggregation == "Min":
        return plain(min(millionths))
    if aggregation == "Max":
        return plain(max(millionths))
    last = {}
    for value in sorted(counted, key=lambda value: value.date):
        last[value.klass, value.department] = value.value
    return plain(sum(last.values()))


def counted_exactly(books, values, klass, department):
    def tag(chosen):
        return None if chosen == "unassigned" else chosen

    return [value for value in values if (value.klass, value.department) == (tag(klass), tag(department))]


def counted_added(books, values, klass, department):
    inside = [
        value
        for value in values
        if books.classes.inside(klass, value.klass) and books.departments.inside(department, value.department)
    ]
    if klass is not None and department is not None:
        return inside
    if klass is not None:
        return totals_first(inside, lambda value: value.klass, lambda value: value.department)
    if department is not None:
        return totals_first(inside, lambda value: value.department, lambda value: value.klass)
    untagged = [value for value in inside if value.klass is None and value.department is None]
    if untagged:
        return untagged
    if any(value.klass is not None and value.department is None for value in inside):
        of_classes = [value for value in inside if value.klass is not None]
        return totals_first(of_classes, lambda value: value.klass, lambda value: value.department)
    return totals_first(inside, lambda value: value.department, lambda value: value.klass)


def totals_first(values, member, other):
    whole = {member(value) for value in values if other(value) is None}
    return [value for value in values if other(value) is None or member(value) not in whole]


def plain(millionths):
    digits = str(abs(millionths)).rjust(7, "0")
    fraction = digits[-6:].rstrip("0")
    return ("-" if millionths < 0 else "") + digits[:-6] + ("." + fraction if fraction else "")
