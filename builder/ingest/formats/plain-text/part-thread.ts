/** One of the threads that read plain-text files. */
import { serveParts } from '../../format/part-hands.ts'
import { WORK } from './parts.ts'

serveParts(WORK)
