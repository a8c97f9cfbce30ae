import assert from 'node:assert/strict'
import type { Telling } from '../../../src/panel/events/event-delivery.ts'
import { tellNoted } from '../../../src/panel/incidents/noted-report.ts'

describe('A report with notes', () => {
  let open: string[]
  let telling: Telling
  let log: unknown[]

  beforeEach(() => {
    open = ['lost']
    log = []
    const owner = {
      context: () => assert.fail(),
      tell: (one: Telling) => {
        telling = one
      },
      send: (due: readonly string[]) => log.push(['send', ...due]),
    }
    tellNoted(owner, {
      due: () => (open.length > 0 ? [...open] : undefined),
      noteTold: (due) => {
        open = open.filter((one) => !due.includes(one))
      },
      notes: (untold) => (untold === undefined ? 'told' : `untold: ${untold.join()}`),
    })
  })

  it('is told as the notes before it say, also if more becomes known while these are saved', () => {
    log.push(telling.notes(false))
    open.push('back')
    telling.send()
    log.push(telling.notes(true))
    assert.deepEqual(log, ['untold: lost', ['send', 'lost'], 'told'])
    assert.deepEqual(open, ['back'])
  })

  it('is noted, and not told, if nothing is to be told any more when it is its turn', () => {
    open = []
    log.push(telling.notes(false))
    telling.send()
    assert.deepEqual(log, ['told'])
  })
})
