import assert from 'node:assert/strict'
import { useSimulatorHarness } from '../../../harness/simulator.ts'

const frontDoor = 1
const kitchen = 2
const livingRoom = 4

/** The exit delay of the house is 20 s. */
describe('The exit delay of the simulated panel', () => {
  const at = useSimulatorHarness(() => undefined)

  const seconds = (count: number) => at.clock.advance(count * 1000)
  const types = () => at.panel.events.map(({ type_id }) => type_id)
  const state = () => {
    const [house] = at.panel.partitions
    return `${house?.state} ${house?.status}`.trim()
  }
  const pass = (door = frontDoor) => {
    at.panel.open(door)
    seconds(1)
    at.panel.close(door)
  }
  const alarmedBy = (zone: number) => {
    at.panel.open(zone)
    at.panel.close(zone)
    return at.panel.incidents.length > 0
  }

  // @spec exit-mode
  it('ends after its time, whatever a door does, unless another mode is chosen', () => {
    at.panel.arm(1, 'AWAY')
    pass()
    seconds(16)
    pass()
    seconds(1.9)
    assert.equal(state(), 'AWAY EXIT')
    seconds(0.1)
    assert.equal(state(), 'AWAY')
  })

  describe('of a panel that stays home if nobody has left', () => {
    beforeEach(() => at.panel.setOptions({ exitMode: 'restart-or-home' }))

    it('ends at home if no door was opened in it, without an event, and the inside is not guarded', () => {
      at.panel.arm(1, 'AWAY', { latchkey: true })
      seconds(19.9)
      assert.equal(state(), 'AWAY EXIT')
      seconds(0.1)
      assert.equal(state(), 'HOME')
      assert.deepEqual([types(), at.panel.partitions[0]?.options], [[86], []])
      assert.equal(alarmedBy(livingRoom), false)
      assert.equal(alarmedBy(kitchen), true)
    })

    it('ends away if a door was opened in it', () => {
      at.panel.arm(1, 'AWAY')
      pass()
      seconds(20)
      assert.equal(state(), 'AWAY')
      assert.equal(alarmedBy(livingRoom), true)
    })

    it('ends at home if it was a window, or a door before the arming', () => {
      pass()
      at.panel.arm(1, 'AWAY')
      pass(kitchen)
      seconds(20)
      assert.equal(state(), 'HOME')
    })

    it('ends away if there is none', () => {
      at.panel.arm(1, 'AWAY', { exitDelay: 0 })
      assert.equal(state(), 'AWAY')
    })

    it('ends at home if somebody arms at home', () => {
      at.panel.arm(1, 'HOME')
      pass()
      seconds(20)
      assert.equal(state(), 'HOME')
    })

    it('ends by itself for each partition', () => {
      at.panel.arm(-1, 'AWAY')
      pass()
      seconds(20)
      assert.deepEqual(
        at.panel.partitions.map((partition) => partition.state),
        ['AWAY', 'HOME', 'HOME'],
      )
    })
  })

  for (const exitMode of ['restart', 'restart-or-home'] as const)
    it(`begins once again when a door is opened again, in the mode ${exitMode}`, () => {
      at.panel.setOptions({ exitMode })
      at.panel.arm(1, 'AWAY')
      pass()
      seconds(14)
      pass()
      seconds(5)
      pass()
      seconds(12.9)
      assert.equal(state(), 'AWAY EXIT')
      seconds(0.1)
      assert.equal(state(), 'AWAY')
      pass()
      assert.equal(state(), 'ENTRY_DELAY')
    })

  it('begins again in each arming, with the time of that arming', () => {
    at.panel.setOptions({ exitMode: 'restart' })
    for (const exitDelay of [20, 30]) {
      at.panel.arm(1, 'AWAY', { exitDelay })
      pass()
      pass()
      seconds(exitDelay - 1.1)
      assert.equal(state(), 'AWAY EXIT')
      seconds(0.1)
      assert.equal(state(), 'AWAY')
      at.panel.disarm(1)
    }
  })

  it('ends when the door is closed, in the mode for that', () => {
    at.panel.setOptions({ exitMode: 'end-by-exit' })
    at.panel.arm(1, 'AWAY')
    pass(kitchen)
    at.panel.open(frontDoor)
    seconds(2)
    assert.equal(state(), 'AWAY EXIT')
    at.panel.close(frontDoor)
    assert.equal(state(), 'AWAY')
  })

  it('ends also when a door is closed that was open before it', () => {
    at.panel.setOptions({ exitMode: 'end-by-exit', bypassMode: 'force-arm' })
    at.panel.open(frontDoor)
    at.panel.arm(1, 'AWAY')
    at.panel.close(frontDoor)
    assert.equal(state(), 'AWAY')
    assert.equal(at.panel.zone(frontDoor).traits.bypass?.enabled, false)
  })

  it('is canceled by a disarm, and begins no more', () => {
    at.panel.setOptions({ exitMode: 'restart' })
    at.panel.arm(1, 'AWAY')
    pass()
    at.panel.disarm(1)
    pass()
    pass()
    assert.equal(state(), 'DISARM')
    seconds(60)
    assert.equal(state(), 'DISARM')
  })
})
