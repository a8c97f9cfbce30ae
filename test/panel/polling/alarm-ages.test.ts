import assert from 'node:assert/strict'
import { repetitions } from '../../../harness/mocha/depth.ts'
import { CommandedPanel } from '../../../harness/panel/commanded-panel.ts'
import { minute, second } from '../../../src/duration.ts'

const ownPace = { stateEvery: null, eventsEvery: null, devicesEvery: null }
const alarmTypes: readonly (number | null | undefined)[] = [1, 2, 3]
const window = 2

const burglaries = repetitions(20, 6)

describe('A burglary at the pace of the panel, told by its event,', () => {
  let at: CommandedPanel
  afterEach(() => at.close())

  /** Returns the seconds from the opening of a window to the delivery of its alarm, sorted, of some burglaries at any time. */
  const agesOfAlarms = async (cutLine: boolean) => {
    at = await CommandedPanel.open({}, ownPace)
    const { simulated, panel, harness } = at
    const told: number[] = []
    panel.eventDeliveries.subscribe(
      { id: 'n1', instances: 'one' },
      {
        policy: { first: 'skip', missed: 'deliver' },
        events: (deliveries) => {
          if (deliveries.some(({ event }) => alarmTypes.includes(event.type_id)))
            told.push(harness.clock.monotonic())
        },
        gap: () => {},
        cursor: () => {},
      },
    )
    panel.events.subscribe({ snapshot: () => {}, condition: () => {} })
    await at.pass(minute)
    const ages: number[] = []
    for (let nth = 0; nth < burglaries; nth += 1) {
      simulated.arm(1, 'AWAY')
      await at.pass(4 * minute)
      if (cutLine) simulated.setLines({ broadband: false, mobile: true })
      await at.pass(3 * minute + nth * 3.7 * second)
      const begun = harness.clock.monotonic()
      simulated.open(window)
      await at.pass(3 * minute)
      const age = (told.find((time) => time >= begun) ?? Number.POSITIVE_INFINITY) - begun
      ages.push(age / second)
      simulated.close(window)
      simulated.disarm(-1)
      simulated.setLines({ broadband: true, mobile: true })
      await at.pass(2 * minute)
    }
    return ages.sort((one, other) => one - other)
  }

  for (const [what, cutLine] of [
    ['though nobody listens to the state', false],
    ['also if the broadband was cut before', true],
  ] as const) {
    it(`is known within 9 s in the middle of ${burglaries}, and 19 s at worst, ${what}`, async () => {
      const ages = await agesOfAlarms(cutLine)
      const [median = 0, worst = 0] = [ages[burglaries / 2], ages.at(-1)]
      console.log(`      median ${median.toFixed(1)} s, worst ${worst.toFixed(1)} s`)
      assert.ok(median <= 9 && worst <= 19, `${ages.map((age) => age.toFixed(1)).join(', ')}`)
    })
  }
})
