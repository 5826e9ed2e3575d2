/** Charts of accounts, classes and departments: what they may look like, and one test per finding. */

import * as assert from 'uvu/assert'
import { CLASSIFICATIONS } from '../../../builder/contract/vocabulary.ts'
import { accountKeys, resolve } from '../../../builder/ingest/format/keys.ts'
import { suite } from '../../suite.ts'
import { column, fields } from '../../support/fields.ts'
import { codes, ingestWith, only, sole } from '../folder.ts'

const chart = suite('chart')

const HEADER = 'id,number,name,classification,type,parent,cash_flow,is_active\n'
const read = (rows: string, settings: object = {}) => ingestWith(settings, { 'chart.csv': HEADER + rows })
const members = (classes: string) => ingestWith({ classes: 'classes.csv' }, { 'classes.csv': classes })

chart('reads every column, words in any capitals, parents by id or number', async () => {
  const { accounts, findings } = await read(
    '1,1000,Cash,ASSET,bank,,,yes\n2,1010,"Till, O\'Brien",asset,Bank,1000,cash,0\n3,,Float,Asset,,2,,FALSE\n4,4000,Sales,income,,,operating,\n',
  )
  assert.equal(findings, [])
  const keys = ['row', 'id', 'number', 'name', 'type', 'cashFlow', 'isActive', 'classification'] as const
  assert.equal(fields(accounts, ...keys, 'parentId'), [
    [2, '1', '1000', 'Cash', 'Bank', null, true, 'Asset', null],
    [3, '2', '1010', "Till, O'Brien", 'Bank', 'Cash', false, 'Asset', '1'],
    [4, '3', '', 'Float', '', null, false, 'Asset', '2'],
    [5, '4', '4000', 'Sales', '', null, true, 'Income', null],
  ])
})

chart('a chart without numbers has its ids as numbers, and headers may be mapped', async () => {
  const { accounts, findings } = await ingestWith(
    {
      chartOfAccounts: { files: 'chart.csv', columns: { name: 'Konto namn', classification: 'Art' } },
      ledger: [{ files: 'l.csv' }],
    },
    {
      'chart.csv': 'ID;Konto Namn;Art;Is Active\n10;Kassa;Asset;n\n',
      'l.csv': 'transaction_id,date,account,amount\n',
    },
  )
  assert.equal(findings, [])
  assert.equal([accounts[0]!.number, accounts[0]!.name, accounts[0]!.isActive], ['10', 'Kassa', false])
})

chart('missing columns', async () => {
  const intake = await ingestWith({}, { 'chart.csv': 'id,title\n1,Cash\n' })
  assert.equal(
    column(
      intake.findings.filter(({ code }) => code === 'missing-column'),
      'column',
    ),
    ['name', 'classification'],
  )
})

chart('a mapped header that is not there, a map of no column, a header that stands twice', async () => {
  const intake = await ingestWith(
    { chartOfAccounts: { files: 'chart.csv', columns: { number: 'No', colour: 'Farbe' } } },
    { 'chart.csv': 'id,name,name,classification\n1,a,b,Asset\n' },
  )
  assert.is(only(intake.findings, 'missing-column').column, 'No')
  assert.is(only(intake.findings, 'duplicate-column').column, 'name')
  const unknown = only(intake.findings, 'unknown-column')
  assert.equal([unknown.file, unknown.column], ['company.yaml', 'chartOfAccounts.columns.colour'])
  assert.is(unknown.row, 9)
})

chart('columns that are not read are named once', async () => {
  const intake = await ingestWith({}, { 'chart.csv': 'id,name,classification,colour,size\n1,a,Asset,,2\n' })
  const warning = only(intake.findings, 'columns-not-read')
  assert.is(warning.severity, 'warning')
  assert.match(warning.message, '"colour", "size"')
})

chart('duplicate, reserved and empty ids, empty names', async () => {
  const twice = sole(await read('1,,a,Asset,,,,\n1,,b,Asset,,,,\n'), 'duplicate-id')
  assert.equal([twice.file, twice.row, twice.text], ['chart.csv', 3, '1'])
  assert.is(sole(await read('net-income,,a,Equity,,,,\n'), 'reserved-id').row, 2)
  assert.is(sole(await read(',5,a,Asset,,,,\n'), 'empty-id').row, 2)
  assert.is(sole(await read('1,5,,Asset,,,,\n'), 'empty-name').row, 2)
})

chart('unknown classification lists all eight, and its children are not called orphans', async () => {
  const found = sole(await read('1,,a,Assets,,,,\n2,,b,Asset,,1,,\n'), 'unknown-classification')
  assert.equal([found.row, found.column, found.text], [2, 'classification', 'Assets'])
  for (const word of CLASSIFICATIONS) assert.match(found.remedy!, word)
})

chart('unknown type, a type of another classification, the type of computed rows', async () => {
  assert.is(sole(await read('1,,a,Asset,Boat,,,\n'), 'unknown-type').text, 'Boat')
  assert.match(sole(await read('1,,a,Income,Bank,,,\n'), 'type-does-not-fit').remedy!, 'Asset or Liability')
  sole(await read('1,,a,Equity,Computed,,,\n'), 'unknown-type')
})

chart('unknown parent, parent of two numbers, circle, parent of another classification', async () => {
  assert.is(sole(await read('1,,a,Asset,,9,,\n'), 'unknown-parent').text, '9')
  sole(await read('1,5,a,Asset,,,,\n2,5,b,Asset,,,,\n3,,c,Asset,,5,,\n'), 'ambiguous-parent')
  assert.match(
    sole(
      await read('1,,a,Asset,,3,,\n2,,b,Asset,,1,,\n3,,c,Asset,,2,,\n4,,d,Asset,,1,,\n'),
      'circular-parent',
    ).message,
    '1 → 3 → 2 → 1',
  )
  sole(await read('1,,a,Asset,,1,,\n'), 'circular-parent')
  assert.match(
    sole(await read('1,,a,Asset,,,,\n2,,b,Income,,1,,\n'), 'parent-of-another-classification').message,
    'Income',
  )
})

chart('unknown cash flow category, unknown is_active', async () => {
  assert.is(sole(await read('1,,a,Asset,,,Sideways,\n'), 'unknown-cash-flow').text, 'Sideways')
  assert.is(sole(await read('1,,a,Asset,,,,maybe\n'), 'invalid-active').text, 'maybe')
})

chart('all findings of a file at once', async () => {
  const { findings } = await read('1,,a,Asset,Boat,,,\n1,,b,Nope,,9,x,maybe\n')
  assert.equal(codes(findings).sort(), [
    'duplicate-id',
    'invalid-active',
    'unknown-cash-flow',
    'unknown-classification',
    'unknown-parent',
    'unknown-type',
  ])
})

chart('overrides of the cash flow beat the chart, by id or number', async () => {
  const { accounts, findings } = await read('1,1500,a,Asset,FixedAsset,,Financing,\n2,2,b,Liability,,,,\n', {
    cashFlow: { 1500: 'Investing', 2: 'Cash' },
  })
  assert.equal(findings, [])
  assert.equal(column(accounts, 'cashFlow'), ['Investing', 'Cash'])
})

chart('overdrafts are financing, unless their category is stated too, and are liabilities', async () => {
  const { accounts, findings } = await read(
    '1,,a,Asset,Bank,,,\n2,,b,Liability,Bank,,,\n3,,c,Liability,,,,\n',
    {
      cashFlow: { 3: 'Operating' },
      overdrafts: [1, '2', 3, 4],
    },
  )
  assert.equal(column(accounts, 'cashFlow'), [null, 'Financing', 'Operating'])
  assert.equal(fields(findings, 'code', 'column', 'text'), [
    ['unknown-account', 'overdrafts.0', '1'],
    ['unknown-account', 'overdrafts.3', '4'],
  ])
})

chart('an override of no account, of two, and of a P&L account', async () => {
  const { findings } = await read('1,5,a,Asset,,,,\n2,5,b,Asset,,,,\n3,,c,Income,,,Investing,\n', {
    cashFlow: { 99: 'Investing', 5: 'Cash', 3: 'Financing' },
  })
  const unknown = only(findings, 'unknown-account')
  assert.equal([unknown.file, unknown.column, unknown.text], ['company.yaml', 'cashFlow.99', '99'])
  assert.ok(unknown.row! > 1, 'has the line of company.yaml')
  only(findings, 'ambiguous-account')
  const ignored = findings.filter(({ code }) => code === 'cash-flow-of-profit-and-loss')
  assert.equal(fields(ignored, 'severity', 'file'), [
    ['warning', 'chart.csv'],
    ['warning', 'company.yaml'],
  ])
})

chart('a text that is the id of one account and the number of another is ambiguous', () => {
  const keys = accountKeys([
    { id: '1', number: '1000' },
    { id: '1000', number: '2' },
    { id: '3', number: '3' },
    { id: '4', number: '' },
  ])
  assert.equal(resolve(keys, '1'), { id: '1' })
  assert.equal(resolve(keys, '3'), { id: '3' })
  assert.equal(resolve(keys, '1000'), { problem: 'ambiguous' })
  assert.equal(resolve(keys, ''), { problem: 'unknown' })
  assert.equal(resolve(keys, '__proto__'), { problem: 'unknown' })
})

chart('a canonical ledger needs a chart', async () => {
  const intake = await ingestWith({ chartOfAccounts: undefined })
  assert.is(sole(intake, 'missing-chart').file, 'company.yaml')
})

chart('classes are a tree, parents by id or name', async () => {
  const { classes, findings } = await members(
    'id,name,parent,is_active\nN,North,,\nn1,"Nord, Süd",North,no\nx,,n1,\n',
  )
  assert.equal(findings, [])
  assert.equal(fields(classes, 'id', 'name', 'parentId', 'isActive', 'row'), [
    ['N', 'North', null, true, 2],
    ['n1', 'Nord, Süd', 'N', false, 3],
    ['x', 'x', 'n1', true, 4],
  ])
})

chart('members: reserved, duplicate and empty ids, parents, circles, columns', async () => {
  for (const id of ['all', 'unassigned', 'actuals'])
    assert.is(sole(await members(`id,name\n${id},a\n`), 'reserved-id').text, id)
  sole(await members('id,name\nA,a\nA,b\n'), 'duplicate-id')
  sole(await members('id,name\n,a\n'), 'empty-id')
  sole(await members('id,name,parent\nA,a,B\n'), 'unknown-parent')
  sole(await members('id,name,parent\nA,x,\nB,x,\nC,c,x\n'), 'ambiguous-parent')
  sole(await members('id,name,parent\nA,a,B\nB,b,A\n'), 'circular-parent')
  sole(
    await members('id,label\nA,a\n').then((intake) => ({
      ...intake,
      findings: intake.findings.filter(({ severity }) => severity === 'error'),
    })),
    'missing-column',
  )
})

chart('ids that differ in capitals only are two members', async () => {
  const { classes, findings } = await members('id,name\nNorth,a\nnorth,b\nAll,c\n')
  assert.equal(findings, [])
  assert.is(classes.length, 3)
})
