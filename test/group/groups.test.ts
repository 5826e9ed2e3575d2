/** Groups of companies: what is added up, eliminated, divided and refused, with figures by hand: `cases/`. */
import { follow } from '../cli/transcripts.ts'
import { isOfSome } from '../support/group.ts'

follow('groups', (name) => !isOfSome(name), import.meta.url)
