import assert from 'node:assert/strict'
import { catalogueEnUs } from '../../../src/service/catalogue/en-us.ts'

const groupOf = (name: string) => catalogueEnUs.filter(({ group }) => group === name)
const ofType = (id: number) => catalogueEnUs.find(({ typeId }) => typeId === id)

describe('The English event catalogue', () => {
  const sizes = {
    EP_ALERT: 51,
    EP_ALARM: 26,
    EP_RESTORE: 61,
    EP_OPEN_CLOSE: 12,
    EP_ONLINE: 4,
    EP_OFFLINE: 5,
    EP_NOTICE: 28,
    EP_DURESS: 1,
  }
  for (const [name, size] of Object.entries(sizes)) {
    // @spec 6.3
    it(`has ${size} types in ${name}`, () => assert.equal(groupOf(name).length, size))
  }

  it('has no other groups', () => {
    assert.deepEqual([...new Set(catalogueEnUs.map(({ group }) => group))], Object.keys(sizes))
  })

  it('starts EP_RESTORE with the 40 specified rows, from Interior Restore to Probe Trouble Restore', () => {
    const restore = groupOf('EP_RESTORE')
    assert.deepEqual([restore[0]?.typeId, restore[39]?.typeId, restore[40]?.typeId], [19, 119, 122])
  })

  it('has unique type ids', () => {
    const ids = catalogueEnUs.map(({ typeId }) => typeId)
    assert.equal(new Set(ids).size, ids.length)
  })

  it('has well-formed codes, labels without the EL_ prefix, and descriptions', () => {
    for (const type of catalogueEnUs) {
      assert.ok(Number.isSafeInteger(type.typeId) && type.typeId > 0)
      assert.match(type.vis, /^\d+$/)
      assert.match(type.contactId, /^\d{3,4}$/)
      assert.match(type.sia, /^([A-Z]{3}|000)$/)
      assert.match(type.label, /^(?!EL_)[A-Z_]+$/)
      assert.match(type.description, /^\S(.*\S)?$/)
      assert.equal(type.descriptionOriginal, type.description)
    }
  })

  // @spec 6.3
  it('contains the first and the last specified row of each table', () => {
    const row = (id: number) => {
      const { typeId, group, vis, contactId, sia, label, description } = ofType(id) ?? assert.fail()
      return [typeId, group, vis, contactId, sia, label, description]
    }
    assert.deepEqual(row(12), [12, 'EP_ALERT', '10', '1383', 'NTA', 'NONE', 'Communication Loss'])
    assert.deepEqual(row(188), [188, 'EP_ALERT', '167', '1381', 'NBZ', 'NONE', 'Supervision (Inactive)'])
    assert.deepEqual(row(1), [1, 'EP_ALARM', '1', '1132', 'NBA', 'BURGLER', 'Interior Alarm'])
    assert.deepEqual(row(997), [997, 'EP_ALARM', '997', '0000', '000', 'NONE', 'Event pending'])
    assert.deepEqual(row(19), [19, 'EP_RESTORE', '17', '3132', 'NBR', 'BURGLER', 'Interior Restore'])
    assert.deepEqual(row(119), [119, 'EP_RESTORE', '110', '3902', 'NKJ', 'NONE', 'Probe Trouble Restore'])
  })

  it('distinguishes an alarm from its restore by the group, not by the label', () => {
    assert.deepEqual(
      [ofType(9), ofType(27)].map((type) => [type?.group, type?.label]),
      [
        ['EP_ALARM', 'BURGLER'],
        ['EP_RESTORE', 'BURGLER'],
      ],
    )
  })

  it('uses the same vis code for several type ids', () => {
    assert.deepEqual(
      catalogueEnUs.filter(({ vis }) => vis === '4').map(({ typeId }) => typeId),
      [4, 5],
    )
  })

  it('contains the arming, disarming and duress events that were found in the field', () => {
    assert.equal(ofType(86)?.description, 'Arm Away')
    assert.equal(ofType(89)?.label, 'DISARM')
    assert.deepEqual([ofType(173)?.group, ofType(173)?.vis], ['EP_RESTORE', '189'])
    assert.equal(ofType(15)?.group, 'EP_DURESS')
  })
})
