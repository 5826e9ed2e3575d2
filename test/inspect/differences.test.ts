/** What differs between two snapshots, as `tieout diff` says it: `cases/`. */
import { follow } from '../cli/transcripts.ts'

follow('differences', undefined, import.meta.url)
