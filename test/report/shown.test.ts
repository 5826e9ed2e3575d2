/** Statements as `tieout show` prints them, and layouts that are refused: `cases/`. */
import { follow } from '../cli/transcripts.ts'

follow('statements as they are shown', undefined, import.meta.url)
