/**
 * Every column, element, label and kind of row of the corpora, with who claims it, as the program shows it: each is blanked, and changed,
 * one at a time. `read`: what is read of the file changes. `control`: only a finding tells it. `looked at`: nobody reads it, and where it
 * says that records are drafts, that is a question. All others are decorations, which {@link DECORATIONS} must name.
 * A third of the exports is tried a day. `UPDATE=1 npm test -- who-claims` writes the list anew, of all of them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { alike } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { inFolder } from '../folder.ts'
import { EXPORTS, type Export } from './exports.ts'

const LIST = fileURLToPath(new URL('who-claims.txt', import.meta.url))
const list = suite('who claims what')

/** Format → what says nothing about its figures, whatever it says: by the documentation of the program, or by the standard. */
const DECORATIONS: { readonly [format: string]: string } = {
  // A voided transaction has amounts of zero, and the amount is the number beside its texts.
  gnucash:
    'Number|Notes|Commodity/Currency|Void Reason|Action|Memo|Account Name|Amount With Sym|Amount Num.|Value With Sym|Reconcile|Reconcile Date|Rate/Price',
  quickbooks: 'column 1|Split',
  'quickbooks-desktop': 'column 1|Split',
  'quickbooks-journal': 'column 1',
  // Told where a line has no text of its own.
  ads: 'JE_Header_Description',
  // Amounts are in euros by law; the other days are no dates of entries.
  fec: 'JournalLib|PieceDate|DateLet|ValidDate|Montantdevise|Idevise',
  // Who wrote the file, and what was struck from vouchers. The kinds of accounts are those of the BAS chart here, and the names stand in the file twice.
  sie: '#FLAGGA|#FORMAT|#PROGRAM|#FNAMN|#ORGNR|#KTYP|#SRU|#DIM|#BTRANS',
  saft: 'AuditFileVersion|AuditFileCountry|RegistrationNumber|Name|AccountType|GLPostingDate|RecordID',
  'saft-pt':
    'AuditFileVersion|TaxRegistrationNumber|CompanyName|FiscalYear|TaxonomyReference|GroupingCategory|GLPostingDate|RecordID|SystemEntryDate',
  // Pending postings count, as in the programs themselves.
  'plain-text': 'date2|status|comment|posting-status',
}

/** A column or a kind of row, and the file without its values and with others: drafts, and other figures. */
interface Piece {
  readonly name: string
  readonly blank: string
  readonly others: readonly string[]
}

const otherDigits = (text: string): string => text.replace(/\d/g, (digit) => String((Number(digit) % 9) + 1))
const DELIMITERS: { readonly [name: string]: string } = { ads: '|', fec: '\t' }
const DATE = /\d{4}-\d\d-\d\d|\b\d\d?[./]\d\d?[./]\d{2,4}\b|\b\d\d? \w{3} \d{4}\b|\b20\d{6}\b/
const filled = (cells: readonly string[]) => cells.filter((cell) => cell !== '' && cell !== '""').length

function ofTable(text: string, delimiter: string): Piece[] {
  const between = new RegExp(`${delimiter === '|' ? '\\|' : delimiter}(?=(?:[^"]*"[^"]*")*[^"]*$)`)
  const rows = text
    .replace(/\r/g, '')
    .split('\n')
    .map((row) => (row === '' ? [] : row.split(between)))
  const widest = Math.max(...rows.map((cells) => cells.length))
  const head = rows.findIndex((cells) => filled(cells) > 2 && !DATE.test(cells.join()))
  const hasDates = rows.some((cells, i) => i > head && DATE.test(cells.join(' ')))
  const isRecord = (i: number) => {
    const cells = rows[i]!
    return (
      i > head && cells.length === widest && filled(cells) > 2 && (!hasDates || DATE.test(cells.join(' ')))
    )
  }
  const written = (change: (cells: readonly string[], i: number) => readonly string[]) =>
    rows.map((cells, i) => change(cells, i).join(delimiter)).join('\n')
  const records = [...rows.keys()].filter(isRecord)
  const last = records[Math.floor(records.length / 2)]
  const columns = rows[head]!.map((header, at) => {
    const column = (value: (cell: string, i: number) => string) =>
      written((cells, i) => (isRecord(i) ? cells.with(at, value(cells[at]!, i)) : cells))
    return {
      name: header.replace(/"/g, '').trim() || `column ${at + 1}`,
      blank: column(() => ''),
      others: [
        column((cell, i) => (i % 2 === 0 ? 'Draft' : cell)),
        column((cell, i) => (i === last ? otherDigits(cell) : cell)),
      ],
    }
  })
  const kinds = new Map<string, number>()
  for (const [i, cells] of rows.entries()) {
    if (isRecord(i) || i === head || filled(cells) === 0) continue
    const label = cells.find((cell) => cell !== '')!.replace(/"/g, '')
    const kind =
      i < head ? 'title' : /^total/i.test(label) ? 'total' : filled(cells) === 1 ? 'one cell' : 'other row'
    if (!kinds.has(kind)) kinds.set(kind, i)
  }
  const ofRows = [...kinds].map(([kind, at]) => ({
    name: `row: ${kind}`,
    blank: written((cells, i) => (i === at ? cells.map(() => '') : cells)),
    others: [
      written((cells, i) => (i === at ? cells.map(otherDigits) : cells)),
      written((cells, i) => (i === at ? ['Draft', ...cells.slice(1)] : cells)),
    ],
  }))
  return [...columns, ...ofRows]
}

/** Elements of an audit file, or labels of SIE: `part` finds those of a name, with what stands before and after the value. */
const named = (text: string, names: Iterable<string>, part: (name: string) => RegExp): Piece[] =>
  [...new Set(names)].map((name) => {
    const replaced = (value: (text: string, i: number) => string) => {
      let i = 0
      return text.replace(
        part(name),
        (_, before: string, own: string, after: string) => `${before}${value(own, i++)}${after}`,
      )
    }
    return {
      name,
      blank: replaced(() => ''),
      others: [replaced((own, i) => (i % 2 === 0 ? 'Draft' : own)), replaced(otherDigits)],
    }
  })

function piecesOf({ name, files, ledger }: Export): Piece[] {
  const text = String(files[ledger])
  if (name.startsWith('saft'))
    return named(
      text,
      [...text.matchAll(/<(\w+)>[^<]/g)].map(([, element]) => element!),
      (element) => new RegExp(`(<${element}>)([^<]*)(</${element}>)`, 'g'),
    )
  if (name === 'sie')
    return named(
      text,
      [...text.matchAll(/^#(\w+)/gm)].map(([, own]) => `#${own}`),
      (own) => new RegExp(`(^${own} )(.*)(\\r?$)`, 'gm'),
    )
  return ofTable(text, DELIMITERS[name] ?? ',')
}

/** All that is read of the files, and what is told. */
const readOf = ({ files, company, ledger }: Export, text: string) =>
  inFolder({ ...files, [ledger]: text }, async (folder) => {
    const intake = await ingest(company, folder)
    try {
      const lines = intake.ledger.map((input) => {
        if (input.kind !== 'csv' || input.path.startsWith(folder) === false)
          return input.kind === 'csv' ? readFileSync(input.path, 'utf8') : ''
        const used = Object.values(input.columns).map((header) => input.header.indexOf(header!))
        const rows = readFileSync(input.path, 'utf8').split('\n')
        return rows.map((row) => used.map((at) => row.split(input.delimiter)[at]))
      })
      const { accounts, classes, departments, openings, fiscalYears, budgets, metrics } = intake
      const { controls, totals, differing, trialBalances, closingAccounts, closingTypes } = intake
      const figures = [budgets.map(({ rows }) => [...rows]), [...metrics]]
      const read = JSON.stringify([lines, accounts, classes, departments, openings, fiscalYears, figures])
      const told = intake.findings.map(({ code, message }) => `${code} ${message}`).join('\n')
      return {
        read,
        told: `${told}\n${JSON.stringify([controls, totals, differing, trialBalances, closingAccounts, closingTypes])}`,
      }
    } finally {
      await intake.dispose()
    }
  })

type Read = Awaited<ReturnType<typeof readOf>>

async function claimOf(each: Export, before: Read, piece: Piece): Promise<string> {
  const blank = await readOf(each, piece.blank)
  const others = []
  for (const text of piece.others) others.push(await readOf(each, text))
  if (others.some(({ told }) => /^meaning-of/m.test(told))) return 'looked at'
  if (blank.read !== before.read) return 'read'
  if ([blank, ...others].some(({ told }) => told !== before.told)) return 'control'
  return others.some(({ read }) => read !== before.read) ? 'read' : 'decoration'
}

list('each column, element, label and kind of row of the corpora is claimed', async () => {
  const lines: string[] = []
  const nobody: string[] = []
  const all = EXPORTS.filter(({ name }) => !/parquet|workbook/.test(name))
  const some = process.env.UPDATE ? all : alike(all)
  for (const each of some) {
    const before = await readOf(each, String(each.files[each.ledger]))
    for (const piece of piecesOf(each)) {
      const claim = await claimOf(each, before, piece)
      lines.push(`${each.name}: ${piece.name}: ${claim}`)
      const isKnown = (DECORATIONS[each.name] ?? '').split('|').includes(piece.name)
      if (claim === 'decoration' && !isKnown) nobody.push(`${each.name}: ${piece.name}`)
    }
  }
  if (process.env.UPDATE) writeFileSync(LIST, `${lines.join('\n')}\n`)
  assert.equal(nobody, [], 'claimed by nobody')
  const known = readFileSync(LIST, 'utf8').trimEnd().split('\n')
  const isTried = (line: string) => some.some(({ name }) => line.startsWith(`${name}: `))
  assert.equal(lines, known.filter(isTried))
})
