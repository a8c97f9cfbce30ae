import assert from 'node:assert/strict'
import { firstText } from '../../../nodes/shared/message-texts.ts'

describe('A text of a message', () => {
  const english = { incident: { summary: { fire: 'Fire', gas: 'Gas' } } }

  it('is in the wanted language, or in English where that lacks it', () => {
    const lagging = { incident: { summary: { fire: 'Feu', gas: '' } } }
    assert.equal(firstText([lagging, english], 'incident.summary.fire'), 'Feu')
    assert.equal(firstText([lagging, english], 'incident.summary.gas'), 'Gas')
    assert.equal(firstText([{}, english], 'incident.summary.gas'), 'Gas')
  })

  it('is undefined if no language has it, also if its key goes on below a text', () => {
    assert.equal(firstText([english], 'incident.summary.water'), undefined)
    assert.equal(firstText([english], 'incident.summary.gas.kind'), undefined)
    assert.equal(firstText([english], 'incident.summary'), undefined)
  })
})
