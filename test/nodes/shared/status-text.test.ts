import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import { englishText } from '../../../harness/fixtures/english-texts.ts'
import {
  fitted,
  maxStatusLength,
  phrase,
  type StatusText,
  written,
} from '../../../nodes/shared/node-status.ts'
import { hour } from '../../../src/duration.ts'

const now = new Date(2027, 0, 31, 3, 14).getTime()
const RED = { _: englishText } as unknown as NodeAPI
const write = (text: StatusText) => written(RED, text, now)
const writeFitted = (text: StatusText) => write(fitted(RED, text, now))

describe('A status text', () => {
  it('says a phrase, what it is about, and the local time', () => {
    const text = phrase('command.status.refused', { detail: 'Front door, Cellar', at: now })
    assert.equal(write(text), 'refused: Front door, Cellar, 03:14')
  })

  it('needs no phrase', () => {
    assert.equal(write({ detail: 'Disarm', at: now }), 'Disarm, 03:14')
  })

  it('says the cause in the words of the status of other nodes', () => {
    const { key: cause = '' } = phrase('account.status.error.TIMEOUT')
    assert.equal(write(phrase('health.status.offline', { cause })), 'offline: no answer in time')
  })

  it('says the date instead of a time that is a day or more away', () => {
    assert.equal(write({ detail: 'Disarm', at: now - 23 * hour }), 'Disarm, 04:14')
    assert.equal(write({ detail: 'Disarm', at: now - 24 * hour }), 'Disarm, 2027-01-30')
    assert.equal(write(phrase('account.status.held', { values: { time: now + hour } })), 'paused until 04:14')
  })

  it('is cut in its names only, so that the time stays', () => {
    const detail = 'Kitchen window, Cellar, Terrace door, Bedroom window left'
    const text = writeFitted(phrase('command.status.refused', { detail, at: now }))
    assert.equal(text, 'refused: Kitchen window, Cellar…, 03:14')
    assert.ok(text.length <= maxStatusLength)
  })

  it('leaves out a name for which there is no room', () => {
    const { key: cause = '' } = phrase('account.status.error.WRONG_USER_CODE')
    const text = phrase('account.status.standbyNoPolls', { cause, detail: 'pi-one' })
    assert.equal(writeFitted(text), 'standby, no polls: wrong code or serial')
  })

  it('has no control characters of a name', () => {
    assert.equal(writeFitted({ detail: 'Front\n\u0000door' }), 'Front door')
  })

  it('is as it was if it has room', () => {
    const detail = 'x'.repeat(maxStatusLength)
    assert.equal(writeFitted({ detail }), detail)
    assert.equal(writeFitted(phrase('state.status.AWAY', { detail: '' })), 'armed away')
  })
})
