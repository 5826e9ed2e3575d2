/** A process that has an ad-hoc child, to be killed. Tells the child's pid. */
import { AdhocPool } from '../../../serve/companies/adhoc-pool.ts'

const it = new AdhocPool({ child: process.argv[2]! })
const body = await it.answer({
  snapshotsRoot: '/nowhere',
  company: 'acme',
  snapshotId: '2025-06-r1-abcdef',
  manifestSha256: '0'.repeat(64),
  query: {
    kind: 'metrics',
    metricIds: [],
    budgetId: null,
    classId: 'pid',
    departmentId: null,
    startDate: '2024-01-02',
    endDate: '2024-01-31',
  },
})
process.send!(Number(body.toString()))
