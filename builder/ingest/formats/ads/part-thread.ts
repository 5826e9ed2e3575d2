/** One of the threads that read lines of a GL_Detail. */
import { serveParts } from '../../format/part-hands.ts'
import { WORK } from './parts.ts'

serveParts(WORK)
