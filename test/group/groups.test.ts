/** Groups of companies: what is added up, eliminated, divided and refused, with figures by hand: `cases/`. */
import { follow } from '../cli/transcripts.ts'

follow('groups', (name) => !name.startsWith('translated'), import.meta.url)
