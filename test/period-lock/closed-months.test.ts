/** What a build says of closed months, and what `--restate` publishes: `cases/`. */
import { follow } from '../cli/transcripts.ts'

follow('closed months', undefined, import.meta.url)
