/** Writes the lines of SAF-T files as canonical CSV, each file as it was surveyed: in parts, or as a whole. */
import { inOrder } from '../../../workspace/in-order.ts'
import { share } from '../../../workspace/threads.ts'
import { bufferOf } from '../../format/part-hands.ts'
import { withHeader } from '../../format/records.ts'
import { WHOLE, type XmlPart } from '../../format/xml-parts.ts'
import type { Scratch } from '../../text/scan.ts'
import { isCostAccount } from './accounts.ts'
import { HEADER, PartyNames, SaftRows, type Writing } from './csv.ts'
import type { DimensionRules, SaftDimensions } from './dimensions.ts'
import type { Covered } from './figures.ts'
import { readSaft, type SaftText, saftSteps } from './parse.ts'
import type { PartToWrite, SaftHands, WrittenPart } from './parts.ts'
import type { Years } from './periods.ts'
import type { Divided } from './survey.ts'

/** What all files are written with. */
export interface WritingOptions {
  readonly years: Years
  readonly rules: DimensionRules
  readonly scratch: Scratch
  /** Null where this thread writes alone. */
  readonly hands: SaftHands | null
}

/** The paths of the written files, in the order of `files`. What their lines say of codes is added to `dimensions`. */
export async function writeSaft(
  files: readonly Covered[],
  dimensions: SaftDimensions,
  options: WritingOptions,
): Promise<string[]> {
  const { scratch, hands } = options
  const parts =
    hands && inOrder(partsOf(files, options), hands.atOnce, (part) => hands.make('writePart', part))
  const paths: string[] = []
  for (const file of files) {
    const { divided } = file.survey
    const rows = parts && divided ? joined(divided, parts, dimensions) : rowsOf(file, dimensions, options)
    paths.push(await scratch.written(withHeader(HEADER, rows)))
  }
  return paths
}

/** In this thread. */
async function* rowsOf(
  file: Covered,
  dimensions: SaftDimensions,
  { rules, years }: WritingOptions,
): AsyncGenerator<string> {
  const rows = new SaftRows(writingOf(file, years, rules.decimals, new Map()), dimensions)
  for await (const _ of saftSteps(textOf(file), rows)) yield rows.written()
}

async function* joined(
  { parts }: Divided,
  written: AsyncIterator<WrittenPart>,
  dimensions: SaftDimensions,
): AsyncGenerator<Buffer> {
  for (const _ of parts) {
    const { csv, uses } = (await written.next()).value as WrittenPart
    dimensions.add(uses)
    yield bufferOf(csv)
  }
}

/** The parts of all files that were surveyed in parts. */
async function* partsOf(
  files: readonly Covered[],
  { rules, years }: WritingOptions,
): AsyncGenerator<PartToWrite> {
  for (const file of files) {
    const { divided } = file.survey
    if (divided === null) continue
    const { head, parts } = divided
    const names = new PartyNames()
    if (head !== null) await readSaft(textOf(file, head), names)
    const shared = share({ writing: writingOf(file, years, rules.decimals, names.names), rules })
    for (const { part, position } of parts) yield { text: textOf(file, part), position, shared }
  }
}

const textOf = ({ survey: { file, source, encoding } }: Covered, part: XmlPart = WHOLE): SaftText => ({
  ...{ file, path: source.path, encoding, part },
})

const writingOf = (
  { survey, offset }: Covered,
  { fiscalMonthEnd, fiscalYears }: Years,
  decimals: number,
  parties: ReadonlyMap<string, string>,
): Writing => ({
  ...{ file: survey.file, header: survey.header, notClosing: survey.notClosing },
  costAccounts: new Set([...survey.accounts.values()].filter(isCostAccount).map(({ id }) => id)),
  ...{ offset, decimals, parties },
  years: { fiscalMonthEnd, fiscalYears },
})
