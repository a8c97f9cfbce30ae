import assert from 'node:assert/strict'
import { englishText } from '../fixtures/english-texts.ts'
import type { FlowMessage } from '../recorder.ts'
import type { RunningFlow } from './running-flow.ts'

/** An expected error. */
export interface Refusal {
  code: string
  /** Matches the error message, for example the field or the remedy. */
  says: RegExp
  /** The words of the status, if they are not those for the code. */
  status?: string | undefined
}

/**
 * Fails unless the node named `state` shows the error in its status, the Catch node gets it once from the panel node,
 * and an input of the node reaches the Catch node with it.
 */
export async function assertRefused(flow: RunningFlow, { code, says, status }: Refusal): Promise<void> {
  const text = status ?? englishText(`account.status.error.${code}`)
  const isGrey = code === 'NOT_CONFIGURED'
  const light = await flow.status('state').next((shown) => shown.text === text)
  assert.deepEqual(light, { fill: isGrey ? 'grey' : 'red', shape: 'ring', text })
  const first = await flow.caught.next()
  assertError(first, { code, says })
  assert.equal(first.error.source.type, 'keyholder-panel')
  await assertInputRefused(flow, { code, says })
  assert.deepEqual(flow.output('state').all, [])
}

/** Fails unless an input of the node named `state` reaches the Catch node with the error and keeps its properties. */
export async function assertInputRefused(flow: RunningFlow, refusal: Refusal): Promise<void> {
  flow.input('state', { _msgid: 'mine', count: 7 })
  const caught = await flow.caught.next(({ _msgid }) => _msgid === 'mine')
  assertError(caught, refusal)
  assert.deepEqual([caught.error.source.type, caught.count], ['keyholder-state', 7])
}

function assertError({ error }: FlowMessage, { code, says }: Refusal): void {
  assert.equal(error.code, code, error.message)
  assert.match(error.message, /^KeyholderError: \w.+\.( \([^)]+\))?$/)
  assert.match(error.message, says)
}
