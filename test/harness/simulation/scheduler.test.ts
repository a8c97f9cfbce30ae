import assert from 'node:assert/strict'
import { MachineClock } from '../../../harness/simulation/process/machine-clock.ts'
import { SimulatedProcess } from '../../../harness/simulation/process/simulated-process.ts'
import { Scheduler } from '../../../harness/simulation/scheduler.ts'

const names = ['a', 'b', 'c', 'd', 'e', 'f']

/** Lets six things happen at the same moment, and returns their order. */
async function orderOf(seed: number): Promise<string> {
  const scheduler = new Scheduler(seed, 0)
  const order: string[] = []
  for (const name of names.slice(0, 3)) scheduler.queue(() => order.push(name))
  for (const name of names.slice(3)) scheduler.clock.after(0, () => order.push(name))
  await scheduler.pass(1)
  return order.join('')
}

function startProcess() {
  const scheduler = new Scheduler(1, 0)
  const process = new SimulatedProcess(scheduler, new MachineClock(scheduler))
  const happened: number[] = []
  const note = () => happened.push(scheduler.clock.monotonic())
  return { scheduler, process, happened, note }
}

describe('The scheduler of a simulation', () => {
  it('lets all happen in the same order for the same seed', async () => {
    assert.equal(await orderOf(7), await orderOf(7))
  })

  it('lets all happen in another order for another seed', async () => {
    const orders = await Promise.all(Array.from({ length: 20 }, (_, seed) => orderOf(seed)))
    assert.ok(new Set(orders).size > 10, `${orders}`)
  })

  it('keeps the order of what a process does with setImmediate', async () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const scheduler = new Scheduler(seed, 0)
      const process = new SimulatedProcess(scheduler, new MachineClock(scheduler))
      const order: string[] = []
      for (const name of names) process.setImmediate(() => order.push(name))
      await scheduler.pass(1)
      assert.deepEqual(order, names)
    }
  })

  it('calls a timer later than now, however small its delay is', async () => {
    const scheduler = new Scheduler(1, 0)
    await scheduler.pass(2 ** 30)
    let calledAt = 0
    scheduler.clock.after(1e-9, () => {
      calledAt = scheduler.clock.monotonic()
    })
    await scheduler.pass(1)
    assert.ok(calledAt > 2 ** 30)
  })

  it('moves the clock only when nothing else can happen', async () => {
    const scheduler = new Scheduler(1, 0)
    const at: number[] = []
    scheduler.clock.after(10, () => at.push(scheduler.clock.monotonic()))
    const work = (left: number) => {
      at.push(scheduler.clock.monotonic())
      if (left > 0) scheduler.queue(() => work(left - 1))
    }
    scheduler.queue(() => work(2))
    await scheduler.pass(20)
    assert.deepEqual(at, [0, 0, 0, 10])
    assert.equal(scheduler.clock.monotonic(), 20)
  })

  it('runs no timer that was canceled while it was due', async () => {
    const scheduler = new Scheduler(1, 0)
    let runs = 0
    const cancels = Array.from({ length: 2 }, (_, nth) =>
      scheduler.clock.after(5, () => {
        runs += 1
        cancels[1 - nth]?.()
      }),
    )
    await scheduler.pass(10)
    assert.equal(runs, 1)
  })

  it('says that the time stands still if something repeats without a pause', async () => {
    const scheduler = new Scheduler(1, 0)
    const repeat = () => scheduler.clock.after(0, repeat)
    repeat()
    await assert.rejects(scheduler.pass(1), /stands still/)
  })

  it('says that nothing is left that could settle a promise', async () => {
    const scheduler = new Scheduler(1, 0)
    await assert.rejects(scheduler.waitFor(new Promise(() => {})), /in vain/)
  })
})

describe('A process in a simulation', () => {
  it('does nothing after it was killed', async () => {
    const { scheduler, process, happened, note } = startProcess()
    process.queue(note)
    process.clock.after(10, note)
    process.kill()
    await scheduler.pass(20)
    assert.deepEqual(happened, [])
  })

  it('does late what was due while it was stalled', async () => {
    const { scheduler, process, happened, note } = startProcess()
    process.clock.after(10, note)
    process.stall(50)
    process.queue(note)
    await scheduler.pass(100)
    assert.deepEqual(happened, [50, 50])
  })

  it('has a monotonic clock that begins anew after a power cut', async () => {
    const scheduler = new Scheduler(1, 1000)
    const machine = new MachineClock(scheduler)
    const { clock } = new SimulatedProcess(scheduler, machine)
    const before = clock.boot
    await scheduler.pass(100)
    machine.restart()
    assert.deepEqual([clock.monotonic(), clock.wall()], [0, 1100])
    assert.notEqual(clock.boot, before)
  })
})
