import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import { englishText } from '../../../harness/fixtures/english-texts.ts'
import { alarm, info, statusOf } from '../../../harness/fixtures/samples.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { written } from '../../../nodes/shared/node-status.ts'
import { stateStatus } from '../../../nodes/state/behavior.ts'
import { stateView } from '../../../src/panel/state/partition-state.ts'
import type { PanelAlarm } from '../../../src/service/responses/alarms.ts'

const RED = { _: englishText } as unknown as NodeAPI
const type = 'keyholder-state'
const panel = info({ id: 1, name: 'House' }, { id: 2, name: 'Garage' })

function said(states: object[], alarms: PanelAlarm[] = [], chosen: number[] = []): string | undefined {
  const partitions = states.map((state, index) => ({ id: index + 1, status: '', ready: true, ...state }))
  const view = stateView(statusOf(...partitions), alarms, panel, 'UTC')
  const text = stateStatus(view.partitions.filter(({ id }) => chosen.length === 0 || chosen.includes(id)))
  return text === null ? undefined : written(RED, typeof text === 'function' ? text(0).text : text, 0)
}

describe('The status of states', () => {
  it('names the zone of an alarm, but not of one in memory', () => {
    const past = alarm({ alarm_type: 'ALARM_IN_MEMORY', zone_name: 'Cellar' })
    const both = [alarm({ zone_name: 'Kitchen window' }), past]
    assert.equal(said([{ state: 'AWAY' }], both), 'ALARM: Kitchen window')
  })

  it('names the location of an alarm without the name of a zone, or the partition', () => {
    assert.equal(said([{ state: 'AWAY' }], [alarm({ zone_name: '', location: 'Attic' })]), 'ALARM: Attic')
    const nameless = alarm({ zone_name: '', location: '', partitions: [2] })
    assert.equal(said([{ state: 'AWAY' }, { state: 'AWAY' }], [nameless]), 'ALARM: Garage')
  })

  it('says if the partitions can be armed', () => {
    assert.equal(said([{ state: 'DISARM' }, { state: 'DISARM' }]), 'disarmed, ready')
    assert.equal(said([{ state: 'DISARM', ready: false }]), 'not ready')
    assert.equal(said([{ state: 'DISARM', ready: false }, { state: 'DISARM' }]), 'not ready: House')
    assert.equal(said([{ state: 'DISARM', ready: null }]), 'disarmed')
  })

  it('names the partitions with the most urgent state, unless all have it', () => {
    const states = [{ state: 'DISARM' }, { state: 'HOME' }]
    assert.equal(said(states), 'armed home: Garage')
    assert.equal(said(states, [], [2]), 'armed home')
    assert.equal(said([{ state: 'AWAY' }, { state: 'AWAY' }]), 'armed away')
    assert.equal(said([{ state: 'NIGHT' }, { state: 'LATE' }]), 'NIGHT, House')
  })

  it('does not exist without a partition', () => {
    assert.equal(said([{ state: 'AWAY' }], [], [7]), undefined)
  })
})

describe('The status of keyholder-state', () => {
  const harness = useFlowHarness()

  it('names the open window if another node reads the doors', async () => {
    const { home, flow } = await harness.start({
      nodes: { state: { type, partitions: [1] }, readings: { type: 'keyholder-readings', kinds: ['open'] } },
    })
    const status = flow.status('state')
    await status.next(({ text }) => text === 'disarmed, ready')
    home.open(2)
    await status.next(({ text }) => text === 'not ready: Kitchen window')
    home.close(2)
    await status.next(({ text }) => text === 'disarmed, ready')
  })

  it('says only that it is not ready if no node reads the doors', async () => {
    const { home, flow } = await harness.start({ nodes: { state: { type, partitions: [1] } } })
    await flow.status('state').next(({ text }) => text === 'disarmed, ready')
    home.open(2)
    assert.equal((await flow.status('state').next()).text, 'not ready')
  })
})
