/** What parsers made of files is kept between builds: it is the same as parsing again, and nothing wrong is ever taken from it. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { type FormatContent, NO_CONTENT } from '../../builder/ingest/format/content.ts'
import type { Format, SourceFile } from '../../builder/ingest/format/format.ts'
import type { Intake, LedgerPlan } from '../../builder/ingest/format/intake.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import { ParseCache } from '../../builder/ingest/parse-cache.ts'
import { entrySchema } from '../../builder/ingest/parse-cache-schema.ts'
import { Scratch } from '../../builder/ingest/text/scan.ts'
import { Cache } from '../../builder/workspace/cache.ts'
import { type Company, companySchema, type LedgerSetting } from '../../builder/workspace/company.ts'
import { warning } from '../../builder/workspace/finding.ts'
import { openWorkspace, readCompany } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { saftFile } from '../support/saft.ts'
import { inFolder } from './folder.ts'

const root = new URL('../..', import.meta.url).pathname

const cached = suite('what was parsed')

const plan = (path: string): LedgerPlan => ({
  kind: 'csv',
  file: 'a.txt',
  basis: 'ACCRUAL',
  dateFormat: 'YYYY-MM-DD',
  decimal: '.',
  thousands: '',
  path,
  delimiter: ',',
  columns: { account: 'account' },
  header: ['account'],
})

interface Fixture {
  readonly folder: string
  /** Reads `content` and gives what the plan's copy holds; `parsed` tells how often the format was asked. */
  readonly read: (
    content?: string,
    setting?: Partial<LedgerSetting>,
  ) => Promise<{ text: string; carried: FormatContent }>
  /** As a build that finds in the end that a source changed while it was parsed. */
  readonly readUnsure: () => Promise<unknown>
  readonly parsed: () => number
  readonly prune: (asked: string) => Promise<void>
}

async function withCache(test: (fixture: Fixture) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-cache-'))
  let parsed = 0
  const parts = (content: string, scratch: Scratch) => {
    const format = {
      id: 'fec',
      read: async () => {
        parsed++
        const findings = [warning('no-figures', `of ${content}`, { file: 'a.txt', row: 2, remedy: 'none' })]
        const copy = async function* () {
          yield `account\n${content}\n`
        }
        return {
          ...NO_CONTENT,
          findings,
          ledger: [plan(await scratch.written(copy())), plan('/source/a.txt')],
        }
      },
    } as unknown as Format
    const files = [
      { file: 'a.txt', path: '/source/a.txt', scan: { sha256: content } },
    ] as unknown as SourceFile[]
    return { format, files }
  }
  const readWith = async (
    cache: ParseCache,
    content: string,
    setting: Partial<LedgerSetting>,
    isSure = true,
  ) => {
    const scratch = new Scratch()
    const { format, files } = parts(content, scratch)
    const carried = await cache.read(format, files, setting as LedgerSetting, {} as Company, scratch)
    const [copy, source] = carried.ledger as LedgerPlan[]
    assert.is(source!.path, '/source/a.txt')
    const text = readFileSync(copy!.path, 'utf8')
    assert.not(copy!.path.startsWith(folder), 'what is read is a copy of its own')
    if (isSure) await cache.keep()
    await scratch.dispose()
    return { text, carried: { ...carried, ledger: [{ ...copy!, path: '' }] } }
  }
  try {
    await test({
      folder,
      read: (content = 'one', setting = {}) => readWith(new ParseCache(new Cache(folder)), content, setting),
      readUnsure: () => readWith(new ParseCache(new Cache(folder)), 'one', {}, false),
      parsed: () => parsed,
      prune: async (asked) => {
        const cache = new Cache(folder)
        await readWith(new ParseCache(cache), asked, {})
        cache.prune()
      },
    })
  } finally {
    chmodSync(folder, 0o700)
    rmSync(folder, { recursive: true })
  }
}

/** Changes the kept entry as if it had been kept so; false where `change` changes nothing. */
function changeEntry(folder: string, change: (entry: string) => string): boolean {
  const cache = new Cache(folder)
  let isChanged = false
  // An entry is named by its key and a hash; a copy by its hash alone.
  for (const name of readdirSync(folder).filter((each) => each.includes('.'))) {
    const entry = readFileSync(join(folder, name), 'utf8')
    rmSync(join(folder, name))
    const changed = change(entry)
    isChanged ||= changed !== entry
    cache.keep(name.replace(/\..*$/, ''), Buffer.from(changed))
  }
  return isChanged
}

cached('is parsed once, and comes back the same', () =>
  withCache(async ({ read, parsed }) => {
    const first = await read()
    assert.equal(await read(), first)
    assert.is(parsed(), 1)
  }),
)

cached('is not kept where a source may have changed between its hash and its parsing', () =>
  withCache(async ({ read, readUnsure, parsed }) => {
    await readUnsure()
    await read()
    assert.is(parsed(), 2)
  }),
)

cached('is parsed anew where a file or a setting is another', () =>
  withCache(async ({ read, parsed }) => {
    await read()
    assert.is((await read('two')).text, 'account\ntwo\n')
    await read('one', { basis: 'cash' })
    assert.is(parsed(), 3)
  }),
)

cached('is parsed anew where anything of what was kept is damaged, torn or gone', () =>
  withCache(async ({ folder, read, parsed }) => {
    const sound = await read()
    let times = 1
    for (const name of readdirSync(folder))
      for (const damage of [
        (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 8), Buffer.from('9'), bytes.subarray(9)]),
        (bytes: Buffer) => bytes.subarray(0, -3),
        () => Buffer.alloc(0),
        () => null,
      ]) {
        const damaged = damage(readFileSync(join(folder, name)))
        if (damaged === null) rmSync(join(folder, name))
        else writeFileSync(join(folder, name), damaged)
        assert.equal(await read(), sound)
        assert.is(parsed(), ++times, name)
        assert.equal(await read(), sound, 'and is kept again')
        assert.is(parsed(), times)
      }
  }),
)

cached('is parsed anew where an entry is whole, and says something else than a format carries', () =>
  withCache(async ({ folder, read, parsed }) => {
    const sound = await read()
    let times = 1
    for (const [is, other] of [
      ['"decimal":"."', '"decimal":";"'],
      ['"path":"source 0"', '"path":"source 7"'],
      ['"row":2', '"row":"2"'],
      ['"code":"no-figures"', '"code":"no-such-code"'],
      ['"openings":[]', '"openings":[{}]'],
      ['"openings":[]', '"openings":[],"more":1'],
      ['"openings":[],', ''],
    ] as const) {
      const changed = changeEntry(folder, (entry) => entry.replace(is, other))
      assert.ok(changed, is)
      assert.equal(await read(), sound, other)
      assert.is(parsed(), ++times, other)
    }
  }),
)

cached('goes once nothing uses it', () =>
  withCache(async ({ folder, read, parsed, prune }) => {
    await read()
    const before = readdirSync(folder)
    await prune('two')
    assert.equal(
      readdirSync(folder).filter((name) => before.includes(name)),
      [],
    )
    await read('two')
    assert.is(parsed(), 2)
  }),
)

cached('is not needed: where it cannot be kept, files are parsed', async () => {
  const nowhere = new Cache(join(root, 'package.json', 'cache'))
  const cache = new ParseCache(nowhere)
  const sample = companyOf('nordvik')
  const intake = await ingest(sample.company, sample.folder, { cache })
  await cache.keep()
  await intake.dispose()
  assert.ok(intake.ledger.length > 0)
  nowhere.prune()
})

interface Sample {
  readonly company: Company
  readonly folder: string
}

function companyOf(id: string): Sample {
  const workspace = openWorkspace(root)
  return { company: readCompany(workspace, id).value!, folder: join(workspace.datasets, id) }
}

/** A format whose parser writes CSV; SIE gives rows. */
const SAFT = saftFile({
  accounts: '1920 Bank 0.00 120.00\n 3000 Salg 0.00 -120.00',
  lines: '1 2025-01-05 1920 120.00\n 1 2025-01-05 3000 -120.00',
})
const SAFT_COMPANY = companySchema.parse({
  id: 'acme',
  name: 'Acme',
  fiscalMonthEnd: 12,
  currency: 'NOK',
  ledger: [{ files: '*.xml' }],
})

/** With the text of its copies in the place of their paths and hashes, which are taken where a copy is kept. */
const asText = (intake: Intake): unknown =>
  JSON.parse(
    JSON.stringify({
      ...intake,
      ledger: intake.ledger.map((input) =>
        input.kind === 'csv' ? { ...input, sha256: null, path: readFileSync(input.path, 'utf8') } : input,
      ),
    }),
  )

cached('is all that an importer says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-cache-'))
  try {
    await inFolder({ 'company.yaml': 'id: acme', 'saft.xml': SAFT }, async (saft) => {
      for (const sample of [companyOf('nordvik'), { company: SAFT_COMPANY, folder: saft }]) {
        const read = async (cache?: ParseCache) => {
          const intake = await ingest(sample.company, sample.folder, { cache })
          const text = asText(intake)
          await cache?.keep()
          await intake.dispose()
          return text
        }
        const fresh = await read()
        assert.equal(await read(new ParseCache(new Cache(folder))), fresh, sample.folder)
        assert.equal(await read(new ParseCache(new Cache(folder))), fresh, sample.folder)
      }
      assert.is(readdirSync(folder).filter((name) => name.includes('.')).length, 2)
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const corpus = join(root, 'test', 'ingest', 'corpus')
for (const name of readdirSync(corpus).filter((each) => !['tables', 'workbooks'].includes(each)))
  cached(`what ${name} carries is read back as it was kept`, async () => {
    const kept = mkdtempSync(join(tmpdir(), 'tieout-cache-'))
    try {
      const folder = join(corpus, name, 'seed')
      const company = companySchema.parse(parse(readFileSync(join(folder, 'company.yaml'), 'utf8')))
      const cache = new ParseCache(new Cache(kept))
      const intake = await ingest(company, folder, { cache })
      await cache.keep()
      await intake.dispose()
      const entries = readdirSync(kept).filter((each) => each.includes('.'))
      assert.ok(entries.length > 0)
      for (const entry of entries) {
        const read = JSON.parse(readFileSync(join(kept, entry), 'utf8'))
        assert.equal(entrySchema.parse(read), read)
      }
    } finally {
      rmSync(kept, { recursive: true })
    }
  })

cached.run()
