import assert from 'node:assert/strict'
import { installerAt, signedIn } from '../../../harness/simulator/api-client.ts'
import { useSimulatorHarness } from '../../../harness/simulator.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import {
  idsAsTexts,
  oddIds,
  otherCase,
  undefinedPartition,
  undefinedState,
  undefinedTransport,
  undefinedWarning,
  undefinedWords,
} from '../../../src/simulator/faults/vocabulary-faults.ts'

describe('A service with words and ids of its own', () => {
  const at = useSimulatorHarness(signedIn)

  beforeEach(() => {
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    at.panel.open(2)
    at.panel.tamper(3)
  })

  const read = async (operation: string) => (await at.caller.get(operation)).body
  const start = (fault: Fault) => at.simulator.faults.start(fault)

  it('has a state that the setup does not define', async () => {
    start(undefinedState())
    const { partitions } = await read('status')
    assert.deepEqual(
      partitions.map(({ state, ready }: { state: string; ready: boolean }) => [state, ready]),
      [
        ['TOTAL', false],
        ['TOTAL', true],
        ['TOTAL', true],
      ],
    )
    const names = (await read('panel_info')).state_sets.all.map(({ name }: { name: string }) => name)
    assert.ok(!names.includes('TOTAL'))
  })

  it('has a transport and a state of transports that nobody knows, for installers, too', async () => {
    start(undefinedTransport())
    const { connected, connected_status } = await read('status')
    assert.equal(connected, true)
    assert.deepEqual(connected_status.bba, { is_connected: true, state: 'standby' })
    assert.equal(connected_status.satellite.state, 'standby')
    const installer = await installerAt(at.simulator)
    const { bba, satellite } = (await installer.get('status')).body
    assert.deepEqual([bba, satellite.state], [{ connected: true, state: 'standby' }, 'standby'])
  })

  it('has a partition that the setup does not define', async () => {
    start(undefinedPartition(7))
    const ids = (await read('status')).partitions.map(({ id }: { id: number }) => id)
    assert.deepEqual(ids, [1, 2, 3, 7])
    assert.deepEqual((await read('alarms'))[0].partitions, [1, 7])
    assert.deepEqual((await read('events'))[0].partitions, [1, 7])
    assert.ok((await read('devices'))[0].partitions.includes(7))
    assert.ok(!(await read('panel_info')).partitions.some(({ id }: { id: number }) => id === 7))
  })

  it('has a warning that nobody knows, beside the others', async () => {
    start(undefinedWarning())
    const found = (await read('devices')).find(
      (one: { device_type: string; device_number: number }) =>
        one.device_type === 'ZONE' && one.device_number === 2,
    )
    assert.deepEqual(
      found.warnings.map(({ type }: { type: string }) => type),
      ['OPENED', 'WORN_SPRING'],
    )
    assert.equal((await read('troubles'))[0].trouble_type, 'WORN_SPRING')
  })

  it('has words for alarms, troubles, zones and models that nobody knows', async () => {
    start(undefinedWords())
    const [alarm] = await read('alarms')
    assert.deepEqual([alarm.alarm_type, alarm.zone_type], ['NEW_BURGLER', 'NEW_PERIMETER'])
    const [, , door] = await read('devices')
    assert.deepEqual([door.subtype, door.zone_type], ['NEW_CONTACT_V', 'NEW_DELAY_1'])
  })

  it('writes its words in another case than the setup does', async () => {
    const end = start(otherCase('small'))
    assert.equal((await read('status')).partitions[0].state, 'home')
    assert.equal((await read('alarms'))[0].alarm_type, 'burgler')
    assert.equal((await read('panel_info')).state_sets.all[0].name, 'AWAY')
    end()
    start(otherCase('capital'))
    assert.equal((await read('status')).connected_status.bba.state, 'ONLINE')
  })

  it('writes ids as texts', async () => {
    start(idsAsTexts())
    assert.equal((await read('status')).partitions[0].id, '1')
    assert.equal((await read('panel_info')).partitions[1].id, '1')
    assert.deepEqual((await read('alarms'))[0].partitions, ['1'])
    assert.equal(typeof (await read('events'))[0].event, 'string')
    assert.equal(typeof (await read('devices'))[0].id, 'string')
  })

  for (const [kind, isOdd] of [
    ['zero', (id: unknown) => id === 0],
    ['negative', (id: unknown) => Number(id) < 0],
    ['huge', (id: unknown) => !Number.isSafeInteger(id)],
    ['fraction', (id: unknown) => Number(id) % 1 === 0.5],
    ['missing', (id: unknown) => id === null],
  ] as const)
    it(`has odd ids of devices, events and alarms: ${kind}`, async () => {
      start(oddIds(kind))
      for (const [operation, member] of [
        ['devices', 'id'],
        ['events', 'event'],
        ['alarms', 'evt_id'],
      ] as const)
        for (const entry of await read(operation))
          assert.ok(isOdd(entry[member]), `${operation} ${entry[member]}`)
      assert.equal((await read('status')).partitions[0].id, 1)
    })
})
