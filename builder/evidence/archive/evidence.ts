/**
 * Writes what a company published in a period as one bag: its snapshots, its log, the manifests of all other
 * snapshots, the public keys, and a page for people. The payload is laid out as the company's folder, so that it is
 * verified like one.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { andMore } from '../../contract/listed.ts'
import { SnapshotDamagedError } from '../../snapshot/files/damage.ts'
import { readCompanyName } from '../../snapshot/files/documents.ts'
import { checkManifest } from '../../snapshot/files/files.ts'
import {
  LEFT_OUT_FOLDER,
  LOG,
  POINTER,
  PRUNED,
  parseSnapshotId,
  SIGNATURE,
} from '../../snapshot/files/layout.ts'
import { type KnownKeys, keyCarriedBy } from '../../snapshot/keys/sign.ts'
import { checkCompany } from '../../snapshot/log/chain.ts'
import { manifestsOf } from '../../snapshot/log/check-stamps.ts'
import { keysInLog, parseLog } from '../../snapshot/log/log.ts'
import { steadily } from '../../snapshot/log/steadily.ts'
import { namesIn } from '../../system/durable.ts'
import { readFile } from '../../system/plain-file.ts'
import { ChangeRefusedError } from '../../system/refusals.ts'
import { type CompanyHistory, type EvidencePeriod, historyIn, isOfPeriod } from './company-history.ts'
import {
  assembled,
  type BagContents,
  type BagFile,
  type BagRequest,
  inputsOf,
  keySet,
  manifestFiles,
  payloadPath,
  pemOf,
  published,
  stampsOf,
  text,
} from './contents.ts'
import { evidencePage } from './evidence-page.ts'
import { type BytesWritten, isZipPath, writeBag } from './write.ts'

interface EvidenceRequest extends BagRequest {
  readonly period: EvidencePeriod
}

export interface Evidence {
  readonly company: string
  readonly period: EvidencePeriod
  /** In the order of publication. */
  readonly snapshots: readonly string[]
  readonly leftOut: readonly string[]
  readonly path: string
  readonly kind: 'folder' | 'zip'
  readonly payload: BagContents['payload']
  readonly keptInputs: number
  readonly logLines: number
  /** SHA-256 of the log's last line. */
  readonly head: string
}

export const INDEX = 'index.html'
const KEYS = 'public-keys.jwks.json'
const keyFile = (id: string): string => `public-key-${id}.pem`
/** The label in bag-info.txt of the period for which the bag claims to be complete. */
export const PERIOD_LABEL = 'Evidence-Period'

/** Ids of the snapshots of the period that an evidence bag lacks. */
export async function missingSnapshots(payload: string, period: EvidencePeriod): Promise<string[]> {
  const ids = namesIn(join(payload, LEFT_OUT_FOLDER)).filter((id) => parseSnapshotId(id) !== null)
  const found = await Promise.all(ids.map((id) => checkManifest(join(payload, LEFT_OUT_FOLDER, id), null)))
  return found.flatMap(({ id, manifest }) => (manifest && isOfPeriod(manifest, period) ? [id] : []))
}

/**
 * Writes the bag. Throws {@link ChangeRefusedError} where nothing was published in the period, {@link
 * SnapshotDamagedError} where a file is not as published, PlaceError where `to` cannot be written.
 */
export const writeEvidence = (
  folder: string,
  company: string,
  to: string,
  request: EvidenceRequest,
  known: KnownKeys,
  written: BytesWritten = () => {},
): Promise<Evidence> =>
  // Writes the bag again where a snapshot of it was pruned meanwhile. What is published meanwhile does not belong to
  // it.
  steadily(
    folder,
    async () => {
      const contents = () => checkedContents(folder, company, request, known)
      const { history, bag, head } = await steadily(folder, contents, () => false)
      await writeBag(bag, to, written)
      return {
        company,
        period: request.period,
        snapshots: history.snapshots.map(({ id }) => id),
        leftOut: history.leftOut.map(({ id }) => id),
        path: to,
        kind: isZipPath(to) ? 'zip' : 'folder',
        payload: bag.payload,
        keptInputs: bag.inputs,
        logLines: history.log.records.length,
        head,
      }
    },
    () => true,
  )

/** As {@link evidenceContents}, of a company in which nothing is damaged. */
async function checkedContents(folder: string, company: string, request: EvidenceRequest, known: KnownKeys) {
  const checked = await checkCompany(folder, company, true, known, true)
  const damages = [...checked.damages, ...checked.snapshots.flatMap((snapshot) => snapshot.damages)]
  const [first, ...more] = damages
  if (first)
    throw new SnapshotDamagedError(
      `${first.message}${andMore(more.length)}; nothing was written: tieout verify ${company} says all`,
    )
  const { history, bag } = await evidenceContents(folder, company, request)
  const head = history.log.hashes.at(-1)
  if (head === undefined)
    throw new ChangeRefusedError(
      `${company} has no ${LOG}, so nothing says who published what and when; the next build begins it`,
    )
  if (history.snapshots.length === 0)
    throw new ChangeRefusedError(nothingOf(company, request.period, history))
  return { history, bag, head }
}

const nothingOf = (
  company: string,
  { from, through }: EvidencePeriod,
  { leftOut }: CompanyHistory,
): string => {
  const months = leftOut.map(({ id }) => id.slice(0, 7)).sort()
  const covers = leftOut.find(({ manifest }) => {
    const { StartDate = '', EndDate = '' } = manifest?.Coverage ?? {}
    return StartDate.slice(0, 7) <= from && through <= EndDate.slice(0, 7)
  })
  const named = covers
    ? `. ${covers.id} covers these months: name its last one, --through ${covers.id.slice(0, 7)}`
    : ''
  return `${company} has no snapshot of ${from} to ${through}; its snapshots are of ${months[0]} to ${months.at(-1)}${named}`
}

/** The bag of a company's folder. Verification makes it again from the payload of a bag, and compares the two. */
export async function evidenceContents(
  folder: string,
  company: string,
  request: EvidenceRequest,
): Promise<{ history: CompanyHistory; bag: BagContents }> {
  const logText = existsSync(join(folder, LOG)) ? await readFile(join(folder, LOG), 'utf8') : ''
  const log = await parseLog(logText)
  const history = await historyIn(folder, company, request.period, log)
  const { snapshots } = history
  const keys = await keysOf(folder, history, logText)
  const inputs = [...new Map(snapshots.flatMap(inputsOf).map((file) => [file.path, file])).values()]
  const last = snapshots.at(-1)
  const name = last === undefined ? '' : await readCompanyName(last)
  const bag = await assembled({
    name: `${company}-evidence-${request.period.from}-${request.period.through}`,
    version: request.version,
    payload: [
      ...(await Promise.all(snapshots.map((snapshot) => published(snapshot)))).flat(),
      ...inputs,
      ...(await restOf(folder, history)),
      ...(await asItLies(folder, [LOG, POINTER])),
      ...(await stampsOf(
        folder,
        (await manifestsOf(folder)).map(({ hash }) => hash),
      )),
    ],
    pages: [
      text(
        INDEX,
        await evidencePage({ company, name, history, request, keyIds: keys.map(({ kid }) => kid) }),
      ),
      text(KEYS, keySet(keys)),
      ...keys.map((key) => text(keyFile(key.kid), pemOf(key))),
    ],
    metadata: (oxum) => [
      ['Source-Organization', name],
      ['External-Identifier', `${company}/evidence/${request.period.from}/${request.period.through}`],
      [
        'External-Description',
        `Evidence of ${name}: what was published of ${request.period.from} to ${request.period.through}`,
      ],
      ['Bagging-Date', request.baggedAt.toISOString().slice(0, 10)],
      ['Bag-Software-Agent', request.software],
      ['Payload-Oxum', oxum],
      [PERIOD_LABEL, `${request.period.from} to ${request.period.through}`],
      ['Evidence-Log-Sha256', log.hashes.at(-1) ?? ''],
    ],
  })
  return { history, bag: { ...bag, keyId: null, inputs: inputs.length } }
}

/**
 * Manifests and signatures of snapshots of other periods and of pruned ones, so that the chain of manifests is
 * complete.
 */
async function restOf(folder: string, { leftOut, pruned }: CompanyHistory): Promise<BagFile[]> {
  const files = await Promise.all([
    ...leftOut.map((each) => manifestFiles(each.folder, `${LEFT_OUT_FOLDER}/${each.id}`)),
    ...pruned.map((id) => manifestFiles(join(folder, PRUNED, id), `${PRUNED}/${id}`)),
  ])
  return files.flat()
}

const asItLies = (folder: string, names: readonly string[]): Promise<BagFile[]> =>
  Promise.all(
    names
      .filter((name) => existsSync(join(folder, name)))
      .map(async (name) => text(payloadPath(name), await readFile(join(folder, name)))),
  )

/** Every key that signed a manifest or a line of the log, each once, in the order of their ids. */
async function keysOf(folder: string, { snapshots, leftOut, pruned }: CompanyHistory, logText: string) {
  const places = [
    ...[...snapshots, ...leftOut].map((each) => each.folder),
    ...pruned.map((id) => join(folder, PRUNED, id)),
  ]
  const signatures = await Promise.all(places.map((place) => signatureIn(place)))
  const keys = [...(await Promise.all(signatures.map(keyCarriedBy))), ...(await keysInLog(logText))]
  const byId = new Map(keys.flatMap((key) => (key ? [[key.kid, key] as const] : [])))
  return [...byId.values()].sort((a, b) => (a.kid < b.kid ? -1 : 1))
}

const signatureIn = (folder: string): Promise<string> =>
  readFile(join(folder, SIGNATURE), 'utf8').catch(() => '')
