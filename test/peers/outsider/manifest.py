"""What the manifest says about the other files, and which snapshot this is."""
import hashlib
import json

import calendar_ as cal
import compare
import text
from books import FLOW_KINDS

MEMBERS = ('Format CompanyId SnapshotId Month Revision ContentHash Previous ComparedWith Tool Currency Coverage '
           'LockedThrough Inputs Configuration Totals TieOuts ControlsAgreed Warnings Restatement Files Build').split()
AS_LINES = ('Inputs', 'TieOuts', 'Warnings', 'Files')
OWN = ('manifest.json', 'manifest.json.sig', 'manifest.json.approval')


def no_document(path):
    return path.startswith(('books/', 'report/')) or path == 'restatement.json'


def check(report, books, files, documents, tie_outs):
    """files: path -> bytes of all that is there; documents: path -> text, as computed."""
    report.documents += 1
    manifest = json.loads(files['manifest.json'])

    def same(name, expected, there):
        report.same('manifest.json ' + name, expected, there)

    paths = sorted(p for p in files if p not in OWN)
    expected = [{'Path': p, 'Bytes': len(files[p]), 'Sha256': sha(files[p])} for p in paths]
    listed = {f['Path']: f for f in manifest['Files']}
    for entry in expected:
        same('Files ' + entry['Path'], entry, listed.get(entry['Path']))
    same('Files (order)', paths, [f['Path'] for f in manifest['Files']])

    # the hash over what was computed here; tie-outs.json, whose order has no meaning, as it is there
    lines = ''
    for p in sorted(set(documents) | {'tie-outs.json'}):
        body = files[p] if p == 'tie-outs.json' else documents[p].encode('utf-8')
        lines += '%s %s\n' % (p, sha(body))
    content = sha(lines.encode('utf-8'))
    month = cal.month_name(books.months[-1])
    same('ContentHash', content, manifest['ContentHash'])
    same('SnapshotId', '%s-r%d-%s' % (month, manifest['Revision'], content[:6]), manifest['SnapshotId'])
    same('Month', month, manifest['Month'])
    same('CompanyId', books.frame['companyId'], manifest['CompanyId'])
    same('Currency', books.currency, manifest['Currency'])
    coverage = books.frame['coverage']
    same('Coverage', {'StartDate': coverage['startDate'], 'EndDate': coverage['endDate']}, manifest['Coverage'])
    if manifest['Format'] != 1:
        same('LockedThrough', books.frame.get('lockedThrough'), manifest['LockedThrough'])

    counted = [p for p in books.postings if p.kind not in FLOW_KINDS]
    same('Totals', {'Postings': len(counted), 'Transactions': len({(p.basis, p.transaction_id) for p in counted}),
                    'Documents': sum(not no_document(p) for p in paths)}, manifest['Totals'])

    # the sources: where all rows of a ledger are postings, their days and sums are those of the postings
    stated = [i for i in manifest['Inputs'] if 'Postings' in i]
    read = sum(i['Postings'] for i in stated)
    for i in stated:
        mine = [p for p in books.postings if p.seq <= read and p.file == i['File']]
        same('Inputs %s Postings' % i['File'], len(mine), i['Postings'])
        if mine and i['RowsRead'] == len(mine):
            days = sorted(str(p.date) for p in mine)
            same('Inputs %s (days)' % i['File'], [days[0], days[-1]], [i['FirstDate'], i['LastDate']])

    for found in manifest['Warnings']:
        if 'ledgerText' in found:
            left_out = (found['message'] + (found['remedy'] or '')).count('[…]')
            same('Warnings %s' % found['code'], len(found['ledgerText'] or []), left_out)

    order = [m for m in MEMBERS if manifest['Format'] != 1 or m not in ('ComparedWith', 'LockedThrough')]
    same('(members)', order, list(manifest))
    body = ',\n'.join(text.js(k) + ':' + (text.lines(v) if k in AS_LINES else text.js(v)) for k, v in manifest.items())
    same('(how it is written)', '{' + body + '}\n', files['manifest.json'].decode('utf-8'))
    frame = json.dumps(books.frame, ensure_ascii=False, indent=1) + '\n'
    report.same('books/frame.json (how it is written)', frame, files['books/frame.json'].decode('utf-8'))

    key = ('Identity', 'Statement', 'Basis')
    mine, theirs = compare.named(tie_outs.in_sum(), key), compare.named(manifest['TieOuts'], key)
    report.figures += compare.count(mine)
    compare.walk(report, 'manifest.json TieOuts', mine, theirs)


def sha(body):
    return hashlib.sha256(body).hexdigest()
