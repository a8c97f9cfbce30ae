import assert from 'node:assert/strict'
import { everyDevice, setupOf } from '../../../harness/home-assistant/setups.ts'
import { announcedDetector } from '../../../src/home-assistant/entities/detector.ts'
import { announcedPanel } from '../../../src/home-assistant/entities/panel-entities.ts'
import { manifestOf, parseManifest } from '../../../src/home-assistant/manifest/manifest.ts'

const setup = setupOf()
const identity = { title: 'House', model: '', manufacturer: '' }
const partitions = [
  { id: -1, name: '' },
  { id: 12, name: '' },
]
const devices = [
  announcedPanel(setup, identity, partitions),
  ...everyDevice.flatMap((device) => announcedDetector(setup, device) ?? []),
]
const own = manifestOf(setup, devices, [
  'keyholder/A1B2C3/availability',
  'keyholder/A1B2C3/devices/availability',
  'keyholder/A1B2C3/partition_-1/state',
  'keyholder/A1B2C3/d1/state',
])

/** Returns the manifest that is believed when the broker has this one. */
const believed = (manifest: unknown) => parseManifest(JSON.stringify(manifest), setup)

describe('The list of announcements on the broker', () => {
  it('is believed if it is an own one, also of another prefix and form', () => {
    assert.deepEqual(believed(own), own)
    const other = { ...own, prefix: 'home/assistant', form: 'single' }
    assert.deepEqual(believed(other), other)
  })

  const entity = { platform: 'sensor', id: 'keyholder_A1B2C3_age' }
  const panel = (one: unknown) => ({ ...own, objects: { panel: { age: one } } })
  const state = (topic: unknown) => ({ ...own, states: [topic] })
  const foreign: Record<string, unknown> = {
    'a state of another device': state('zigbee2mqtt/lock/state'),
    'a state of another panel': state('keyholder/012345/panel/state'),
    'the bridge': state('keyholder/bridge'),
    'a topic for commands': state('keyholder/A1B2C3/partition_1/set'),
    'a topic further below': state('keyholder/A1B2C3/d1/x/state'),
    'a wildcard': state('#'),
    'a topic that is none': state(1),
    'an id of another device': panel({ ...entity, id: 'kitchen' }),
    'an id of another panel': panel({ ...entity, id: 'keyholder_012345_age' }),
    'an id with a slash': panel({ ...entity, id: 'keyholder_A1B2C3_age/config' }),
    'another platform': panel({ ...entity, platform: 'light' }),
    'a key with a slash': { ...own, objects: { panel: { 'a/b': entity } } },
    'another object': { ...own, objects: { kitchen: { age: entity } } },
    'another form': { ...own, form: 'both' },
    'a prefix with a wildcard': { ...own, prefix: 'home/#' },
    'no prefix': { ...own, prefix: '' },
    'no objects': { ...own, objects: null },
    'a list of objects': { ...own, objects: [] },
    'no list': null,
    'too many': { ...own, states: Array.from({ length: 40_000 }, () => 'keyholder/A1B2C3/d1/state') },
  }

  for (const [what, manifest] of Object.entries(foreign))
    it(`is not believed with ${what}`, () => {
      if (what !== 'no list') assert.deepEqual(believed(panel(entity)), panel(entity))
      assert.equal(believed(manifest), undefined)
    })
})
