import assert from 'node:assert/strict'
import { signedIn } from '../../../harness/simulator/api-client.ts'
import { useSimulatorHarness } from '../../../harness/simulator.ts'
import { clearWarning, setWarning } from '../../../src/simulator/world/device.ts'

const kitchen = 2
const workshopDoor = 9

describe('A partition of the simulated panel', () => {
  const at = useSimulatorHarness(signedIn)

  const ready = () => at.panel.partitions.map((partition) => at.panel.isReady(partition))
  const arm = (partition = 1) => at.panel.arm(partition, 'AWAY', { exitDelay: 0 })
  const types = () => at.panel.events.map(({ type_id }) => type_id)
  const shownTroubles = async () =>
    (await at.caller.get('troubles')).body.map(({ trouble_type }: { trouble_type: string }) => trouble_type)

  // @spec not-ready
  it('is not ready while the radio is jammed, which the panel reports and lists', async () => {
    at.panel.jam()
    assert.deepEqual([ready(), arm(), types()], [[false, false, false], false, [51, 98]])
    assert.deepEqual(await shownTroubles(), ['JAMMED'])
    at.panel.endJam()
    assert.deepEqual([ready(), arm(), types()], [[true, true, true], true, [51, 98, 52, 86]])
    assert.deepEqual(await shownTroubles(), [])
  })

  it('is not ready while the panel misses one of its devices', async () => {
    const { id } = at.panel.zone(workshopDoor)
    at.panel.loseDevice(id)
    assert.deepEqual([ready(), arm(2), arm(1)], [[true, false, true], false, true])
    assert.deepEqual(await shownTroubles(), ['INACTIVE'])
    at.panel.hearDevice(id)
    assert.deepEqual(
      [ready(), types()],
      [
        [true, true, true],
        [43, 98, 86, 44],
      ],
    )
  })

  it('is ready in spite of both on a panel for which only open zones count', () => {
    at.panel.setOptions({ notReadyBy: 'zones' })
    at.panel.jam()
    at.panel.loseDevice(at.panel.zone(kitchen).id)
    assert.deepEqual([ready(), arm()], [[true, true, true], true])
  })

  it('is not ready by a trouble of the panel itself where the installer has chosen that', async () => {
    at.panel.cutPower()
    assert.deepEqual([ready(), await shownTroubles(), types()], [[true, true, true], ['AC_FAILURE'], [47]])
    at.panel.setOptions({ notReadyBy: 'troubles' })
    assert.deepEqual([ready(), arm()], [[false, false, false], false])
    at.panel.restorePower()
    assert.deepEqual([ready(), arm()], [[true, true, true], true])
  })

  it('is not ready by a low battery of a detector on no panel', () => {
    at.panel.setOptions({ notReadyBy: 'troubles' })
    at.panel.lowBattery(at.panel.zone(kitchen).id)
    assert.deepEqual(ready(), [true, true, true])
  })

  it('is ready in spite of a trouble of the panel that is only in its memory', () => {
    at.panel.setOptions({ notReadyBy: 'troubles' })
    const itself = at.panel.devices.find(({ device_type }) => device_type === 'CONTROL_PANEL')
    assert.ok(itself)
    setWarning(itself, 'TAMPER')
    assert.deepEqual(ready(), [false, false, false])
    setWarning(itself, 'TAMPER_MEMORY', true)
    clearWarning(itself, 'TAMPER')
    assert.deepEqual(ready(), [true, true, true])
  })
})
