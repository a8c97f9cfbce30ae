import assert from 'node:assert/strict'
import { withDefaults } from '../../../src/panel/events/event-catalogue.ts'
import type { EventType } from '../../../src/service/catalogue/catalogue.ts'
import { catalogueEnUs } from '../../../src/service/catalogue/en-us.ts'
import { endingOf, isStart, restoringCode } from '../../../src/service/catalogue/event-endings.ts'

const catalogue = withDefaults([])
const starts = catalogueEnUs.filter(isStart)
const ending = (type: EventType) => endingOf(type, catalogue) ?? assert.fail(`nothing ends ${type.typeId}`)

/** The types whose Contact ID with the qualifier 3 is that of a restore. */
const paired = starts.filter(({ contactId }) => {
  const code = restoringCode(contactId)
  return catalogueEnUs.some((other) => other.contactId === code && !isStart(other))
})

describe('The end of an event type', () => {
  // @spec 6.3
  it('exists for each of the 83 starting types', () => {
    assert.equal(starts.length, 83)
    for (const type of starts) {
      const { restores, disarm, arming, after } = ending(type)
      assert.ok(restores.length > 0 || disarm || arming || after !== undefined, `${type.typeId}`)
    }
  })

  // @spec inactive-alert
  it('is a restore with its Contact ID for 63 of them, and a rule with a reason for the other 20', () => {
    assert.equal(paired.length, 63)
    for (const type of starts) {
      const { restores, why } = ending(type)
      if (!paired.includes(type)) {
        assert.ok(why, `${type.typeId} has no reason`)
        continue
      }
      assert.equal(why, undefined, `${type.typeId}`)
      for (const id of restores)
        assert.equal(catalogue.get(id)?.contactId, restoringCode(type.contactId), `${type.typeId}`)
      assert.equal(restores.length, 1, `${type.typeId}`)
    }
  })

  it('is of the same kind of device: its text names it, and its SIA code begins alike', () => {
    for (const type of paired) {
      const [restore] = ending(type).restores.map((id) => catalogue.get(id))
      assert.ok(restore)
      const device =
        /Keyfob|Remote Commander|Repeater|Control Panel (?!Tamper)|EXP33|GSM|GPRS|BBA|PLINK|keypad/i
      assert.equal(
        device.exec(restore.description)?.[0],
        device.exec(type.description)?.[0],
        `${type.typeId}`,
      )
      if (restore.sia !== '000') assert.equal(restore.sia.slice(0, 2), type.sia.slice(0, 2), `${type.typeId}`)
    }
  })

  it('names types that start nothing themselves', () => {
    for (const type of starts) {
      for (const id of ending(type).restores) {
        const restore = catalogue.get(id)
        assert.ok(restore && !isStart(restore), `${type.typeId}`)
      }
    }
    assert.equal(endingOf(catalogue.get(19) as EventType, catalogue), undefined)
  })

  it('is found by Contact ID for types that only the service has', () => {
    const type = { vis: '', sia: '', label: '', description: '', descriptionOriginal: '' }
    const own = withDefaults([
      { ...type, typeId: 2001, group: 'EP_ALARM', contactId: '1142' },
      { ...type, typeId: 2002, group: 'EP_RESTORE', contactId: '3142' },
      { ...type, typeId: 2003, group: 'EP_ALERT', contactId: '' },
    ])
    const end = (id: number) => endingOf(own.get(id) as EventType, own)
    assert.deepEqual(end(2001), { restores: [2002], disarm: true, incident: 'alarm' })
    assert.equal(end(2002), undefined)
    assert.deepEqual(end(2003), { restores: [], after: 604_800_000 })
  })
})
