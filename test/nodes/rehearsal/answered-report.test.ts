import assert from 'node:assert/strict'
import { useFlowHarness } from '../../../harness/flow.ts'

const panel = { name: 'House', allowRehearsal: true }
const nodes = { incident: { type: 'keyholder-incident' }, state: { type: 'keyholder-state' } }

describe('The answer to a message that began a rehearsal', () => {
  const harness = useFlowHarness()

  it('has the report: what was reached, and a node that takes an alarm that is over for one that lasts', async () => {
    const { flow } = await harness.start({ panel, nodes })
    flow.input('incident', { rehearse: { scene: 'fire', faster: true } })
    const { payload } = await flow.output('incident').next(({ topic }) => topic === 'House/rehearsal')
    const told = flow.output('incident').all.filter(({ rehearsal, late }) => rehearsal && late)
    assert.deepEqual(
      told.map(({ payload: { title, status } }) => [title.split(':')[0], status]),
      [['Rehearsal', 'closed']],
    )
    const { findings, nodes: reached, caught, ways } = payload.report
    assert.deepEqual(
      findings.map(({ kind, node }: { kind: string; node: { type: string } }) => [kind, node.type]),
      [['late', 'recorder']],
    )
    assert.deepEqual(
      reached.map(({ state }: { state: string }) => state),
      ['done', 'done'],
    )
    assert.equal(ways[0].state, 'told')
    assert.equal(payload.report.outcome, 'faults')
    assert.equal(payload.summary, 'Rehearsal: The scene is over. Faults found in the flows: 1')
    assert.ok(ways[0].seconds >= 0 && ways[0].seconds < 10, ways[0].seconds)
    assert.deepEqual(caught, [])
    assert.match(
      payload.text,
      /^recorder: [\d.]+ s after the smoke: “[^”]+”\n[\s\S]*Faults found in the flows: 1\n- “recorder”.* got an alarm that was over before/,
    )
  })
})
