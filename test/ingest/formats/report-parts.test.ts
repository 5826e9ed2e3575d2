/** Reports that are read in parts, by others or by threads, give what reading them as a whole gives: rows, findings, controls, order. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WORK } from '../../../builder/ingest/formats/reports/parts.ts'
import { familyCalled } from '../../../builder/ingest/formats/reports/programs/families.ts'
import { readFilesOf } from '../../../builder/ingest/formats/reports/read.ts'
import type { LedgerFormat } from '../../../builder/workspace/company.ts'
import { companyOf, type Files, InParts } from '../../support/in-parts.ts'
import { mutationsOf, sampled, shownMutation } from '../../support/mutations.ts'
import { seedOf } from '../fuzz/corpus.ts'
import { REPORTS } from '../fuzz/mutation-rules.ts'

const test = suite('reports in parts')

/** The corpus of a program, and the program. */
const CORPORA: Readonly<Record<string, LedgerFormat>> = {
  'business-central': 'business-central',
  erpnext: 'erpnext',
  gnucash: 'gnucash',
  netsuite: 'netsuite',
  odoo: 'odoo',
  quickbooks: 'quickbooks',
  'quickbooks-desktop': 'quickbooks',
  'quickbooks-journal': 'quickbooks',
  sage50: 'sage50',
  xero: 'xero',
  'xero-2': 'xero',
}

function seed(corpus: string): { readonly inParts: InParts<typeof WORK>; readonly files: Files } {
  const { 'company.yaml': yaml, ...files } = seedOf(corpus)
  const company = companyOf(yaml!.toString('utf8'))
  const family = familyCalled(CORPORA[corpus]!)
  return { inParts: new InParts(readFilesOf(family), WORK, company), files }
}

const SIZES = [1, 300, 1000]

for (const corpus of Object.keys(CORPORA)) {
  test(`${corpus}: rows, findings and controls are those of the whole report`, async () => {
    const { inParts, files } = seed(corpus)
    const done = await inParts.same(files, SIZES)
    const count = (of: string) => done.filter((name) => name === of).length
    assert.ok(count('measurePart') > 3, `${count('measurePart')} parts were measured`)
    assert.ok(count('writePart') > count('measurePart'), 'the parts were not found to be sound')
  })

  test(`${corpus}: so they are where something was changed in the report`, async () => {
    const { inParts, files } = seed(corpus)
    for (const [path, rule] of Object.entries(REPORTS[corpus]!))
      for (const mutation of sampled(mutationsOf(files[path] as Buffer, rule), 150))
        try {
          await inParts.same({ ...files, [path]: mutation.bytes() }, [200])
        } catch (problem) {
          throw new Error(`${path}: ${shownMutation(mutation)}: ${(problem as Error).message}`, {
            cause: problem,
          })
        }
  })
}

test.run()
