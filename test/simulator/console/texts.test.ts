import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createSites } from '../../../src/simulator/world/sample-sites.ts'

const folder = new URL('../../../src/simulator/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8')

/** Returns what the groups of a pattern match, everywhere in a file. */
function found(path: string, pattern: RegExp): string[] {
  return [...read(path).matchAll(pattern)].map((match) => match.slice(1).find((text) => text) ?? '')
}

const quoted = /(?:say|new ActionError)\(\s*(?:'([^']+)'|"([^"]+)")/g

describe('The German texts of the console page', () => {
  const german: Record<string, string> = JSON.parse(read('console/page/german.json'))
  const page = found('console/page/index.html', />\s*([^<>]*[a-z][^<>]*?)\s*<|aria-label="([^"]+)"/gi)
  const scripts = [
    'page/main.mjs',
    'page/panel.mjs',
    'page/options.mjs',
    'page/service.mjs',
    'actions.ts',
    'alarms.ts',
  ]
  const said = scripts.flatMap((file) => found(`console/${file}`, quoted))
  const names = found('console/page/panel.mjs', /'(\{name\}[^']*)'/g)
  const scenes = found('scenarios/household.ts', /\[\w+, '([^']+)'\]/g)
  const zones = createSites(2, '2026-11-20T12:00:00').flatMap(({ devices }) =>
    devices.flatMap(({ zone_type, device_type }) =>
      device_type === 'ZONE' ? `${zone_type}`.replaceAll('_', ' ').toLowerCase() : [],
    ),
  )
  const shown = new Set([...page, ...said, ...names, ...scenes, ...zones])

  it('are there for all that it shows, and for nothing else', () => {
    const missing = [...shown].filter(
      (text) => !Object.hasOwn(german, text) && text !== 'This page needs JavaScript.',
    )
    assert.deepEqual(missing, [])
    assert.deepEqual(
      Object.keys(german).filter((text) => !shown.has(text)),
      [],
    )
  })

  it('have the same places for values', () => {
    const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted()
    for (const [text, translated] of Object.entries(german))
      assert.deepEqual(places(translated), places(text), text)
  })
})
