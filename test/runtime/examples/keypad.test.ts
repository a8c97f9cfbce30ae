import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { FlowNode } from '../../../harness/node-red/recorded-flow.ts'

describe('The keypad of the dashboard example', () => {
  let press: (command: unknown) => unknown

  beforeEach(async () => {
    const example = new URL('../../../examples/Dashboard.json', import.meta.url)
    const flows: FlowNode[] = JSON.parse(await readFile(example, 'utf8'))
    const keypad = flows.find(({ name }) => name === 'keypad')
    const kept = new Map<string, unknown>()
    const run = new Function('msg', 'context', 'env', String(keypad?.func))
    press = (command) => {
      const sent = run({ _msgid: '1', command, payload: {} }, kept, new Map([['DISARM_CODE', '2468']]))
      return sent?.[1]?.payload
    }
  })

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
  })
})
