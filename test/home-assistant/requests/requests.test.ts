import assert from 'node:assert/strict'
import { setupOf, zoneOf } from '../../../harness/home-assistant/setups.ts'
import { type KnownDevices, parseRequest } from '../../../src/home-assistant/requests/request-execution.ts'
import type { Setup } from '../../../src/home-assistant/setup.ts'
import { KeyholderError } from '../../../src/service/error.ts'

const devices = [zoneOf(5, { device_number: 12 }), zoneOf(6, { device_number: null })]
const known: KnownDevices = { listed: devices, isAnnounced: (object) => ['d5', 'd6', 'd8'].includes(object) }
const parse = (path: string, payload: string, changes: Partial<Setup> = {}, from = known) =>
  parseRequest(setupOf(changes), `keyholder/A1B2C3/${path}`, payload, from)
const codeOf = (work: () => unknown) => {
  try {
    work()
  } catch (thrown) {
    return thrown instanceof KeyholderError ? thrown.code : thrown
  }
  return undefined
}

describe('A message of the broker', () => {
  it('requests a state of a partition, a bypass, a siren or a read', () => {
    const of = (state: string, partition: number) => ({
      action: 'command',
      command: { action: 'set_state', partition, state, options: [] },
      code: undefined,
    })
    assert.deepEqual(parse('partition_1/set', 'ARM_AWAY'), of('AWAY', 1))
    assert.deepEqual(parse('partition_-1/set', 'DISARM'), of('DISARM', -1))
    assert.deepEqual(parse('partition_1/set', 'ARM_NIGHT'), of('NIGHT', 1))
    const bypass = { action: 'bypass', zone: 12, enabled: false }
    assert.deepEqual(parse('d5/bypass/set', 'OFF'), { action: 'command', command: bypass, code: undefined })
    const siren = { action: 'command', command: { action: 'siren_on' }, code: undefined }
    assert.deepEqual(parse('siren/set', 'ON'), siren)
    assert.deepEqual(parse('refresh/set', 'PRESS'), { action: 'refresh' })
  })

  it('is ignored on every other topic', () => {
    for (const path of [
      'partition_1/state',
      'partition_a/set',
      'd7/bypass/set',
      'd5/bypass/more/set',
      'dx/bypass/set',
      'set',
      'panel/set',
      'refresh/set/x',
    ])
      assert.equal(parse(path, 'ON'), undefined, path)
    assert.equal(parseRequest(setupOf(), 'keyholder/B/partition_1/set', 'DISARM', known), undefined)
    assert.equal(parseRequest(setupOf(), 'other/A1B2C3/partition_1/set', 'DISARM', known), undefined)
  })

  it('must be one of the words of Home Assistant, written exactly', () => {
    for (const word of ['ARM_VACATION', 'disarm', '', 'constructor'])
      assert.equal(
        codeOf(() => parse('partition_1/set', word)),
        'BAD_SETTING',
        word,
      )
    assert.equal(
      codeOf(() => parse('siren/set', 'PRESS')),
      'BAD_SETTING',
    )
    assert.equal(
      codeOf(() => parse('d6/bypass/set', 'ON')),
      'BAD_SETTING',
    )
  })

  it('arms past open zones only where the node offers it', () => {
    const past = { state: 'AWAY', options: [], openZones: 'bypass' }
    assert.deepEqual(parse('partition_1/set', 'ARM_CUSTOM_BYPASS', { openZones: 'bypass' }), {
      action: 'command',
      command: { action: 'set_state', partition: 1, ...past },
      code: undefined,
    })
    assert.equal(
      codeOf(() => parse('partition_1/set', 'ARM_CUSTOM_BYPASS')),
      'BAD_SETTING',
    )
  })

  it('bypasses no zone that the latest list lacks, and none before the first list, but is refused', () => {
    assert.equal(
      codeOf(() => parse('d8/bypass/set', 'ON')),
      'COMMAND_FAILED',
    )
    for (const path of ['d5/bypass/set', 'd7/bypass/set'])
      assert.equal(
        codeOf(() => parse(path, 'ON', {}, { ...known, listed: undefined })),
        'COMMAND_FAILED',
        path,
      )
  })

  it('has a code if one is asked for, and is refused without', () => {
    const typed = parse('partition_1/set', '{"action":"DISARM","code":"0123"}', { code: 'remote' })
    assert.equal(typed?.action === 'command' && typed.code, '0123')
    assert.equal(
      codeOf(() => parse('partition_1/set', 'DISARM', { code: 'remote' })),
      'BAD_SETTING',
    )
    const empty = parse('partition_1/set', '{"action":"DISARM"}', { code: 'remote' })
    assert.equal(empty?.action === 'command' && empty.code, 'undefined')
  })

  it('commands nothing of a group that is not chosen', () => {
    const groups = new Set(['zones'] as const)
    for (const [path, payload] of [
      ['partition_1/set', 'DISARM'],
      ['d5/bypass/set', 'ON'],
      ['siren/set', 'OFF'],
      ['refresh/set', 'PRESS'],
    ] as const)
      assert.equal(
        codeOf(() => parse(path, payload, { groups })),
        'COMMANDS_DISABLED',
        path,
      )
  })
})
