import assert from 'node:assert/strict'
import { AccountKnowledge } from '../../../src/account/session/session.ts'
import { operations } from '../../../src/service/operations.ts'
import { parse } from '../../../src/service/schema.ts'

describe('What is known of the panels of an account', () => {
  const list = parse(operations.panels.check, [
    { panel_serial: 'A1B2C3', type: 'Neo' },
    { panel_serial: 'D4E5F6', type: 'POWER_MASTER' },
  ])?.value

  it('is their number, their types and their serials, once their list was read', () => {
    const knowledge = new AccountKnowledge()
    assert.deepEqual([knowledge.panelCount, knowledge.panelTypes], [0, undefined])
    assert.ok(!knowledge.isListed('A1B2C3'))
    knowledge.notePanels(list ?? [])
    assert.deepEqual([knowledge.panelCount, knowledge.panelTypes], [2, ['Neo', 'POWER_MASTER']])
    assert.ok(knowledge.isListed('A1B2C3'))
    assert.ok(!knowledge.isListed('ABCDEF'))
  })

  it('holds back a user code of a length that its panel does not have, once the panel has told the lengths', () => {
    const knowledge = new AccountKnowledge()
    assert.equal(knowledge.codeLengthRefusal('A1B2C3', '12345'), undefined)
    knowledge.noteCodeLengths('A1B2C3', [4, 6])
    for (const code of ['1234', '123456'])
      assert.equal(knowledge.codeLengthRefusal('A1B2C3', code), undefined)
    assert.match(knowledge.codeLengthRefusal('A1B2C3', '12345')?.message ?? '', /have 4 or 6 digits/)
    assert.equal(knowledge.codeLengthRefusal('D4E5F6', '12345'), undefined)
    knowledge.noteCodeLengths('A1B2C3', [])
    assert.equal(knowledge.codeLengthRefusal('A1B2C3', '12345'), undefined)
  })
})
