import type { Node, NodeAPI, NodeDef } from 'node-red'
import { systemClock } from '../src/clock.ts'
import { type HealthMessage, healthMessage, healthPayload } from '../src/messages/health.ts'
import { HealthChange } from '../src/messages/health-change.ts'
import { repeat } from '../src/repeat.ts'
import { asKeyholderError } from '../src/service/error.ts'
import { type FlowMessage, laidOver } from './shared/attach.ts'
import { amount } from './shared/choices.ts'
import { guard } from './shared/guard.ts'
import { HealthSubject } from './shared/health-subject.ts'
import { manifest } from './shared/manifest.ts'
import { StatusLight } from './shared/status-light.ts'

interface HealthDef extends NodeDef {
  account?: string
  panel?: string
  every?: unknown
}

const second = 1000

/** Milliseconds between two looks whether something changed; a look costs the service nothing. */
const lookEvery = second

/** Seconds between heartbeats: more would flood the flow, and timers end at 24 days. */
const heartbeats = { least: 1, most: 7 * 24 * 60 * 60 }

/**
 * The node `keyholder-health`: how account and panel are, on change, at an interval and on demand.
 *
 * It looks on and asks nothing. Wherever account and panel stand, and however wrong the settings are, it answers.
 */
export default function register(RED: NodeAPI): void {
  function HealthNode(this: Node, def: HealthDef): void {
    RED.nodes.createNode(this, def)
    const light = new StatusLight(RED, this)
    const change = new HealthChange()
    const subject = new HealthSubject(RED, this, { account: def.account ?? '', panel: def.panel ?? '' })
    const versions = { plugin: '', nodeRed: '', node: process.versions.node }

    const prepare = async () => {
      await subject.open()
      versions.plugin ||= (await manifest()).version
      versions.nodeRed ||= await RED.version()
    }
    const now = (): HealthMessage => {
      const { account, panel, unusable, source } = subject
      const message = healthMessage(source, healthPayload({ account, panel, unusable, versions }))
      const { status } = message.payload
      if (unusable !== undefined) light.failing(unusable)
      else light.health(status, RED._(`health.status.${status}`))
      return message
    }
    const told = (message: HealthMessage): HealthMessage => {
      change.tell(message.payload)
      return message
    }
    const look = () => {
      const message = now()
      if (change.isDue(message.payload)) this.send({ ...told(message) })
    }
    const beat = async () => {
      this.send({ ...told(now()) })
      // What could not be opened may be there by the next one.
      await prepare()
    }

    guard(this, async () => {
      await prepare()
      look()
    })
    const stops = [repeat(systemClock, lookEvery, () => guard(this, look))]
    const every = amount(def.every)
    if (every > 0) {
      const interval = second * Math.min(heartbeats.most, Math.max(heartbeats.least, every))
      stops.push(repeat(systemClock, interval, () => guard(this, beat)))
    }

    this.on('input', (incoming, send, done) => {
      guard(
        this,
        async () => {
          await prepare()
          send(laidOver(RED, incoming as FlowMessage, [told(now())]))
          done()
        },
        (thrown) => done(asKeyholderError(thrown)),
      )
    })

    this.on('close', (done: () => void) => {
      guard(
        this,
        () => {
          for (const stop of stops) stop()
          subject.close()
          done()
        },
        () => done(),
      )
    })
  }

  RED.nodes.registerType('keyholder-health', HealthNode)
}
