/** Attempts on closed months by tools of one's own, on log, keys, manifests and files; and by the clock. */
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { LOG, MANIFEST, POINTER, RESTATEMENT } from '../../builder/snapshot/files/layout.ts'
import { openSigner, type Signer } from '../../builder/snapshot/keys/key-file.ts'
import { sha256 } from '../../builder/system/hash.ts'
import {
  addLine,
  copyOf,
  linesOf,
  manifestOf,
  point,
  pointerTo,
  rewriteHistory,
  snapshotsIn,
  writeLines,
  writeManifest,
} from './attacker.ts'
import {
  type Attempt,
  catalogue,
  cutLog,
  GONE,
  ledger,
  MARCH,
  RESTATED,
  SALE,
  settings,
  WANTED,
  type World,
} from './closed-months.ts'

const FEBRUARY = ledger(SALE.closed, '5 2025-02-11 rent 9.00; 5 2025-02-11 bank -9.00')
/** Published folders are read-only. */
const writable = (folder: string): string => copyOf(folder, mkdtempSync(join(tmpdir(), 'tieout-writable-')))
const replaced = (folder: string, change: (copy: string) => void): void => {
  const copy = writable(folder)
  change(copy)
  rmSync(folder, { recursive: true, force: true })
  cpSync(copy, folder, { recursive: true })
  rmSync(copy, { recursive: true, force: true })
}
const inFile = (path: string, from: string, to: string): void =>
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
const stranger = (world: World) => openSigner(join(world.root, 'stranger'))
/** A day in the life of a clock that is wrong. */
async function at<T>(day: string, work: () => Promise<T>): Promise<T> {
  const Real = Date
  const offset = Real.parse(day) - Real.now()
  globalThis.Date = class extends Real {
    constructor(...given: ConstructorParameters<typeof Date> | []) {
      super(...((given.length === 0 ? [Real.now() + offset] : given) as [number]))
    }
    static override now(): number {
      return Real.now() + offset
    }
  } as DateConstructor
  try {
    return await work()
  } finally {
    globalThis.Date = Real
  }
}

/** The lines of a log as the version before wrote them: without a format, and without a word on closing. */
async function toFormat1(folder: string, signer: Signer): Promise<void> {
  let Before: string | null = null
  const lines: string[] = []
  for (const line of linesOf(folder)) {
    const { Format: _, ClosedThrough: __, Signature: ___, ...record } = JSON.parse(line)
    const text = JSON.stringify({ ...record, Before })
    const signature = (await signer.sign(Buffer.from(text))).trimEnd()
    lines.push(`${text.slice(0, -1)},"Signature":"${signature}"}`)
    Before = sha256(lines.at(-1)!)
  }
  writeLines(folder, lines)
}

/** January changed after a line that opens it was put into the log. */
const reopenedBy = (
  reason: string | null,
  signerOf: (world: World) => Promise<Signer> | null,
  says: RegExp,
): Attempt => ({
  by: 'command',
  async act(world) {
    await world.forge(async (folder) => {
      const pointer = pointerTo(folder, world.ids.at(-1)!)
      const details = { ClosedThrough: '2024-12-31' }
      const signer = await signerOf(world)
      await addLine(folder, 'reopen', pointer, signer, details, reason)
    })
    await world.build(WANTED)
    assert.is(world.steps.at(-1), 'refused')
  },
  ends: 'damage',
  says,
})

catalogue('closed months: log and files', {
  'the log deleted, January changed': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => rmSync(join(folder, LOG)))
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /log\.jsonl is missing or empty/,
  },
  'the log deleted, adopted as lost, January changed': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => rmSync(join(folder, LOG)))
      await world.adopt()
      await world.build(WANTED)
      assert.equal(world.steps, ['done', 'done', 'refused'])
    },
    ends: 'anchor',
    says: RESTATED,
  },
  'a history of format 1, whose first change after the upgrade enters its lock date': {
    by: 'setting',
    async act(world) {
      await world.forge(async (folder) => {
        const signer = await openSigner(world.workspace.state)
        for (const id of snapshotsIn(folder)) replaced(join(folder, id), () => {})
        await rewriteHistory(folder, signer, ({ LockedThrough: _, ComparedWith: __, ...manifest }) => ({
          ...manifest,
          Format: 1,
          Build: { ...manifest.Build, Host: 'vm' },
        }))
        await toFormat1(folder, signer)
      })
      await world.build({ ...settings(null), ...WANTED })
      assert.match(linesOf(world.folder).at(-1)!, /"Event":"adopt".*"ClosedThrough":"2025-01-31"/)
      await world.build({ ...settings('2025-01-31'), ...ledger(SALE.closed, MARCH) })
      assert.equal(world.steps, ['done', 'refused', 'done'], world.said.join('\n'))
    },
    ends: 'anchor',
    says: GONE,
  },
  'a history that is whole, adopted': {
    by: 'setting',
    async act(world) {
      await world.adopt('to be on the safe side')
      await world.build({ ...settings(null), ...WANTED })
    },
    ends: 'refused',
    says: GONE,
  },
  'the closing cut off the end of the log, January changed': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => cutLog(folder, 1))
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'done')
    },
    ends: 'anchor',
    says: /nothing here has the SHA-256 that was noted/,
  },
  'the closing cut off the log after a publication that names it': {
    by: 'command',
    async act(world) {
      await world.build(ledger(SALE.closed, MARCH))
      await world.forge((folder) => cutLog(folder, 2))
      await world.build(ledger(SALE.wanted, MARCH))
    },
    ends: 'damage',
    says: /lacks the line that was its last/,
  },
  'the closing taken out of the log': {
    by: 'command',
    async act(world) {
      await world.build(ledger(SALE.closed, MARCH))
      await world.forge((folder) =>
        writeLines(
          folder,
          linesOf(folder).filter((line) => !line.includes('"Event":"close"')),
        ),
      )
      await world.build(ledger(SALE.wanted, MARCH))
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /does not follow the line before it/,
  },
  'the day in the closing changed': {
    by: 'command',
    async act(world) {
      await world.forge((folder) =>
        writeLines(
          folder,
          linesOf(folder).map((line) =>
            line.replace('"ClosedThrough":"2025-01-31"', '"ClosedThrough":"2024-12-31"'),
          ),
        ),
      )
      await world.build(WANTED)
    },
    ends: 'damage',
    says: /was changed: its signature is over another text/,
  },
  'a reopening without a signature': reopenedBy('for a good reason', () => null, /is not signed/),
  'a reopening signed by a stranger': reopenedBy('for a good reason', stranger, /none of the known ones/),
  'a reopening without a reason, signed with the true key': reopenedBy(
    null,
    (world) => openSigner(world.workspace.state),
    /is not a record/,
  ),
  'a publication, signed with the true key, under a lower lock date than the log': {
    by: 'setting',
    async act(world) {
      await world.build(ledger(SALE.closed, MARCH))
      await world.forge(async (folder) => {
        const signer = await openSigner(world.workspace.state)
        const id = world.ids.at(-1)!
        const lines = linesOf(folder)
        replaced(folder, (copy) => writeLines(copy, lines.slice(0, -1)))
        replaced(join(folder, id), () => {})
        const pointer = await writeManifest(folder, id, signer, (manifest) => ({
          ...manifest,
          LockedThrough: null,
        }))
        await addLine(folder, 'publish', pointer, signer)
        point(folder, pointer)
      })
    },
    ends: 'damage',
    says: /says that the books were closed through no day, although log\.jsonl had closed them through 2025-01-31/,
  },
  'all of the history written anew by a stranger': {
    by: 'command',
    async act(world) {
      await world.forge(async (folder) => {
        const signer = await stranger(world)
        replaced(folder, () => {})
        await rewriteHistory(folder, signer)
      })
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /none of the known ones/,
  },
  'the pointer moved back by hand, then built': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => point(folder, pointerTo(folder, world.ids[0]!)))
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /although log\.jsonl says that/,
  },
  'a statement of January edited': {
    by: 'command',
    act: (world) =>
      world.forge((folder) =>
        replaced(join(folder, world.ids.at(-1)!), (copy) =>
          inFile(join(copy, 'statements/profit-loss/accrual/actuals/all/all.json'), '250.00', '990.00'),
        ),
      ),
    ends: 'damage',
    says: /profit-loss/,
  },
  'the current snapshot damaged, so that nothing can be compared': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => rmSync(join(folder, world.ids.at(-1)!, 'books/frame.json')))
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /whether their figures stay as published/,
  },
  'the current snapshot damaged, then back to another one': {
    by: 'command',
    async act(world) {
      const last = world.ids.at(-1)!
      const path = join(world.folder, last, 'books/frame.json')
      const text = readFileSync(path)
      await world.forge(() => rmSync(path))
      await world.use(world.ids[0]!)
      assert.match(linesOf(world.folder).at(-1)!, /"Uncompared":"books\/frame\.json/)
      await world.forge(() => writeFileSync(path, text, { mode: 0o444 }))
    },
    ends: 'reason',
  },
  'the manifest of the current snapshot deleted': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => rmSync(join(folder, world.ids.at(-1)!, MANIFEST)))
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /manifest\.json/,
  },
  'the current snapshot deleted, with the pointer': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => {
        rmSync(join(folder, world.ids.at(-1)!), { recursive: true })
        rmSync(join(folder, POINTER))
      })
      await world.build(WANTED)
    },
    ends: 'damage',
  },
  'two snapshots that exchange their folders': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => {
        const [first, second] = snapshotsIn(folder).map((id) => join(folder, id))
        renameSync(first!, `${first}.aside`)
        renameSync(second!, first!)
        renameSync(`${first}.aside`, second!)
      })
      await world.build(WANTED)
    },
    ends: 'damage',
  },
  'the list of what was restated deleted': {
    by: 'command',
    async act(world) {
      await world.build(WANTED, 'invoice 17 was booked twice')
      await world.forge((folder) => rmSync(join(folder, world.ids.at(-1)!, RESTATEMENT)))
    },
    ends: 'damage',
    says: /restatement\.json is missing/,
  },
  'the restatement taken out of the manifest': {
    by: 'command',
    async act(world) {
      await world.build(WANTED, 'invoice 17 was booked twice')
      await world.forge(async (folder) => {
        const id = world.ids.at(-1)!
        replaced(join(folder, id), (copy) => rmSync(join(copy, RESTATEMENT)))
        const pointer = await writeManifest(
          folder,
          id,
          await openSigner(world.workspace.state),
          (manifest) => ({
            ...manifest,
            Restatement: null,
            Files: manifest.Files.filter(({ Path }) => Path !== RESTATEMENT),
          }),
        )
        const lines = linesOf(folder)
        replaced(folder, (copy) => writeLines(copy, lines.slice(0, -1)))
        await addLine(folder, 'publish', pointer, await openSigner(world.workspace.state))
        point(folder, pointer)
      })
      assert.is(manifestOf(world.folder, world.ids.at(-1)!).Restatement, null)
    },
    ends: 'damage',
    says: /states closed months differently than before, and gives no reason/,
  },
  'a clock that was set back': {
    by: 'command',
    act: (world) => at('2025-01-05', () => world.build(WANTED)),
    ends: 'refused',
    says: RESTATED,
  },
  'a clock that runs ahead: opened by nobody': {
    by: 'setting',
    act: (world) => at('2031-01-05', () => world.build({ ...settings(null), ...WANTED })),
    ends: 'refused',
    says: GONE,
  },
  'February closed, opened, changed, closed; January with it': {
    by: 'command',
    async act(world) {
      await world.close('2025-02')
      await world.build(FEBRUARY)
      await world.reopen('2025-02', 'the bill came late')
      await world.build(FEBRUARY)
      await world.close('2025-02')
      await world.build(ledger(SALE.wanted))
      assert.equal(world.steps, ['done', 'refused', 'done', 'done', 'done', 'refused'])
    },
    ends: 'refused',
    says: RESTATED,
  },
})
