import { basename } from 'node:path'
import { readKept } from '../../bench/kept-results.js'
import { isDeep } from '../../harness/mocha/depth.js'
import { readRecord } from '../../harness/mocha/suite-record.js'
import { inSeconds, suiteColumns, suiteRow } from './suite-rows.js'

// Prints the records of suites as a table, and the files that took most processor time. The paths of the records are the arguments.

const records = process.argv
  .slice(2)
  .map((path) => ({ suite: basename(path, '.jsonl'), record: readRecord(path) }))

/** Prints rows in columns: words to the left, numbers to the right. */
function print(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => `${row[column]}`.length)))
  const cell = (value, column) =>
    column === 0 ? `${value}`.padEnd(widths[column]) : `${value}`.padStart(widths[column])
  for (const row of rows) console.log(row.map(cell).join('  ').trimEnd())
}

print([suiteColumns, ...records.map(({ suite, record }) => suiteRow(suite, record))])

const costliest = records
  .flatMap(({ suite, record }) => record.files.map((file) => ({ suite, ...file })))
  .sort((one, other) => other.processorSeconds - one.processorSeconds)
  .slice(0, 20)
console.log('\nthe twenty files with most processor seconds')
print([
  ['file', 'processor seconds', 'seconds', 'suite'],
  ...costliest.map(({ suite, file, milliseconds, processorSeconds }) => {
    return [file, processorSeconds.toFixed(1), inSeconds(milliseconds), suite]
  }),
])

/** A suite that takes more than so many times its kept processor seconds is named; a machine at work varies by a third. */
const margin = 1.5

// Figures for people: no test depends on a second.
if (isDeep) {
  const rows = readKept().suites.groups.flatMap(({ rows }) => rows)
  const column = suiteColumns.indexOf('processor seconds')
  console.log('\nprocessor seconds, and those that are kept')
  for (const { suite, record } of records) {
    const kept = Number(rows.find(([name]) => name === `deep, ${suite}`)?.[column] ?? 0)
    const now = record.processorSeconds ?? 0
    const verdict = kept > 0 && now > margin * kept ? ': MORE THAN BEFORE' : ''
    console.log(`${suite}: ${now.toFixed(1)}, kept ${kept || 'none'}${verdict}`)
  }
}
