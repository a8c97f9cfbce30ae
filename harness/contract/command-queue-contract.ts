import assert from 'node:assert/strict'
import type { Command } from '../../src/panel/commands/command.ts'
import type { CommandQueue, CommandTurn } from '../../src/panel/commands/command-queue.ts'
import type { CommandOutcome, OpenEffect } from '../../src/panel/commands/open-effects.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { setState } from '../panel/commanded-panel.ts'
import { type RunningCommand, runCommand } from '../panel/running-command.ts'
import { type Instance, type Testbeds, waitUntil, withTestbed } from './testbed.ts'

interface Stores {
  readonly commandQueue: CommandQueue
}

const siren: Command = { action: 'siren_on' }

/** Adds the tests of the promises of a command queue. */
export function testCommandQueue({ start, maxInstances }: Testbeds<Stores>): void {
  withTestbed(start, (testbed) => {
    const settle = () => testbed().advance(1)
    const give = async (
      { stores }: Instance<Stores>,
      command: Command,
      options: { node?: string; signal?: AbortSignal } = {},
    ): Promise<RunningCommand> => {
      const given = runCommand(stores.commandQueue, command, options)
      await settle()
      return given
    }
    const waitFor = (isTrue: () => boolean) => waitUntil(testbed(), isTrue)
    const send = async ({ turn }: RunningCommand): Promise<boolean> => {
      assert.ok(turn)
      const announced = turn.beginSending()?.then(
        () => true,
        () => false,
      )
      await settle()
      return ((await announced) ?? true) && turn.maySend()
    }

    it('runs a command at once if none is under way, and gives its result or its error', async () => {
      const instance = await testbed().open()
      const one = await give(instance, setState('AWAY'))
      assert.ok(one.turn)
      one.succeed()
      await waitFor(() => one.isOver)
      assert.equal(one.done?.view.tookMs, 1000)
      const other = await give(instance, setState('HOME'))
      other.fail(new KeyholderError('NOT_SETTABLE', 'No.'))
      await waitFor(() => other.isOver)
      assert.equal(other.error?.code, 'NOT_SETTABLE')
    })

    it('runs one after the other in their order', async () => {
      const instance = await testbed().open()
      const [first, second, third] = [
        await give(instance, setState('AWAY', 1)),
        await give(instance, setState('AWAY', 2)),
        await give(instance, setState('AWAY', 3)),
      ]
      assert.deepEqual(
        [first, second, third].map(({ turn }) => turn !== undefined),
        [true, false, false],
      )
      first.succeed()
      await waitFor(() => second.turn !== undefined)
      assert.equal(third.turn, undefined)
      second.fail(new KeyholderError('NOT_SETTABLE', 'No.'))
      await waitFor(() => third.turn !== undefined)
    })

    it('runs the newest disarm first, and no disarm later than five seconds after the command before', async () => {
      const instance = await testbed().open()
      const arming = await give(instance, setState('AWAY', 3))
      assert.ok(await send(arming))
      await give(instance, siren)
      const [older, newer] = [
        await give(instance, setState('DISARM', 1)),
        await give(instance, setState('DISARM', 2)),
      ]
      assert.deepEqual([older.turn, newer.turn], [undefined, undefined])
      const from = testbed().now()
      await waitFor(() => newer.turn !== undefined)
      assert.ok(testbed().now() - from < 6500, `${testbed().now() - from}`)
      assert.equal(older.turn, undefined)
      await waitFor(() => older.turn !== undefined)
      assert.ok(testbed().now() - from < 13_000)
    })

    it('cancels armings that a later disarm undoes, unless they may be sent already', async () => {
      const instance = await testbed().open()
      const sent = await give(instance, setState('HOME', 1))
      assert.ok(await send(sent))
      const waiting = await give(instance, setState('AWAY', 1))
      const other = await give(instance, setState('AWAY', 2))
      const disarm = await give(instance, setState('DISARM', 1))
      await waitFor(() => waiting.isOver)
      assert.equal(waiting.error?.reason, 'Replaced')
      assert.equal(sent.isOver, false)
      sent.succeed()
      await waitFor(() => disarm.turn !== undefined)
      assert.equal(other.turn, undefined)
      disarm.succeed()
      await waitFor(() => other.turn !== undefined)
      assert.ok(await send(other))
    })

    it('lets an arming that was checked only not be sent after a disarm', async () => {
      const instance = await testbed().open()
      const arming = await give(instance, setState('AWAY', 1))
      const disarm = await give(instance, setState('DISARM', -1))
      await waitFor(() => arming.turn?.cancellation.aborted === true)
      const error: KeyholderError = arming.turn?.cancellation.reason
      assert.equal(error.reason, 'Replaced')
      arming.fail(error)
      await waitFor(() => disarm.turn !== undefined)
    })

    /** Returns the open effects of a turn in words, sorted: whether they have ended, and what showed before. */
    const openFor = (turn: CommandTurn | undefined) =>
      (turn?.openEffects ?? [])
        .map(({ command, endedAt, before = '' }) => {
          const { action } = command
          const what = action === 'set_state' ? `${command.state} ${command.partition}` : action
          return `${what}${endedAt === undefined ? '' : ' ended'} ${before}`.trim()
        })
        .sort()

    const run = async (
      instance: Instance<Stores>,
      command: Command,
      outcome: CommandOutcome,
      before?: string,
    ) => {
      const given = await give(instance, command)
      await waitFor(() => given.turn !== undefined)
      await send(given)
      given.turn?.noteOutcome(outcome, { command, before })
      given.succeed()
      await waitFor(() => given.isOver)
    }

    const turnOf = async (instance: Instance<Stores>, command: Command) => {
      const given = await give(instance, command)
      await waitFor(() => given.turn !== undefined)
      return given
    }

    it('tells which effects of earlier commands are open', async () => {
      const instance = await testbed().open()
      await run(instance, setState('AWAY', 1), 'unknown')
      await run(instance, setState('AWAY', 2), 'done')
      await run(instance, setState('AWAY', 3), 'failed')
      await run(instance, { action: 'bypass', zone: 7, enabled: true }, 'done')
      const one = await turnOf(instance, setState('DISARM', 1))
      assert.deepEqual(openFor(one.turn), ['AWAY 1 ended', 'AWAY 2 ended', 'bypass ended'])
      await send(one)
      one.turn?.noteOutcome('done', { command: setState('DISARM', 1), before: '1 AWAY' })
      one.succeed()
      const next = await turnOf(instance, setState('HOME', 1))
      assert.deepEqual(openFor(next.turn), ['AWAY 2 ended', 'DISARM 1 ended 1 AWAY', 'bypass ended'])
    })

    it('forgets an effect that an answer has shown', async () => {
      const instance = await testbed().open()
      await run(instance, setState('AWAY', 1), 'done')
      await run(instance, setState('AWAY', 2), 'unknown')
      const one = await turnOf(instance, setState('HOME', 3))
      const isOfFirst = ({ command }: OpenEffect) => command.action === 'set_state' && command.partition === 1
      one.turn?.noteShown(one.turn.openEffects.filter(isOfFirst))
      assert.deepEqual(openFor(one.turn), ['AWAY 2 ended'])
      one.fail(new KeyholderError('NOT_SETTABLE', 'No.'))
      await waitFor(() => one.isOver)
      const next = await turnOf(instance, setState('HOME', 3))
      assert.deepEqual(openFor(next.turn), ['AWAY 2 ended'])
    })

    it('forgets an effect after a minute, except that of a siren that was turned on', async () => {
      const instance = await testbed().open()
      await run(instance, setState('AWAY', 1), 'done')
      await run(instance, siren, 'done')
      await testbed().advance(61_000)
      const one = await turnOf(instance, setState('DISARM', 1))
      assert.deepEqual(openFor(one.turn), ['siren_on ended'])
      await send(one)
      one.turn?.noteOutcome('done', { command: setState('DISARM', 1), before: undefined })
      one.succeed()
      await waitFor(() => one.isOver)
      const next = await turnOf(instance, setState('AWAY', 1))
      assert.deepEqual(openFor(next.turn), ['DISARM 1 ended'], 'a disarm silences the siren')
    })

    it('gives up a command whose flow stops, and goes on', async () => {
      const instance = await testbed().open()
      const first = await give(instance, siren)
      const flow = new AbortController()
      const second = await give(instance, siren, { signal: flow.signal })
      const third = await give(instance, siren)
      flow.abort()
      await waitFor(() => second.isOver)
      assert.equal(second.error?.code, 'CLOSED')
      const late = await give(instance, siren, { signal: flow.signal })
      await waitFor(() => late.isOver)
      first.succeed()
      await waitFor(() => third.turn !== undefined)
    })

    it('runs every message to a node of the same process', async () => {
      const instance = await testbed().open()
      const node = { node: 'node' }
      const [one, other] = [
        await give(instance, setState('DISARM'), node),
        await give(instance, setState('DISARM'), node),
      ]
      one.succeed()
      await waitFor(() => other.turn !== undefined)
    })

    if (maxInstances === 1) return

    it('has one order for all instances', async () => {
      const [one, other] = [await testbed().open(), await testbed().open()]
      const first = await give(one, setState('AWAY', 1))
      const second = await give(other, setState('AWAY', 2))
      const third = await give(one, setState('AWAY', 3))
      first.succeed()
      await waitFor(() => second.turn !== undefined)
      assert.equal(third.turn, undefined)
      second.succeed()
      await waitFor(() => third.turn !== undefined)
    })

    it('cancels what another instance has not sent, and does not let the disarm wait for it', async () => {
      const [one, other] = [await testbed().open(), await testbed().open()]
      const arming = await give(one, setState('AWAY'))
      const disarm = await give(other, setState('DISARM'))
      assert.ok(disarm.turn)
      await waitFor(() => arming.turn?.cancellation.aborted === true)
      assert.equal(await send(arming), false)
    })

    it('tells which effects of the commands of another instance are open', async () => {
      const [one, other] = [await testbed().open(), await testbed().open()]
      await run(one, setState('HOME', 2), 'done', '2 DISARM')
      const arming = await give(one, setState('AWAY', 1))
      await send(arming)
      const disarm = await give(other, setState('DISARM', 1))
      await waitFor(() => disarm.turn !== undefined)
      assert.deepEqual(openFor(disarm.turn), ['AWAY 1', 'HOME 2 ended 2 DISARM'])
      await one.kill()
      disarm.succeed()
      await waitFor(() => disarm.isOver)
      const again = await turnOf(other, setState('DISARM', 1))
      assert.deepEqual(openFor(again.turn), ['AWAY 1', 'HOME 2 ended 2 DISARM'])
    })

    it('goes on when the instance whose turn it is was killed', async () => {
      const [one, other] = [await testbed().open(), await testbed().open()]
      await send(await give(one, siren))
      await one.kill()
      const next = await give(other, siren)
      const from = testbed().now()
      await waitFor(() => next.turn !== undefined)
      assert.ok(testbed().now() - from < 8000, `${testbed().now() - from}`)
    })

    it('lets nothing be sent by an instance that has not heard of the others for seconds', async () => {
      const [one, other] = [await testbed().open(), await testbed().open()]
      const arming = await give(one, setState('AWAY'))
      assert.equal(await send(arming), true)
      await one.kill()
      const disarm = await give(other, setState('DISARM'))
      while (disarm.turn === undefined) await testbed().advance(100)
      assert.equal(arming.turn?.maySend(), false)
    })

    it('gives up a command that would wait for more than a minute', async () => {
      const [one, other] = [await testbed().open(), await testbed().open()]
      await give(one, siren)
      const next = await give(other, siren)
      const from = testbed().now()
      await waitFor(() => next.isOver)
      assert.equal(next.error?.code, 'COMMAND_FAILED')
      assert.match(next.error?.message ?? '', /was not sent, because commands before it/)
      assert.ok(testbed().now() - from < 70_000)
    })

    describe('gives the same command to the same node of two instances', () => {
      const node = { node: 'node' }
      let one: Instance<Stores>
      let other: Instance<Stores>
      beforeEach(async () => {
        one = await testbed().open()
        other = await testbed().open()
      })

      it('once, and both get its result', async () => {
        const first = await give(one, setState('AWAY'), node)
        const copy = await give(other, setState('AWAY'), node)
        await send(first)
        first.succeed()
        await waitFor(() => copy.isOver)
        assert.deepEqual([copy.turn, copy.done?.view], [undefined, first.done?.view])
        assert.equal(copy.done?.fetchedAt, first.done?.fetchedAt)
      })

      it('once, and both get its error', async () => {
        const first = await give(one, setState('AWAY'), node)
        first.fail(new KeyholderError('NOT_SETTABLE', 'No. (NotReady)', { reason: 'NotReady' }))
        await waitFor(() => first.isOver)
        const copy = await give(other, setState('AWAY'), node)
        await waitFor(() => copy.isOver)
        const { code, message, reason } = copy.error ?? assert.fail()
        assert.deepEqual([code, message, reason], ['NOT_SETTABLE', 'No. (NotReady)', 'NotReady'])
      })

      it('twice if it comes two seconds later, or to another node, or is another one', async () => {
        const first = await give(one, siren, node)
        const [another, different] = [
          await give(other, siren, { node: 'another' }),
          await give(other, { action: 'siren_off' }, node),
        ]
        await testbed().advance(2500)
        const late = await give(other, siren, node)
        first.succeed()
        for (const next of [another, different, late]) {
          await waitFor(() => next.turn !== undefined)
          next.succeed()
        }
      })

      it('again if it comes again to both', async () => {
        for (const _again of [1, 2]) {
          const first = await give(one, setState('DISARM'), node)
          await waitFor(() => first.turn !== undefined)
          const copy = await give(other, setState('DISARM'), node)
          first.succeed()
          await waitFor(() => copy.isOver)
          assert.equal(copy.turn, undefined)
        }
      })

      it('again if the second message comes to the other one first', async () => {
        const first = await give(one, setState('DISARM'), node)
        const copy = await give(other, setState('DISARM'), node)
        first.succeed()
        await waitFor(() => copy.isOver)
        const again = await give(other, setState('DISARM'), node)
        await waitFor(() => again.turn !== undefined)
        const its = await give(one, setState('DISARM'), node)
        again.succeed()
        await waitFor(() => its.isOver)
        assert.equal(its.turn, undefined)
      })

      it('again if it disarms and something else came in between, and not if it arms', async () => {
        const disarm = await give(one, setState('DISARM'), node)
        const arming = await give(one, setState('AWAY'), node)
        const again = await give(other, setState('DISARM'), node)
        disarm.succeed()
        await waitFor(() => again.turn !== undefined)
        const copy = await give(other, setState('AWAY'), node)
        await waitFor(() => arming.isOver && copy.isOver)
        assert.deepEqual([arming.error?.reason, copy.error?.reason], ['Replaced', 'Replaced'])
      })

      it('to the other one if the first was killed before it could send it, in its old place', async () => {
        await give(one, setState('AWAY'), node)
        const copy = await give(other, setState('AWAY'), node)
        await one.kill()
        await waitFor(() => copy.turn !== undefined)
        assert.ok(await send(copy))
        copy.succeed()
        await waitFor(() => copy.isOver)
        assert.ok(copy.done)
      })

      it('to nobody any more if a disarm came before the first was killed', async () => {
        await give(one, setState('AWAY'), node)
        const copy = await give(other, setState('AWAY'), node)
        const disarm = await give(other, setState('DISARM'), { node: 'another' })
        disarm.succeed()
        await one.kill()
        await waitFor(() => copy.isOver)
        assert.deepEqual([copy.turn, copy.error?.reason], [undefined, 'Replaced'])
      })

      it('to the other one if the flow of the first was stopped before it was sent', async () => {
        const flow = new AbortController()
        const before = await give(one, siren)
        const first = await give(one, setState('AWAY'), { ...node, signal: flow.signal })
        const copy = await give(other, setState('AWAY'), node)
        flow.abort()
        before.succeed()
        await waitFor(() => copy.turn !== undefined)
        assert.equal(first.error?.code, 'CLOSED')
      })

      it('to the first alone if that was killed when it may have sent it: the other one does not know', async () => {
        await send(await give(one, setState('AWAY'), node))
        const copy = await give(other, setState('AWAY'), node)
        await one.kill()
        await waitFor(() => copy.isOver)
        assert.deepEqual(
          [copy.turn, copy.error?.code, copy.error?.reason],
          [undefined, 'COMMAND_FAILED', 'Unknown'],
        )
      })

      it('to the first alone if the flow of the other one stops, which says so', async () => {
        const first = await give(one, setState('AWAY'), node)
        const flow = new AbortController()
        const copy = await give(other, setState('AWAY'), { ...node, signal: flow.signal })
        flow.abort()
        await waitFor(() => copy.isOver)
        assert.deepEqual([copy.error?.code, copy.error?.reason], ['CLOSED', 'Unknown'])
        assert.equal(first.isOver, false)
      })
    })
  })
}
