/** Writes FEC as canonical CSV, each file as it was surveyed: in parts by others, or as a whole by this thread. */
import { inOrder } from '../../../workspace/in-order.ts'
import { share } from '../../../workspace/threads.ts'
import type { FiscalYear } from '../../format/intake.ts'
import { nextBytes } from '../../format/part-hands.ts'
import type { Scratch } from '../../text/scan.ts'
import { WHOLE_TEXT } from '../../text/text-parts.ts'
import type { FecHands, PartToWrite } from './parts.ts'
import { canonicalRows, type Writing } from './rows.ts'
import type { FecSurvey } from './survey.ts'

/** The paths of the written files, in the order of `surveys`. */
export async function writeFec(
  surveys: readonly FecSurvey[],
  statedYears: readonly FiscalYear[] | undefined,
  scratch: Scratch,
  hands: FecHands | null,
): Promise<string[]> {
  const written =
    hands && inOrder(partsOf(surveys, statedYears), hands.atOnce, (part) => hands.make('writePart', part))
  const paths: string[] = []
  for (const survey of surveys) {
    const rows =
      written && survey.parts
        ? nextBytes(written, survey.parts.length)
        : canonicalRows(survey.text, writingOf(survey, statedYears), WHOLE_TEXT)
    paths.push(await scratch.written(rows))
  }
  return paths
}

function* partsOf(
  surveys: readonly FecSurvey[],
  statedYears: readonly FiscalYear[] | undefined,
): Generator<PartToWrite> {
  for (const survey of surveys) {
    const shared = share({ text: survey.text, writing: writingOf(survey, statedYears) })
    for (const part of survey.parts ?? []) yield { part, shared }
  }
}

const writingOf = (
  { year, names, openingJournals }: FecSurvey,
  statedYears: readonly FiscalYear[] | undefined,
): Writing => ({ year, statedYears, names, openings: new Set(openingJournals) })
