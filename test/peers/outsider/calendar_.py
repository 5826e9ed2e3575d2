"""Months and days. A month is an integer: year * 12 + month - 1."""
import datetime

DAY = datetime.timedelta(days=1)


def day(text):
    return datetime.date.fromisoformat(text)


def month_of(date):
    return date.year * 12 + date.month - 1


def month_from(text):
    return int(text[:4]) * 12 + int(text[5:7]) - 1


def month_name(month):
    return '%04d-%02d' % (month // 12, month % 12 + 1)


def first_day(month):
    return datetime.date(month // 12, month % 12 + 1, 1)


def last_day(month):
    return first_day(month + 1) - DAY


def periods(months):
    return [{'Month': month_name(m), 'StartDate': first_day(m).isoformat(), 'EndDate': last_day(m).isoformat()}
            for m in months]
