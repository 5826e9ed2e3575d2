/**
 * Finds exports that replace earlier ones under another name: programs and browsers call the next year-to-date
 * export `General Ledger (1).csv`. If both stayed in the folder, their entries would count twice.
 */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { addTo } from '../../contract/grouping.ts'
import type { LedgerSetting } from '../../workspace/company.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { findFiles } from '../../workspace/source-files.ts'
import { BLANK } from '../../workspace/yaml-file.ts'
import { type Covered, CoveredLines, overlap, sharesEntries } from '../format/covered-lines.ts'
import { rangeOf } from '../format/fiscal-years.ts'
import { type Format, openSource, type SourceFile, type Stated } from '../format/format.ts'
import { formatOf } from '../formats.ts'
import { mappedValue } from '../tables/header.ts'
import { DIRECTION, tablesOf, valueAt } from '../tables/mapped/map.ts'
import { parseDate } from '../text/months.ts'
import { basisWord, type Item, ledgerEntry } from './settings.ts'

export interface Succession {
  /** For each new file (its path in the company's folder), the files there that it replaces. */
  readonly instead: ReadonlyMap<string, readonly string[]>
  /** The days covered by the new ledgers that are plain tables. */
  readonly covers: readonly Covered[]
  readonly findings: readonly Finding[]
}

interface There {
  readonly file: string
  readonly covers: readonly Covered[]
}

interface Company {
  readonly company: string
  readonly folder: string
  readonly replace: boolean
  readonly stated: Stated
  /** The entries of `ledger` in company.yaml that can be read. */
  readonly ledger: readonly LedgerSetting[]
}

/**
 * Finds files of the company that cover the same days as a new one. A new file that covers all of an old one
 * replaces it where that was asked for; all other overlaps are findings. Files that do not show which days they
 * cover are left out.
 */
export async function successions(items: readonly Item[], at: Company): Promise<Succession> {
  const findings: Finding[] = []
  const instead = new Map<string, string[]>()
  const tables: Covered[] = []
  const targets = new Set(items.map(({ to }) => to))
  for (const item of items) {
    const { from, to } = item
    const covered = await coverage(item, targets, at)
    if (covered === null) continue
    if (item.known.kind === 'ledger') tables.push(...covered.new_)
    for (const { file, covers } of covered.there) {
      const isSame = covered.new_.some((a) => covers.some((b) => overlap(a, b)))
      // Entries with other lines may be corrected, or others with the same numbers: that is for the user to say.
      if (!isSame && !(at.replace && covered.new_.some((a) => covers.some((b) => sharesEntries(a, b)))))
        continue
      const [held, holds] = [rangeOf(covers), rangeOf(covered.new_)]
      if (held === null || holds === null) continue
      const isWhole = holds.start <= held.start && held.end <= holds.end
      if (isWhole && at.replace && isSame) addTo(instead, to, file)
      else
        findings.push(
          error(
            'period-there-already',
            `${basename(from)} holds entries of ${holds.start} to ${holds.end}; ${file}, which is there, those of ${held.start} to ${held.end}: they would count twice`,
            {
              file: basename(from),
              text: file,
              remedy: !isWhole
                ? 'export a period that begins after the other file ends, or all of it in one file'
                : !isSame
                  ? `entries of the same number and day have other lines: if these are the corrected ones, delete ${file} and add this file again`
                  : `if it is the newer export of the same books, put it in the place of the other: tieout add ${at.company} ${quoted(from)} --replace`,
            },
          ),
        )
    }
  }
  return { instead, covers: tables, findings }
}

/** The days of a ledger file, and the files of its kind in the folder; null where the file is no ledger. */
async function coverage(
  { from, to, known }: Item,
  targets: ReadonlySet<string>,
  at: Company,
): Promise<{ readonly new_: readonly Covered[]; readonly there: readonly There[] } | null> {
  if (known.kind === 'format') {
    const { format, source } = known
    return {
      new_: await coveredBy(format, source, at.stated),
      there: await filesOf(format, targets, source.scan.sha256, at),
    }
  }
  if (known.kind !== 'ledger') return null
  const source = await openSource(from, basename(from))
  // The days in a Parquet file are read by the build alone, which finds entries that stand in two files.
  if (source.look.parquet !== null) return null
  const setting = settingOf(ledgerEntry(known).settings)
  return { new_: await coveredByTable(source, setting), there: await tablesThere(to, targets, source, at) }
}

/** The settings without their blanks. */
const settingOf = (settings: object): LedgerSetting =>
  JSON.parse(JSON.stringify(settings, (_, value) => (value === BLANK ? undefined : value)))

async function filesOf(
  format: Format,
  except: ReadonlySet<string>,
  sha256: string,
  at: Company,
): Promise<There[]> {
  const found: There[] = []
  // The build reports identical files under two names.
  for (const source of await sourcesThere(format, except, at.folder))
    if (source.scan.sha256 !== sha256)
      found.push({ file: source.file, covers: await coveredBy(format, source, at.stated) })
  return found
}

/** The files of a format that the company's folder holds already, but for those of these paths. */
export async function sourcesThere(
  format: Format,
  except: ReadonlySet<string>,
  folder: string,
): Promise<SourceFile[]> {
  const place = join(folder, format.place.folder)
  if (!existsSync(place)) return []
  const found: SourceFile[] = []
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    const file = `${format.place.folder}${entry.name}`
    if (!entry.isFile() || except.has(file)) continue
    const source = await openSource(join(place, entry.name), file)
    if (source.scan.bytes > 0 && formatOf(source.look) === format) found.push(source)
  }
  return found
}

/** Ledgers that company.yaml reads as tables, without those that are known to be on the other basis. */
async function tablesThere(
  to: string,
  except: ReadonlySet<string>,
  { scan: { sha256 } }: SourceFile,
  at: Company,
): Promise<There[]> {
  const found: There[] = []
  const basis = basisWord(to)
  for (const entry of at.ledger) {
    if (entry.format !== undefined && entry.format !== 'csv' && entry.format !== 'xlsx') continue
    for (const file of (await findFiles(at.folder, String(entry.files), 'ledger')).files) {
      const own = entry.basis ?? basisWord(file)
      if (except.has(file) || (basis !== null && own !== null && own !== basis)) continue
      const source = await openSource(join(at.folder, file), file, entry)
      if (source.look.parquet !== null) continue
      const isTable = entry.columns !== undefined || formatOf(source.look) === null
      if (source.scan.bytes === 0 || source.scan.sha256 === sha256 || !isTable) continue
      found.push({ file, covers: await coveredByTable(source, entry) })
    }
  }
  return found
}

const coveredBy = async (format: Format, source: SourceFile, stated: Stated): Promise<readonly Covered[]> =>
  (await format.survey([source], stated)).covers

const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`

/** Lines are compared by account, amount and basis, since the next export may number entries differently. */
const COLUMNS = ['account', 'debit', 'credit', 'amount', DIRECTION, 'basis'] as const

export async function coveredByTable(
  source: SourceFile,
  setting: LedgerSetting,
): Promise<readonly Covered[]> {
  const columns = { date: 'date', account: 'account', ...setting.columns }
  const lines = new CoveredLines()
  for (const table of tablesOf(source, { ...setting, columns }, 'ledger').tables) {
    const columnOf = (name: string) =>
      mappedValue(table.header, (columns as Record<string, string>)[name] ?? name)
    const date = columnOf('date')
    if (date === null) continue
    const values = COLUMNS.map(columnOf)
    const entry = columnOf('transaction_id')
    for await (const batch of table.records().batches)
      for (const { cells } of batch) {
        if (cells === null) continue
        const text = valueAt(cells, date)
        lines.add(
          parseDate(text) ?? parseDate(text, setting.dateFormat),
          values.map((value) => (value === null ? '' : valueAt(cells, value))),
          entry === null ? '' : valueAt(cells, entry),
        )
      }
  }
  return lines.covers
}
