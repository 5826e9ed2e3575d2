/** What can be done with a part of a ledger that a column map reads, here or in a thread. */
import { partReader } from '../../format/copied-tables.ts'
import type { PartHands } from '../../format/part-hands.ts'
import { type MapForm, MappedRows } from './rows.ts'

export const WORK = { readPart: partReader((form: MapForm) => new MappedRows(form)) }
export type MapHands = PartHands<typeof WORK>
