"""Statements of the parts of months in which a fiscal year begins."""
import filters as flt
import statements
from figures import Ledger


def documents(books, filters):
    view, places = books.divided()
    if not places:
        return {}
    found = {}
    periods = [{'Month': first.isoformat()[:7], 'StartDate': first.isoformat(), 'EndDate': last.isoformat()}
               for first, last in (view.periods[p] for p in places)]
    for basis in view.bases:
        ledger = Ledger(view, filters, basis)
        for scope in filters.all:
            cell = ledger.scope(scope)
            if not cell:
                continue
            for name, statement in statements.of_books(view, cell).items():
                statement.months = books.months
                statement.rows = {row: (section, [figures[p] for p in places])
                                  for row, (section, figures) in statement.rows.items()}
                statement.totals = {total: [figures[p] for p in places]
                                    for total, figures in statement.totals.items()}
                statement.without_cash = [(section, [figures[p] for p in places])
                                          for section, figures in statement.without_cash]
                path = flt.path(statements.SLUG[name], basis, None, scope)
                found[path.replace('statements/', 'divided-months/', 1)] = statements.written(
                    books, statement, basis, books.sources[basis], None, scope, periods)
    return found
