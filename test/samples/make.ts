/**
 * Writes the sample companies: `node --import tsx test/samples/make.ts [--out datasets]`.
 * Seeded and without a clock: the same bytes on every machine, in every time zone and locale.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { harborFiles } from './harbor/files.ts'
import { lakesideFiles } from './lakeside/files.ts'
import { nordvikFiles } from './nordvik/files.ts'

const { values } = parseArgs({ options: { out: { type: 'string', default: 'datasets' } } })
const companies = { harbor: harborFiles, lakeside: lakesideFiles, nordvik: nordvikFiles }

for (const [company, files] of Object.entries(companies))
  for (const [path, content] of Object.entries(await files())) {
    const target = join(values.out, company, ...path.split('/'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content)
  }
