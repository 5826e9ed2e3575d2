/** What can be done with a part of a GL_Detail alone, here or in a thread. */
import { partReader } from '../../format/copied-tables.ts'
import type { PartHands } from '../../format/part-hands.ts'
import { DetailLines, type LineForm } from './lines.ts'

export const WORK = { readPart: partReader((form: LineForm) => new DetailLines(form)) }
export type AdsHands = PartHands<typeof WORK>
