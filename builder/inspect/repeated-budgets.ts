/** Explains budget rows of SIE files that state the same figure again: which row counts, and why the others do not. */

import type { Line } from '../books/read/lineage.ts'
import { currencyDecimals, displayMinor } from '../contract/currency.ts'
import { parseSie } from '../ingest/formats/sie/parse.ts'
import type { SieBalance } from '../ingest/formats/sie/records.ts'
import { figureKey, withoutNobody } from '../ingest/formats/sie/stated.ts'
import { decodeText, type Encoding } from '../ingest/text/decode.ts'
import type { InputEntry } from '../snapshot/files/manifest.ts'
import type { Snapshot } from '../snapshot/files/open.ts'
import { readFile } from '../system/plain-file.ts'
import { keptPath } from './source-lines.ts'

/** Rows listed in full; of more than that, only the number is shown. */
const TOLD = 5

interface Stated extends SieBalance {
  readonly file: string
}

/** Remarks about the lines of a figure; files that were not kept are left out. Throws {@link SnapshotDamagedError}. */
export async function repeatedBudgets(
  snapshot: Snapshot,
  lines: readonly Pick<Line, 'kind' | 'file' | 'row'>[],
): Promise<string[]> {
  const { Inputs, Currency } = snapshot.manifest
  const places = new Set(
    lines.filter(({ kind }) => kind === 'budget').map(({ file, row }) => `${file}:${row}`),
  )
  const inputs = Inputs.filter(({ Format, Kept }) => Format === 'sie' && Kept === true)
  if (places.size === 0 || inputs.length === 0) return []
  const decimals = currencyDecimals(Currency)
  const stated = (await Promise.all(inputs.map((input) => budgetIn(snapshot, input, decimals)))).flat()
  const counted = new Map(
    stated.filter((row) => places.has(placeOf(row))).map((row) => [figureKey(row), row]),
  )
  const remarks = stated.flatMap((row) => {
    const own = counted.get(figureKey(row))
    return own === undefined || places.has(placeOf(row)) ? [] : [whyNot(row, own, decimals)]
  })
  const more = remarks.length - TOLD
  return more > 0 ? [...remarks.slice(0, TOLD), `${more} more rows are repeated so`] : remarks
}

const placeOf = ({ file, line }: Stated): string => `${file}:${line}`

/** Reads the budget rows as the build does. */
async function budgetIn(snapshot: Snapshot, input: InputEntry, decimals: number): Promise<Stated[]> {
  const bytes = await readFile(await keptPath(snapshot, input))
  const { text } = decodeText(bytes, input.Encoding as Encoding)
  const { balances } = withoutNobody(parseSie(input.File, text, decimals))
  return balances
    .filter(({ label }) => label === 'PBUDGET')
    .map((balance) => ({ ...balance, file: input.File }))
}

function whyNot(row: Stated, own: Stated, decimals: number): string {
  const [place, counts] = [placeOf(row), placeOf(own)]
  if (row.file !== own.file) {
    const what =
      row.minor === own.minor
        ? 'states the same figure'
        : `states ${displayMinor(row.minor, decimals)} for the same month and account`
    return `${place} ${what} under year ${row.year} and does not count: of several files that state the budget of a year, that of the year itself does (${counts})`
  }
  return row.year === own.year
    ? `${place} states the same figure once more and does not count: a figure that is repeated counts once (${counts})`
    : `${place} states the same figure under year ${row.year}, ${counts} under year ${own.year}: of a budget the month says which year it is of, whatever the number of the year, so that it is one figure and counts once (${counts})`
}
