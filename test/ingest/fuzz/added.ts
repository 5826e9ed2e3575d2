/** A company as `tieout add` sets it up from exports, with its questions answered. */
import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { answered, proposed } from '../../support/added.ts'
import type { Files } from '../../support/workspace.ts'
import { type Parts, partsIn } from './corpus.ts'

export const addedCompany = (exports: Files): Promise<Parts> =>
  proposed(exports, ({ yaml, path }) => {
    writeFileSync(path, answered(yaml, { fiscalMonthEnd: '12', currency: 'USD', opening: 'none' }))
    return partsIn(dirname(path))
  })
