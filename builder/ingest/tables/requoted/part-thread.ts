/** One of the threads that write the quotes of a CSV anew. */
import { serveParts } from '../../format/part-hands.ts'
import { WORK } from './parts.ts'

serveParts(WORK)
