"""Documents of metrics. Values are integers of millionths."""
import calendar_ as cal
import filters as flt
import text
from budgets import months_of

SCALE = 10 ** 6


class Metrics:
    def __init__(self, books, filters):
        self.books, self.filters = books, filters
        self.rows = {}   # metric, budget, month -> rows
        for row in books.metric_rows:
            whole = row.value * SCALE
            assert whole == int(whole)
            row = row._replace(value=int(whole))
            self.rows.setdefault((row.metric, row.budget, cal.month_of(row.date)), []).append(row)

    def document(self, budget, scope):
        """Text, or None where no metric has a value."""
        months = self.books.months if budget is None else months_of(self.books.budgets[budget])
        data = [(m['id'], [self.value(m, budget, month, scope) for month in months])
                for m in self.books.frame['metrics']]
        if all(v is None for _, values in data for v in values):
            return None
        head = text.js({
            'CompanyId': self.books.frame['companyId'], 'StartDate': cal.first_day(months[0]).isoformat(),
            'EndDate': cal.last_day(months[-1]).isoformat(), 'BudgetId': budget,
            'ClassId': flt.id_or_null(scope[0]), 'DepartmentId': flt.id_or_null(scope[1])})
        entries = [{'NonFinancialId': i, 'Values': text.Raw('[' + ','.join(map(number, v)) + ']')} for i, v in data]
        return (head[:-1] + ',\n"Periods":' + text.lines(cal.periods(months)) +
                ',\n"Data":' + text.lines(entries) + '}\n')

    def value(self, metric, budget, month, scope):
        rows = self.rows.get((metric['id'], budget, month), [])
        how = metric['aggregation']
        if how in ('Average', 'Min', 'Max'):
            rows = [r for r in rows if exact(scope[0], r.class_) and exact(scope[1], r.department)]
        else:
            rows = self.counting(rows, scope)
        if not rows:
            return None
        amounts = [r.value for r in rows]
        if how == 'Sum':
            return sum(amounts)
        if how == 'Average':
            return half_away(sum(amounts), len(amounts))
        if how == 'Min':
            return min(amounts)
        if how == 'Max':
            return max(amounts)
        latest = {}
        for r in rows:
            key = (r.class_, r.department)
            if key not in latest or latest[key].date < r.date:
                latest[key] = r
        return sum(r.value for r in latest.values())

    def counting(self, rows, scope):
        """The rows that count for Sum and Last."""
        class_, department = scope
        if class_ != flt.ALL and department != flt.ALL:
            return [r for r in rows if self.filters.inside(scope, r.class_, r.department)]
        if class_ != flt.ALL or department != flt.ALL:
            return by_member([r for r in rows if self.filters.inside(scope, r.class_, r.department)],
                             class_ != flt.ALL)
        total = [r for r in rows if r.class_ is None and r.department is None]
        if total:
            return total
        if any(r.class_ is not None and r.department is None for r in rows):
            return by_member([r for r in rows if r.class_ is not None], True)
        return by_member(rows, False)


def by_member(rows, classes):
    """Of each single member: its rows without a tag in the other dimension, else all its rows."""
    groups = {}
    for r in rows:
        member, other = (r.class_, r.department) if classes else (r.department, r.class_)
        groups.setdefault(member, []).append((other, r))
    out = []
    for group in groups.values():
        alone = [r for other, r in group if other is None]
        out += alone or [r for _, r in group]
    return out


def exact(chosen, tag):
    return tag == (None if chosen in (flt.ALL, flt.UNASSIGNED) else chosen)


def half_away(total, count):
    share = (2 * abs(total) + count) // (2 * count)
    return share if total >= 0 else -share


def number(value):
    if value is None:
        return 'null'
    whole, part = divmod(abs(value), SCALE)
    digits = str(whole) + ('.%06d' % part).rstrip('0').rstrip('.')
    return '-' + digits if value < 0 else digits
