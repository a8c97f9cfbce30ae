import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { recordAnswers } from '../../../harness/simulator/recorded-answers.ts'
import { redact } from '../../../src/panel/diagnostics/redaction.ts'
import { differences } from '../../../src/panel/diagnostics/shape-differences.ts'
import { operations, type QueryableName, readable } from '../../../src/service/operations.ts'
import { type Check, type JsonValue, parse } from '../../../src/service/schema.ts'

const { devices } = operations
const device = {
  id: 1,
  device_number: 1,
  device_type: 'ZONE',
  subtype: 'CONTACT',
  zone_type: 'DELAY_1',
  traits: {},
  warnings: null,
  partitions: [1],
}

/** Returns the differences without fields that are only missing. */
const found = (answer: JsonValue, { check }: { check: Check<unknown> }) =>
  differences(answer, check).filter(({ difference }) => difference !== 'missing')

describe('The differences of an answer to the known shape', () => {
  it('name unknown and unused fields with their types, once for all entries of a list', () => {
    const answer = [
      { ...device, 'text-9': 'text-1', traits: { vod: {} } },
      { ...device, 'text-9': 7, traits: { vod: [] } },
    ]
    assert.deepEqual(found(answer, devices), [
      { path: '[].text-9', difference: 'unknown field', found: 'number, string' },
      { path: '[].traits.vod', difference: 'unused field', found: 'list, object' },
    ])
  })

  it('name fields of another type, and entries and answers that are not usable', () => {
    assert.deepEqual(found([{ ...device, subtype: ['MOTION'], traits: { rssi: 'strong' } }], devices), [
      { path: '[].subtype', difference: 'other type', found: 'list' },
      { path: '[].traits.rssi', difference: 'other type', found: 'string' },
    ])
    assert.deepEqual(found([device, { ...device, id: 'text-1' }], devices), [
      { path: '', difference: 'unusable entries', found: '1' },
    ])
    assert.deepEqual(found({ devices: [] }, devices), [
      { path: '', difference: 'unusable answer', found: 'object' },
      { path: 'devices', difference: 'unused field', found: 'list' },
    ])
  })

  it('name fields whose words are in no vocabulary, but not names that people give', () => {
    assert.deepEqual(found([{ ...device, subtype: 'text-1', name: 'text-2' }], devices), [
      { path: '[].subtype', difference: 'unknown word' },
    ])
  })

  it('name fields that no entry has', () => {
    const missing = differences([{ ...device }, { ...device, name: '' }], devices.check)
    const paths = missing.filter(({ difference }) => difference === 'missing').map(({ path }) => path)
    assert.ok(paths.includes('[].enrollment_id'))
    assert.ok(!paths.includes('[].name'))
  })

  it('are none for the answers of the simulator, except unused and missing fields and words of its own', async () => {
    const { user, installer } = await recordAnswers()
    const { session: _, ...reads } = installer
    const all = [user, reads].flatMap((answers) => Object.entries(answers))
    const unexpected = all.flatMap(([name, answer]) =>
      differences(redact([answer])[0] as JsonValue, checkOf(name).check)
        .filter(({ difference }) => !['unused field', 'missing'].includes(difference))
        .map(({ path, difference }) => `${name} ${path}: ${difference}`),
    )
    // Its subtype RADAR_MOTION is in no list on purpose.
    assert.deepEqual([...new Set(unexpected)].sort(), [
      'devices [].subtype: unknown word',
      'panels [].type: unknown word',
    ])
  })

  it('are found in any answer, without a failure', () => {
    const names = [
      'id',
      'name',
      'traits',
      'partitions',
      'warnings',
      'state',
      'connected_status',
      'users',
      'events',
    ]
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(readable)), anyJson(names), (name, value) => {
        const { check } = checkOf(name)
        const isUnusable = differences(value, check).some(
          ({ difference }) => difference === 'unusable answer',
        )
        assert.equal(isUnusable, parse(check, value) === undefined)
      }),
    )
  })
})

function checkOf(name: string): { check: Check<unknown> } {
  return readable[name as QueryableName]
}
