/** Reads the worksheet of a sample by monetary units that an auditor filled in, and projects what it says. */
import { formatInteger } from '../../contract/currency.ts'
import { parseAmount } from '../../ingest/text/amount.ts'
import { delimitersFor, parseCsv, textAt } from '../../ingest/text/csv.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { failed, type Resolved } from '../inspect.ts'
import { type Audited, projected } from './evaluate.ts'

/** Amounts are decimal text. */
export interface Evaluated {
  readonly items: number
  readonly wrong: number
  /** Items that go the other way, which are judged apart. */
  readonly apart: number
  /** In percent. */
  readonly confidence: number
  readonly known: string
  readonly projected: string
  readonly allowance: string
  readonly limit: string
  readonly tolerable: string
  readonly isTolerable: boolean
}

const COLUMNS = ['item', 'kind', 'book', 'audited', 'interval', 'tolerable', 'confidence'] as const
/** Amounts of a worksheet have at most as many decimals as any currency. */
const DECIMALS = 4

/** `file` names the worksheet in findings. */
export function evaluate(text: string, file: string): Resolved<Evaluated> {
  const { rows, findings: unread } = parseCsv(text, delimitersFor(text, undefined)[0], file)
  const [header, ...lines] = rows
  const places = COLUMNS.map((name) => header?.cells.indexOf(name) ?? -1)
  if (unread.length > 0) return failed(...unread)
  if (places.includes(-1) || lines.length === 0)
    return failed(
      error('not-an-amount', `${file} is not a worksheet of a sample by monetary units`, {
        file,
        remedy: `keep the columns ${COLUMNS.join(', ')} of "tieout sample draw --csv"`,
      }),
    )
  const findings: Finding[] = []
  const cell = (line: (typeof lines)[number], name: (typeof COLUMNS)[number]): string =>
    textAt(line.cells, places[COLUMNS.indexOf(name)] ?? -1)
  const amount = (
    line: (typeof lines)[number],
    name: 'book' | 'audited' | 'interval' | 'tolerable',
  ): bigint => {
    const { minor } = parseAmount(cell(line, name), DECIMALS)
    if (minor === undefined)
      findings.push(
        error('not-an-amount', `row ${line.row}: ${name} "${cell(line, name)}" is not an amount`, {
          ...{ file, row: line.row },
          remedy: 'write it like 1234.50, without separators; of an item that is right, the book amount',
        }),
      )
    return BigInt(minor ?? 0)
  }
  const [open, ...others] = lines.filter((line) => cell(line, 'audited') === '')
  if (open !== undefined)
    return failed(
      error(
        'not-an-amount',
        `${file} has an empty "audited" in row ${open.row}${others.length === 0 ? '' : ` and ${others.length} more`}`,
        {
          ...{ file, row: open.row },
          remedy: 'write what was found, of an item that is right the book amount',
        },
      ),
    )
  const items = lines.map((line): Audited & { readonly isApart: boolean } => ({
    ...{ id: cell(line, 'item'), book: amount(line, 'book'), audited: amount(line, 'audited') },
    ...{ isKey: cell(line, 'kind') === 'key', isApart: cell(line, 'kind') === 'negative' },
  }))
  const [first] = lines
  const [interval, tolerable] = first ? [amount(first, 'interval'), amount(first, 'tolerable')] : [0n, 0n]
  const confidence = first ? cell(first, 'confidence') : ''
  if (!/^[5-9]\d$/.test(confidence))
    findings.push(
      error('not-an-amount', `confidence "${confidence}" is not a percentage from 50 to 99`, {
        ...{ file, row: first?.row ?? null },
        remedy: 'leave it as "tieout sample draw --csv" wrote it, such as 95',
      }),
    )
  if (findings.length > 0) return failed(...findings)
  const found = projected(
    items.filter(({ isApart }) => !isApart),
    ...([interval, tolerable, Number(confidence) / 100] as const),
  )
  // Shares of an interval end at the smallest unit that the worksheet shows.
  const shown = decimalsIn(first ? cell(first, 'interval') : '')
  const money = (minor: bigint): string => {
    const unit = 10n ** BigInt(DECIMALS - shown)
    const half = minor < 0n ? -unit / 2n : unit / 2n
    return formatInteger(String((minor + half) / unit), shown)
  }
  return {
    value: {
      ...{ items: found.items, wrong: found.wrong, apart: items.length - found.items },
      confidence: Number(confidence),
      ...{ known: money(found.known), projected: money(found.projected), allowance: money(found.allowance) },
      ...{ limit: money(found.limit), tolerable: money(tolerable), isTolerable: found.isTolerable },
    },
  }
}

const decimalsIn = (text: string): number => text.split('.')[1]?.length ?? 0
