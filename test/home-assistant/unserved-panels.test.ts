import assert from 'node:assert/strict'
import { setupOf } from '../../harness/home-assistant/setups.ts'
import { takePlace } from '../../src/home-assistant/bridge-places.ts'
import { unknownDiagnostics } from '../../src/home-assistant/entities/diagnostics.ts'
import { keeperIn, manifestOf } from '../../src/home-assistant/manifest/manifest.ts'
import { UnservedPanels } from '../../src/home-assistant/unserved-panels.ts'

const manifest = (keeper: string) => JSON.stringify(manifestOf(setupOf({ keeper }), [], []))
const offline = { topic: 'keyholder/A1/availability', payload: 'offline' }

/** Returns what has heard of a panel that was announced by a node. */
function heard({ keeper = 'here/old', availability = 'online' } = {}) {
  const panels = new UnservedPanels('keyholder', (one) => one.startsWith('here/'))
  panels.note('keyholder/A1/announced', manifest(keeper))
  panels.note('keyholder/A1/availability', availability)
  return panels
}

describe('A panel that the broker keeps as online', () => {
  it('is told to be offline at the second look that finds no node for it, until the broker has it', () => {
    const panels = heard()
    assert.deepEqual(panels.look(), [])
    assert.deepEqual(panels.look(), [offline])
    assert.deepEqual(panels.look(), [offline])
    panels.note('keyholder/A1/availability', 'offline')
    assert.deepEqual(panels.look(), [])
  })

  it('has unknown diagnostics then, if it has any', () => {
    const panels = heard()
    panels.note('keyholder/A1/diagnostics/state', '{"online":"ON"}')
    panels.look()
    const payload = JSON.stringify(unknownDiagnostics)
    assert.deepEqual(panels.look(), [offline, { topic: 'keyholder/A1/diagnostics/state', payload }])
  })

  it('stays online while a node serves it, also if that is restarted between two looks', () => {
    const panels = heard()
    for (let time = 0; time < 3; time += 1) {
      assert.deepEqual(panels.look(), [])
      const leave = takePlace(setupOf({ serial: 'A1' }), 'bridge')
      assert.deepEqual(panels.look(), [])
      leave()
    }
  })

  it('stays online if another Node-RED has announced it, or nobody knows who has', () => {
    for (const keeper of ['there/old', ''])
      for (let panels = heard({ keeper }), time = 0; time < 3; time += 1) assert.deepEqual(panels.look(), [])
    const panels = new UnservedPanels('keyholder', () => true)
    panels.note('other/A1/availability', 'online')
    panels.note('keyholder/A1/d1/availability', 'online')
    panels.note('keyholder/bridge', 'online')
    for (let time = 0; time < 3; time += 1) assert.deepEqual(panels.look(), [])
  })

  it('is not contradicted again once somebody else makes it online, until a node of its own has served it', () => {
    const panels = heard()
    panels.look()
    panels.look()
    panels.note('keyholder/A1/availability', 'offline')
    panels.note('keyholder/A1/availability', 'online')
    for (let time = 0; time < 3; time += 1) assert.deepEqual(panels.look(), [])
    const leave = takePlace(setupOf({ serial: 'A1' }), 'bridge')
    panels.look()
    leave()
    panels.look()
    assert.deepEqual(panels.look(), [offline])
  })

  it('is told to be offline again, however short the time is in which a node has served it', () => {
    const panels = heard()
    panels.note('keyholder/A1/availability', 'offline')
    const leave = takePlace(setupOf({ serial: 'A1' }), 'bridge')
    panels.note('keyholder/A1/availability', 'online')
    leave()
    panels.look()
    assert.deepEqual(panels.look(), [offline])
  })

  it('is told to be offline again, though the broker has not answered to the node that served it', () => {
    const panels = heard()
    panels.note('keyholder/A1/availability', 'offline')
    const sent = new Map([['keyholder/A1/availability', 'online']])
    panels.notePublished('A1', sent)
    panels.look()
    panels.notePublished('A1', sent)
    assert.deepEqual(panels.look(), [offline])
  })

  it('is told to be offline, though the broker has never answered to the node that announced and served it', () => {
    const panels = new UnservedPanels('keyholder', (one) => one.startsWith('here/'))
    const sent = [
      ['keyholder/A1/announced', manifest('here/old')],
      ['keyholder/A1/availability', 'online'],
    ] as const
    panels.notePublished('A1', new Map(sent))
    panels.look()
    assert.deepEqual(panels.look(), [offline])
  })

  it('is one of a limited number, whatever somebody invents', () => {
    const panels = new UnservedPanels('keyholder', () => true)
    for (let serial = 0; serial < 11_000; serial += 1)
      panels.note(`keyholder/${serial}/availability`, 'online')
    panels.look()
    assert.equal(panels.look().length, 10_000)
  })
})

describe('The keeper in a list of announcements', () => {
  it('is found without reading the whole list, and only where it is written', () => {
    assert.equal(keeperIn(manifest('here/a "quoted" one')), 'here/a "quoted" one')
    for (const text of [
      '',
      '{}',
      '{"prefix":"a","keeper":"here/x"}',
      '{"keeper":"here',
      '{"keeper":"\\x"}',
      '{"keeper":1}',
    ])
      assert.equal(keeperIn(text), '', text)
  })
})
