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
const reportersOf = (users: readonly Placed[], layout: readonly Layout[]) =>
  selectReporters(users, layout).nodes.map(({ id }) => id)
const three = [user('a'), user('b'), user('c')]

/** Returns how many reports a Catch node receives, by the rules of Node-RED. */
function reportCount({ scope, z, g }: Layout, reporters: readonly Placed[]): number {
  return reporters.filter((one) => {
    if (one.z !== z) return false
    if (Array.isArray(scope)) return scope.includes(one.id)
    return scope === 'group' && g !== undefined ? one.g === g : true
  }).length
}

describe('An outage of a panel is reported by', () => {
  it('one node for each tab, so that a Catch node of the tab receives it once', () => {
    const other = user('d', { z: 'other' })
    const layout = [tab, { ...tab, id: 'other' }, catching(null), catching(undefined, { z: 'other' })]
    assert.deepEqual(reportersOf([...three, other], layout), ['a', 'd'])
  })

  it('one node without any Catch node, which logs it', () => {
    assert.deepEqual(selectReporters(three, [tab]), { nodes: [user('a')], isCaught: false })
  })

  it('a single node that all Catch nodes cover, if there is one', () => {
    assert.deepEqual(reportersOf(three, [tab, catching(null), catching(['b', 'c'])]), ['b'])
  })

  it('all nodes within a subflow', () => {
    const inside = three.map((one) => ({ ...one, z: 'instance' }))
    assert.deepEqual(reportersOf(inside, [tab, catching(['x'], { z: 'subflow' })]), ['a', 'b', 'c'])
  })

  it('a node within a group for a Catch node of the surrounding group', () => {
    const groups = [
      { id: 'outer', type: 'group', z: 'tab' },
      { id: 'inner', type: 'group', z: 'tab', g: 'outer' },
    ]
    const placed = [user('a'), user('b', { g: 'inner' })]
    assert.deepEqual(reportersOf(placed, [tab, ...groups, catching('group', { g: 'outer' })]), ['b'])
  })

  it('enough nodes for every Catch node that covers any of them', () => {
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
        for (const one of layout) assert.equal(reportCount(one, nodes) > 0, reportCount(one, all) > 0)
        assert.equal(
          isCaught,
          layout.some((one) => reportCount(one, nodes) > 0),
        )
        if (layout.every(({ scope }) => scope === null)) assert.ok(nodes.length <= 1)
      }),
    )
  })
})
