import { minute } from '../../src/duration.ts'
import { message } from '../../src/messages/message.ts'
import type { ChainTest } from '../../src/panel/conditions/chain-test.ts'
import type { Panel } from '../../src/panel/panel.ts'
import { chainTestTexts } from '../shared/message-texts.ts'

/**
 * Returns the message that asks for the latest answer of a test.
 * @param wait milliseconds for which the answer is awaited
 */
export function questionOf(
  test: ChainTest,
  { panel, wait, language }: { panel: Panel; wait: number; language: unknown },
) {
  const { locale } = panel.account.settings
  const texts = chainTestTexts(language, locale, panel.title, Math.round(wait / minute))
  return chainMessage(panel, {
    ...partsOf(test),
    ...texts,
    // As flows that send alarms to a phone expect it: it must ring.
    kind: 'test',
    news: 'alarm',
    answer: test.tokens.at(-1),
    attempt: test.tokens.length,
  })
}

/**
 * Returns the message about an answer that counts.
 * @param attempt 1 for the answer to the first message
 * @param answeredAt milliseconds since 1970
 */
export function answeredOf(test: ChainTest, attempt: number, answeredAt: number, panel: Panel) {
  return chainMessage(panel, { ...partsOf(test), attempt, answeredAt: isoTime(answeredAt) })
}

function chainMessage(panel: Panel, payload: object) {
  const { clock } = panel.account
  const nothing = {
    view: undefined,
    fetchedAt: clock.wall(),
    at: clock.monotonic(),
    sentAt: 0,
    validFor: -1,
  }
  return { ...message(panel.sourceOf(panel.latest ?? nothing), 'chain-test', payload), chainTest: true }
}

function partsOf({ id, at }: ChainTest): { id: string; startedAt: string } {
  return { id, startedAt: isoTime(at) }
}

function isoTime(time: number): string {
  return new Date(time).toISOString()
}
