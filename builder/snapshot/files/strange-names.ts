/**
 * Finds what lies in a company's folder and was not published there: a damage where it takes the place of something
 * that belongs there, else a note.
 */
import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../../system/durable.ts'
import { isTooLarge } from '../../system/plain-file.ts'
import { type Damage, ofCompany } from './damage.ts'
import { CANDIDATES, INPUTS, LOG, POINTER, PRUNED, parseSnapshotId, STAMPS } from './layout.ts'

const FOLDERS = [INPUTS, PRUNED, CANDIDATES, STAMPS]

/** Damages for links and other things that are not files. The target of a link may change after this check. */
export const strangeAmong = (folder: string, names: readonly string[]): Damage[] =>
  [
    ...names,
    ...[PRUNED, CANDIDATES].flatMap((below) =>
      namesIn(join(folder, below)).map((name) => `${below}/${name}`),
    ),
  ]
    .filter((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.isSymbolicLink())
    .map((name) => ofCompany('no-file', name, `${name} is a link, not what was published there`))
    .concat(
      strangeOf(folder, names, [POINTER, LOG], (found) => found.isFile() && !isTooLarge(found)).map((name) =>
        ofCompany('no-file', name, `${name} is no file, but a folder, a pipe or a device, or far too large`),
      ),
      strangeOf(folder, names, FOLDERS, (found) => found.isDirectory()).map((name) =>
        ofCompany('no-file', name, `${name} is not the folder that has this name in every company`),
      ),
    )

/** The `known` names that are taken by something else, but for links, which are reported as such. */
const strangeOf = (
  folder: string,
  names: readonly string[],
  known: readonly string[],
  isIt: (found: Stats) => boolean,
): string[] =>
  known.filter((name) => {
    const found = names.includes(name) && lstatSync(join(folder, name), { throwIfNoEntry: false })
    return found && !found.isSymbolicLink() && !isIt(found)
  })

/** Notes on what a running or interrupted build left among the snapshots, and on what somebody else put there. */
export const litter = (names: readonly string[]): string[] =>
  names
    .filter((name) => ![POINTER, LOG, ...FOLDERS].includes(name) && !parseSnapshotId(name))
    .map((name) =>
      /^\.(stage-|lock$)|\.next$/.test(name)
        ? `${name} is of a build that runs now or was interrupted; the next build removes it`
        : `${name} is not a snapshot; it was not looked at`,
    )
