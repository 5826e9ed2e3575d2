/** One of the threads that read budgets and metrics. */
import { serveParts } from '../format/part-hands.ts'
import { WORK } from './parts.ts'

serveParts(WORK)
