"""The JSON of a snapshot: names of files and their exact text."""
import hashlib
import json


def text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def lines(items):
    items = list(items)
    return "[\n" + ",\n".join(items) + "\n]" if items else "[]"


def money(minor, decimals):
    digits = str(abs(minor)).rjust(decimals + 1, "0")
    cut = len(digits) - decimals
    return ("-" if minor < 0 else "") + digits[:cut] + ("." + digits[cut:] if decimals else "")


def segment(id, none):
    if id is None:
        return none
    plain = b"abcdefghijklmnopqrstuvwxyz0123456789_-"
    safe = "".join(chr(byte) if byte in plain else f"%{byte:02x}" for byte in id.encode("utf-8"))
    return safe if len(safe) <= 120 else "~" + hashlib.sha256(id.encode("utf-8")).hexdigest()


def scope_path(budget, klass, department):
    return f"{segment(budget, 'actuals')}/{segment(klass, 'all')}/{segment(department, 'all')}.json"


FOLDERS = {"ProfitAndLoss": "profit-loss", "BalanceSheet": "balance-sheet", "CashFlow": "cash-flow"}


def statement_path(statement, basis, budget, klass, department):
    return f"statements/{FOLDERS[statement]}/{basis.lower()}/{scope_path(budget, klass, department)}"


def metrics_path(budget, klass, department):
    return f"metrics/{scope_path(budget, klass, department)}"


def period_lines(periods):
    return lines(text({"Month": month, "StartDate": start, "EndDate": end}) for month, start, end in periods)


def open_head(members):
    """An object that goes on."""
    return text(members)[:-1] + ","


def statement_text(books, head, periods, rows, totals, not_stated=None):
    """`rows`: id, number, name, section, figures; None is null. `not_stated`: month, reason, detail."""

    def values(figures):
        return "[" + ",".join("null" if v is None else money(v, books.decimals) for v in figures) + "]"

    data = (
        open_head({"AccountId": id, "AccountNumber": number, "AccountName": name, "Section": section})
        + f'"Values":{values(figures)}}}'
        for id, number, name, section, figures in rows
        if any(figures)
    )
    summary = (open_head({"Name": name}) + f'"Values":{values(figures)}}}' for name, figures in totals)
    stated = (
        ""
        if not_stated is None
        else '"NotStated":'
        + lines(text({"Month": month, "Reason": reason, "Detail": detail}) for month, reason, detail in not_stated)
        + ",\n"
    )
    return (
        f'{open_head(head)}\n"Periods":{period_lines(periods)},\n{stated}'
        f'"Data":{lines(data)},\n"Summary":{lines(summary)}}}\n'
    )


def metrics_text(head, periods, rows):
    data = (f'{open_head({"NonFinancialId": id})}"Values":[{",".join(values)}]}}' for id, values in rows)
    return f'{open_head(head)}\n"Periods":{period_lines(periods)},\n"Data":{lines(data)}}}\n'


def list_text(entries):
    return '{"Data":' + lines(map(text, entries)) + "}\n"


def page_text(entries, offset):
    page = entries[offset : offset + 100]
    pagination = text({"offset": offset, "limit": 100, "total": len(entries)})
    return '{"Data":' + lines(map(text, page)) + f',\n"Pagination":{pagination}}}\n'
