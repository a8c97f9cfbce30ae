import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { device } from '../../../harness/fixtures/samples.ts'
import type { FlowNode } from '../../../harness/node-red/recorded-flow.ts'
import { setState } from '../../../harness/panel/commanded-panel.ts'
import { unreadyRefusal } from '../../../src/panel/commands/not-ready.ts'
import type { Device } from '../../../src/service/responses/devices.ts'

const minute = 60_000
const house = {
  ...{ id: 1, name: 'House', state: 'DISARM', status: '', ready: false, isInUse: true },
  ...{ options: [], settable: [], definitions: [] },
}
const hour = 60 * minute

describe('The keypad of the dashboard example', () => {
  let now: number
  let kept: Map<string, unknown>
  let press: (command: unknown, value?: string) => unknown
  /** Gives the keypad any message and returns the command that it sends. */
  let receive: (message: object) => unknown
  /** Returns what a page in a language says about the answer. */
  let say: (language: string) => string
  /** The parts that the page shows. */
  let shown:
    | {
        states: Record<string, { state: { entryDelay?: number } }>
        answers: Record<
          string,
          { word: string; minutes?: number; offer?: { zones: { name?: string }[] } | null }
        >
        open: Record<string, { name: string }[]>
        bypassed: Record<string, { name: string }[]>
      }
    | undefined

  beforeEach(async () => {
    const example = new URL('../../../examples/Dashboard.json', import.meta.url)
    const flows: FlowNode[] = JSON.parse(await readFile(example, 'utf8'))
    const keypad = flows.find(({ name }) => name === 'keypad')
    now = Date.UTC(2026, 0, 2)
    kept = new Map()
    class FlowDate extends Date {
      static override now = () => now
    }
    const run = new Function('msg', 'context', 'flow', 'env', 'Date', String(keypad?.func))
    const context = new Map()
    const variables = new Map([
      ['DISARM_CODE', '2468'],
      ['ENTRY_DELAY', '30'],
    ])
    receive = (message) => {
      const fetchedAt = new Date(now).toISOString()
      const sent = run({ _msgid: '1', fetchedAt, ...message }, context, kept, variables, FlowDate)
      shown = sent?.[0]?.payload
      return sent?.[1]?.payload
    }
    press = (command, value = 'AWAY') => receive({ command, payload: { 1: { state: { value } } } })
    const format = flows.find(({ name }) => name === 'partitions')?.format
    const [, component] = /export default ([\s\S]*)<\/script>/.exec(String(format)) ?? []
    say = (language) => {
      const { computed, methods } = new Function('navigator', `return ${component}`)({ language })
      return methods.say.call({ ...methods, t: computed.t() }, shown?.answers[1])
    }
    press(null)
  })

  const disarm = (code: string) => press({ partition: 1, state: 'DISARM', code })
  const word = () => shown?.answers[1]?.word

  /** Enters wrong codes, each as soon as the keypad takes one, and returns the number of those that were compared. */
  const guess = (ms: number): number => {
    const end = now + ms
    let compared = 0
    for (; now < end; now += minute) {
      disarm('0000')
      if (word() === 'wrong') compared += 1
    }
    return compared
  }

  it('sends a disarm with the code', () => {
    assert.deepEqual(press({ partition: 1, state: 'DISARM', code: '2468' }), {
      partition: 1,
      state: 'DISARM',
    })
  })

  for (const state of [
    'DISARM',
    'disarm',
    'DISARMED',
    'disarmed',
    ' DISARM ',
    '3',
    3,
    ['DISARM'],
    'toString',
  ]) {
    it(`sends no ${JSON.stringify(state)} without the code, whatever else the page sends`, () => {
      assert.equal(press({ partition: 1, state }), undefined)
    })
  }

  it('takes a message without a command for the states', () => {
    assert.equal(press(null), undefined)
    assert.deepEqual(shown?.states, { 1: { state: { value: 'AWAY' } } })
  })

  it('tells what is left of each entry delay, since the answer that showed it first', () => {
    const left = () => shown?.states[1]?.state.entryDelay
    press(null, 'ENTRY_DELAY')
    assert.equal(left(), 30)
    now += 7000
    press(null, 'ENTRY_DELAY')
    assert.equal(left(), 23)
    press(null, 'ALARM')
    assert.equal(left(), undefined)
    press(null, 'ENTRY_DELAY')
    assert.equal(left(), 30)
  })

  for (const command of [false, 0, '', 'DISARM', true, [], {}]) {
    it(`shows nothing for ${JSON.stringify(command)} instead of a command`, () => {
      assert.equal(press(command), undefined)
      assert.equal(shown, undefined)
    })
  }

  it('pauses longer after each further wrong code, also for the right one, and counts anew after that', () => {
    disarm('2468')
    for (let wrong = 0; wrong < 5; wrong += 1) disarm('0000')
    for (const minutes of [5, 10, 20, 40, 60, 60]) {
      assert.equal(disarm('2468'), undefined)
      assert.deepEqual([word(), shown?.answers[1]?.minutes], ['wait', minutes])
      now += minutes * minute
      disarm('0000')
      assert.equal(word(), 'wrong')
    }
    now += hour
    assert.ok(disarm('2468'))
    for (let wrong = 0; wrong < 4; wrong += 1) disarm('0000')
    assert.ok(disarm('2468'))
  })

  it('lets nobody try 10,000 codes within a third of a year', () => {
    assert.ok(guess(120 * 24 * hour) < 5000)
  })

  it('pauses after the second wrong code since a restart, and forgets wrong codes after a day', () => {
    disarm('0000')
    disarm('0000')
    assert.equal(disarm('2468'), undefined)
    now += 25 * hour
    for (let wrong = 0; wrong < 4; wrong += 1) disarm('0000')
    assert.ok(disarm('2468'))
  })

  it('goes on with the pause after a deploy, and after a restart if the context is kept in files', () => {
    for (let wrong = 0; wrong < 3; wrong += 1) disarm('0000')
    kept = new Map(structuredClone([...kept]))
    assert.equal(disarm('2468'), undefined)
  })

  it('pauses for an hour at most if the clock was ahead', () => {
    for (let wrong = 0; wrong < 2; wrong += 1) disarm('0000')
    now -= 20 * hour
    press(null)
    now += hour
    assert.ok(disarm('2468'))
  })

  describe('after a refusal because of an open zone', () => {
    const zone = {
      number: 2,
      name: 'Kitchen window',
      open: true,
      bypassed: false,
      partitions: [1],
      type: 'PERIMETER',
    }
    const open = warned(2, 'Kitchen window', 'OPENED')
    const states = (state: object) =>
      receive({ payload: { 1: { state: { value: 'DISARM', ready: false, ...state } } } })
    const zones = (...payload: object[]) => receive({ payload })
    /** Presses *Arm away*, which the command node refuses with its own sentence. */
    const refuse = (bypassMode: string, ...devices: Device[]) => {
      receive({ command: { partition: 1, state: 'AWAY' } })
      const unready = { partitions: [house], command: setState('AWAY', 1), bypassMode }
      const message = String(unreadyRefusal(unready, { devices }))
      assert.match(message, /^KeyholderError: House .*\(NotReady\)$/)
      return receive({ command: { partition: 1, state: 'AWAY' }, error: { message } })
    }
    const armAnyway = (state = 'AWAY') => receive({ command: { partition: 1, state, openZones: 'bypass' } })
    const offered = () => shown?.answers[1]?.offer?.zones.map(({ name }) => name)

    beforeEach(() => {
      zones(zone, { ...zone, number: 3, name: 'Cellar', partitions: [2] })
      states({})
    })

    it('names the open zones of each partition before anything is pressed', () => {
      assert.deepEqual(
        shown?.open[1]?.map(({ name }) => name),
        ['Kitchen window'],
      )
      zones({ ...zone, bypassed: true })
      assert.deepEqual(shown?.open[1], [])
    })

    it('arms past the zone that it names, once', () => {
      assert.equal(armAnyway(), undefined)
      assert.equal(refuse('manual_bypass', open), undefined)
      assert.deepEqual(offered(), ['Kitchen window'])
      assert.equal(armAnyway('HOME'), undefined)
      assert.deepEqual(armAnyway(), { partition: 1, state: 'AWAY', openZones: 'bypass' })
      assert.equal(armAnyway(), undefined)
      assert.equal(offered(), undefined)
    })

    it('arms past it also where the panel itself leaves out what is open, and where nobody says what the panel can', () => {
      for (const mode of ['force_arm', '']) {
        refuse(mode, open)
        assert.deepEqual(offered(), ['Kitchen window'])
        assert.deepEqual(armAnyway(), { partition: 1, state: 'AWAY', openZones: 'bypass' })
      }
    })

    it('arms past the open zone also if another zone has a fault: most panels can be armed with it, and else refuse', () => {
      for (const mode of ['manual_bypass', 'force_arm']) {
        refuse(mode, open, warned(3, 'Cellar', 'LOW_BATTERY'))
        assert.deepEqual(offered(), ['Kitchen window'])
      }
    })

    for (const [what, mode, ...devices] of [
      ['a panel on which nobody can bypass a zone', 'no_bypass', open],
      ['a zone with a fault', 'manual_bypass', warned(2, 'Kitchen window', 'TAMPER')],
      ['no open zone', 'manual_bypass'],
      ['the door on the way out', 'manual_bypass', warned(4, 'Front door', 'OPENED')],
    ] as const)
      it(`offers nothing after a refusal because of ${what}`, () => {
        zones(zone, { ...zone, number: 4, name: 'Front door', type: 'DELAY_1' })
        refuse(mode, ...devices)
        assert.equal(shown?.answers[1]?.offer, null)
        assert.equal(armAnyway(), undefined)
      })

    for (const [what, change] of Object.entries({
      'the panel is ready': () => states({ ready: true }),
      'somebody has armed': () => states({ value: 'ARMING' }),
      'another zone is open, too': () => zones(zone, { ...zone, number: 4, name: 'Door' }),
      'another zone is open instead': () => zones({ ...zone, number: 4, name: 'Door' }),
    }))
      it(`takes the refusal back as soon as ${what}`, () => {
        refuse('manual_bypass', open)
        // An answer that was requested before the refusal says nothing about what came after it.
        change()
        assert.deepEqual(offered(), ['Kitchen window'])
        now += 1000
        states({})
        assert.deepEqual(offered(), ['Kitchen window'])
        change()
        assert.equal(shown?.answers[1], undefined)
        assert.equal(armAnyway(), undefined)
      })

    it('names after an arming the zones that its answer says are left out, and then those of the list', () => {
      receive({ command: { partition: 1, state: 'AWAY' } })
      receive({
        command: { partition: 1, state: 'AWAY' },
        payload: { ok: true, bypassed: [{ zone: 2, name: 'Kitchen window' }] },
      })
      const bypassed = () => shown?.bypassed[1]?.map(({ name }) => name)
      assert.deepEqual(bypassed(), ['Kitchen window'])
      zones(zone)
      assert.deepEqual(bypassed(), [])
    })

    for (const [words, ...devices] of [
      ['Nicht scharf. Offen: Kitchen window', open],
      ['Nicht scharf. Offen: Kitchen window', open, warned(3, 'Cellar', 'TAMPER')],
      [
        'Nicht scharf. Gefahr gemeldet: Cellar. Sehen Sie zuerst dort nach.',
        open,
        { ...warned(3, 'Cellar', 'FIRE'), subtype: 'SMOKE' },
      ],
      ['Nicht scharf. Die Zentrale ist nicht bereit.', warned(3, 'Cellar', 'TAMPER')],
    ] as const)
      it(`says on a German page ${words} and on an English one the sentence of the error`, () => {
        refuse('manual_bypass', ...devices)
        assert.equal(say('de-AT'), words)
        assert.match(say('en-US'), /^House .+ is not ready to arm\. .+\.$/)
      })

    it('says on a German page the code of another error', () => {
      receive({ command: { partition: 1, state: 'AWAY' } })
      const error = { message: 'KeyholderError: The service refused this.', code: 'BAD_RESPONSE' }
      receive({ command: { partition: 1, state: 'AWAY' }, error })
      assert.equal(say('de'), 'Nicht gelungen. Grund: BAD_RESPONSE')
    })

    it('offers it for two minutes at most', () => {
      refuse('manual_bypass', open)
      now += 2 * minute + 1
      assert.equal(armAnyway(), undefined)
    })
  })
})

/** Returns a zone with a warning. */
function warned(number: number, name: string, type: string): Device {
  return device({ device_number: number, name, warnings: [{ type, in_memory: false }] })
}
