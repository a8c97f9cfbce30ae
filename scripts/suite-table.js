import { basename } from 'node:path'
import { readRecord } from '../harness/mocha/suite-record.js'

// Prints the records of suites as a table, and the files that took longest. The paths of the records are the arguments.

const records = process.argv
  .slice(2)
  .map((path) => ({ suite: basename(path, '.jsonl'), ...readRecord(path) }))
const seconds = (milliseconds) => (milliseconds / 1000).toFixed(1)

/** Prints rows in columns: words to the left, numbers to the right. */
function print(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => `${row[column]}`.length)))
  const cell = (value, column) =>
    column === 0 ? `${value}`.padEnd(widths[column]) : `${value}`.padStart(widths[column])
  for (const row of rows) console.log(row.map(cell).join('  ').trimEnd())
}

const sum = (files, field) => files.reduce((total, file) => total + file[field], 0)

print([
  [
    'suite',
    'tests',
    'serial seconds',
    'Node-REDs',
    'Redis servers',
    'brokers',
    'browsers',
    'requests',
    'random inputs',
  ],
  ...records.map(({ suite, files, started, requests, runs }) => [
    suite,
    sum(files, 'tests'),
    seconds(sum(files, 'milliseconds')),
    started['node-red'],
    started.redis,
    started.mosquitto,
    started.browser,
    requests,
    runs,
  ]),
])

const slowest = records
  .flatMap(({ suite, files }) => files.map((file) => ({ suite, ...file })))
  .sort((one, other) => other.milliseconds - one.milliseconds)
  .slice(0, 10)
console.log('\nthe ten slowest files')
print(slowest.map(({ suite, file, milliseconds }) => [file, seconds(milliseconds), suite]))
