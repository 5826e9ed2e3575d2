/** What SQL can reach: the folders that a database is given, also through links, and nothing else. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { copySql, csvSql, foldersOf, openDatabase, parquetSql } from '../../builder/database/database.ts'
import { inFolder } from '../cli/command.ts'
import { suite } from '../suite.ts'

const test = suite('files of a database')

const values = (path: string): string => `SELECT c0 FROM ${csvSql(path, "columns = {'c0': 'VARCHAR'}")}`

test('SQL reaches the folders that it is given, and no others', () =>
  inFolder(async (top) => {
    const [own, other] = [join(top, 'x[1]'), join(top, 'x1')]
    for (const folder of [own, other, join(top, 'elsewhere')]) mkdirSync(folder)
    writeFileSync(join(own, 'a*.csv'), 'own\n')
    writeFileSync(join(own, 'ab.csv'), 'beside\n')
    writeFileSync(join(other, 'a*.csv'), 'other\n')
    writeFileSync(join(top, 'elsewhere/b.csv'), 'linked\n')
    symlinkSync(join(top, 'elsewhere/b.csv'), join(own, 'link.csv'))
    const db = await openDatabase({ folders: [own] })
    const linked = await openDatabase({ folders: foldersOf([join(own, 'link.csv')]) })
    const refused = (sql: string) =>
      db.run(sql).then(
        () => assert.unreachable(sql),
        ({ message }: Error) =>
          assert.match(message, /disabled by configuration|has been locked|is disabled/),
      )
    try {
      assert.equal(await db.rows(values(join(own, 'a*.csv'))), [{ c0: 'own' }])
      const written = join(own, 'out[1].parquet')
      await db.run(copySql('SELECT 7 AS seven', written, 'FORMAT parquet'))
      assert.equal(await db.rows(`SELECT * FROM ${parquetSql(written, written)}`), [
        { seven: 7 },
        { seven: 7 },
      ])
      assert.equal(await linked.rows(values(join(own, 'link.csv'))), [{ c0: 'linked' }])
      await refused(values(join(other, 'a*.csv')))
      await refused(values(join(own, 'link.csv')))
      await refused(copySql('SELECT 7', join(other, 'out.parquet'), 'FORMAT parquet'))
      await refused(`ATTACH '${join(other, 'x.db')}'`)
      await refused('SET enable_external_access = true')
      await refused('SET threads = 1')
    } finally {
      db.close()
      linked.close()
    }
  }))
