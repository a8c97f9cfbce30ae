import { useFlowHarness } from '../../harness/flow.ts'
import { directedLives } from '../../harness/simulation/directed-lives.ts'
import { testLives, testRandomLives } from '../../harness/simulation/truth-properties.ts'

describe('All that nodes tell is true', () => {
  const harness = useFlowHarness()
  testLives(harness, directedLives)
  testRandomLives(harness, 'houses', 2)
})
