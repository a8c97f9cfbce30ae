import { testRandomLives } from '../../harness/simulation/truth-properties.ts'

describe('All that nodes tell is true', () => testRandomLives('houses', 2))
