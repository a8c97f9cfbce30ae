import assert from 'node:assert/strict'
import { device, info, stateSet } from '../../../harness/fixtures/samples.ts'
import { CommandedPanel, setState } from '../../../harness/panel/commanded-panel.ts'
import { type Command, commandError, describeCommand } from '../../../src/panel/commands/command.ts'
import {
  describeState,
  describeTargets,
  type PartitionSituation,
} from '../../../src/panel/commands/current-state.ts'
import { describeReasons } from '../../../src/panel/commands/not-ready.ts'
import type { Device } from '../../../src/service/responses/devices.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'

/** Returns a disarmed partition with some fields replaced. */
function partition(fields: Partial<PartitionSituation> = {}): PartitionSituation {
  const own = {
    id: 1,
    name: 'House',
    state: 'DISARM',
    status: '',
    ready: false,
    options: [],
    settable: [],
    definitions: [],
    isInUse: true,
  }
  return { ...own, ...fields }
}

/** Returns partitions that are not ready for a command, of a panel on which zones can be bypassed. */
function unready(...partitions: PartitionSituation[]) {
  return { partitions, command: setState('AWAY'), bypassMode: 'manual_bypass' }
}

/** Returns a zone with these warnings, each with its `in_memory` flag. */
function zone(
  number: number,
  fields: object = {},
  ...warnings: [type: string, inMemory?: boolean][]
): Device {
  return device({
    device_number: number,
    name: `Window ${number}`,
    warnings: warnings.map(([type, inMemory = false]) => ({ type, in_memory: inMemory })),
    ...fields,
  })
}

const bypassed = { traits: { bypass: { enabled: true } } }
const smoke = { subtype: 'SMOKE', zone_type: 'FIRE' }
const lookFirst = 'Look there first, because the danger can be real. Arm once it is no longer reported.'
const nothingSeen = 'No zone is open or has a fault. Look at the keypad for the reason.'

describe('A sentence about a command', () => {
  const blocking: [what: string, devices: Device[], sentence: string][] = [
    ['no zone', [], nothingSeen],
    ['a zone without warnings', [zone(2)], nothingSeen],
    ['an open zone', [zone(2, {}, ['OPENED'])], 'Close or bypass: Window 2 (zone 2).'],
    ['a zone in trouble', [zone(2, {}, ['TAMPER'])], 'Repair or bypass: Window 2 (zone 2): tamper.'],
    [
      'two open zones, one of them in trouble, and a bypassed one',
      [
        zone(2, {}, ['OPENED']),
        zone(3, {}, ['LOW_BATTERY'], ['OPENED'], ['TAMPER']),
        zone(4, bypassed, ['OPENED']),
      ],
      'Close or bypass: Window 2 (zone 2), Window 3 (zone 3). Repair or bypass: Window 3 (zone 3): low battery and tamper. Bypassed zones, which do not prevent arming: Window 4 (zone 4).',
    ],
    [
      'one open zone and one in trouble',
      [zone(2, {}, ['OPENED']), zone(3, {}, ['TAMPER'])],
      'Close or bypass: Window 2 (zone 2). Repair or bypass: Window 3 (zone 3): tamper.',
    ],
    [
      'only a bypassed zone',
      [zone(4, bypassed)],
      `${nothingSeen} Bypassed zones, which do not prevent arming: Window 4 (zone 4).`,
    ],
    ['warnings in memory', [zone(2, {}, ['OPENED', true], ['TAMPER', true])], nothingSeen],
    [
      'warning types for the memory of the panel',
      [zone(2, {}, ['TAMPER_MEMORY'], ['ALARM_MEMORY'])],
      nothingSeen,
    ],
    [
      'a zone that only a warning shows as bypassed',
      [zone(2, {}, ['BYPASS'], ['OPENED'])],
      `${nothingSeen} Bypassed zones, which do not prevent arming: Window 2 (zone 2).`,
    ],
    [
      'a detector of smoke, which detects a fire, and an open zone',
      [zone(6, { ...smoke, name: 'Landing' }, ['SMOKE_OPEN'], ['FIRE']), zone(2, {}, ['OPENED'])],
      `Detected: Landing (zone 6): fire and smoke. ${lookFirst} Close or bypass: Window 2 (zone 2).`,
    ],
    [
      'a detector of water, which is wet and has a low battery',
      [zone(7, { name: 'Cellar', zone_type: 'FLOOD' }, ['OPENED'], ['LOW_BATTERY'])],
      `Detected: Cellar (zone 7): water. ${lookFirst} Repair or bypass: Cellar (zone 7): low battery.`,
    ],
    [
      'detectors of cold and of carbon monoxide',
      [zone(4, {}, ['COLD_ALERT']), zone(5, { subtype: 'CO' }, ['OPENED'])],
      `Detected: Window 4 (zone 4): cold alert, Window 5 (zone 5): carbon monoxide. ${lookFirst}`,
    ],
    [
      'a zone that has not joined the panel',
      [zone(2, { preenroll: true }, ['PREENROLL_NO_CODE'])],
      nothingSeen,
    ],
    [
      'a warning type that only resembles these',
      [zone(2, {}, ['BYPASSED'])],
      'Repair or bypass: Window 2 (zone 2): bypassed.',
    ],
    [
      'a detector without two-way radio, and an inactive one',
      [zone(2, {}, ['1_WAY']), zone(3, {}, ['NO_ACTIVE'])],
      'Repair or bypass: Window 2 (zone 2): one-way radio, Window 3 (zone 3): inactive.',
    ],
    ['a zone of another partition', [zone(2, { partitions: [2] }, ['OPENED'])], nothingSeen],
    [
      'a zone of no partition',
      [zone(2, { partitions: [] }, ['OPENED'])],
      'Close or bypass: Window 2 (zone 2).',
    ],
    [
      'a zone without a number',
      [zone(2, { device_number: null }, ['TAMPER'])],
      'Repair or bypass: Window 2: tamper.',
    ],
    [
      'a zone that is named only by its location',
      [zone(2, { name: '', traits: { location: { name: 'Hall' } } }, ['OPENED'])],
      'Close or bypass: Hall (zone 2).',
    ],
    ['a zone without a name', [zone(2, { name: '' }, ['OPENED'])], 'Close or bypass: zone 2.'],
  ]

  it('names what prevents arming', () => {
    assert.deepEqual(
      blocking.map(([what, devices]) => [what, describeReasons(unready(partition()), { devices })]),
      blocking.map(([what, , sentence]) => [what, `House (partition 1) is not ready to arm. ${sentence}`]),
    )
  })

  it('names the partitions that are not ready, and only their zones', () => {
    const partitions = [partition({ name: '' }), partition({ id: 3, name: 'Garage' })]
    const zones = [1, 2, 3].map((id) => zone(id, { partitions: [id] }, ['OPENED']))
    assert.equal(
      describeReasons(unready(...partitions), { devices: zones }),
      'Partition 1, Garage (partition 3) are not ready to arm. Close or bypass: Window 1 (zone 1), Window 3 (zone 3).',
    )
    assert.match(
      describeReasons(unready(partition({ id: -1, name: '' })), { devices: [] }),
      /^The panel is not ready to arm\. /,
    )
  })

  it('describes the current state of the partitions that the command is for', () => {
    const leaving = partition({ state: 'AWAY', status: 'EXIT' })
    const partitions = [leaving, partition({ id: 2, name: '' })]
    const shows = (id: number) =>
      describeTargets(setState('HOME', id), { online: true, partitions, defined: [1, 2], bypassMode: '' })
    assert.deepEqual([1, 2, -1, 4].map(shows), [
      'After the command, House (partition 1) was arming AWAY (exit delay). ',
      'After the command, partition 2 was disarmed. ',
      'After the command, House (partition 1) was arming AWAY (exit delay), partition 2 was disarmed. ',
      '',
    ])
  })

  it('describes each state in words', () => {
    const states = [
      'AWAY',
      'HOME',
      'DISARM',
      'ENTRY_DELAY',
      'PROGRAMMING',
      'ARMING',
      'ALARM',
      'UNKNOWN',
      'NIGHT',
    ]
    const described = states.map((state) => describeState(partition({ state })))
    assert.deepEqual(
      [...described, describeState(partition({ state: 'HOME', status: 'OTHER' }))],
      [
        'armed AWAY',
        'armed HOME',
        'disarmed',
        'in the entry delay',
        'in programming mode',
        'arming (exit delay)',
        'in alarm',
        'in an unknown state',
        'in the state NIGHT',
        'armed HOME (OTHER)',
      ],
    )
  })

  it('names the command', () => {
    const commands: Command[] = [
      setState('AWAY', -1),
      setState('DISARM', 2),
      { action: 'bypass', zone: 7, enabled: true },
      { action: 'bypass', zone: 7, enabled: false },
      { action: 'siren_on' },
      { action: 'siren_off' },
    ]
    assert.deepEqual(commands.map(describeCommand), [
      'the command AWAY for the whole panel',
      'the command DISARM for partition 2',
      'the command to bypass zone 7',
      'the command to end the bypass of zone 7',
      'the command to turn the siren on',
      'the command to turn the siren off',
    ])
  })

  it('ends with the reason code if there is one', () => {
    const actual = ['Jammed', undefined].map((reason) => {
      const error = commandError('COMMAND_FAILED', 'It failed.', reason)
      return [error.code, error.message, error.reason]
    })
    assert.deepEqual(actual, [
      ['COMMAND_FAILED', 'It failed. (Jammed)', 'Jammed'],
      ['COMMAND_FAILED', 'It failed.', undefined],
    ])
  })
})

/** A fault that sets these fields in the progress of each command. */
function progress(fields: object): Fault {
  return {
    name: 'changed progress',
    answer: (getOriginal) => {
      const reply = getOriginal()
      return Array.isArray(reply.body)
        ? { ...reply, body: reply.body.map((process) => ({ ...process, ...fields })) }
        : reply
    },
  }
}

describe('The error of a failed command', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
  })
  afterEach(() => at.close())

  it('says during a pause that the command is not repeated', async () => {
    at.simulator.respondOnce('status', { status: 429, headers: { 'Retry-After': '300' } })
    for (const _ of ['the refusal', 'the pause after it']) {
      const { error } = await at.run(setState('AWAY', -1))
      assert.deepEqual([error?.code, error?.status, at.sent], ['RATE_LIMITED', 429, []])
      assert.match(
        error?.message ?? '',
        /^The command AWAY for the whole panel was not carried out, and the nodes do not repeat it\. The service received too many requests\. .* This account pauses for 5 minutes\.$/,
      )
    }
  })

  it('names an arming command that a disarm canceled', async () => {
    const arming = at.command(setState('AWAY', -1))
    const disarming = at.command(setState('DISARM', -1))
    await at.waitFor(arming, disarming)
    assert.equal(
      arming.error?.message,
      'The command AWAY for the whole panel was not sent, because a later disarm canceled it. (Replaced)',
    )
  })

  const jammed = { status: 'failed', message: '', error: 'Jammed' }
  const silent = { status: 'failed', message: '', error: '' }
  const unfinished = { status: 'start' }
  const bypass: Command = { action: 'bypass', zone: 2, enabled: true }
  const failed = 'The panel did not carry out the command'
  const atHome = `${failed} HOME for partition 1`
  const keypad = 'Look at the keypad, then try again.'
  const blocking = 'House (partition 1) is not ready to arm. Close or bypass: Kitchen window (zone 2).'
  const siren =
    'The command to turn the siren on was sent once, and the nodes do not repeat it. Its result is not known. Look at the panel.'
  const replaced =
    'At the panel, a later command replaced the command HOME for partition 1. If you still want it, send it again.'

  const rows: [fields: object, command: Command, isOpen: boolean, sentence: string][] = [
    [jammed, setState('HOME'), false, `${atHome}. ${keypad} (Jammed)`],
    [silent, setState('HOME'), false, `${atHome} and gave no reason. ${keypad}`],
    [jammed, setState('HOME'), true, `${atHome}. ${blocking} (Jammed)`],
    [silent, setState('HOME'), true, `${atHome} and gave no reason. ${blocking}`],
    [jammed, setState('DISARM'), true, `${failed} DISARM for partition 1. ${keypad} (Jammed)`],
    [jammed, bypass, true, `${failed} to bypass zone 2. ${keypad} (Jammed)`],
    [{ status: 'failed', message: 'Replaced' }, setState('HOME'), false, `${replaced} (Replaced)`],
    [unfinished, { action: 'siren_on' }, false, `${siren} (Unknown)`],
  ]
  for (const [fields, command, isOpen, sentence] of rows) {
    it(`for ${describeCommand(command)} with a zone ${isOpen ? 'open' : 'closed'} is: ${sentence}`, async () => {
      if (command.action === 'set_state' && command.state === 'DISARM') at.simulated.arm(1, 'HOME')
      at.simulator.faults.start(progress(fields), { operation: 'process_status' })
      const ending = at.command(command)
      await at.settle()
      assert.equal(at.sent.length, 1)
      if (isOpen) at.simulated.open(2)
      await at.waitFor(ending)
      assert.equal(ending.error?.code, 'COMMAND_FAILED')
      assert.equal(ending.error?.message, sentence)
    })
  }

  // @spec 2.5
  it('tells that a panel must be woken up on site, if its result is not known', async () => {
    const asleep = { ...info({ id: 1, name: 'House' }), local_wakeup_needed: true }
    at.simulator.respondOnce('panel_info', {
      status: 200,
      body: { ...asleep, state_sets: { all: stateSet } },
    })
    at.simulator.faults.start(progress(unfinished), { operation: 'process_status' })
    const { error } = await at.run({ action: 'siren_on' })
    assert.match(
      error?.message ?? '',
      /Its result is not known\. By its own information, the panel must be woken up/,
    )
  })
})
