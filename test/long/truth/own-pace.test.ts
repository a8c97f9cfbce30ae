import { inputs } from '../../../harness/mocha/depth.ts'
import { testRandomLives } from '../../../harness/simulation/truth-properties.ts'

describe('All that nodes tell is true', () => testRandomLives('houses without fixed intervals', inputs(112)))
