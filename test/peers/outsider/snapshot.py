"""All documents of one snapshot: computed, then compared with what is published."""
import json
import os

import budgets
import compare
import divided
import filters as flt
import ledgercheck
import lists
import manifest
import metrics
import signature
import statements
import text
import tieouts
from books import Books
from figures import Ledger


def check(report, folder):
    books = Books(folder)
    filters = flt.Filters(books.frame)
    ledgercheck.check(report, books)
    documents = {}   # path -> text
    actuals = {}     # basis, scope -> (cell, statements)
    for basis in books.bases:
        ledger = Ledger(books, filters, basis)
        for scope in filters.all:
            cell = ledger.scope(scope)
            if cell:
                made = statements.of_books(books, cell)
                actuals[basis, scope] = (cell, made)
                for name, statement in made.items():
                    documents[flt.path(statements.SLUG[name], basis, None, scope)] = statements.written(
                        books, statement, basis, books.sources[basis], None, scope)
    documents.update(divided.documents(books, filters))
    there = published(folder)
    planned = {}     # budget, scope -> statements
    for budget in books.budgets:
        for scope in filters.all:
            made = budgets.statements(books, filters, budget, scope)
            if made:
                planned[budget, scope] = made
                for name, statement in made.items():
                    for basis in ('ACCRUAL', 'CASH'):
                        path = flt.path(statements.SLUG[name], basis, budget, scope)
                        take_details(statement, there.get(path))
                        documents[path] = statements.written(books, statement, basis, 'Budget', budget, scope)
    values = metrics.Metrics(books, filters)
    for budget in [None] + list(books.budgets):
        for scope in filters.all:
            document = values.document(budget, scope)
            if document:
                documents['metrics/%s/%s/%s.json' % ('actuals' if budget is None else text.file_name(budget),
                                                     text.file_name(scope[0]), text.file_name(scope[1]))] = document
    documents.update(lists.documents(books))
    told = tieouts.TieOuts(books, filters, actuals, planned)
    documents['tie-outs.json'] = told.document()
    compare_all(report, there, documents)
    manifest.check(report, books, there, documents, told)
    signature.check(report, there)


def take_details(statement, published_bytes):
    """`Detail` is no part of the format: taken as published where month and reason agree."""
    if statement.not_stated and published_bytes:
        told = {(n['Month'], n['Reason']): n['Detail'] for n in json.loads(published_bytes).get('NotStated', [])}
        for entry in statement.not_stated:
            entry['Detail'] = told.get((entry['Month'], entry['Reason']))


def published(folder):
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(where, name), folder).replace(os.sep, '/')
            with open(os.path.join(where, name), 'rb') as f:
                found[path] = f.read()
    return found


def compare_all(report, there, documents):
    for path in sorted(documents):
        if path not in there:
            report.differ(path, 'a document', 'none')
        else:
            compare.document(report, path, documents[path], there[path],
                             tieouts.KEY if path == 'tie-outs.json' else None)
    for path in sorted(set(there) - set(documents)):
        if path not in manifest.OWN and not path.startswith(('books/', 'report/')):
            report.differ(path, 'no document', 'one')
