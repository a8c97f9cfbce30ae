import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Layout, type Placed, selectReporters } from '../../../nodes/shared/error-routing.ts'

const tab: Layout = { id: 'tab', type: 'tab' }
const user = (id: string, place: Partial<Placed> = {}): Placed => ({ id, z: 'tab', ...place })
const catching = (scope: unknown, place: Partial<Placed> = {}): Layout => ({
  id: 'catch',
  type: 'catch',
  z: 'tab',
  scope,
  ...place,
})
const speak = (users: readonly Placed[], layout: readonly Layout[]) =>
  selectReporters(users, layout).nodes.map(({ id }) => id)
const three = [user('a'), user('b'), user('c')]

/** How often a Catch node hears of it, as Node-RED decides it. */
function heard({ scope, z, g }: Layout, speaking: readonly Placed[]): number {
  return speaking.filter((one) => {
    if (one.z !== z) return false
    if (Array.isArray(scope)) return scope.includes(one.id)
    return scope === 'group' && g !== undefined ? one.g === g : true
  }).length
}

describe('Of the nodes that use a panel, its trouble is handed on by', () => {
  it('one for each tab, so that a Catch node of the tab hears it once', () => {
    const other = user('d', { z: 'other' })
    const layout = [tab, { ...tab, id: 'other' }, catching(null), catching(undefined, { z: 'other' })]
    assert.deepEqual(speak([...three, other], layout), ['a', 'd'])
  })

  it('one even where there is no Catch node, which puts it into the log', () => {
    assert.deepEqual(selectReporters(three, [tab]), { nodes: [user('a')], isCaught: false })
  })

  it('one that all Catch nodes hear, where there is such a one', () => {
    assert.deepEqual(speak(three, [tab, catching(null), catching(['b', 'c'])]), ['b'])
  })

  it('all of them within a subflow', () => {
    const inside = three.map((one) => ({ ...one, z: 'instance' }))
    assert.deepEqual(speak(inside, [tab, catching(['x'], { z: 'subflow' })]), ['a', 'b', 'c'])
  })

  it('one within a group for a Catch node that listens to the group around it', () => {
    const groups = [
      { id: 'outer', type: 'group', z: 'tab' },
      { id: 'inner', type: 'group', z: 'tab', g: 'outer' },
    ]
    const placed = [user('a'), user('b', { g: 'inner' })]
    assert.deepEqual(speak(placed, [tab, ...groups, catching('group', { g: 'outer' })]), ['b'])
  })

  it('enough for every Catch node that hears any of them', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const place = fc.constantFrom({}, { g: 'g' }, { g: 'h' })
    const users = fc.uniqueArray(
      fc.tuple(name, place).map(([id, at]) => user(id, at)),
      { selector: ({ id }) => id },
    )
    const catches = fc.array(
      fc.oneof(
        fc.array(name).map((scope) => catching(scope)),
        place.map((at) => catching('group', at)),
        fc.constant(catching(null)),
      ),
    )
    fc.assert(
      fc.property(users, catches, (all, layout) => {
        const { nodes, isCaught } = selectReporters(all, [tab, ...layout])
        assert.ok(nodes.every((one) => all.includes(one)))
        assert.equal(new Set(nodes).size, nodes.length)
        for (const one of layout) assert.equal(heard(one, nodes) > 0, heard(one, all) > 0)
        assert.equal(
          isCaught,
          layout.some((one) => heard(one, nodes) > 0),
        )
        if (layout.every(({ scope }) => scope === null)) assert.ok(nodes.length <= 1)
      }),
    )
  })
})
