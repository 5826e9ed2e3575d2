/** Companies whose ledger lies in a bucket. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { datasetFolder, openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import type { Store } from './s3.ts'
import type { Built } from './workspace.ts'

/** The store lets nobody without a name replace an object, and asks for no proof. */
const SIGNED = { authorization: 'AWS tests:of-tests' }

/** Puts an object under its key, in the place of one that is there. */
export async function put(store: Store, bucket: string, key: string, bytes: Buffer): Promise<void> {
  const at = `${store.direct}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
  const answer = await fetch(at, { method: 'PUT', body: new Uint8Array(bytes), headers: SIGNED })
  if (!answer.ok) throw new Error(await answer.text())
}

/** From now on the bucket keeps each version of its objects. */
export async function keepVersions(store: Store, bucket: string): Promise<void> {
  const body =
    '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>'
  const answer = await fetch(`${store.direct}/${bucket}?versioning`, { method: 'PUT', body, headers: SIGNED })
  if (!answer.ok) throw new Error(await answer.text())
}

/** Moves the Parquet files of a company's folder into a new bucket, under their own paths. Returns its name. */
export async function moveToBucket(workspace: Workspace, id: string, store: Store): Promise<string> {
  const bucket = await store.bucket()
  const folder = datasetFolder(workspace, id)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.parquet')) {
      await put(store, bucket, name, readFileSync(join(folder, name)))
      rmSync(join(folder, name))
    }
  return bucket
}

type Entry = Readonly<Record<string, unknown>>

/** Lets Spark read the ledgers of company.yaml in the bucket, with this command. */
export function useBucket(
  workspace: Workspace,
  id: string,
  bucket: string,
  {
    command,
    endpoint,
    scheme = 's3a',
  }: {
    readonly command: readonly string[]
    readonly endpoint: string
    readonly scheme?: string
  },
): Workspace {
  const path = join(datasetFolder(workspace, id), 'company.yaml')
  const settings = parse(readFileSync(path, 'utf8')) as { ledger: Entry[]; opening?: Entry }
  const address = `${scheme}://${bucket}/`
  const ledger = settings.ledger.map(({ files, table, format: _, engine: __, ...others }) => ({
    table: address + String(table ?? files),
    ...others,
    engine: 'spark',
  }))
  const marked = settings.opening?.files as string[] | undefined
  const opening = marked
    ? { opening: { ...settings.opening, files: marked.map((file) => address + file) } }
    : {}
  writeFileSync(path, stringify({ ...settings, ...opening, ledger }))
  const place = join(workspace.root, 'tieout.yaml')
  const others = parse(readFileSync(place, 'utf8')) as object
  writeFileSync(place, stringify({ ...others, engine: { command, endpoint, region: 'us-east-1' } }))
  return openWorkspace(workspace.root)
}

/**
 * What a snapshot says of its ledger, whatever lies in a bucket or a folder: its documents, totals, proofs and warnings, and the control
 * totals of each file. `address` is that of the bucket.
 */
export function ledgerOf(built: Built, address = ''): unknown {
  const { Files, ContentHash, Totals, TieOuts, Warnings, Inputs } = JSON.parse(
    built.read('manifest.json').replaceAll(address, ''),
  ) as Record<'ContentHash' | 'Totals' | 'TieOuts' | 'Warnings', unknown> & {
    readonly Files: readonly { readonly Path: string; readonly Sha256: string }[]
    readonly Inputs: readonly (Readonly<Record<string, unknown>> & { readonly Role: string })[]
  }
  return {
    Documents: Files.filter(({ Path }) => !/^(books|report)\//.test(Path)).map(
      ({ Path, Sha256 }) => `${Path} ${Sha256}`,
    ),
    Inputs: Inputs.filter(({ Role }) => Role === 'ledger').map(
      ({ Sha256: _, ETag: __, VersionId: ___, ...input }) => input,
    ),
    ...{ ContentHash, Totals, TieOuts, Warnings },
  }
}
