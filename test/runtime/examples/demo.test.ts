import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { joined, readExample } from '../../../harness/node-red/imported-examples.ts'
import { withRecorder } from '../../../harness/node-red/recorded-flow.ts'
import { startTabHarness, type TabHarness } from '../../../harness/tab.ts'

const examples = new URL('../../../examples/', import.meta.url)

describe('All examples together, English and German, in a real Node-RED', () => {
  let harness: TabHarness

  before(async () => {
    harness = await startTabHarness()
  })
  after(() => harness?.close())

  it('run on one demo account and one panel, and each of our nodes shows that it works', async () => {
    const names = (await readdir(examples, { recursive: true })).flatMap(
      (file) => /^(.+)\.json$/.exec(file)?.[1] ?? [],
    )
    const flows = joined(await Promise.all(names.map(readExample)))
    for (const type of ['keyholder-account', 'keyholder-panel'])
      assert.equal(flows.filter((node) => node.type === type).length, 1)
    // The palette of the dashboard is not installed here; flows with unknown nodes would not start.
    // Nor may its Home Assistant node speak for the panel of another test in this Node-RED at the same time, or its account
    // be taken for one of another test in the log.
    const own: Record<string, object> = {
      'keyholder-home-assistant': { base: 'all' },
      'keyholder-account': { name: 'All examples' },
    }
    const installed = flows
      .filter(({ type }) => !type.startsWith('ui-'))
      .map((node) => ({ ...node, ...own[node.type] }))
    await harness.deploy(withRecorder(installed, harness.messages.url))
    // The nodes of a subflow run as copies, which many.test.ts watches.
    const tabs = installed.filter(({ type }) => type === 'tab').map(({ id }) => id)
    const live = installed.filter(
      ({ type, z }) =>
        tabs.includes(z ?? '') &&
        [
          'keyholder-state',
          'keyholder-readings',
          'keyholder-events',
          'keyholder-incident',
          'keyholder-conditions',
          'keyholder-health',
        ].includes(type),
    )
    assert.ok(live.length > 10)
    for (const { id, z } of live) {
      await harness.messages
        .from(`${z} status`)
        .first(({ status }) => status.source.id === harness.id(id) && status.fill === 'green')
    }
    for (const query of installed.filter(({ type }) => type === 'keyholder-query')) {
      const button = installed.find(
        ({ type, wires }) => type === 'inject' && wires?.flat().includes(query.id),
      )
      await harness.press(button?.id ?? assert.fail(query.id))
      await harness.messages.from(query.id).first()
    }
    const log = await harness.log()
    assert.equal(log.match(/Demo panel console of All examples/g)?.length, 1)
    assert.doesNotMatch(log, /\[error\]|Warning|^\s+at /m)
  })
})
