/** Snapshots in a folder are published, read and changed as a location promises. */
import { folders } from '../support/locations.ts'
import { declare } from './kinds.ts'

declare(folders, null)
