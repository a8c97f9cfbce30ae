import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type KeptTable, readKept, renderPage, renderTable, withResults } from '../../bench/kept-results.ts'

const measured = { date: '2026-11-23T10:00:00.000Z', commit: '9935ba24' }
const later = { date: '2026-12-24T10:00:00.000Z', commit: '0123abcd' }
const table: KeptTable = {
  columns: ['', 'measure', 'ours', 'theirs', 'ratio, lowest to highest', 'goal', ''],
  groups: [
    { measured, rows: [['5', 'a call', '9 µs', '8 µs', '1.13', '<= 1.2', 'met']] },
    { measured, rows: [['6', 'new events', '40 µs', '100 µs', '0.4', '<= 0.5', 'met']] },
  ],
}
const run = (ours: number) => [{ what: 'first list', ours, theirs: 100, unit: 'µs', goal: 0.4 }]

describe('The kept figures', () => {
  it('are those of docs/performance.md: run npm run report -- --keep', () => {
    const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8')
    assert.equal(page, renderPage(page, readKept()))
    const shown = [...page.matchAll(/<!-- figures: (\S+) -->/g)].map(([, name]) => name)
    assert.deepEqual(shown.toSorted(), Object.keys(readKept()).toSorted())
  })

  it('tell when each benchmark was measured, and on which commit', () => {
    const kept = withResults(
      { table },
      [{ id: 6, name: 'New events', runs: [run(20), run(30), run(45)] }],
      later,
    )
    assert.deepEqual(renderTable(kept.table ?? table).split('\n'), [
      '| | measure | ours | theirs | ratio, lowest to highest | goal | | measured |',
      '|---|---|---|---|---|---|---|---|',
      '| 5 | a call | 9 µs | 8 µs | 1.13 | <= 1.2 | met | 2026-11-23, 9935ba24 |',
      '| 6 | New events: first list | 30 µs | 100 µs | 0.3 (0.2 to 0.45) | <= 0.4 | met | 2026-12-24, 0123abcd |',
    ])
  })

  it('are replaced by those of all benchmarks that were measured together', () => {
    const results = [5, 6].map((id) => ({ id, name: 'New events', runs: [run(20)] }))
    const { groups = [] } = withResults({ table }, results, later).table ?? {}
    assert.deepEqual(
      groups.map((group) => [group.rows[0]?.[0], group.measured]),
      [
        ['5', later],
        ['6', later],
      ],
    )
  })

  it('stay as they were where a benchmark failed', () => {
    assert.deepEqual(withResults({ table }, [{ id: 6, name: 'New events', runs: [] }], later), { table })
  })

  it('are not invented: a page that asks for others is refused', () => {
    assert.throws(
      () => renderPage('<!-- figures: other -->\n<!-- end of figures -->', { table }),
      /no figures "other"/,
    )
  })
})
