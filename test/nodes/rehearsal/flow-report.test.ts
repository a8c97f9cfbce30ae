import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { readExample } from '../../../harness/node-red/imported-examples.ts'
import type { FlowNode } from '../../../harness/node-red/recorded-flow.ts'
import {
  burglary,
  catchNode,
  changed,
  functionNode,
  houseFlow,
  houseNode,
  switchNode,
} from '../../../harness/rehearsal/house-flow.ts'
import { type Behaviors, RehearsedFlow } from '../../../harness/rehearsal/rehearsed-flow.ts'
import { findingKinds } from '../../../nodes/rehearsal/flow-findings.ts'
import type { FlowReport } from '../../../nodes/rehearsal/flow-report.ts'
import { reportText } from '../../../nodes/rehearsal/flow-report-text.ts'
import { rehearsalTexts } from '../../../nodes/shared/message-texts.ts'

const examples = await readdir(new URL('../../../examples/', import.meta.url))

describe('The report of a rehearsal', () => {
  let flow: RehearsedFlow | undefined

  afterEach(async () => {
    assert.deepEqual(flow?.hooks ?? [], [])
    await flow?.stop()
    flow = undefined
  })

  const start = async (nodes: readonly FlowNode[], behaviors: Behaviors = {}) => {
    flow = await RehearsedFlow.start(nodes, behaviors)
    return flow
  }
  const rehearse = async (nodes: readonly FlowNode[], behaviors: Behaviors = {}) =>
    (await start(nodes, behaviors)).rehearse(burglary)
  const faults = async (nodes: readonly FlowNode[], behaviors: Behaviors = {}) => {
    const { findings } = await rehearse(nodes, behaviors)
    await flow?.stop()
    flow = undefined
    return findings.map(({ kind, node }) => `${kind}: ${node.name || node.id}`)
  }

  describe('tells', () => {
    it('when the notification was done, in seconds from the begin', async () => {
      const house = await start(houseFlow, {
        'phone sender': (done) => {
          house.clock.advance(1500)
          done()
        },
      })
      const { ways } = await house.rehearse(burglary.slice(5, 7))
      assert.deepEqual(
        ways.map(({ name, kind, state, seconds, text, tab }) => [name, kind, state, seconds, text, tab]),
        [
          ['phone', 'other', 'told', 1.5, 'Burglary: Kitchen window', 'Phones'],
          ['siren', 'siren', 'missed', null, '', 'House'],
        ],
      )
    })

    const phoneFails: Behaviors = { 'phone sender': (done) => done(new Error('HTTP 404')) }
    for (const [title, nodes, outcome, behaviors] of [
      ['somebody was told and nothing is wrong', houseFlow, 'good'],
      [
        'somebody was told and there is a fault',
        changed(houseFlow, houseNode('text', { wires: [[]] })),
        'faults',
      ],
      [
        'nobody was told, although no fault was found',
        changed(houseFlow, houseNode('phone', { d: true }), houseNode('siren', { d: true })),
        'untold',
      ],
      ['every message failed', changed(houseFlow, houseNode('siren', { d: true })), 'failed', phoneFails],
      ['one message failed, and the siren sounded', houseFlow, 'faults', phoneFails],
    ] as const)
      it(`that ${title}`, async () => {
        assert.equal((await rehearse(nodes, behaviors)).outcome, outcome)
      })

    for (const [title, failing, state, seconds] of [
      ['was told by the second try', [1], 'told', 2],
      ['was told of the alarm, although a later message failed', [2], 'told', 1],
      ['failed if both did', [1, 2], 'failed', 1],
    ] as const)
      it(`that a notification ${title}`, async () => {
        let count = 0
        const house = await start(changed(houseFlow, houseNode('siren', { d: true })), {
          'phone sender': (done) => {
            house.clock.advance(1000)
            count += 1
            done((failing as readonly number[]).includes(count) ? new Error('HTTP 503') : undefined)
          },
        })
        const [alarm] = burglary.slice(6, 7)
        const { ways, outcome } = await house.rehearse(alarm ? [alarm, alarm] : [])
        assert.deepEqual([ways[0]?.state, ways[0]?.seconds], [state, seconds])
        assert.equal(outcome, state === 'told' ? 'faults' : 'failed')
      })

    it('which nodes downstream were not reached, and which never say when they are done', async () => {
      const house = await start(houseFlow)
      const { nodes } = await house.rehearse(burglary.slice(5, 7))
      const states = Object.fromEntries(nodes.map(({ id, state }) => [id, state]))
      assert.deepEqual([states.text, states.siren, states['not late']], ['done', 'missed', 'missed'])
    })

    it('no node that was not reached and leads to nobody', async () => {
      const house = await start(
        changed(
          houseFlow,
          houseNode('not late', { wires: [['siren', 'lists']] }),
          functionNode('lists', 'return msg', [['page']]),
          { id: 'page', type: 'ui-template', z: 'house', name: 'page', wires: [[]] },
        ),
      )
      const { nodes } = await house.rehearse(burglary.slice(5, 7))
      const missed = nodes.filter(({ state }) => state === 'missed').map(({ id }) => id)
      assert.deepEqual(missed.sort(), ['alarms', 'not late', 'siren'])
    })

    it('which Catch nodes fired, and for which node', async () => {
      const refusing = changed(
        houseFlow,
        functionNode('not late', "throw new Error('not at night')", [['siren']]),
      )
      const { caught, findings } = await rehearse(refusing)
      assert.deepEqual(
        [...new Set(caught.map((one) => `${one.catch.id} ${one.source.id}`))],
        ['errors not late'],
      )
      assert.deepEqual(findings, [])
    })

    it('nothing of messages without the mark', async () => {
      const house = await start(houseFlow)
      const report = await house.rehearse([], () =>
        house.node('text').receive({ payload: { title: 'real' } }),
      )
      assert.deepEqual(
        report.nodes.filter(({ received }) => received > 0),
        [],
      )
    })
  })

  describe('as lines to read', () => {
    const node = { id: '1', type: 'siren', name: 'loud one', tab: 'Alarm' }
    const findings = findingKinds.map((kind) => ({ kind, node, error: 'it broke.', count: 31, seconds: 12 }))
    const way = { ...node, kind: 'siren', state: 'told', seconds: 1.5, text: 'Burglary' } as const
    const ways: FlowReport['ways'] = [
      way,
      { ...way, kind: 'other', name: 'guard', state: 'failed' },
      { ...way, kind: 'mail', name: '', type: 'e-mail', state: 'missed' },
      { ...way, kind: 'phone', name: 'ntfy', state: 'disabled' },
    ]
    const caught = [{ catch: node, source: node, at: 1 }]
    const report: FlowReport = { outcome: 'faults', seconds: 20, ways, findings, nodes: [], caught }
    const quiet = { findings: [], caught: [] }
    const linesOf = (locale: string, found: Partial<FlowReport> = {}, faster = false) => {
      const choice = { scene: 'burglary-window', faster } as const
      return reportText({ ...report, ...found }, choice, rehearsalTexts(locale)).split('\n')
    }

    for (const locale of ['en_US', 'de_AT'])
      it(`names the node of each fault and has no placeholder left: ${locale}`, () => {
        const lines = linesOf(locale)
        assert.equal(lines.length, findingKinds.length + 7)
        assert.deepEqual(
          lines.filter((line) => line.includes('__')),
          [],
        )
        assert.ok(lines.slice(6, -1).every((line) => /[“„]loud one[”“]/.test(line)))
      })

    it('tells first who was told, after how long and what, and what is disabled', () => {
      assert.deepEqual(linesOf('de_DE', { ...quiet, outcome: 'good' }), [
        'Die Sirene (loud one): 1,5 s, nachdem das Fenster geöffnet wurde: „Burglary“',
        'guard: fehlgeschlagen',
        'Ihre Mail (e-mail): bekam nichts',
        'Deaktiviert, meldete also niemandem etwas: Ihr Telefon (ntfy)',
        'In einer Probe wird die Zentrale jede Sekunde abgefragt. Eine echte wird seltener abgefragt: Ohne andere Einstellung wird ein Alarm nach etwa 8 Sekunden gemeldet.',
        'In den Flows wurde kein Fehler gefunden.',
      ])
    })

    it('tells that nobody was told, and not that no fault was found', () => {
      assert.deepEqual(linesOf('', { ...quiet, ways: [], outcome: 'untold' }), [
        'Nobody was told: no message came to a node that tells or wakes somebody.',
      ])
      const failed: FlowReport['ways'] = [{ ...way, kind: 'phone', name: 'ntfy', state: 'failed' }]
      assert.deepEqual(linesOf('', { ...quiet, ways: failed, outcome: 'failed' }), [
        'Nobody was told: every message failed.',
        'Your phone (ntfy): it failed',
      ])
    })

    it('tells that it was played faster', () => {
      const isFaster = (line: string) => line.startsWith('Played faster: ')
      assert.equal(linesOf('', {}, true).filter(isFaster).length, 1)
      assert.equal(linesOf('', {}, false).filter(isFaster).length, 0)
    })
  })

  describe('finds, each with its node:', () => {
    it('a wire that is missing', async () => {
      assert.deepEqual(await faults(changed(houseFlow, houseNode('text', { wires: [[]] }))), [
        'unwired: text',
      ])
      assert.deepEqual(await faults(changed(houseFlow, houseNode('from the house', { wires: [[]] }))), [
        'unwired: from the house',
      ])
    })

    it('a node of the panel without a wire', async () => {
      assert.deepEqual(await faults(changed(houseFlow, houseNode('incident', { wires: [[]] }))), [
        'unwired: incident',
      ])
    })

    it('a notification to which no wire leads', async () => {
      const cut = houseFlow.filter(({ id }) => id !== 'events')
      const rewired = changed(cut, houseNode('from the house', { wires: [['show too']] }), {
        ...{ id: 'show too', type: 'debug', z: 'phones', active: false, complete: 'payload', wires: [] },
      })
      assert.deepEqual(await faults(rewired), ['noInput: phone', 'noInput: alarms'])
    })

    it('a filter that is too narrow', async () => {
      const ofOtherFormat = changed(houseFlow, switchNode('alarms', 'payload.group', 'ALARM', [['not late']]))
      assert.deepEqual(await faults(ofOtherFormat), ['filter: alarms'])
    })

    it('a filter of incidents by a zone that was not in alarm', async () => {
      const narrow = changed(
        houseFlow,
        houseNode('incident', { wires: [['zone 7']] }),
        switchNode('zone 7', 'payload.zones[0].zone', '7', [['text']]),
      )
      assert.deepEqual(await faults(narrow), ['filter: zone 7'])
    })

    it('an events node that selects alarms of another partition', async () => {
      const house = await start(
        changed(houseFlow, houseNode('events', { groups: ['EP_ALARM'], partitions: [3] })),
      )
      const { findings } = await house.rehearse(burglary.filter(([type]) => type !== 'events'))
      assert.deepEqual(
        findings.map(({ kind, node }) => [kind, node.id]),
        [['filter', 'events']],
      )
    })

    it('a siren for an alarm that was over before', async () => {
      const loud = changed(houseFlow, houseNode('alarms', { wires: [['siren']] }))
      assert.deepEqual(await faults(loud), ['late: siren'])
    })

    it('an exception in a function, also if it is caught', async () => {
      const wrong = changed(
        houseFlow,
        functionNode('text', 'msg.payload = msg.zone.name\nreturn msg', [['to the phone']]),
      )
      const { findings } = await rehearse(wrong)
      assert.deepEqual(
        findings.map(({ kind, node, error }) => [kind, node.id, error]),
        [['exception', 'text', "Cannot read properties of undefined (reading 'name')"]],
      )
    })

    it('an error that no Catch node covers', async () => {
      const refusing = changed(
        houseFlow.filter(({ id }) => id !== 'errors'),
        functionNode('not late', "node.error('not at night', msg)\nreturn null", [['siren']]),
      )
      assert.deepEqual(await faults(refusing), ['uncaught: not late'])
    })

    it('an error in the words of the node that tells it', async () => {
      const refusing = changed(
        houseFlow.filter(({ id }) => id !== 'errors'),
        functionNode('not late', "node.error(new Error('no route'), msg)\nreturn null", [['siren']]),
      )
      const { findings } = await rehearse(refusing)
      assert.deepEqual(
        findings.map(({ kind, node, error }) => [kind, node.id, error]),
        [['uncaught', 'not late', 'no route']],
      )
    })

    it('a Catch node that covers nothing', async () => {
      assert.deepEqual(await faults(changed(houseFlow, catchNode('errors', [['show']], ['gone']))), [
        'emptyCatch: errors',
      ])
      assert.deepEqual(await faults(changed(houseFlow, catchNode('errors', [[]]))), ['emptyCatch: errors'])
    })

    it('a disabled tab', async () => {
      const disabled = changed(houseFlow, { id: 'phones', type: 'tab', label: 'Phones', disabled: true })
      assert.deepEqual(await faults(disabled), ['disabled: Phones'])
    })

    it('a notification that is disabled, if nothing else tells the alarm', async () => {
      const only = houseFlow.filter(({ id }) => !['events', 'state'].includes(id))
      assert.deepEqual(await faults(changed(only, houseNode('phone', { d: true }))), ['disabled: phone'])
    })

    it('a notification that fails, without the secret address in its error', async () => {
      const { findings } = await rehearse(houseFlow, {
        'phone sender': (done) => done(new Error('refused: https://api.example.com/bot123:secret/send')),
      })
      assert.deepEqual(
        findings.map(({ kind, node, error }) => [kind, node.id, error]),
        [['failed', 'phone', 'refused: …']],
      )
    })

    it('a loop', async () => {
      const circle = changed(
        houseFlow,
        houseNode('text', { wires: [['to the phone', 'again']] }),
        functionNode('again', 'msg.payload = { title: msg.payload }\nreturn msg', [['text']]),
      )
      const found = await faults(circle)
      assert.deepEqual(found, ['loop: text'])
    })

    it('a node that does not finish, and one that takes too long', async () => {
      let arrive = () => {}
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve
      })
      const house = await start(houseFlow, { siren: arrive })
      const report = await house.rehearse(burglary, async () => {
        await arrived
        house.clock.advance(12_000)
      })
      assert.deepEqual(
        report.findings.map(({ kind, node, seconds }) => [kind, node.id, seconds]),
        [['unfinished', 'siren', 12]],
      )
    })
  })

  describe('finds no fault', () => {
    it('in the house flow', async () => assert.deepEqual(await faults(houseFlow), []))

    const silence: Record<string, FlowNode[]> = {
      'lets fires pass to a node of its own': [
        houseNode('incident', { wires: [['text', 'only fire']] }),
        switchNode('only fire', 'payload.kind', 'fire', [['sprinkler']]),
        { id: 'sprinkler', type: 'siren', z: 'house', name: 'sprinkler', wires: [[]] },
      ],
      'keeps a log of all events': [
        houseNode('events', { wires: [['alarms', 'log']] }),
        { id: 'log', type: 'file', z: 'house', name: 'log', wires: [] },
      ],
      'waits five minutes before the siren': [
        houseNode('not late', { wires: [['wait']] }),
        {
          ...{
            id: 'wait',
            type: 'delay',
            z: 'house',
            pauseType: 'delay',
            timeout: '5',
            timeoutUnits: 'minutes',
          },
          ...{ rate: '1', nbRateUnits: '1', rateUnits: 'second', wires: [['siren']] },
        },
      ],
      'rings at the second alarm only': [
        functionNode(
          'not late',
          "const count = (context.get('alarms') ?? 0) + 1\ncontext.set('alarms', count)\nreturn !msg.late && count > 5 ? msg : null",
          [['siren']],
        ),
      ],
      'tries a notification three times': [
        houseNode('from the house', { wires: [['try']] }),
        functionNode(
          'try',
          'msg.tries = (msg.tries ?? 0) + 1\nreturn msg.tries < 4 ? [msg, msg] : null',
          [['phone'], ['try']],
          'phones',
        ),
      ],
      'has a second notification that is disabled': [
        houseNode('from the house', { wires: [['phone', 'other']] }),
        { id: 'other', type: 'other sender', z: 'phones', d: true, name: 'other', wires: [] },
      ],
      'sends by a subflow': [
        { id: 'sub', type: 'subflow', name: 'send', in: [{ wires: [{ id: 'sub phone' }] }], out: [] },
        { id: 'sub phone', type: 'phone sender', z: 'sub', name: 'phone', wires: [] },
        houseNode('from the house', { wires: [['instance']] }),
        { id: 'instance', type: 'subflow:sub', z: 'phones', name: '', wires: [] },
      ],
      'leaves the second output of a function without a wire': [
        functionNode('not late', 'return msg.late ? [null, msg] : [msg, null]', [['siren'], []]),
      ],
    }
    it('in a switch that looks at the answer of a notification', async () => {
      const answer: Behaviors = {
        'phone sender': (done, send) => {
          send({ statusCode: 200, rehearsal: true })
          done()
        },
      }
      const checked = changed(
        houseFlow,
        houseNode('from the house', { wires: [['phone', 'disabled one']] }),
        houseNode('phone', { wires: [['refused?']] }),
        { id: 'disabled one', type: 'other sender', z: 'phones', d: true, wires: [['refused?']] },
        switchNode('refused?', 'statusCode', '500', [['other phone']]),
        { id: 'other phone', type: 'other sender', z: 'house', name: 'other phone', wires: [] },
      )
      const { findings, nodes } = await rehearse(checked, answer)
      assert.deepEqual(findings, [])
      assert.equal(nodes.find(({ id }) => id === 'refused?')?.state, 'passed')
    })

    for (const [name, nodes] of Object.entries(silence))
      it(`in a flow that ${name}`, async () =>
        assert.deepEqual(await faults(changed(houseFlow, ...nodes)), []))

    for (const name of examples.flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []))
      it(`in the example "${name}"`, async () => {
        const flow = (await readExample(name)).filter(
          ({ type }) => !/^ui-(base|theme|page|group)$/.test(type),
        )
        assert.deepEqual(await faults(flow), [])
      })
  })
})
