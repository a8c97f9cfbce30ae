// `npm run report`: prints the figures that a release stands on, in Markdown: tests, faults that they notice, sizes, the ways through
// the code, benchmarks, supported versions. Code and package are measured now, tests and faults were measured by their latest runs on
// this machine, and all else is as it was kept: each row says when it was measured, and on which commit. With --keep the figures are
// kept in bench/results.json, from which docs/performance.md is made.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { readKept, renderTable, withGroup, writeKept } from '../../bench/kept-results.js'
import { measureNow, readRecord, recordPath } from '../../harness/mocha/suite-record.js'
import { mutationRecordPath } from '../mutation/report.js'
import { suiteColumns, suiteRow } from './suite-rows.js'

const now = measureNow()
const { version, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const texts = (row) => row.map(String)

/** The record of each suite that has run on this machine; not those of before records told their commit. */
const folder = dirname(recordPath('test'))
const records = (existsSync(folder) ? readdirSync(folder) : [])
  .map((name) => ({ suite: basename(name, '.jsonl'), ...readRecord(join(folder, name)) }))
  .filter(({ measured }) => measured.date !== '')

const kept = readKept()
for (const record of records) {
  const added = { measured: record.measured, rows: [texts(suiteRow(record.suite, record))] }
  kept.suites = withGroup({ ...kept.suites, columns: suiteColumns }, added)
}
if (existsSync(mutationRecordPath)) {
  const { columns, measured, row } = JSON.parse(readFileSync(mutationRecordPath, 'utf8'))
  kept.mutation = { columns, groups: [{ measured, rows: [texts(row)] }] }
}
kept.ways.groups = [{ measured: now, rows: measureWays() }]
kept.sizes.groups = [{ measured: now, rows: measureSizes() }]

/** Runs the tests of the ways through the code, and returns what each passes. */
function measureWays() {
  const record = join(mkdtempSync(join(tmpdir(), 'keyholder-ways-')), 'ways.jsonl')
  try {
    const required = ['seed', 'hashing-cost', 'record-suite'].map(
      (name) => `--require=harness/mocha/${name}.js`,
    )
    const mocha = ['node_modules/mocha/bin/mocha.js', '--no-config', '--timeout=60000', ...required]
    execFileSync(process.execPath, [...mocha, 'test/nodes/all-nodes/ways.test.js'], {
      env: { ...process.env, KEYHOLDER_SUITE_RECORD: record },
    })
    return readRecord(record).ways.map(({ way, files, functions }) => texts([way, files, functions]))
  } finally {
    rmSync(dirname(record), { recursive: true })
  }
}

/** Counts the files and lines of code, and what is packed; dist must be built. */
function measureSizes() {
  const count = (...folders) => {
    const listed = execFileSync('git', ['ls-files', ...folders], { encoding: 'utf8' })
      .trim()
      .split('\n')
    const files = listed.filter((name) => name.endsWith('.ts') && existsSync(name))
    const lines = files.reduce((sum, name) => sum + readFileSync(name, 'utf8').split('\n').length - 1, 0)
    return `${files.length} files, ${lines.toLocaleString('en-US')} lines`
  }
  const arguments_ = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [pack] = JSON.parse(execFileSync('npm', arguments_, { encoding: 'utf8', stdio: 'pipe' }))
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`
  return [
    ['TypeScript of `src` and `nodes`', count('src', 'nodes')],
    ['TypeScript of `test`, `harness` and `bench`', count('test', 'harness', 'bench')],
    [
      'package',
      `${megabytes(pack.size)} packed, ${megabytes(pack.unpackedSize)} unpacked, ${pack.entryCount} files`,
    ],
    ['direct dependencies', Object.keys(dependencies).length],
  ].map(texts)
}

if (process.argv.includes('--keep')) writeKept(kept)

console.log(`# Version ${version}, commit ${now.commit}, ${now.date.slice(0, 10)}`)
for (const [name, table] of Object.entries(kept)) {
  console.log(`\n## ${name}\n\n${renderTable(table)}`)
}
const [, supported = ''] = readFileSync('docs/stability.md', 'utf8').split('\n## Supported versions\n')
console.log(`\n## Supported versions\n${supported.split('\n\nThe editor')[0]}`)
