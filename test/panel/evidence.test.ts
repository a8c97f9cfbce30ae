import assert from 'node:assert/strict'
import fc from 'fast-check'
import { second } from '../../src/duration.ts'
import { afterAnswer, type Circumstances, type ListRecord, nothingKnown } from '../../src/panel/snapshot.ts'

/** An answer of a test: its entries, and what is special about it. */
interface TestAnswer {
  shows: string
  /** Seconds of the request; by default, a minute after the one before. */
  sentAt?: number
  /** Seconds until it arrives. */
  takes?: number
  session?: number
  isReliable?: boolean
  /** Seconds for which a cache has kept it. */
  cached?: number
}

const validFor = 300

/** Returns what is there, what is gone and whether the list is whole after each of the answers. */
function statesAfter(answers: readonly TestAnswer[], circumstances: Circumstances<string> = {}) {
  let record: ListRecord<string> = nothingKnown
  let latest = 0
  return answers.map(({ shows, takes = 1, session = 1, isReliable = true, sentAt = latest + 60, cached }) => {
    latest = sentAt
    const listed = new Map([...shows].map((one) => [one, one]))
    const times = { sentAt: second * sentAt, at: second * (sentAt + takes), validFor: second * validFor }
    const kept = cached === undefined ? {} : { cached: second * cached }
    const answer = { ...times, ...kept, session: `${session}`, isReliable }
    const known = afterAnswer(record, listed, answer, circumstances)
    record = known.record
    return {
      there: [...shows, ...known.held].sort().join(''),
      gone: known.gone.join(''),
      isWhole: record.isWhole,
      agreedAt: record.agreedAt === undefined ? undefined : record.agreedAt / 1000,
    }
  })
}

const there = (...answers: TestAnswer[]) => statesAfter(answers).map((one) => one.there)
const all = { shows: 'ab' }
const thin = { shows: 'a' }

describe('What an answer does not show', () => {
  // @spec thin-device-lists
  it('is there until a second complete answer in a row lacks it', () => {
    assert.deepEqual(there(all, all, thin, thin), ['ab', 'ab', 'ab', 'a'])
    assert.deepEqual(
      statesAfter([all, all, thin, thin, thin]).map(({ gone }) => gone),
      ['', '', '', 'b', ''],
    )
  })

  it('begins anew with each answer that has it', () => {
    assert.deepEqual(there(all, all, thin, all, thin, all, thin), ['ab', 'ab', 'ab', 'ab', 'ab', 'ab', 'ab'])
  })

  it('is not gone because of one answer that several callers share, or that is older than another one', () => {
    const shared = { ...thin, sentAt: 200 }
    assert.deepEqual(there(all, all, shared, shared, shared).at(-1), 'ab')
    assert.deepEqual(there(all, all, shared, { ...thin, sentAt: 190 }).at(-1), 'ab')
  })

  it('does not come back with an older answer that arrives last', () => {
    const answers = [all, all, { ...thin, sentAt: 200 }, { ...thin, sentAt: 260 }, { ...all, sentAt: 230 }]
    assert.deepEqual(there(...answers, { ...thin, sentAt: 320 }).slice(3), ['a', 'ab', 'a'])
  })

  it('is not gone because of two requests that are under way at the same time', () => {
    const first = { ...thin, sentAt: 200, takes: 20 }
    assert.deepEqual(there(all, all, first, { ...thin, sentAt: 210, takes: 1 }).at(-1), 'ab')
    assert.deepEqual(there(all, all, first, { ...thin, sentAt: 220, takes: 1 }).at(-1), 'a')
  })

  it('is not gone because of two copies of one answer that a cache has kept', () => {
    // The cache has got its copy at 200.4 s, and shows whole seconds.
    const copy = (sentAt: number) => ({ ...thin, sentAt, takes: 0, cached: Math.floor(sentAt - 200.4) })
    const copies = [201, 230.3, 260.2, 290.39, 320.45].map(copy)
    assert.deepEqual(there(all, all, ...copies).at(-1), 'ab')
    assert.deepEqual(there(all, all, { ...thin, sentAt: 200, takes: 0.4 }, ...copies).at(-1), 'ab')
    assert.deepEqual(there(all, all, ...copies, { ...thin, sentAt: 350 }).at(-1), 'a')
  })

  it('is not gone because of the first answer after a sign-in', () => {
    const early = { ...thin, session: 2 }
    assert.deepEqual(there(all, all, thin, early), ['ab', 'ab', 'ab', 'ab'])
    assert.deepEqual(there(all, all, early, early, early), ['ab', 'ab', 'ab', 'ab', 'a'])
  })

  it('is gone at last though each request needs a sign-in of its own', () => {
    const thinAgain = [2, 3, 4, 5].map((session) => ({ ...thin, session }))
    assert.deepEqual(there(all, all, ...thinAgain), ['ab', 'ab', 'ab', 'ab', 'ab', 'a'])
  })

  it('is not gone because of answers that prove nothing', () => {
    const empty = { shows: '', isReliable: false }
    assert.deepEqual(there(all, all, empty, empty, empty).at(-1), 'ab')
    assert.deepEqual(there(all, all, thin, empty, thin), ['ab', 'ab', 'ab', 'ab', 'a'])
  })

  it('is not gone because of answers that do not speak of it', () => {
    const speaksOf = (value: string) => value !== 'b'
    const answers = [{ shows: 'abc' }, { shows: 'abc' }, thin, thin]
    assert.deepEqual(
      statesAfter(answers, { speaksOf }).map((one) => one.there),
      ['abc', 'abc', 'abc', 'ab'],
    )
  })

  it('is gone at once if something else shows that it is over', () => {
    assert.deepEqual(statesAfter([all, all, thin], { isOver: (value) => value === 'b' }).at(-1), {
      there: 'a',
      gone: 'b',
      isWhole: true,
      agreedAt: 120,
    })
  })
})

describe('A list', () => {
  const whole = (...answers: TestAnswer[]) => statesAfter(answers).map(({ isWhole }) => isWhole)

  it('is whole after two complete answers, of which none is the first one', () => {
    assert.deepEqual(whole(thin, thin, thin), [false, false, true])
    assert.deepEqual(whole(thin, { ...thin, session: 2 }, { ...thin, session: 2 }), [false, false, true])
    const proof = { ...thin, isReliable: false }
    assert.deepEqual(whole(proof, proof, proof, thin, thin), [false, false, false, false, true])
  })

  it('agrees with the one before since the request for that one, if both are complete and separate', () => {
    const agreed = (...answers: TestAnswer[]) => statesAfter(answers).map(({ agreedAt }) => agreedAt)
    assert.deepEqual(agreed(thin, thin, thin, thin), [undefined, undefined, 120, 180])
    assert.deepEqual(agreed(thin, thin, { ...thin, sentAt: 120.5 }, thin), [
      undefined,
      undefined,
      undefined,
      120,
    ])
    assert.deepEqual(agreed(thin, thin, thin, { ...thin, isReliable: false }, thin), [
      undefined,
      undefined,
      120,
      120,
      180,
    ])
    assert.deepEqual(agreed(thin, thin, thin, { ...thin, sentAt: 10_000 }).at(-1), undefined)
  })

  it('is no longer whole after a long silence, in which anything may have come', () => {
    const late = { ...thin, sentAt: 10_000 }
    assert.deepEqual(whole(thin, thin, thin, late, thin), [false, false, true, false, true])
    // What was there before is not gone with the first answer.
    assert.deepEqual(there(all, all, { ...thin, sentAt: 10_000 }, thin).slice(2), ['ab', 'a'])
  })

  it('never loses by one incomplete answer in a row what is there, in any history', () => {
    const answer = fc.record({ isThin: fc.boolean(), session: fc.integer({ min: 1, max: 3 }) })
    fc.assert(
      fc.property(fc.array(answer), (answers) => {
        const shown = answers.map(({ isThin, session }, at): TestAnswer => {
          // No two in a row are thin.
          const isComplete = !isThin || answers[at - 1]?.isThin === true
          return { shows: isComplete && at > 0 ? 'ab' : 'a', session }
        })
        let wasShown = false
        for (const [at, { there: shownNow }] of statesAfter(shown).entries()) {
          wasShown ||= shown[at]?.shows === 'ab'
          assert.equal(shownNow, wasShown ? 'ab' : 'a')
        }
      }),
    )
  })
})
