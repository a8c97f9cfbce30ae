import assert from 'node:assert/strict'
import { device } from '../../../harness/fixtures/samples.ts'
import { CommandedPanel, setState } from '../../../harness/panel/commanded-panel.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { describeOwnTroubles } from '../../../src/panel/commands/own-troubles.ts'
import type { Trouble } from '../../../src/service/responses/alarms.ts'
import type { Device } from '../../../src/service/responses/devices.ts'
import { hang } from '../../../src/simulator/faults/network-faults.ts'
import { status } from '../../../src/simulator/faults/response-faults.ts'

const notReady = 'House (partition 1) is not ready to arm.'
const noZone = `${notReady} No zone is open or has a fault.`
const setUp =
  'It may be set up not to arm with that. If that is over and the panel is still not ready, look at the keypad for the reason.'

describe('The refusal of a panel that is not ready', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
    at.simulated.setOptions({ notReadyBy: 'troubles' })
  })
  afterEach(() => at.close())

  const refusal = async () => {
    const { error } = await at.run(setState('AWAY'))
    assert.deepEqual([error?.code, at.sent], ['NOT_SETTABLE', []])
    return error?.message
  }
  const reads = (operation: string) => requestsTo(at.simulator, operation)

  // @spec not-ready-troubles
  it('names lost mains power and a jammed radio, with what to do', async () => {
    at.simulated.jam()
    at.simulated.cutPower()
    assert.equal(
      await refusal(),
      `${noZone} The panel reports no mains power (check the plug and the fuse), a jammed radio (end what disturbs it, such as another transmitter nearby). ${setUp} (NotReady)`,
    )
  })

  it('names a siren that the panel does not hear, once', async () => {
    const siren = at.simulated.devices.find(({ device_type }) => device_type === 'WL_SIREN')
    at.simulated.loseDevice(siren?.id ?? assert.fail())
    assert.equal(
      await refusal(),
      `${noZone} The panel reports no contact with siren 1 (check its battery and its place). ${setUp} (NotReady)`,
    )
  })

  it('names a fault of a zone, and the troubles of the panel', async () => {
    at.simulated.lowBattery(at.simulated.zone(2).id)
    at.simulated.cutPower()
    assert.equal(
      await refusal(),
      `${notReady} Repair or bypass: Kitchen window (zone 2): low battery. The panel reports no mains power (check the plug and the fuse). ${setUp} (NotReady)`,
    )
  })

  it('names what a detector of smoke detects, and calls it no fault', async () => {
    const { id } = at.simulated.devices.find(({ zone_type }) => zone_type === 'FIRE') ?? assert.fail()
    for (const type of ['SMOKE_OPEN', 'FIRE']) at.simulated.changeWarning(id, type, true)
    at.simulated.cutPower()
    assert.match(
      (await refusal()) ?? '',
      /^House \(partition 1\) is not ready to arm\. Detected: .+ \(zone \d+\): fire and smoke\. Look there first, .* The panel reports no mains power/,
    )
  })

  it('names a trouble that the list of devices does not have', async () => {
    at.simulated.jam()
    at.simulator.faults.start(
      {
        name: 'devices without warnings',
        answer: (getOriginal) => {
          const reply = getOriginal()
          const devices = reply.body as unknown as Device[]
          return { ...reply, body: devices.map((one) => ({ ...one, warnings: null })) }
        },
      },
      { operation: 'devices' },
    )
    assert.match((await refusal()) ?? '', /The panel reports a jammed radio \(/)
    assert.equal(reads('troubles'), 1)
  })

  it('reads no troubles if a zone is open, or if nothing is refused', async () => {
    at.simulated.jam()
    at.simulated.open(2)
    assert.equal(await refusal(), `${notReady} Close or bypass: Kitchen window (zone 2). (NotReady)`)
    at.simulated.close(2)
    at.simulated.endJam()
    assert.equal((await at.run(setState('AWAY'))).error, undefined)
    assert.equal(reads('troubles'), 0)
  })

  it('names what the devices show if the troubles cannot be read', async () => {
    at.simulated.cutPower()
    for (const fault of [status(500), status(404), hang('done')]) {
      at.simulator.faults.start(fault, { operation: 'troubles' })
      assert.match((await refusal()) ?? '', /The panel reports no mains power \(/)
      at.simulator.faults.clear()
    }
  })

  it('is also that of a panel that has refused the arming itself', async () => {
    const arming = at.command(setState('AWAY'))
    await at.harness.time.until(() => at.sent.includes('set_state'))
    at.simulated.jam()
    await at.waitFor(arming)
    assert.equal(arming.error?.code, 'COMMAND_FAILED')
    assert.match(arming.error.message, /^The panel did not carry out .* The panel reports a jammed radio \(/)
  })
})

describe('The sentence about the troubles of a panel', () => {
  const warned = (type: string, fields: object = {}, in_memory = false) =>
    device({ name: '', device_number: 3, ...fields, warnings: [{ type, in_memory }] })
  const listed = (trouble_type: string, fields: Partial<Trouble> = {}): Trouble => {
    const nothing = { zone_type: null, zone: null, location: null, zone_name: null, partitions: [] }
    return { trouble_type, device_type: 'CONTROL_PANEL', ...nothing, ...fields }
  }
  const panel = { device_type: 'CONTROL_PANEL' }
  const siren = { device_type: 'WL_SIREN' }
  const keypad = { device_type: 'WIRELESS_COMMANDER' }

  const rows: [what: string, devices: Device[], troubles: Trouble[], words: string | undefined][] = [
    ['nothing', [], [], undefined],
    ['a zone', [warned('TAMPER')], [listed('TAMPER', { device_type: 'ZONE', zone: 3 })], undefined],
    ['a memory', [warned('TAMPER', panel, true)], [listed('TAMPER_MEMORY')], undefined],
    ['what is no trouble', [warned('PANIC', panel)], [listed('FIRE')], undefined],
    ['a device that has not joined', [warned('INACTIVE', { ...siren, preenroll: true })], [], undefined],
    ['the battery of the panel', [], [listed('LOW_BATTERY')], 'a low battery of the panel (replace it)'],
    ['the case of the panel', [warned('TAMPER', panel)], [], 'an open case of the panel (close it)'],
    ['another trouble of the panel', [], [listed('LINE_FAILURE')], 'line failure'],
    ['a trouble in both lists', [warned('FUSE', panel)], [listed('FUSE', { device_type: '' })], 'fuse'],
    ['a zone without a type of device', [], [listed('ODD', { device_type: '', zone: 4 })], undefined],
    ['a battery', [warned('LOW_BATTERY', keypad)], [], 'a low battery of keypad 3 (replace it)'],
    ['a case', [warned('TAMPER', { ...siren, name: 'Bell' })], [], 'an open case of Bell (close it)'],
    [
      'a siren by its location',
      [],
      [listed('NO_ACTIVE', { ...siren, zone: 3, location: 'Attic' })],
      'no contact with Attic (check its battery and its place)',
    ],
    ['an unknown trouble of an unknown device', [warned('ODD', { device_type: 'PGM' })], [], 'pgm 3: odd'],
  ]
  for (const [what, devices, troubles, words] of rows)
    it(`names ${words ?? 'nothing'} for ${what}`, () =>
      assert.equal(
        describeOwnTroubles(devices, troubles),
        words === undefined ? '' : `The panel reports ${words}. ${setUp}`,
      ))
})
