import type { Node, NodeAPI } from 'node-red'
import { every } from '../../src/clock.ts'
import { day, minute } from '../../src/duration.ts'
import { mergeInto } from '../../src/messages/message.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { isObject } from '../../src/service/schema.ts'
import { refuseUnsetVariables } from '../../src/settings.ts'
import type { AttachedDef, Behavior, FlowMessage } from '../binding/panel-binding.ts'
import { readSettings } from '../pages/fields.ts'
import { guard } from '../shared/guard.ts'
import { isPress } from './button.ts'
import { ChainTester } from './chain-tester.ts'
import { startHeartbeat, watcherAddress } from './heartbeat.ts'
import { settings } from './settings.ts'
import { wayNames } from './way-names.ts'

/** The credentials of a chain test node: the address of a watcher outside, which may contain a secret. */
export interface ChainTestCredentials {
  watcherUrl: string
}

/** Milliseconds between two looks at what is due. */
const lookEvery = minute

/** Returns the behavior of a chain test node: it sends messages that ask for an answer, and tells if none comes. */
export function behavior(RED: NodeAPI, node: Node<ChainTestCredentials>, def: AttachedDef): Behavior {
  const { interval, fromHour, wait, watcher, language } = chainTestSettings({ ...def, ...node.credentials })
  let tester: ChainTester | undefined

  return {
    hasQuietInput: true,

    subscribe: (panel, status, report) => {
      const { clock, settings } = panel.account
      // UTC is the zone in which services write times, seldom that of the house.
      const timeZone = settings.timeZone === 'UTC' ? undefined : settings.timeZone
      const schedule = { interval, fromHour, timeZone }
      const own = new ChainTester(node, {
        ...{ panel, status, report, schedule, wait },
        language,
        wayNames: () => wayNames(RED, node.id),
      })
      tester = own
      const stops = [
        every(clock, lookEvery, () => guard(node, () => own.look())),
        panel.state.subscribe(
          {
            snapshot: (state) => guard(node, () => own.note(state)),
            condition: (condition) => guard(node, () => own.follow(condition)),
          },
          own.self,
        ),
      ]
      if (watcher.url !== '')
        stops.push(
          startHeartbeat(node, clock, {
            ...watcher,
            isAlive: () => own.isAlive,
            onChange: (isFailing) => own.noteWatcher(isFailing),
          }),
        )
      return () => {
        for (const stop of stops) stop()
        own.end()
      }
    },

    onInput: async (_panel, message) => {
      if (message.payload === 'test') {
        if (isPress(message)) return tester?.start()
        if (isFromNetwork(message)) throw refusal(networkBegins)
        return tester?.startByMessage()
      }
      const answered = await tester?.answer(answerIn(message))
      node.send([null, null, ...mergeInto(RED, message, answered === undefined ? [] : [answered])])
    },
  }
}

/**
 * Returns the settings of a chain test node.
 * @throws KeyholderError BAD_SETTING or NOT_CONFIGURED
 */
export function chainTestSettings(stored: { watcherUrl?: unknown }) {
  refuseUnsetVariables({ watcherUrl: stored.watcherUrl })
  const { testDays, testHour, answerMinutes, watcherUrl, watcherMinutes, language } = readSettings(
    settings,
    stored,
  )
  return {
    interval: day * testDays,
    fromHour: testHour,
    wait: minute * answerMinutes,
    watcher: { url: watcherAddress(watcherUrl), interval: minute * watcherMinutes },
    language,
  }
}

/** The reason for which a request from a network begins no test: anybody could ring the phones at night. */
const networkBegins =
  'A request from a network can only answer a test of the alarm chain. Begin it with the button of the node, or with a message of the flow.'

/** The reason for which a test message that has come back is no answer: nobody needs to have seen it. */
const comesBack =
  'This is the test message itself, not an answer to it. Send a new message with the payload { answer } and nothing else, or delete msg.chainTest and all else in the payload.'

const previewed =
  'An answer must not come with a GET request, because messengers open links by themselves. Use POST.'

const noAnswer = 'This is no answer to a test of the alarm chain. Use the button of the test message.'

const unknownPayload =
  'The payload must be "test", which begins a test of the alarm chain, or { answer } with the answer of a test.'

/**
 * Returns the answer in a message.
 * @throws KeyholderError BAD_SETTING if there is none, if the message is the one that asked for it, or if a preview of a link
 *   could have made it
 */
function answerIn(message: FlowMessage): string {
  const { payload, req } = message
  if (!isObject(payload) || typeof payload.answer !== 'string' || payload.answer === '')
    throw refusal(isFromNetwork(message) ? noAnswer : unknownPayload)
  if (message.chainTest !== undefined || Object.keys(payload).length > 1) throw refusal(comesBack)
  // Messengers open a link by themselves to show a preview, without anybody having seen it.
  if (isObject(req) && (req.method === 'GET' || req.method === 'HEAD')) throw refusal(previewed)
  return payload.answer
}

/** Tells if a message comes from a node *http in*. */
function isFromNetwork({ req, res }: FlowMessage): boolean {
  return (req ?? res ?? undefined) !== undefined
}

function refusal(sentence: string): KeyholderError {
  return new KeyholderError('BAD_SETTING', sentence)
}
